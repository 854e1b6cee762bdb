/**
 * Simulated leads on the emulators: how long twelve personas with three talks each take, for a new prompt and for the live
 * one, and which planted faults of a prompt they find. `--personas N --repeats N --faults N --answer-ms N`.
 */
import { type StudioRun, startStudioRun } from '../../studio/runContract.ts';
import type { Client } from '../../testing/client.ts';
import { CONTENTING_PROMPT, FAULTS_TO_FIND, insertPersonas, PERSONAS } from '../../testing/simulatedLeads.ts';
import { callOrThrow } from '../harness/calls.ts';
import { definePart } from '../harness/command.ts';
import { format, table } from '../harness/report.ts';
import { withNodes } from '../harness/world.ts';
import { waitForStudioRun } from './studioRun.ts';

/** Minutes that the personas may take. */
const TARGET_MINUTES = 10;
/** US dollars, far more than a run on the emulators costs. */
const BUDGET = 100;

interface Simulated {
  readonly seconds: number;
  readonly talks: number;
  readonly calls: number;
  readonly verdict: Extract<NonNullable<StudioRun['verdict']>, { kind: 'simulation' }>;
}

export const simulatedLeads = definePart({
  heading: 'Simulated leads',
  options: { personas: [12, 4], repeats: [3, 1], faults: [10, 2], 'answer-ms': [300, 0] },
  run: ({ personas, repeats, faults, 'answer-ms': answerMs, log }) =>
    withNodes(
      { production: true, emulators: 'process', env: { RAPPORT_REPLY_DEBOUNCE_SECONDS: '5' } },
      async (world) => {
        const { pool, control, productId } = world;
        const operator = await world.operator('root');
        await pool.query("update products set hand_over = true, hand_over_text = 'A colleague will write.'");
        const { rows } = await pool.query<{ id: string }>('update prompts set text = $1, live_text = $1 returning id', [
          CONTENTING_PROMPT,
        ]);
        const promptId = Number(rows[0]?.id);
        const ids = await insertPersonas(pool, productId, PERSONAS.slice(0, personas));
        const simulate = (text: string) => runSimulation(operator, { promptId, ids, repeats, text });
        // A model takes its time; the rest of what is measured here does not depend on it.
        await control.changeSettings({ llm: { firstTokenMs: answerMs, msPerToken: 0 } });
        const timed = await simulate(CONTENTING_PROMPT);
        log(`${timed.talks} talks took ${format(timed.seconds, 's')}`);
        await control.changeSettings({ llm: { firstTokenMs: 0, msPerToken: 0 } });
        const found: { fault: string; kind: string; failing: number; liveFailing: number; seconds: number }[] = [];
        for (const [fault, kind] of FAULTS_TO_FIND.slice(0, faults)) {
          const { verdict, seconds } = await simulate(`${CONTENTING_PROMPT}\nFault: ${fault}`);
          const failing = verdict.personas.filter(({ passes }) => !passes).length;
          const liveFailing = verdict.personas.filter(({ live }) => live.count < live.total).length;
          found.push({ fault, kind, failing, liveFailing, seconds });
          log(`${fault}: ${failing} of ${personas} personas fail`);
        }
        const clean = timed.verdict.personas.filter(({ passes }) => passes).length;
        const notFound = found.filter(({ failing }) => failing === 0);
        const falseAlarms = found.reduce((sum, { liveFailing }) => sum + liveFailing, personas - clean);
        return {
          text: `${personas} personas talk ${repeats} times with a new prompt and as often with the live one: ${timed.talks} talks, each over a simulated month, ${timed.calls} calls of a model that answers after ${answerMs} ms, in **${format(timed.seconds, 's')}**; the target is ${TARGET_MINUTES} minutes. A prompt without a fault: ${clean} of ${personas} personas pass all their talks. Then the model answers at once, and the new prompt has a planted fault; it is found if a persona fails with it. Personas that fail with the live prompt, which has none, in all these runs: ${falseAlarms}.

${table(
  ['fault', 'shows as', 'personas that fail', 'found', 'seconds'],
  found.map(({ fault, kind, failing, seconds }) => [
    fault,
    kind,
    `${failing} of ${personas}`,
    failing > 0 ? 'yes' : '**no**',
    format(seconds),
  ]),
)}`,
          violations: [
            ...(timed.seconds > TARGET_MINUTES * 60
              ? [`${timed.talks} talks took ${format(timed.seconds, 's')}, the target is ${TARGET_MINUTES} minutes`]
              : []),
            ...notFound.map(({ fault }) => `no persona finds the fault ${fault}`),
            ...(falseAlarms > 0 ? [`${falseAlarms} personas fail with a prompt that has no fault`] : []),
          ],
        };
      },
    ),
});

/** Run a simulation to its end. */
async function runSimulation(
  operator: Client,
  { promptId, ids, repeats, text }: { promptId: number; ids: readonly number[]; repeats: number; text: string },
): Promise<Simulated> {
  const startedAt = performance.now();
  const id = await callOrThrow(operator, startStudioRun, {
    body: { kind: 'simulation', prompt_id: promptId, text, persona_ids: [...ids], repeats, budget: BUDGET },
  });
  const run = await waitForStudioRun(operator, id);
  if (run.verdict?.kind !== 'simulation') throw new Error(`The run ended as ${run.state}: ${run.reason}`);
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, talks: run.progress.total, calls: run.estimate.calls, verdict: run.verdict };
}
