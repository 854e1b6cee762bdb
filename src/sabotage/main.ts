/**
 * `npm run sabotage [-- PART_OF_A_NAME]`: takes out one guarding line after another in a copy of the tree and runs the
 * test that has to notice. A table, and exit code 1 when a sabotage survives.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { OF_ASSISTANT } from './assistant.ts';
import { SABOTAGES, type Sabotage } from './list.ts';
import { OF_MESSENGERS } from './messengers.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** All that the tests need. */
const TREE = ['src', 'migrations', 'docs', 'scripts', 'package.json', 'tsconfig.json', 'vitest.config.ts'];

const outcome = z.object({ numPassedTests: z.int(), numFailedTests: z.int() });

interface Run {
  readonly passed: number;
  readonly failed: number;
  readonly output: string;
}

/** A copy of the tree that can be spoiled; the dependencies are linked. */
function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rapport-sabotage-'));
  for (const one of TREE) cpSync(join(ROOT, one), join(folder, one), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Runs the tests of a file whose names hold `named`. */
async function runTest(folder: string, test: string, named: string): Promise<Run> {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const pattern = named.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const child = spawn(
    process.execPath,
    [vitest, 'run', test, '-t', pattern, '--reporter=json', `--outputFile=${report}`],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  await new Promise((end) => child.once('close', end));
  try {
    const { numPassedTests, numFailedTests } = outcome.parse(JSON.parse(readFileSync(report, 'utf8')));
    return { passed: numPassedTests, failed: numFailedTests, output };
  } catch {
    return { passed: 0, failed: 0, output };
  }
}

/** What became of one sabotage: null when its test noticed, else what is wrong. */
async function commit(folder: string, { file, from, to, test, named }: Sabotage): Promise<string | null> {
  const path = join(folder, file);
  const whole = readFileSync(path, 'utf8');
  if (whole.split(from).length !== 2) return `does not apply: the line stands ${whole.split(from).length - 1} times`;
  const sound = await runTest(folder, test, named);
  if (sound.failed > 0 || sound.passed === 0)
    return `the test is not green without it (${sound.passed} passed, ${sound.failed} failed)\n${sound.output.slice(-2000)}`;
  writeFileSync(
    path,
    whole.replace(from, () => to),
  );
  try {
    const spoiled = await runTest(folder, test, named);
    if (spoiled.failed > 0) return null;
    return spoiled.passed > 0 ? 'SURVIVED' : `the test could not be run\n${spoiled.output.slice(-2000)}`;
  } finally {
    writeFileSync(path, whole);
  }
}

async function main(): Promise<boolean> {
  const part = (process.argv[2] ?? '').toLowerCase();
  const wanted = [...SABOTAGES, ...OF_MESSENGERS, ...OF_ASSISTANT].filter(({ name }) =>
    name.toLowerCase().includes(part),
  );
  const folder = copyTree();
  const width = Math.max(...wanted.map(({ name }) => name.length));
  let survivors = 0;
  try {
    for (const one of wanted) {
      const begun = performance.now();
      const wrong = await commit(folder, one);
      if (wrong !== null) survivors++;
      const seconds = ((performance.now() - begun) / 1000).toFixed(0);
      console.log(`${one.name.padEnd(width)}  ${wrong ?? 'noticed'}  (${one.test}: ${one.named}, ${seconds} s)`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${wanted.length - survivors} of ${wanted.length} sabotages were noticed`);
  return survivors === 0 && wanted.length > 0;
}

process.exit((await main()) ? 0 : 1);
