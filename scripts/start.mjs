// `npm start`: prepares what is missing, then runs the server.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureConsole, ensureDependencies, ensureServer, isNodeRecent, main, root } from './setup.mjs';

await main(async () => {
  const node = ensureDependencies();
  await ensureConsole(node);
  const entry = await ensureServer(node);
  // npm puts the pinned Node first in PATH once it is installed, so from the second start on this process itself can be
  // the server: there is no second process to wait for, to signal or to lose.
  if (isNodeRecent()) await serve(entry);
  else handOver(node);
});

/** @param {string} entry the module to run: the build, or the sources */
async function serve(entry) {
  // Errors name the lines of the sources.
  process.setSourceMapsEnabled(true);
  // Keep compiled modules between starts. Flush them early, since a killed process saves nothing.
  module.enableCompileCache(join(root, 'node_modules/.cache/compiled'));
  setTimeout(() => module.flushCompileCache(), 3_000).unref();
  followStarter(() => {
    process.kill(process.pid, 'SIGTERM');
    // The killed starter may already be starting the next server, and every part of this one survives a hard stop.
    setTimeout(() => process.exit(1), 1_000).unref();
  });
  await import(pathToFileURL(entry).href);
}

/**
 * Stop the server when its starter disappears: when npm or our parent process is killed, nothing else would stop it.
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

/**
 * Identify our parent processes. There may be a shell between npm and us: when npm is killed, it is the shell that gets
 * another parent.
 */
function parentProcesses() {
  try {
    const [, shell] = readFileSync(`/proc/${process.ppid}/cmdline`, 'utf8').split('\0');
    if (shell !== '-c') return String(process.ppid);
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
    // After the name, which may contain anything and ends with a bracket, come the state and the parent.
    return `${process.ppid} ${stat.slice(stat.lastIndexOf(')')).split(' ')[2]}`;
  } catch {
    return String(process.ppid);
  }
}

/**
 * Run the server as a child on the right Node: the first start, or one without npm, runs on whatever Node the machine
 * has. The child ends when our side of the channel closes, however this process ends.
 * @param {string} node
 */
function handOver(node) {
  const self = join(root, 'scripts/start.mjs');
  const child = spawn(node, [...process.execArgv, self], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  // Ctrl-C reaches the server directly; sending it again as SIGTERM changes nothing there.
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => child.kill('SIGTERM'));
  followStarter(() => child.kill('SIGTERM'));
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
