/**
 * Gates of thirty cases: how long one takes on a model that takes its time, how often one of the same prompt is red though
 * its answers vary, and how often grossly faulty prompts are. `--gates N --faults N --each N --answer-ms N`.
 */
import { PLANTED_FAULTS } from '../../sandbox/emulators/model/plantedFaults.ts';
import { studioCases } from '../../studio/caseContract.ts';
import { type StudioRun, startStudioRun } from '../../studio/runContract.ts';
import type { Client } from '../../testing/client.ts';
import { gateCases } from '../../testing/gateCases.ts';
import { PROMPT, type World } from '../../testing/world.ts';
import { callOrThrow } from '../harness/calls.ts';
import { definePart } from '../harness/command.ts';
import { format, formatCount, table } from '../harness/report.ts';
import { withNodes } from '../harness/world.ts';
import { waitForStudioRun } from './studioRun.ts';

/** Seconds that a gate of thirty cases may take. */
const TARGET_SECONDS = 90;
/** Of a hundred gates of the same prompt, and of a hundred of a faulty one. */
const MOST_FALSE_REDS = 5;
const FEWEST_TRUE_REDS = 95;
/** US dollars, far more than a gate on the emulators costs. */
const BUDGET = 100;

/** The model varies its answers as models do, and three of a hundred miss a requirement. */
const VARIATIONS = ['opens_gladly 40 %', 'thanks 25 %', 'many_questions 1 %', 'too_long 1 %', 'ignores_question 1 %'];
const VARYING = `${PROMPT}\n${VARIATIONS.map((variation) => `Fault: ${variation}`).join('\n')}`;
/** It concerns classification prompts. */
const FAULTS = PLANTED_FAULTS.filter((fault) => fault !== 'wrong_stage');

const WORKER = { RAPPORT_ROLES: 'worker' };

export const gate = definePart({
  heading: 'Gate',
  options: { gates: [100, 5], faults: [24, 3], each: [5, 1], 'answer-ms': [300, 300] },
  run: ({ gates, faults, each, 'answer-ms': answerMs, log }) =>
    withNodes(
      { production: true, emulators: 'process', nodes: [{ RAPPORT_ROLES: 'web' }, WORKER, WORKER] },
      async (world) => {
        const studio = { operator: await world.operator('root'), promptId: await prepare(world) };
        const cases = await createCases(world, studio);
        const { control } = world;
        await control.changeSettings({ llm: { firstTokenMs: answerMs, msPerToken: 0 } });
        const timed = await runGate(studio, VARYING);
        await control.changeSettings({ llm: { firstTokenMs: 0, msPerToken: 0 } });
        log(`${cases} cases took ${format(timed.seconds, 's')}`);
        const same = await runGates(studio, { text: VARYING, count: gates });
        log(`${same.reds} of ${gates} gates of the same prompt are red`);
        const found: { fault: string; reds: number; seconds: number }[] = [];
        for (const fault of FAULTS.slice(0, faults)) {
          const { reds, seconds } = await runGates(studio, { text: `${VARYING}\nFault: ${fault}`, count: each });
          found.push({ fault, reds, seconds });
          log(`${fault}: ${reds} of ${each} red`);
        }
        const reds = found.reduce((sum, one) => sum + one.reds, 0);
        const all = found.length * each;
        const missed = found.filter((one) => one.reds * 100 < FEWEST_TRUE_REDS * each);
        return {
          text: `${cases} cases, three answers of the new text and of the live one to each, what seems worse tried again. On a model that answers after ${answerMs} ms and two workers, one gate took **${format(timed.seconds, 's')}** for ${timed.answers} answers; the target is ${TARGET_SECONDS} s. Then the model answers at once, and its answers vary (${VARIATIONS.join(', ')}: about 97 % meet everything).

The same prompt as new and as live one: **${same.reds} of ${gates}** gates are red, ${same.missing} are not decided; the target is at most ${MOST_FALSE_REDS} of 100. ${formatCount(same.answers)} answers in ${format(same.seconds, 's')}. Prompts with a gross fault: **${reds} of ${all}** gates are red; the target is ${FEWEST_TRUE_REDS} of 100 of each fault.

${table(
  ['planted fault', 'red', 'seconds for each gate'],
  found.map((one) => [one.fault, `${one.reds} of ${each}`, format(one.seconds / each)]),
)}`,
          violations: [
            ...(timed.seconds > TARGET_SECONDS ? [`a gate took ${format(timed.seconds, 's')}`] : []),
            ...(same.reds * 100 > MOST_FALSE_REDS * gates
              ? [`${same.reds} of ${gates} gates of the same prompt are red`]
              : []),
            ...(same.missing > 0 ? [`${same.missing} gates of the same prompt are not decided`] : []),
            ...missed.map((one) => `${one.fault}: only ${one.reds} of ${each} gates are red`),
          ],
        };
      },
    ),
});

interface Studio {
  readonly operator: Client;
  readonly promptId: number;
}

async function prepare({ pool }: World): Promise<number> {
  await pool.query('update products set hand_over = true');
  const { rows } = await pool.query<{ id: string }>('update prompts set text = $1, live_text = $1 returning id', [
    VARYING,
  ]);
  return Number(rows[0]?.id);
}

async function createCases({ productId }: World, { operator, promptId }: Studio): Promise<number> {
  const cases = gateCases(productId, promptId);
  for (const body of cases) await callOrThrow(operator, studioCases.create, { body });
  return cases.length;
}

async function runGate({ operator, promptId }: Studio, text: string) {
  const startedAt = performance.now();
  const id = await callOrThrow(operator, startStudioRun, {
    body: { kind: 'gate', prompt_id: promptId, text, budget: BUDGET },
  });
  const run = await waitForStudioRun(operator, id);
  return { state: stateOf(run), answers: run.progress.done, seconds: (performance.now() - startedAt) / 1000 };
}

function stateOf({ verdict, state, reason }: StudioRun): 'green' | 'red' | 'missing' {
  if (verdict?.kind !== 'gate') throw new Error(`The run ended as ${state}: ${reason}`);
  return verdict.state;
}

/** Run gates one after the other. */
async function runGates(studio: Studio, { text, count }: { readonly text: string; readonly count: number }) {
  const runs: Awaited<ReturnType<typeof runGate>>[] = [];
  for (let index = 0; index < count; index += 1) runs.push(await runGate(studio, text));
  const countOf = (wanted: string): number => runs.filter(({ state }) => state === wanted).length;
  const sumOf = (valueOf: (run: (typeof runs)[number]) => number): number =>
    runs.reduce((sum, run) => sum + valueOf(run), 0);
  return {
    reds: countOf('red'),
    missing: countOf('missing'),
    answers: sumOf(({ answers }) => answers),
    seconds: sumOf(({ seconds }) => seconds),
  };
}
