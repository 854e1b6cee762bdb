// Runs the systemd unit in a Debian whose process 1 is systemd, with Debian's PostgreSQL; a part of `npm run
// container-check`.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { command, runStep, spawnIn, waitForExit } from './minimalDebian.mjs';
import { namespaceHandle } from './namespaces.mjs';
import { SetupError } from './setup.mjs';

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const PUBLIC_URL = 'https://rapport.example.com';

/**
 * @param {{ folder: string, project: string, system: string, env: Record<string, string> }} where
 */
export async function runUnit({ folder, project, system, env }) {
  await runStep('the project in /opt/rapport, installed as the unit says', () => install(project, system, env));
  const groups = controlGroup();
  const boot = spawn('sh', ['-c', BOOT, 'sh', system, groups], { cwd: folder, stdio: 'ignore' });
  try {
    const space = await waitUntilBooted(boot.pid ?? 0);
    const run = (/** @type {string[]} */ program, /** @type {string} */ input = '') =>
      space.run(['/usr/bin/env', '-i', `PATH=${PATH}`, ...program], { input });
    await runStep('systemd-analyze verify', async () => {
      const written = await run(['sh', '-c', 'systemd-analyze verify rapport.service 2>&1']);
      if (written !== '') throw new SetupError(written);
    });
    await runStep('systemd starts it', async () => {
      const sql = "create role rapport login password 'secret'; create database rapport owner rapport";
      for (const one of sql.split('; '))
        await run(['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', 'psql', '-c', one]);
      await run(['systemctl', 'enable', '--now', 'rapport']);
      await space.ready('http://127.0.0.1:3000/readyz').catch(async (error) => {
        throw new SetupError(
          `${error.message}\n${await run(['journalctl', '-u', 'rapport', '-n', '40', '--no-pager'])}`,
        );
      });
    });
    await runStep('an operator, and signing in', async () => {
      const add = ['/opt/rapport/node_modules/.bin/node', '/opt/rapport/src/access/command.ts', 'add', 'anna'];
      await run(['DATABASE_URL_FILE=/etc/rapport/database_url', ...add], 'a-long-password\n');
      await space.signIn('http://127.0.0.1:3000', 'anna', 'a-long-password', {}, PUBLIC_URL);
    });
    await runStep('a killed server is started again', async () => {
      const main = async () => (await run(['systemctl', 'show', '-P', 'MainPID', 'rapport'])).trim();
      const before = await main();
      await run(['systemctl', 'kill', '-s', 'KILL', 'rapport']);
      for (let tries = 0; (await main()) === before || (await main()) === '0'; tries += 1) {
        if (tries > 30) throw new SetupError('systemd has not started it again.');
        await pause(1_000);
      }
      await space.ready('http://127.0.0.1:3000/readyz');
    });
    await runStep('systemctl stop', async () => {
      const started = performance.now();
      await run(['systemctl', 'stop', 'rapport']);
      const result = (await run(['systemctl', 'show', '-P', 'Result', 'rapport'])).trim();
      if (result !== 'success' || performance.now() - started > 10_000)
        throw new SetupError(`It ended with ${result}.`);
    });
  } finally {
    boot.kill('SIGKILL');
    await removeGroup(groups);
  }
}

/**
 * Create separate namespaces, make the system the root, then run systemd as process 1, which ends with its parent.
 * Mounts are shared, as systemd expects from the program that starts it in a container: otherwise services do not see
 * their credentials.
 */
const BOOT = `echo $$ > "$2/cgroup.procs" && exec unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child \\
  --propagation private sh -c '
    mount --bind "$1" "$1" && cd "$1" && mount -t proc proc proc && mount -t sysfs -o ro sysfs sys &&
    mount -t cgroup2 cgroup2 sys/fs/cgroup && mount -t tmpfs tmpfs run && mount -t tmpfs -o mode=1777 tmpfs dev/shm &&
    mount -t tmpfs -o mode=1777 tmpfs tmp && ip link set lo up && mkdir -p .old && pivot_root . .old && umount -l /.old &&
    mount --make-rshared / && exec env -i container=podman PATH=${PATH} /lib/systemd/systemd' sh "$1"`;

/** Create a control group for systemd to divide; without its own, it would use that of this machine. */
function controlGroup() {
  const top = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup'].find((path) => existsSync(join(path, 'cgroup.procs')));
  if (top === undefined)
    throw new SetupError('The unit cannot be run: this machine has no control groups of version 2.');
  const group = join(top, `rapport-check-${process.pid}`);
  mkdirSync(group);
  return group;
}

async function removeGroup(/** @type {string} */ group) {
  const remove = (/** @type {string} */ folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) remove(join(folder, entry.name));
    rmdirSync(folder);
  };
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      return remove(group);
    } catch {
      await pause(100);
    }
  }
  throw new SetupError(`${group} could not be removed.`);
}

/** Wait until systemd and PostgreSQL run. */
async function waitUntilBooted(/** @type {number} */ pid) {
  for (let tries = 0; tries < 120; tries += 1) {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    if (children !== '') {
      const kinds = ['--mount', '--pid', '--net', '--uts', '--ipc', '--cgroup', '--root'];
      const space = namespaceHandle(Number(children.split(' ')[0]), kinds, ['--net'], () => undefined);
      const state = await space.run(['/usr/bin/systemctl', 'is-active', 'postgresql@15-main']).catch(() => '');
      if (state.trim() === 'active') return space;
    }
    await pause(500);
  }
  throw new SetupError('systemd has not started as process 1.');
}

/**
 * Follow the instructions at the head of the unit file, and install with npm.
 * @param {string} project
 * @param {string} system
 * @param {Record<string, string>} env
 */
async function install(project, system, env) {
  const opt = join(system, 'opt/rapport');
  await command('git', ['clone', '--quiet', '--no-local', project, opt], { quiet: true });
  await command('chroot', [
    system,
    'useradd',
    '--system',
    '--home-dir',
    '/var/lib/rapport',
    '--shell',
    '/usr/sbin/nologin',
    'rapport',
  ]);
  mkdirSync(join(system, 'etc/rapport'), { mode: 0o700 });
  cpSync(join(opt, 'ops/systemd/rapport.service'), join(system, 'etc/systemd/system/rapport.service'));
  const settings = readFileSync(join(opt, 'ops/systemd/rapport.env'), 'utf8');
  if (!settings.includes(`RAPPORT_PUBLIC_URL=${PUBLIC_URL}\n`))
    throw new SetupError(`rapport.env has no ${PUBLIC_URL}.`);
  const secrets = {
    'rapport.env': settings,
    secret_key: 'a-key-for-this-check-only-0123456789',
    database_url: 'postgres://rapport:secret@127.0.0.1:5432/rapport',
    metrics_token: 'token',
  };
  for (const [name, text] of Object.entries(secrets))
    writeFileSync(join(system, 'etc/rapport', name), text, { mode: 0o600 });
  const build = 'cd /opt/rapport && npm ci --ignore-scripts --no-audit --no-fund && npm run build';
  const stdio = /** @type {const} */ (['ignore', 'pipe', 'pipe']);
  const all = { PATH, HOME: '/root', ...env };
  await waitForExit(spawnIn(system, '0:0', all, ['sh', '-c', build], { stdio }), 'npm ci in /opt/rapport', true);
}
