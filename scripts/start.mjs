// `npm start`: prepares what is missing, then is the server.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { ensureConsole, ensureDependencies, isNodeRecent, main, root } from './setup.mjs';

await main(async () => {
  const node = ensureDependencies();
  await ensureConsole(node);
  // npm puts the pinned Node first in PATH once it is installed, so from the second start on this process itself can
  // be the server: no second process to wait for, to signal or to lose.
  if (isNodeRecent()) await serve();
  else handOver(node);
});

async function serve() {
  // Compiled modules are kept from start to start. Saved early, since a killed process saves nothing.
  module.enableCompileCache(join(root, 'node_modules/.cache/compiled'));
  setTimeout(() => module.flushCompileCache(), 3_000).unref();
  followStarter(() => {
    process.kill(process.pid, 'SIGTERM');
    // Whoever it was may already start the next server, and a cut is something every part of this one survives.
    setTimeout(() => process.exit(1), 1_000).unref();
  });
  await import(new URL('../src/main.ts', import.meta.url).href);
}

/**
 * When npm or our other half is killed, nobody would be left to stop the server: so it stops by itself.
 * @param {() => void} stop
 */
function followStarter(stop) {
  if (process.send !== undefined) {
    process.once('disconnect', stop);
    process.channel?.unref();
  } else if (process.env.npm_lifecycle_event === 'start') {
    const before = parentProcesses();
    const look = setInterval(() => {
      if (parentProcesses() === before) return;
      clearInterval(look);
      stop();
    }, 200);
    look.unref();
  }
}

/** Between npm and us there may be a shell: when npm is killed it is then the shell that gets another parent. */
function parentProcesses() {
  try {
    const [, shell] = readFileSync(`/proc/${process.ppid}/cmdline`, 'utf8').split('\0');
    if (shell !== '-c') return String(process.ppid);
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
    // After the name, which may hold anything and ends with a bracket: state, then parent.
    return `${process.ppid} ${stat.slice(stat.lastIndexOf(')')).split(' ')[2]}`;
  } catch {
    return String(process.ppid);
  }
}

/**
 * The first start, or one without npm, runs on whatever Node the machine has: the server gets the right one. It ends
 * when our side of the channel closes, however we end.
 * @param {string} node
 */
function handOver(node) {
  const self = join(root, 'scripts/start.mjs');
  const child = spawn(node, [self], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  // Ctrl-C reaches the server by itself; sent again as SIGTERM it changes nothing there.
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => child.kill('SIGTERM'));
  followStarter(() => child.kill('SIGTERM'));
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
