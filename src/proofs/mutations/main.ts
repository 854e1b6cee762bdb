/**
 * `npm run mutations [-- PART_OF_A_NAME …]`: removes one guarding line after another, each in a copy of the tree, and
 * runs the test that must fail. Writes the results to bench/MUTATIONS.md; exits with code 1 if a mutation survives.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../platform/migrate.ts';
import { makeTemplate, openTestServer } from '../../testing/testServer.ts';
import { ALL_MUTATIONS, findMisplacement, type Mutation } from './all.ts';
import { type MutationResult, writeReport } from './report.ts';
import { ROOT, runTests, type Server } from './run.ts';

/** Everything that the tests need. */
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
/** Chosen for two cores. */
const CONCURRENCY = 2;

/** Copy the tree for mutation; the dependencies and the build output are linked. */
function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rapport-mutation-'));
  for (const one of TREE) cpSync(join(ROOT, one), join(folder, one), { recursive: true });
  for (const one of ['node_modules', 'dist']) symlinkSync(join(ROOT, one), join(folder, one));
  return folder;
}

/** Run one mutation. Returns null if its test failed as it must, otherwise what is wrong. */
async function runMutation(folder: string, server: Server, mutation: Mutation): Promise<string | null> {
  const { file, from, to, test, testName: named } = mutation;
  const path = join(folder, file);
  const whole = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    whole.replace(from, () => to),
  );
  try {
    const run = await runTests(folder, test, [named], file.startsWith('migrations/') ? null : server);
    if (run.tests.some((one) => one.failed)) return null;
    return run.tests.length > 0 ? 'SURVIVED' : `the test could not be run\n${run.output.slice(-2000)}`;
  } finally {
    writeFileSync(path, whole);
  }
}

/** Find tests that fail without a mutation, whose failure would prove nothing: one run for each test file. */
async function findRedTests(
  folder: string,
  server: Server,
  ofFile: readonly Mutation[],
): Promise<Map<Mutation, string>> {
  const wrong = new Map<Mutation, string>();
  const [first] = ofFile;
  if (!first) return wrong;
  const names = ofFile.map(({ testName: named }) => named);
  const { tests, output } = await runTests(folder, first.test, [...new Set(names)], server);
  for (const one of ofFile) {
    const its = tests.filter(({ name }) => name.includes(one.testName));
    if (its.length === 0) wrong.set(one, `no such test\n${output.slice(-1000)}`);
    else if (its.some(({ failed }) => failed))
      wrong.set(one, `the test is not green without it\n${output.slice(-2000)}`);
  }
  return wrong;
}

/** Run `work` for each item with limited concurrency, each in a tree of its own. */
async function runInTrees<T>(
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
  const selected = ALL_MUTATIONS.filter(
    ({ name }) => parts.length === 0 || parts.some((part) => name.toLowerCase().includes(part)),
  );
  if (selected.length === 0) {
    console.error(`No mutation has a name with ${parts.map((part) => `“${part}”`).join(' or ')}`);
    return false;
  }
  const startedAt = performance.now();
  const elapsed = (): string => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
  const database = await openTestServer();
  const template = await makeTemplate(database.adminUrl, migrate);
  const server: Server = { adminUrl: database.adminUrl, template: template.name };
  const trees = Array.from({ length: CONCURRENCY }, copyTree);
  const results: MutationResult[] = [];
  const record = (mutation: Mutation, wrong: string | null): void => {
    results.push({ mutation, wrong: wrong?.split('\n')[0] ?? null });
    console.log(`${results.length} of ${selected.length}, ${elapsed()}  ${mutation.name}: ${wrong ?? 'noticed'}`);
  };
  try {
    const valid: Mutation[] = [];
    const files = Map.groupBy(
      selected.filter((one) => {
        const wrong = findMisplacement(one);
        if (wrong !== null) record(one, wrong);
        return wrong === null;
      }),
      ({ test }) => test,
    );
    await runInTrees([...files.values()], trees, async (ofFile, tree) => {
      const wrong = await findRedTests(tree, server, ofFile);
      for (const one of ofFile) {
        const reason = wrong.get(one);
        if (reason === undefined) valid.push(one);
        else record(one, reason);
      }
    });
    console.log(`${valid.length} of ${selected.length} have a test that is green without them, ${elapsed()}`);
    await runInTrees(valid, trees, async (one, tree) => record(one, await runMutation(tree, server, one)));
  } finally {
    for (const tree of trees) rmSync(tree, { recursive: true, force: true });
    await template.drop();
    await database.stop();
  }
  const survivors = results.filter(({ wrong }) => wrong !== null).length;
  writeReport(ALL_MUTATIONS, results, parts.length === 0 ? performance.now() - startedAt : null);
  console.log(`${selected.length - survivors} of ${selected.length} mutations were noticed, ${elapsed()}`);
  return survivors === 0;
}

// The processes that it started end with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.exit((await main()) ? 0 : 1);
