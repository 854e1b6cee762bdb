// `npm start`: prepares what is missing, then is the server.
import { spawn } from 'node:child_process';
import module from 'node:module';
import { join } from 'node:path';
import { ensureConsole, ensureDependencies, main, root } from './setup.mjs';

await main(async () => {
  const node = ensureDependencies();
  await ensureConsole(node);
  // npm puts the pinned Node first in PATH once it is installed, so from the second start on this process itself can
  // be the server: no second process to wait for, to signal or to lose.
  if (Number.parseInt(process.versions.node, 10) >= 26) await serve();
  else hand(node);
});

async function serve() {
  // Compiled modules are kept from start to start. Saved early, since a killed process saves nothing.
  module.enableCompileCache(join(root, 'node_modules/.cache/compiled'));
  setTimeout(() => module.flushCompileCache(), 3_000).unref();
  followParent();
  await import(new URL('../src/main.ts', import.meta.url).href);
}

/** When those who started us are killed, nobody would be left to stop the server: so it stops by itself. */
function followParent() {
  const stop = () => process.kill(process.pid, 'SIGTERM');
  if (process.send !== undefined) {
    process.once('disconnect', stop);
    process.channel?.unref();
  } else if (process.env.npm_lifecycle_event === 'start') {
    const parent = process.ppid;
    const look = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(look);
      stop();
    }, 200);
    look.unref();
  }
}

/**
 * The first start, or one without npm, runs on whatever Node the machine has: the server gets the right one. It ends
 * when our side of the channel closes, however we end.
 * @param {string} node
 */
function hand(node) {
  const self = join(root, 'scripts/start.mjs');
  const child = spawn(node, [self], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  // Ctrl-C reaches the server by itself; sent again as SIGTERM it changes nothing there.
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => child.kill('SIGTERM'));
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
