/** Simulations on the emulators: personas of every kind talk with a good prompt and with bad ones. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { storeRuns } from '../../llm/runs.ts';
import type { AppContext } from '../../platform/appContext.ts';
import { createWorld, type World } from '../../testing/world.ts';
import type { CallResult, FinishedSample, FinishedSubject, Performed, PlannedSubject, RunFacts, Work } from '../run.ts';
import type { RunVerdict } from '../runContract.ts';
import { simulation } from './simulation.ts';

let world: World;
let context: AppContext;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  if (!world.app) throw new Error('The world has no app');
  ({ context } = world.app);
  await world.pool.query("update products set hand_over = true, hand_over_text = 'A colleague will write.'");
});
afterAll(() => world.close());

it('dbg', async () => {
  await world.pool.query(
    `insert into studio_personas (product_id, name, style, language, goal, questions, objections, ending)
     select $1, 'P ' || e, 'curt', 'en', 'wants a kitchen', '["How much is a kitchen?", "How long does it take?"]', '["That is expensive."]', e
       from unnest(array['buys', 'asks_for_human', 'refuses', 'falls_silent', 'opts_out']) as e`,
    [world.productId],
  );
  const { rows } = await world.pool.query('select * from prompts');
  const text = rows[0].text;
  const {
    rows: [product],
  } = await world.pool.query(
    'select p.*, c.name as company_name from products p join companies c on c.id = p.company_id',
  );
  const run: RunFacts = {
    kind: 'simulation',
    product: { ...product, id: Number(product.id), company_id: Number(product.company_id) },
    prompt: { id: Number(rows[0].id), name: 'Vera', type: 'prompt' },
    text,
    liveText: null,
    model: { vendor: 'chatgpt', model: 'gpt-4o', temperature: 0.7 },
    repeats: 3,
    withJudge: false,
    settings: { case_ids: null, dialogue_ids: null, persona_ids: null, sample: 50 },
  };
  const subjects = await simulation.plan(context.reader, run);
  let calls = 0;
  const began = performance.now();
  const finished: FinishedSubject[] = [];
  for (const [id, subject] of subjects.entries()) {
    const samples: FinishedSample[] = [];
    for (const { arm, repeat } of subject.samples) {
      const performed = await simulation.perform(context, {
        run,
        subject,
        arm,
        repeat,
        text,
        outputs: [],
        signal: new AbortController().signal,
        call: async (make) => {
          calls++;
          const r = await make();
          await storeRuns(context.reader, r.runs);
          return r;
        },
      });
      if (performed.kind === 'failed') console.log(performed);
      else {
        samples.push({
          arm,
          repeat,
          state: 'done',
          output: performed.output,
          error: performed.error ?? null,
          violations: performed.violations,
        });
        if (repeat === 0)
          console.log(
            (performed.output as any)?.lines.map((l: any) => `${l.side}: ${l.text}`).join('\n'),
            performed.violations,
            performed.error,
          );
      }
    }
    finished.push({ id, subject: subject.subject, input: subject.input, samples });
  }
  const c = simulation.conclude(run, finished, { round: 1, isWhole: true });
  console.log(calls, performance.now() - began);
  if (c.kind === 'done')
    console.log(
      JSON.stringify(
        simulation.toVerdict(
          c.verdict,
          c.results.map((r) => ({ subject: finished[r.subjectId]!.subject, state: r.state, result: r.result })),
        ),
        null,
        1,
      ),
    );
});
