/** Rubrics: what a judge says of an answer is advice until the judge is calibrated, and evidence from then on. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type StudioRuns, studioRuns } from '../testing/studioRuns.ts';
import { createWorld, PROMPT, type World } from '../testing/world.ts';
import { judgeName } from './judge/calibration.ts';
import { CALIBRATION_LABELS } from './judgeContract.ts';
import type { StudioRun } from './runContract.ts';

const QUESTION = 'How much does a kitchen cost?';
/** The sandbox's model demands the words in quotation marks. */
const RUBRIC = 'The answer states the price “4200 euros”.';
const WITHOUT_PRICE = PROMPT.replace('A kitchen costs from 4200 euros.', 'A kitchen costs what you like.');

let world: World;
let studio: StudioRuns;
beforeAll(async () => {
  world = await createWorld();
  studio = await studioRuns(world, await world.operator('anna'));
});
beforeEach(async () => {
  await world.pool.query('delete from studio_cases');
  await world.pool.query('delete from studio_pairs');
});
afterAll(() => world.close());

const statesOf = ({ verdict }: StudioRun) =>
  verdict?.kind === 'gate' ? [verdict.state, ...verdict.cases.map(({ state }) => state)] : [];

/** The team has labelled as many pairs as a calibration needs, and the judge agrees. */
async function calibrate(labels = CALIBRATION_LABELS): Promise<void> {
  const lead = await world.lead('Clara');
  await lead.writes(QUESTION);
  await world.drain();
  const { rows } = await world.pool.query<{ id: string }>('select id from messages where contact_id = $1 limit 1', [
    lead.contactId,
  ]);
  await world.pool.query(
    `insert into studio_pairs (product_id, dialogue_id, lead_id, message_id, history, first, second, is_candidate_first, judge,
                               judged_order, judged_reverse, judged, label, labelled_by, labelled_at)
     select $1, $2, $3, $4, '[]', 'one', 'other', n % 2 = 0, $5, w.won, w.lost, w.won, w.won, 'anna', domain_now()
       from generate_series(1, $6::int) n
      cross join lateral (select case when n % 3 = 0 then 'first' else 'second' end as won,
                                 case when n % 3 = 0 then 'second' else 'first' end as lost) w`,
    [
      world.productId,
      await lead.dialogueId(),
      lead.leadId,
      Number(rows[0]?.id),
      judgeName({ vendor: 'chatgpt', model: 'gpt-4o-mini' }),
      labels,
    ],
  );
}

describe('a case whose only requirement is a rubric', () => {
  it('is advisory and asks no model without a judge', async () => {
    await studio.createCase(QUESTION, [], { rubric: RUBRIC });
    await studio.createCase(QUESTION, [{ kind: 'max_length', characters: 400 }]);
    const run = await studio.gate({ text: WITHOUT_PRICE });
    expect(statesOf(run)).toEqual(['green', 'advisory', 'green']);
    expect(run.progress.total).toBe(12);
    expect(run.estimate.calls).toBe(12);
  });

  it('is advisory until the judge is calibrated: what it says is shown, and blocks nothing', async () => {
    await calibrate(CALIBRATION_LABELS - 1);
    await studio.createCase(QUESTION, [], { rubric: RUBRIC });
    await studio.createCase(QUESTION, [{ kind: 'max_length', characters: 400 }]);
    const run = await studio.gate({ text: WITHOUT_PRICE, with_judge: true });
    expect(statesOf(run)).toEqual(['green', 'advisory', 'green']);
    expect(run.verdict).toMatchObject({
      cases: [{ candidate: { count: 0, total: 3 }, live: { count: 3, total: 3 }, reasons: [expect.any(String)] }, {}],
    });
  });

  it('alone decides nothing: a gate of nothing else is no pass', async () => {
    await studio.createCase(QUESTION, [], { rubric: RUBRIC });
    const run = await studio.gate({ with_judge: true });
    expect(statesOf(run)).toEqual(['missing', 'advisory']);
    expect(run.verdict).toMatchObject({ reasons: ['No case decides: all are advisory.'] });
  });

  it('is red when a calibrated judge finds the candidate worse, and green when not', async () => {
    await calibrate();
    await studio.createCase(QUESTION, [], { rubric: RUBRIC });
    expect(statesOf(await studio.gate({ text: WITHOUT_PRICE }))).toEqual(['red', 'red']);
    expect(statesOf(await studio.gate())).toEqual(['green', 'green']);
  });
});

it('a rubric beside other requirements counts only with a calibrated judge', async () => {
  await studio.createCase(QUESTION, [{ kind: 'max_length', characters: 400 }], { rubric: RUBRIC });
  expect(statesOf(await studio.gate({ text: WITHOUT_PRICE, with_judge: true }))).toEqual(['green', 'green']);
  await calibrate();
  expect(statesOf(await studio.gate({ text: WITHOUT_PRICE }))).toEqual(['red', 'red']);
});

it('braces of a rubric are no template, and a hand-over is words to the judge', async () => {
  await world.pool.query('update products set hand_over = true');
  await calibrate();
  await studio.createCase('I want to talk to a human', [], { rubric: 'It says “hands over” {{{ lead.name }} {% raw' });
  expect(statesOf(await studio.gate({ text: `${PROMPT}\nBe brief.` }))).toEqual(['green', 'green']);
  const asked = (await world.control.entriesOf('completion')).map(({ messages }) => JSON.stringify(messages));
  expect(asked.at(-1)).toContain('{ { { lead.name }} { % raw');
  await world.pool.query('update products set hand_over = false');
});
