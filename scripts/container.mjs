// `npm run container-check`: what ops/container/Containerfile says, done without a container engine in an empty folder:
// the files it copies, the packages it installs (from node_modules, by the lock file: those that are neither for
// development nor optional), the console it builds, and the server started with its settings on a PostgreSQL beside it.
// Nothing of it is proof that an image can be built; it proves that nothing is missing in one. Takes about a minute.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { main, root, SetupError, say } from './setup.mjs';

await main(async () => {
  const stages = read(readFileSync(join(root, 'ops/container/Containerfile'), 'utf8'));
  const scratch = mkdtempSync(join(tmpdir(), 'rapport-container-'));
  try {
    for (const stage of stages)
      if (!/:\d+\.\d+\.\d+/.test(stage.from)) throw new SetupError(`${stage.from} names no version.`);
    const [build, , final] = stages;
    if (build === undefined || final === undefined) throw new SetupError('Three stages were expected.');
    if (final.user === null || final.user === 'root') throw new SetupError('It would run as root.');

    const buildFolder = join(scratch, 'build');
    copy(build, buildFolder, {});
    symlinkSync(join(root, 'node_modules'), join(buildFolder, 'node_modules'));
    await run(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'], buildFolder, {
      NODE_ENV: 'production',
    });
    say('The console is built.');

    const dependencies = join(scratch, 'dependencies');
    say(`${install(dependencies)} packages are installed.`);
    const folder = join(scratch, 'app');
    copy(final, folder, { build: buildFolder, dependencies });
    await serve(final, folder, scratch);
    say('The server starts, answers, is healthy, and ends by SIGTERM.');
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});

/**
 * @typedef {{ from: string, name: string, copies: { from: string | null, sources: string[], to: string }[],
 *   env: Record<string, string>, user: string | null, health: string[], command: string[] }} Stage
 * @param {string} text
 * @returns {Stage[]}
 */
function read(text) {
  /** @type {Stage[]} */
  const stages = [];
  for (const line of text.replaceAll(/\\\n/g, ' ').split('\n')) {
    const [word = '', ...rest] = line.trim().split(/\s+/);
    if (word === '' || word.startsWith('#')) continue;
    const stage = stages.at(-1);
    if (word === 'FROM') {
      stages.push({
        from: rest[0] ?? '',
        name: rest[2] ?? '',
        copies: [],
        env: {},
        user: null,
        health: [],
        command: [],
      });
    } else if (stage === undefined) {
      throw new SetupError(`${word} stands before FROM.`);
    } else if (word === 'COPY') {
      const source = rest[0]?.startsWith('--from=') ? rest.shift()?.slice(7) : null;
      stage.copies.push({ from: source ?? null, sources: rest.slice(0, -1), to: rest.at(-1) ?? '' });
    } else if (word === 'ENV') {
      for (const pair of rest) stage.env[pair.slice(0, pair.indexOf('='))] = pair.slice(pair.indexOf('=') + 1);
    } else if (word === 'USER') {
      stage.user = rest[0] ?? null;
    } else if (word === 'HEALTHCHECK') {
      stage.health = JSON.parse(line.slice(line.indexOf('[')));
    } else if (word === 'CMD') {
      stage.command = JSON.parse(line.slice(line.indexOf('[')));
    } else if (!['WORKDIR', 'RUN', 'LABEL', 'EXPOSE', 'VOLUME', 'STOPSIGNAL'].includes(word)) {
      throw new SetupError(`${word} is not known to this check.`);
    }
  }
  return stages;
}

/**
 * @param {Stage} stage
 * @param {string} folder
 * @param {Record<string, string>} others folders of other stages
 */
function copy(stage, folder, others) {
  mkdirSync(folder, { recursive: true });
  for (const { from, sources, to } of stage.copies) {
    for (const source of sources) {
      const path = from === null ? join(root, source) : join(others[from] ?? '', source.replace(/^\/app\//, ''));
      if (!existsSync(path)) throw new SetupError(`COPY ${source}: it is not there.`);
      const name = source.split('/').at(-1) ?? '';
      cpSync(path, to.endsWith('/') ? join(folder, to, name) : join(folder, to), { recursive: true });
    }
  }
}

/**
 * What `npm ci --omit=dev --omit=optional` leaves.
 * @param {string} folder
 */
function install(folder) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  let count = 0;
  for (const [place, one] of Object.entries(lock.packages)) {
    if (place === '' || one.dev || one.optional || one.devOptional) continue;
    if (!existsSync(join(root, place))) throw new SetupError(`${place} is not installed.`);
    mkdirSync(dirname(join(folder, place)), { recursive: true });
    cpSync(join(root, place), join(folder, place), {
      recursive: true,
      filter: (path) => !path.slice(join(root, place).length).includes('/node_modules'),
    });
    count += 1;
  }
  return count;
}

/**
 * @param {Stage} stage
 * @param {string} folder
 * @param {string} scratch
 */
async function serve(stage, folder, scratch) {
  const { startPostgres } = await import('../src/platform/postgres/supervisor.ts');
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const postgres = await startPostgres({ dataDir: join(scratch, 'postgres'), log: quiet });
  try {
    const port = await freePort();
    const secret = (/** @type {string} */ name, /** @type {string} */ text) => {
      writeFileSync(join(scratch, name), text, { mode: 0o600 });
      return join(scratch, name);
    };
    const env = {
      ...stage.env,
      HOST: '127.0.0.1',
      PORT: String(port),
      RAPPORT_DATA_DIR: join(scratch, 'data'),
      RAPPORT_PUBLIC_URL: 'https://rapport.example',
      DATABASE_URL_FILE: secret('database_url', postgres.url),
      RAPPORT_SECRET_KEY_FILE: secret('secret_key', 'a-key-for-this-check-only-0123456789'),
      RAPPORT_METRICS_TOKEN_FILE: secret('metrics_token', 'token'),
    };
    const [command = '', ...args] = stage.command;
    if (command !== 'node') throw new SetupError(`CMD begins with ${command}.`);
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let written = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (written += chunk));
    const exited = once(child, 'exit');
    const base = `http://127.0.0.1:${port}`;
    for (const end = performance.now() + 60_000; ; await pause(50)) {
      if (child.exitCode !== null || performance.now() > end)
        throw new SetupError(`The server does not start:\n${written}`);
      if ((await fetch(`${base}/readyz`).catch(() => null))?.status === 200) break;
    }
    for (const [path, status] of [
      ['/', 200],
      ['/v1/companies/', 401],
      ['/metrics', 401],
    ]) {
      const answer = await fetch(`${base}${path}`);
      if (answer.status !== status) throw new SetupError(`${path} answers ${answer.status}, not ${status}.`);
    }
    await run(process.execPath, stage.health.slice(1), folder, env);
    child.kill('SIGTERM');
    const begun = performance.now();
    const [code] = await exited;
    if (code !== 0 || performance.now() - begun > 10_000) throw new SetupError(`It ended with ${code}:\n${written}`);
  } finally {
    await postgres.stop();
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @param {Record<string, string>} env
 */
async function run(command, args, cwd, env) {
  const child = spawn(command, args, { cwd, env: { PATH: process.env.PATH, ...env }, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new SetupError(`${command} ${args.join(' ')} ended with ${code}.`);
}
