/**
 * A node's capacity, and its behaviour beyond it. `npm run load` runs every part and writes bench/LOAD.md; it exits
 * with code 1 if something acknowledged is lost, a console receives wrong events, or a refusal is not as guaranteed.
 * - `--only hooks,live,dialogues,overload`: run these parts; the report keeps the others. `--quick`: small sizes.
 *   `--no-report`: write none.
 * - `hooks`: `--rate N --seconds S`, on one node and then on two; `live`: `--consoles N --messages M`; `dialogues`:
 *   `--dialogues N --within SECONDS --concurrency C --nodes N`; `runOverload`: `--rush N --rush-seconds S`.
 */
import { parseArgs } from 'node:util';
import { runDialogueLoad } from './dialogues.ts';
import { runHookLoad } from './hooks.ts';
import { runLiveLoad } from './live.ts';
import { runOverload } from './overload.ts';
import {
  dialoguesSection,
  hooksSection,
  liveSection,
  type Outcome,
  overloadSection,
  PARTS,
  writeOutcome,
} from './report.ts';

const FULL_SIZES = {
  rate: 1000,
  seconds: 60,
  consoles: 500,
  messages: 300,
  dialogues: 5000,
  within: 60,
  concurrency: 64,
  nodes: 1,
  rush: 4000,
  'rush-seconds': 20,
};
const QUICK_SIZES: typeof FULL_SIZES = {
  rate: 100,
  seconds: 5,
  consoles: 50,
  messages: 20,
  dialogues: 100,
  within: 5,
  concurrency: 16,
  nodes: 1,
  rush: 1500,
  'rush-seconds': 5,
};
type Size = keyof typeof FULL_SIZES;
const isSize = (name: string): name is Size => Object.hasOwn(FULL_SIZES, name);

const { values } = parseArgs({
  options: {
    ...Object.fromEntries(Object.keys(FULL_SIZES).map((name) => [name, { type: 'string' as const }])),
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    'no-report': { type: 'boolean', default: false },
  },
});
const sizes: Record<Size, number> = { ...(values.quick ? QUICK_SIZES : FULL_SIZES) };
for (const [name, text] of Object.entries(values)) {
  if (!isSize(name)) continue;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) fail(`--${name} has to be a whole number above 0, not "${String(text)}".`);
  sizes[name] = value;
}
const selectedParts = values.only?.split(',') ?? Object.keys(PARTS);
for (const one of selectedParts)
  if (!Object.hasOwn(PARTS, one)) fail(`--only knows ${Object.keys(PARTS).join(', ')}, not "${one}".`);

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

// On a signal it ends its processes too: each has an exit handler.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const startedAt = performance.now();
function log(line: string): void {
  const all = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${String(Math.floor(all / 60)).padStart(3)}:${String(all % 60).padStart(2, '0')}  ${line}`);
}

const { rate: perSecond, seconds } = sizes;
const parts: Readonly<Record<keyof typeof PARTS, () => Promise<Outcome>>> = {
  hooks: async () => {
    const one = await runHookLoad({ nodes: 1, perSecond, seconds, log });
    const two = await runHookLoad({ nodes: 2, perSecond, seconds, log });
    return hooksSection(perSecond, seconds, [one, two]);
  },
  live: async () => liveSection(await runLiveLoad({ consoles: sizes.consoles, messages: sizes.messages, log })),
  dialogues: async () => {
    const { dialogues, within, concurrency, nodes } = sizes;
    return dialoguesSection(sizes, await runDialogueLoad({ dialogues, within, concurrency, nodes, log }));
  },
  overload: async () => {
    const load = { perSecond: sizes.rush, seconds: sizes['rush-seconds'] };
    return overloadSection(load, await runOverload({ ...load, log }));
  },
};

let broken = 0;
for (const part of ['hooks', 'live', 'dialogues', 'overload'] as const) {
  if (!selectedParts.includes(part)) continue;
  log(part);
  const outcome = await parts[part]().catch((error: unknown): Outcome => {
    console.error(error);
    const text = `It could not be carried through: ${error instanceof Error ? error.message : String(error)}`;
    return { passed: false, command: `npm run load -- --only ${part}`, text };
  });
  for (const line of outcome.text.split('\n')) if (line !== '') log(`  ${line}`);
  log(`${part}: ${outcome.passed ? 'as promised' : `not as promised; again by: ${outcome.command}`}`);
  if (!outcome.passed) broken++;
  if (!values['no-report']) writeOutcome(part, outcome);
}
process.exit(broken === 0 ? 0 : 1);
