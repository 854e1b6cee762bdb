/**
 * `npm run mutations [-- PART_OF_A_NAME …]`: removes one guarding line after another, each in a copy of the tree, and
 * runs the test that must fail. Writes the results to bench/MUTATIONS.md; exits with code 1 if a mutation survives.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../platform/migrate.ts';
import { buildConsole } from '../../testing/builds.ts';
import { makeTemplate, openTestServer } from '../../testing/testServer.ts';
import { exitOnSignal, refuseArguments } from '../harness/command.ts';
import { ALL_MUTATIONS, findMisplacement } from './all.ts';
import type { Mutation } from './mutation.ts';
import { writeReport } from './report.ts';
import { ROOT, runTests, type Server } from './run.ts';

/** What the tests do not need, or share. */
const NOT_COPIED = new Set(['.git', 'node_modules', 'dist']);
/** Chosen for two cores. */
const CONCURRENCY = 2;

/** What is wrong with each mutation; null if its test failed as it must. */
type Results = Map<Mutation, string | null>;

/** Copy the tree for mutation; the dependencies are linked. */
function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rapport-mutation-'));
  for (const one of readdirSync(ROOT))
    if (!NOT_COPIED.has(one)) cpSync(join(ROOT, one), join(folder, one), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Build the console of a tree if a test opens it, so that the browser sees what was changed. */
function buildFor(folder: string, test: string): void {
  if (test.includes('/journeys/')) buildConsole(folder);
}

/** Run one mutation. Returns null if its test failed as it must, otherwise what is wrong. */
async function runMutation(folder: string, server: Server, mutation: Mutation): Promise<string | null> {
  const { file, from, to, test, failing } = mutation;
  const path = join(folder, file);
  const whole = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    whole.replace(from, () => to),
  );
  try {
    buildFor(folder, test);
    const run = await runTests(folder, test, [failing], file.startsWith('migrations/') ? null : server);
    if (run.tests.some((one) => one.failed)) return null;
    return run.tests.length > 0 ? 'SURVIVED' : `the test could not be run\n${run.output.slice(-2000)}`;
  } finally {
    writeFileSync(path, whole);
  }
}

/** Run the mutations of one test file. A test that fails without its mutation would prove nothing. */
async function runFile(tree: string, server: Server, mutations: readonly Mutation[]): Promise<Results> {
  const titles = new Set(mutations.map(({ failing }) => failing));
  buildFor(tree, mutations[0]?.test ?? '');
  const { tests, output } = await runTests(tree, mutations[0]?.test ?? '', [...titles], server);
  const results: Results = new Map();
  for (const one of mutations) {
    const ofMutation = tests.filter(({ name }) => name.includes(one.failing));
    let wrong = findMisplacement(one);
    if (ofMutation.length === 0) wrong ??= `no such test\n${output.slice(-1000)}`;
    if (ofMutation.some(({ failed }) => failed)) wrong ??= `the test fails without it\n${output.slice(-2000)}`;
    results.set(one, wrong ?? (await runMutation(tree, server, one)));
    console.log(`${one.name}: ${results.get(one) ?? 'noticed'}`);
  }
  return results;
}

async function runAll(selected: readonly Mutation[]): Promise<Results> {
  const database = await openTestServer();
  const template = await makeTemplate(database.adminUrl, migrate);
  const server: Server = { adminUrl: database.adminUrl, template: template.name };
  const trees = Array.from({ length: CONCURRENCY }, copyTree);
  const files = [...Map.groupBy(selected, ({ test }) => test).values()];
  const results: Results = new Map();
  const work = async (tree: string): Promise<void> => {
    for (let next = files.shift(); next !== undefined; next = files.shift()) {
      for (const [mutation, wrong] of await runFile(tree, server, next)) results.set(mutation, wrong);
      // A run that is cut short keeps what it has found.
      writeReport(ALL_MUTATIONS, results, null);
      console.log(`${results.size} of ${selected.length} were run`);
    }
  };
  try {
    await Promise.all(trees.map(work));
    return results;
  } finally {
    for (const tree of trees) rmSync(tree, { recursive: true, force: true });
    await template.drop();
    await database.stop();
  }
}

exitOnSignal();
const parts = process.argv.slice(2).map((part) => part.toLowerCase());
const selected = ALL_MUTATIONS.filter(
  ({ name }) => parts.length === 0 || parts.some((part) => name.toLowerCase().includes(part)),
);
if (selected.length === 0) refuseArguments(`No mutation has a name with "${parts.join('" or "')}".`);
const startedAt = performance.now();
const results = await runAll(selected);
writeReport(ALL_MUTATIONS, results, parts.length === 0 ? performance.now() - startedAt : null);
const noticed = [...results.values()].filter((wrong) => wrong === null).length;
console.log(`${noticed} of ${selected.length} mutations were noticed`);
process.exit(noticed === selected.length ? 0 : 1);
