/** Replays through the API, on the sandbox's model. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leads as leadsContract } from '../../leads/contract.ts';
import { products } from '../../products/contract.ts';
import type { Client } from '../../testing/client.ts';
import { createWorld, PROMPT, type TestLead, type World } from '../../testing/world.ts';
import { type Calibration, type JudgePair, labelJudgePair, listJudgePairs, readCalibration } from '../judgeContract.ts';
import {
  listStudioResults,
  listStudioRuns,
  readStudioRun,
  type StudioResult,
  type StudioRun,
  startStudioRun,
} from '../runContract.ts';

const TEXT = `${PROMPT}
You find pictures at https://kitchens-to-measure.com/pictures.

# Questions
- How long is the wall of your kitchen?
- When may a designer visit you?
- Which colour do you like?`;

let world: World;
let anna: Client;
let promptId: number;
const leads: TestLead[] = [];
beforeAll(async () => {
  world = await createWorld();
  anna = await world.operator('anna');
  const { rows } = await world.pool.query<{ id: string }>(
    'update prompts set text = $2, version = 2, live_text = $2, live_version = 2 where product_id = $1 returning id',
    [world.productId, TEXT],
  );
  promptId = Number(rows[0]?.id);
  await world.pool.query('insert into prompt_versions (prompt_id, version, text) values ($1, 2, $2)', [promptId, TEXT]);
  for (const name of ['Anna', 'Boris', 'Clara', 'Denis', 'Elena', 'Fedor']) leads.push(await world.lead(name));
  for (const lead of leads) await lead.writes('How much does a kitchen cost?');
  await world.drain();
  for (const text of ['How long does delivery take?', 'Do you have pictures?']) {
    for (const lead of leads.slice(0, 3)) await lead.writes(text);
    await world.drain();
  }
});
afterAll(() => world.close());

async function replay(body: object): Promise<{ run: StudioRun; results: StudioResult[] }> {
  const started = await anna.call(startStudioRun, {
    body: { kind: 'replay', prompt_id: promptId, budget: 1, ...body },
  });
  expect(started.status, JSON.stringify(started.body)).toBe(201);
  const { id } = started.body as StudioRun;
  let run = started.body as StudioRun;
  await world.waitUntil(async () => {
    run = (await anna.call(readStudioRun, { params: { id } })).body as StudioRun;
    return run.finished_at !== null;
  }, 'the run to end');
  const { body: list } = await anna.call(listStudioResults, { params: { id }, query: { limit: 100 } });
  return { run, results: (list as { items: StudioResult[] }).items };
}

/** Rows of every table that a run may not touch. */
async function untouchedRows(): Promise<Record<string, string>> {
  const { rows: tables } = await world.pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'
        and table_name not like 'studio%' and table_name not in ('llm_runs', 'llm_spending', 'audit', 'sessions', 'nodes')`,
  );
  const counts: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await world.pool.query<{ hash: string }>(
      `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as hash from ${name} t`,
    );
    counts[name] = rows[0]?.hash ?? '';
  }
  return counts;
}

const changedTurns = (results: readonly StudioResult[]) =>
  results.flatMap(({ state, diverged, subject, change }) =>
    state === 'changed' && !diverged ? [{ lead: subject.lead_id, kinds: change?.kinds, facts: change?.facts }] : [],
  );

describe('a replay', () => {
  it('of what is live changes nothing, and touches no table but its own', async () => {
    const before = await untouchedRows();
    const { run, results } = await replay({});
    expect(run.verdict).toMatchObject({ kind: 'replay', changed: { count: 0, total: 12 }, by_kind: [], judged: null });
    expect(new Set(results.map(({ state }) => state))).toEqual(new Set(['same']));
    // The live version wrote what was sent, so one more of its answers is enough.
    expect(run.progress).toEqual({ done: 24, failed: 0, total: 24 });
    expect(await untouchedRows()).toEqual(before);
    expect(run.estimate).toMatchObject({ subjects: 12, calls: 54 });
  });

  it('shows a new price first, and predicts nothing beyond it', async () => {
    const { run, results } = await replay({ text: TEXT.replace('4200', '9900') });
    expect(changedTurns(results)).toEqual(
      leads.map(({ leadId }) => ({
        lead: leadId,
        kinds: ['prices'],
        facts: ['The price 9900 euros is new', 'No longer states the price 4200 euros'],
      })),
    );
    expect(results.slice(0, 6).map(({ subject }) => subject.name)).toEqual(
      leads.map(({ name }) => `${name}, answer 1`),
    );
    expect(results.filter(({ diverged }) => diverged)).toHaveLength(6);
    expect(run.verdict).toMatchObject({ changed: { count: 6, total: 6 }, by_kind: [{ kind: 'prices', turns: 6 }] });
    // Each was confirmed.
    expect(results[0]?.candidate).toHaveLength(4);
    expect(results[0]?.live).toHaveLength(3);
  });

  it('generates two answers of what is live where another version wrote what was sent', async () => {
    await world.pool.query('update messages set prompt_version = 1 where dialogue_id = $1', [
      await leads[0]?.dialogueId(),
    ]);
    const { results } = await replay({ dialogue_ids: [await leads[0]?.dialogueId(), await leads[5]?.dialogueId()] });
    expect(results.map(({ live, state }) => [live.length, state])).toEqual([
      [2, 'same'],
      [2, 'same'],
      [2, 'same'],
      [1, 'same'],
    ]);
  });

  it('without anything to replay is refused, and so are dialogues of others', async () => {
    const start = (body: object) =>
      anna.call(startStudioRun, { body: { kind: 'replay', prompt_id: promptId, budget: 1, ...body } });
    const other = await world.lead('Dora');
    expect(await start({ dialogue_ids: [await other.dialogueId()] })).toMatchObject({
      status: 409,
      body: { detail: 'There are no dialogues with answers of the bot to replay.' },
    });
    const created = await anna.call(products.create, { body: { company_id: world.companyId, name: 'Wardrobes' } });
    const stranger = await world.lead('Egor', { productId: (created.body as { id: number }).id });
    expect(await start({ dialogue_ids: [await stranger.dialogueId()] })).toMatchObject({
      status: 409,
      body: { detail: 'This dialogue belongs to another product.' },
    });
    expect((await start({ kind: 'classification' })).status).toBe(409);
  });
});

describe('a judge', () => {
  const WITHOUT_QUESTIONS = TEXT.slice(0, TEXT.indexOf('# Questions'));
  const judgePairs = (query: object = {}) =>
    anna.call(listJudgePairs, { query: { product_id: world.productId, ...query } });
  const calibrate = async (query: object = {}) =>
    (await anna.call(readCalibration, { query: { product_id: world.productId, ...query } })).body as Calibration;

  it('says which answer is better, whatever the order, and its pairs are labelled', async () => {
    const { run } = await replay({ text: WITHOUT_QUESTIONS, with_judge: true });
    expect(run.verdict).toMatchObject({ changed: { count: 6 }, judged: { better: 0, worse: 6, tie: 0 } });
    const { items, total } = (await judgePairs()).body as { items: JudgePair[]; total: number };
    expect(total).toBe(6);
    // The judge's choice is not shown before the operator's.
    expect(items.map(({ judged, label }) => [judged, label])).toEqual(items.map(() => [null, null]));
    for (const [index, { id, first, second }] of items.entries()) {
      const better = first.length > second.length ? 'first' : 'second';
      const label = index === 0 ? 'tie' : better;
      const labelled = await anna.call(labelJudgePair, { params: { id }, body: { label } });
      expect(labelled).toMatchObject({ status: 200, body: { label, judged: better, labelled_by: 'anna' } });
    }
    expect(((await judgePairs({ is_labelled: false })).body as { total: number }).total).toBe(0);
    expect(await calibrate({ run_id: run.id })).toMatchObject({
      judge: { vendor: 'chatgpt', model: 'gpt-4o-mini' },
      labels: 6,
      needed: 60,
      is_calibrated: false,
      agreement: { rate: 5 / 6 },
      first_preferred: { rate: 0.5 },
      has_position_bias: false,
      corrected: { worse: { rate: expect.any(Number) } },
    });
  });

  it('that always prefers what it reads first is found', async () => {
    await world.control.setFaults([{ kind: 'openai.prefers_first' }]);
    try {
      const { run } = await replay({ text: WITHOUT_QUESTIONS, with_judge: true });
      expect(run.verdict).toMatchObject({ judged: { better: 0, worse: 0, tie: 6 } });
    } finally {
      await world.control.setFaults([]);
    }
    expect(await calibrate()).toMatchObject({ first_preferred: { rate: 0.75 }, has_position_bias: true });
  });

  it('is another one with another model, whose calibration begins again', async () => {
    const model = { vendor: 'chatgpt', model: 'gpt-4o', temperature: 0 };
    const patch = (judge: object | null) =>
      anna.call(products.change, {
        params: { id: world.productId },
        body: { config: { judge_model_config: judge } },
      });
    expect((await patch(model)).status).toBe(200);
    expect(await calibrate()).toMatchObject({ judge: { model: 'gpt-4o' }, labels: 0, agreement: null, kappa: null });
    expect(((await judgePairs()).body as { total: number }).total).toBe(0);
    // What is deleted with a lead is deleted whoever judged it.
    expect((await judgePairs({ lead_id: leads[0]?.leadId })).body).toMatchObject({ total: 2 });
    await patch(null);
  });
});

it('what was replayed and judged of a lead is deleted with the lead', async () => {
  const [lead] = leads;
  const ofLead = async () => {
    const { rows } = await world.pool.query<{ pairs: number; subjects: number }>(
      `select (select count(*)::int from studio_pairs where lead_id = $1) as pairs,
              (select count(*)::int from studio_subjects where lead_id = $1) as subjects`,
      [lead?.leadId],
    );
    return rows[0];
  };
  expect(await ofLead()).toMatchObject({ pairs: 2 });
  const runs = await anna.call(listStudioRuns, { query: { product_id: [world.productId] } });
  const judged = (runs.body as { items: StudioRun[] }).items.find(({ with_judge }) => with_judge);
  expect((await anna.call(leadsContract.remove, { params: { id: lead?.leadId ?? 0 } })).status).toBe(204);
  expect(await ofLead()).toEqual({ pairs: 0, subjects: 0 });
  const { body } = await anna.call(readStudioRun, { params: { id: judged?.id ?? 0 } });
  expect((body as StudioRun).verdict).toMatchObject({ changed: { count: 5 } });
});

describe('a classification prompt', () => {
  it('is replayed against what became of the leads, without telling it', async () => {
    const ends = [
      ['Galina', 'not interested, thanks', 'refused', 'anna'],
      ['Hugo', 'Let us do it, sign me up', 'success', 'amoCRM'],
      ['Irina', 'I will think about it', 'failed', 'anna'],
      ['Jan', 'not interested', 'refused', 'classification'],
    ] as const;
    const ids: number[] = [];
    for (const [name, text, stage, by] of ends) {
      const lead = await world.lead(name);
      await lead.writes(text);
      await world.drain();
      ids.push(await lead.dialogueId());
      await world.pool.query('update leads set stage = $2 where id = $1', [lead.leadId, stage]);
      await world.pool.query(
        `insert into lead_events (lead_id, product_id, event_type, event_data) values ($1, $2, 'stage_changed', $3)`,
        [lead.leadId, world.productId, { from: 'ongoing', to: stage, by }],
      );
    }
    const { rows } = await world.pool.query<{ id: string }>(
      `insert into prompts (product_id, name, type, text, live_text, live_version, live_since)
       values ($1, 'Stages', 'classification', 'Name the stage.', 'Name the stage.', 1, now()) returning id`,
      [world.productId],
    );
    await world.drain();
    const before = await untouchedRows();
    const { run, results } = await replay({
      kind: 'classification',
      prompt_id: Number(rows[0]?.id),
      text: 'Name the stage.\nFault: wrong_stage',
    });
    expect(await untouchedRows()).toEqual(before);
    expect(run.verdict).toMatchObject({
      kind: 'classification',
      // Agreement is not counted where stage detection has set the outcome itself.
      live: { count: 2, total: 3 },
      candidate: { count: 1, total: 3 },
      table: expect.arrayContaining([
        { stage: 'refused', outcome: 'refused', live: 1, candidate: 0 },
        { stage: 'success', outcome: 'refused (by stage detection)', live: 0, candidate: 1 },
        { stage: 'success', outcome: 'success', live: 1, candidate: 1 },
      ]),
    });
    // What the candidate gets wrong and live gets right comes first. A difference is confirmed by two more answers.
    expect(results.map(({ subject, state, candidate }) => [subject.name, state, candidate.length])).toEqual([
      ['Galina', 'changed', 3],
      ['Jan', 'changed', 3],
      ['Irina', 'changed', 3],
      ['Hugo', 'same', 1],
    ]);
    expect(results[0]?.change?.facts).toEqual([
      'Names the stage success instead of refused',
      'What became of the lead: refused',
    ]);
    const asked = (await world.control.entriesOf('completion'))
      .slice(-20)
      .map(({ messages }) => JSON.stringify(messages));
    const ofStages = asked.filter((messages) => messages.includes('Name the stage.'));
    expect(ofStages).toHaveLength(20);
    for (const messages of ofStages) expect(messages).toContain('\\"stage\\":\\"ongoing\\"');
  });
});
