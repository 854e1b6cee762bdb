// Separate network, mount and host name namespaces for programs of `npm run container-check`.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { command } from './minimalDebian.mjs';
import { SetupError } from './setup.mjs';

const RUN_IN_NAMESPACE = fileURLToPath(new URL('runInNamespace.mjs', import.meta.url));

/**
 * @typedef {{ cwd?: string, env?: Record<string, string>, input?: string }} Options
 * @typedef {Awaited<ReturnType<typeof openNamespaces>>} Space
 */

/**
 * Open namespaces with only the loopback device. Control groups appear as the single hierarchy of version 2, since some
 * runtimes refuse machines that mix both.
 * @param {string} folder that the holder works in, so that it ends with the folder
 * @param {string} host a name that the loopback address has there
 */
export async function openNamespaces(folder, host) {
  writeFileSync(join(folder, 'hosts'), `127.0.0.1 localhost ${host}\n`);
  const script = `mount --bind "$1/hosts" /etc/hosts; ip link set lo up
    mountpoint -q /sys/fs/cgroup/unified && { umount -R -l /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup; }
    mount -t tmpfs tmpfs /run/netns 2>/dev/null || { mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns; }
    echo open; exec sleep infinity`;
  const holder = spawn('unshare', ['--mount', '--net', '--propagation=private', 'sh', '-c', script, 'sh', folder], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve, reject) => {
    holder.stdout.once('data', resolve);
    holder.once('error', reject);
    holder.once('exit', () => reject(new SetupError('Namespaces cannot be made here.')));
  });
  const kinds = ['--mount', '--net'];
  return namespaceHandle(holder.pid ?? 0, kinds, kinds, () => holder.kill('SIGKILL'));
}

/**
 * Create functions that run programs in the namespaces of a process.
 * @param {number} pid
 * @param {string[]} kinds options of nsenter
 * @param {string[]} visiting those for requests, which are made by this Node
 * @param {() => unknown} close
 */
export function namespaceHandle(pid, kinds, visiting, close) {
  const enter = ['--target', String(pid), ...kinds];
  const run = (/** @type {string[]} */ program, /** @type {Options} */ options = {}) =>
    command('nsenter', [...enter, `--wdns=${options.cwd ?? '/'}`, ...program], { ...options, cwd: '/', quiet: true });
  /** A request must be made from inside, and Node, unlike a shell, is available in every system. */
  const visit = (/** @type {string[]} */ args, /** @type {Record<string, string>} */ env = {}) =>
    command('nsenter', ['--target', String(pid), ...visiting, process.execPath, RUN_IN_NAMESPACE, ...args], {
      env,
      quiet: true,
    });
  return {
    run,
    /** Return the text of a page. */
    read: (/** @type {string} */ url, /** @type {Record<string, string>} */ env = {}) => visit(['read', url], env),
    signIn: (
      /** @type {string} */ base,
      /** @type {string} */ login,
      /** @type {string} */ password,
      /** @type {Record<string, string>} */ env = {},
      /** @type {string} */ origin = base,
    ) => visit(['signIn', base, login, password, origin], env),
    ready: async (/** @type {string} */ url, /** @type {Record<string, string>} */ env = {}) => {
      for (let tries = 0; ; tries += 1) {
        try {
          return await visit(['read', url], env);
        } catch (error) {
          if (tries > 60) throw error;
          await pause(1_000);
        }
      }
    },
    close: async () => close(),
  };
}
