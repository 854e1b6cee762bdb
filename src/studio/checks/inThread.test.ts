/** Checks run in threads with a budget, and never on the event loop. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createThreads, type Threads } from '../../platform/threads.ts';
import { studioRuns } from '../../testing/studioRuns.ts';
import { createWorld, type World } from '../../testing/world.ts';
import type { Requirement } from '../caseContract.ts';
import { type CheckInput, checkAll } from './check.ts';
import { checkKind } from './checkKind.ts';
import { checkAnswer, UNDECIDED } from './inThread.ts';
import { patternProblem } from './pattern.ts';

/** May be saved, and takes some 5 s for each million characters. */
const SLOW = '(?:.?){190}#';

const SRC = join(import.meta.dirname, '../..');

let world: World;
let threads: Threads;
beforeAll(async () => {
  world = await createWorld();
  threads = createThreads('');
});
afterAll(async () => {
  await threads.close();
  await world.close();
});

const inputOf = (text: string): CheckInput => ({
  output: { text, hand_over: null, stage: null, tools: [] },
  case: {
    history: [{ text: 'How much is it?' }],
    facts: {
      lead: { name: 'Anna', stage: 'ongoing', crm_fields: {} },
      contact: { contact: '79991234567', type: 'whatsapp' },
      documents: {},
      texts: [],
      notes: [],
    },
  },
  promptText: 'A kitchen costs 4200 euros.',
});

const REQUIREMENTS: readonly Requirement[] = [
  { kind: 'contains', text: 'delivery' },
  { kind: 'not_matches', pattern: '\\d+ euros' },
  { kind: 'known_facts' },
  { kind: 'max_length', characters: 10 },
  { kind: 'no_tool' },
];

it('finds in a thread what is found without one', async () => {
  const input = inputOf('It costs 3900 euros.');
  const found = await checkAnswer({ threads, companyId: 1 }, { requirements: REQUIREMENTS, input });
  expect(found).toEqual(checkAll(REQUIREMENTS, input));
  expect(found.map(({ kind }) => kind)).toEqual(['contains', 'not_matches', 'known_facts', 'max_length']);
});

it('says of a requirement which takes too long that nobody knows, and checks the others', async () => {
  const requirements: Requirement[] = [
    { kind: 'max_length', characters: 10 },
    { kind: 'not_matches', pattern: SLOW },
    { kind: 'hands_over', reason: null },
  ];
  expect(patternProblem(SLOW)).toBeNull();
  const found = await checkAnswer({ threads, companyId: 1 }, { requirements, input: inputOf('a'.repeat(6_000_000)) });
  expect(found).toEqual([
    { kind: 'max_length', detail: 'It has 6000000 characters; at most 10 are allowed.' },
    { kind: 'hands_over', detail: 'It answers; it should hand over to a human.' },
    {
      kind: UNDECIDED,
      detail: `The checks of this answer took more than 3 seconds and were stopped at the pattern ${SLOW}, so nobody knows whether it is met.`,
    },
  ]);
});

it('checks nothing more after three requirements that take too long', async () => {
  const requirements: Requirement[] = Array.from({ length: 30 }, () => ({ kind: 'not_matches', pattern: SLOW }));
  const own = createThreads('');
  const kind = { ...checkKind, cpuMs: 1000 };
  const input = inputOf('a'.repeat(6_000_000));
  const found = await checkAnswer({ threads: own, companyId: 1, kind }, { requirements, input });
  expect(found.map(({ kind: of }) => of)).toEqual(requirements.map(() => UNDECIDED));
  const untried = found.filter(({ detail }) => detail.startsWith('There was no time to check'));
  expect(untried).toHaveLength(27);
  await own.close();
});

/** Modules that run patterns of operators, or that score by them. */
const IN_THREADS_ONLY = ['studio/checks/pattern.ts', 'studio/checks/check.ts', 'studio/simulate/scoreTalk.ts'];

/** The modules that a module loads in its own thread, directly or not. Types are no modules when it runs. */
function loadedBy(entry: string): Set<string> {
  const [loaded, waiting] = [new Set<string>(), [join(SRC, entry)]];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (loaded.has(path)) continue;
    loaded.add(path);
    const imports = readFileSync(path, 'utf8').matchAll(
      /^(?:import|export) (?!type )[^;]*? from '(\.[^']+)'|import\('(\.[^']+)'\)/gm,
    );
    for (const [, always, later] of imports) waiting.push(join(path, '..', always ?? later ?? ''));
  }
  return new Set([...loaded].map((path) => relative(SRC, path)));
}

it('loads what runs the patterns of operators into threads alone', () => {
  const server = loadedBy('main.ts');
  expect(server).toContain('studio/checks/inThread.ts');
  expect(server.size).toBeGreaterThan(500);
  expect(IN_THREADS_ONLY.filter((path) => server.has(path))).toEqual([]);
  const thread = loadedBy('studio/checks/checkThread.ts');
  expect(IN_THREADS_ONLY.filter((path) => !thread.has(path))).toEqual([]);
});

it('checks the answers of a gate in a thread', async () => {
  const studio = await studioRuns(world, await world.operator('anna'));
  const facts = {
    lead: { name: 'Anna' },
    contact: { contact: '79991234567', type: 'whatsapp' as const },
    now: '2026-03-01T12:00:00.000Z',
    // Takes about a second.
    documents: Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, '12 € '.repeat(19_000)])),
  };
  await studio.createCase('How much does a kitchen cost?', [{ kind: 'known_facts' }], { facts });
  const run = await studio.start({ repeats: 1 });
  await world.waitUntil(() => world.app?.context.threads.running(checkKind) === 1, 'an answer is checked in a thread');
  const { verdict } = await studio.ended(run);
  expect(verdict).toMatchObject({ kind: 'gate', state: 'green' });
});
