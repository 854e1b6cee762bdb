// Tests the protections of the services of ops/compose, from outside and inside; a part of `npm run container-check`.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, runStep } from './minimalDebian.mjs';
import { SetupError } from './setup.mjs';

/**
 * @typedef {{
 *   run: (program: string[], input?: string) => Promise<string>,
 *   space: import('./namespaces.mjs').Space,
 *   base: string, trust: Record<string, string>, compose: string, folder: string, project: string,
 * }} Installation services of the compose file that run: `base` is their address, `project` their name
 */

/** @param {Installation} its */
export async function checkSecurity(its) {
  await runStep('the database takes TLS alone, and nodes believe its certificate alone', () => checkTls(its));
  await runStep('nodes own no table and only add to the audit log', () => checkRoles(its));
}

/** @param {Installation} its */
function containerOf(its, /** @type {string} */ service) {
  return `${its.project}_${service}_1`;
}

/**
 * Require a command to fail with a message that matches.
 * @param {() => Promise<unknown>} work
 * @param {RegExp} words
 */
async function refused(work, words) {
  const message = await work().then(
    () => 'it succeeded',
    (error) => error.message,
  );
  if (!words.test(message)) throw new SetupError(`Expected ${words}: ${message}`);
}

/**
 * Return the rows of a query, with columns separated by |. Inside its container the database accepts any role.
 * @param {Installation} its
 */
async function ask(its, /** @type {string} */ sql, role = 'rapport') {
  const psql = ['psql', '-U', role, '-d', 'rapport', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', sql];
  return (await its.run(['podman', 'exec', containerOf(its, 'postgres'), ...psql])).trim();
}

/** @param {Installation} its */
async function checkTls(its) {
  const node = containerOf(its, 'rapport1');
  const other = join(its.folder, `other-${its.project}`);
  mkdirSync(other);
  await command('sh', [join(its.compose, '../database-certificate.sh'), other, 'postgres'], { quiet: true });
  const stranger = readFileSync(join(other, 'database_ca'), 'utf8');
  await its.run(['podman', 'exec', '-i', node, 'sh', '-c', 'cat > /tmp/stranger'], stranger);
  const url = readFileSync(join(its.compose, 'secrets/database_url'), 'utf8');
  const [plain = ''] = url.split('?');
  const inspect = JSON.parse(await its.run(['podman', 'inspect', containerOf(its, 'postgres')]));
  const [network] = Object.values(inspect[0].NetworkSettings.Networks);
  /** @type {[string, RegExp][]} */
  const wrong = [
    [`${plain}?sslmode=disable`, /no encryption/],
    [plain, /no encryption/],
    [`${plain}?sslmode=verify-full&sslrootcert=/tmp/stranger`, /certificate/],
    [url.replace('@postgres:', `@${network.IPAddress}:`), /does not match certificate/],
  ];
  const migrate = (/** @type {string} */ address) => {
    const env = ['DATABASE_URL_FILE=', 'DATABASE_MIGRATIONS_URL_FILE=', `DATABASE_URL=${address}`];
    return its.run([
      'podman',
      'exec',
      ...env.flatMap((one) => ['-e', one]),
      node,
      'node',
      'src/platform/migrateCommand.ts',
    ]);
  };
  await migrate(url);
  for (const [address, words] of wrong) await refused(() => migrate(address), words);
  const sessions = await ask(
    its,
    `select distinct a.usename, s.ssl, s.version from pg_stat_activity a join pg_stat_ssl s using (pid)
      where a.client_addr is not null and a.datname = 'rapport'`,
  );
  if (sessions !== 'rapport_app|t|TLSv1.3') throw new SetupError(`Nodes are connected as ${sessions}.`);
}

/** @param {Installation} its */
async function checkRoles(its) {
  const owners = await ask(its, `select distinct tableowner from pg_tables where schemaname = 'public'`);
  if (owners !== 'rapport_migrations') throw new SetupError(`Tables belong to ${owners}.`);
  const mighty = await ask(
    its,
    'select rolname from pg_roles where rolcanlogin and (rolsuper or rolcreaterole or rolcreatedb or rolbypassrls)',
  );
  if (mighty !== 'rapport') throw new SetupError(`Roles with more rights than wanted: ${mighty}.`);
  const before = await ask(its, 'select count(*) from audit');
  if (before === '0') throw new SetupError('Signing in left nothing in the audit log.');
  for (const sql of ["update audit set operator = 'x'", 'delete from audit', 'truncate audit']) {
    await refused(() => ask(its, sql, 'rapport_app'), /permission denied for table audit/);
    await refused(() => ask(its, sql, 'rapport_migrations'), /append-only/);
  }
  for (const sql of ['create table stolen (id int)', 'drop table leads', 'select rolpassword from pg_authid'])
    await refused(() => ask(its, sql, 'rapport_app'), /permission denied|must be owner/);
  if ((await ask(its, 'select count(*) from audit')) !== before) throw new SetupError('The audit log was changed.');
}
