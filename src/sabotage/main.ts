/**
 * `npm run sabotage [-- PART_OF_A_NAME …]`: takes out one guarding line after another, each in a copy of the tree, and runs
 * the test that has to notice. Writes what it tried into bench/SABOTAGE.md; exit code 1 when a sabotage survives.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../platform/migrate.ts';
import { makeTemplate, openTestServer } from '../testing/testServer.ts';
import { ALL, misplaced } from './all.ts';
import type { Sabotage } from './list.ts';
import { ROOT, runTests, type Server } from './run.ts';
import { type Told, writeTold } from './told.ts';

/** All that the tests need. */
const TREE = [
  'src',
  'migrations',
  'docs',
  'ops',
  'scripts',
  'bench',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];
/** For two cores. */
const AT_ONCE = 2;

/** A copy of the tree that can be spoiled; the dependencies and what is built are linked. */
function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rapport-sabotage-'));
  for (const one of TREE) cpSync(join(ROOT, one), join(folder, one), { recursive: true });
  for (const one of ['node_modules', 'dist']) symlinkSync(join(ROOT, one), join(folder, one));
  return folder;
}

/** What became of one sabotage: null when its test noticed, else what is wrong. */
async function commit(folder: string, server: Server, sabotage: Sabotage): Promise<string | null> {
  const { file, from, to, test, named } = sabotage;
  const path = join(folder, file);
  const whole = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    whole.replace(from, () => to),
  );
  try {
    const spoiled = await runTests(folder, test, [named], file.startsWith('migrations/') ? null : server);
    if (spoiled.tests.some((one) => one.failed)) return null;
    return spoiled.tests.length > 0 ? 'SURVIVED' : `the test could not be run\n${spoiled.output.slice(-2000)}`;
  } finally {
    writeFileSync(path, whole);
  }
}

/** The tests have to be green without a sabotage, or red says nothing: one run for each file of tests. */
async function unsound(folder: string, server: Server, ofFile: readonly Sabotage[]): Promise<Map<Sabotage, string>> {
  const wrong = new Map<Sabotage, string>();
  const [first] = ofFile;
  if (!first) return wrong;
  const names = ofFile.map(({ named }) => named);
  const { tests, output } = await runTests(folder, first.test, [...new Set(names)], server);
  for (const one of ofFile) {
    const its = tests.filter(({ name }) => name.includes(one.named));
    if (its.length === 0) wrong.set(one, `no such test\n${output.slice(-1000)}`);
    else if (its.some(({ failed }) => failed))
      wrong.set(one, `the test is not green without it\n${output.slice(-2000)}`);
  }
  return wrong;
}

/** Does `work` for each, so many at a time, each in a tree of its own. */
async function inTrees<T>(
  all: readonly T[],
  trees: readonly string[],
  work: (one: T, tree: string) => Promise<void>,
): Promise<void> {
  const waiting = [...all];
  await Promise.all(
    trees.map(async (tree) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next, tree);
    }),
  );
}

async function main(): Promise<boolean> {
  const parts = process.argv.slice(2).map((part) => part.toLowerCase());
  const wanted = ALL.filter(
    ({ name }) => parts.length === 0 || parts.some((part) => name.toLowerCase().includes(part)),
  );
  if (wanted.length === 0) {
    console.error(`No sabotage has a name with ${parts.map((part) => `“${part}”`).join(' or ')}`);
    return false;
  }
  const begun = performance.now();
  const elapsed = (): string => `${((performance.now() - begun) / 1000).toFixed(0)} s`;
  const database = await openTestServer();
  const template = await makeTemplate(database.adminUrl, migrate);
  const server: Server = { adminUrl: database.adminUrl, template: template.name };
  const trees = Array.from({ length: AT_ONCE }, copyTree);
  const told: Told[] = [];
  const tell = (sabotage: Sabotage, wrong: string | null): void => {
    told.push({ sabotage, wrong: wrong?.split('\n')[0] ?? null });
    console.log(`${told.length} of ${wanted.length}, ${elapsed()}  ${sabotage.name}: ${wrong ?? 'noticed'}`);
  };
  try {
    const sound: Sabotage[] = [];
    const files = Map.groupBy(
      wanted.filter((one) => {
        const wrong = misplaced(one);
        if (wrong !== null) tell(one, wrong);
        return wrong === null;
      }),
      ({ test }) => test,
    );
    await inTrees([...files.values()], trees, async (ofFile, tree) => {
      const wrong = await unsound(tree, server, ofFile);
      for (const one of ofFile) {
        const why = wrong.get(one);
        if (why === undefined) sound.push(one);
        else tell(one, why);
      }
    });
    console.log(`${sound.length} of ${wanted.length} have a test that is green without them, ${elapsed()}`);
    await inTrees(sound, trees, async (one, tree) => tell(one, await commit(tree, server, one)));
  } finally {
    for (const tree of trees) rmSync(tree, { recursive: true, force: true });
    await template.drop();
    await database.stop();
  }
  const survivors = told.filter(({ wrong }) => wrong !== null).length;
  writeTold(ALL, told, parts.length === 0 ? performance.now() - begun : null);
  console.log(`${wanted.length - survivors} of ${wanted.length} sabotages were noticed, ${elapsed()}`);
  return survivors === 0;
}

// What it started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.exit((await main()) ? 0 : 1);
