/** Finds the running emulators of a directory, or starts them as a process that outlives its starter. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isAlive } from '../../platform/postgres/postmaster.ts';
import { closeOwnFiles } from '../../platform/postgres/privateFiles.ts';
import { controlClient } from './control.ts';
import { type Holder, readHolder } from './holder.ts';
import { codeVersion } from './version.ts';

export type EmulatorHandle = Awaited<ReturnType<typeof ensureEmulators>>;

const PROGRAM = fileURLToPath(new URL('./emulators.ts', import.meta.url));

/** Interval of the pings; far below the ten idle minutes after which the emulators end. */
const pingMs = 5_000;
const startLimitMs = 15_000;

/**
 * Take over the emulators of `dir` if they run, answer and have this code; otherwise start them, after ending older
 * ones. Until released they are pinged every few seconds and restarted if they died: with the same port where it is
 * free, the same token, and the same journal.
 */
export async function ensureEmulators(options: {
  dir: string;
  log: (sentence: string) => void;
  /** Ping interval for tests. */
  pingMs?: number;
}) {
  const dir = resolve(options.dir);
  const { log } = options;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  closeOwnFiles(dir);
  let holder = await takeOverOrStart(dir, log);
  const url = urlOf(holder);
  const { token } = holder;
  const control = controlClient(url, token);
  let released = false;
  let checking: Promise<void> | undefined;

  async function check(): Promise<void> {
    if (released || (await answers(holder)) !== null || released) return;
    log('The emulators do not answer and are started again.');
    holder = await takeOverOrStart(dir, log, holder.port);
    if (urlOf(holder) !== url)
      log(`The emulators are now on ${urlOf(holder)}; what was told ${url} does not reach them.`);
  }

  const keeper = setInterval(() => {
    checking ??= check()
      .catch((error: unknown) => log(`The emulators cannot be started: ${String(error)}`))
      .finally(() => {
        checking = undefined;
      });
  }, options.pingMs ?? pingMs);
  keeper.unref();

  /** Stop watching the emulators and leave them running for the next start. They are not restarted any more. */
  async function release(): Promise<void> {
    released = true;
    clearInterval(keeper);
    await checking;
  }

  return {
    url,
    token,
    control,
    pid: () => holder.pid,
    release,
    /** End the emulators' process too, and wait for it. */
    stop: async (): Promise<void> => {
      await release();
      await end(holder);
    },
  };
}

async function takeOverOrStart(dir: string, log: (sentence: string) => void, port = 0): Promise<Holder> {
  const found = readHolder(dir);
  if (found !== null && isAlive(found.pid)) {
    const ping = await answers(found);
    if (ping !== null && ping.version === codeVersion()) return found;
    if (ping !== null) {
      log(`The emulators of process ${found.pid} run older code and are replaced.`);
      await end(found);
    }
  }
  return start(dir, port);
}

async function start(dir: string, port: number): Promise<Holder> {
  const output = openSync(join(dir, 'emulators.log'), 'a', 0o600);
  const child = spawn(process.execPath, [PROGRAM, '--dir', dir, '--port', String(port)], {
    detached: true,
    stdio: ['ignore', output, output],
    // Share the compile cache, so that the child need not compile the same code again.
    env: { ...process.env, NODE_COMPILE_CACHE: getCompileCacheDir() ?? process.env['NODE_COMPILE_CACHE'] },
  });
  closeSync(output);
  child.unref();
  const exit = once(child, 'exit').catch((error: unknown) => [String(error)]);
  let exited: unknown;
  void exit.then(([reason]) => {
    exited = reason;
  });
  const limit = performance.now() + startLimitMs;
  for (;;) {
    // Another start may have been faster: then its process answers.
    const holder = readHolder(dir);
    if (holder !== null && (await answers(holder)) !== null) {
      // A slow child must not start up after the other process has ended.
      if (holder.pid !== child.pid) {
        child.kill('SIGKILL');
        await exit;
      }
      return holder;
    }
    if (performance.now() > limit) {
      child.kill('SIGKILL');
      throw new Error(
        `The emulators did not start (exit ${String(exited ?? 'none')}); see ${join(dir, 'emulators.log')}`,
      );
    }
    await pause(20);
  }
}

/** Return the ping's reply if this very process answers; null otherwise. */
async function answers(holder: Holder): Promise<{ version: string } | null> {
  const ping = await controlClient(urlOf(holder), holder.token)
    .ping()
    .catch(() => null);
  return ping?.pid === holder.pid ? ping : null;
}

async function end(holder: Holder): Promise<void> {
  await controlClient(urlOf(holder), holder.token)
    .shutdown()
    .catch(() => undefined);
  const limit = performance.now() + 5_000;
  while (isAlive(holder.pid) && performance.now() < limit) await pause(20);
  if (!isAlive(holder.pid)) return;
  // Signal only a process that has proven to be the emulators; its pid alone may belong to another process by now.
  if ((await answers(holder)) !== null) process.kill(holder.pid, 'SIGKILL');
}

function urlOf(holder: Holder): string {
  return `http://127.0.0.1:${holder.port}`;
}
