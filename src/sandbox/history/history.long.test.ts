/** The simulated history of the demo: counted by the ledger, finished, and with the rates that were stated. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Experiment,
  type ExperimentResults,
  experiments,
  readExperimentResults,
} from '../../outcomes/experimentContract.ts';
import { readRefusals, readResponseTimes } from '../../outcomes/insightContract.ts';
import { type Dimension, listOutcomes, readOutcomesBy, readOutcomesByStep } from '../../outcomes/outcomeContract.ts';
import { readSimulatedHistory, SIMULATED_TAG } from '../../outcomes/simulatedHistoryContract.ts';
import { findLedgerDifferences } from '../../outcomes/store/ledger.ts';
import type { AnswerOf } from '../../platform/contract.ts';
import type { Client } from '../../testing/client.ts';
import { createWorld, type World } from '../../testing/world.ts';
import { seedDemo } from '../demo.ts';
import { REFUSALS } from './rates.ts';

let world: World;
let admin: Client;
let productId: number;

beforeAll(async () => {
  world = await createWorld();
  if (!world.app) throw new Error('This world has a server');
  await seedDemo(world.app.context, { hasHistory: true });
  admin = await world.operator();
  const { rows } = await world.pool.query<{ id: number }>(
    "select min(p.id)::int as id from products p join companies c on c.id = p.company_id where c.name = 'Lindgren Studio'",
  );
  productId = rows[0]?.id ?? 0;
  await world.pool.query('analyze');
  // The sweep counts some hundred leads at a time.
  const stale = async () => (await world.pool.query('select 1 from outcomes where is_stale limit 1')).rows.length;
  while ((await stale()) > 0) await world.drain();
});
afterAll(() => world.close());

async function figuresBy(dimension: Dimension) {
  const answer = await admin.call(readOutcomesBy, { params: { dimension }, query: { product_id: productId } });
  const { items } = answer.body as AnswerOf<typeof readOutcomesBy>;
  const rate = (label: string, name: 'answered' | 'qualified') => {
    const found = items.find((one) => one.label === label);
    if (!found) throw new Error(`No attempts of ${label}`);
    return found[name] / found.attempts;
  };
  return { items, rate };
}

it('is counted by the sweep of the ledger, row by row', async () => {
  const { rows } = await world.pool.query('select 1 from outcomes where is_stale');
  expect(rows).toEqual([]);
  const { differences, rows: checked } = await findLedgerDifferences(world.pool);
  expect(differences).toEqual([]);
  expect(checked).toBeGreaterThan(1500);
});

it('leaves nothing to do, and nothing in the inbox', async () => {
  const { rows } = await world.pool.query(
    `select d.id from dialogues d join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id
      where $1 = any(l.tags) and (d.inbox_state <> 'bot' or d.turn > d.classified_turn
         or d.owner = 'bot' and l.is_active and l.stage not in ('refused', 'ignore', 'failed') and d.last_user_msg_id > d.last_bot_msg_id)
     union all select m.id from messages m where m.status = 'scheduled' and m.scheduled_at <= domain_now()`,
    [SIMULATED_TAG],
  );
  expect(rows).toEqual([]);
  expect(await world.control.entriesOf('reached')).toEqual([]);
});

it('says what is simulated', async () => {
  const { body } = await admin.call(readSimulatedHistory, { query: { product_id: productId } });
  const { rows } = await world.pool.query<{ count: number }>(
    'select count(*)::int as count from leads where $1 = any(tags)',
    [SIMULATED_TAG],
  );
  expect(body).toMatchObject({ history: { leads: rows[0]?.count } });
  expect((await admin.call(readSimulatedHistory, { query: { product_id: world.productId } })).body).toEqual({
    history: null,
  });
});

describe('has experiments', () => {
  async function find(kind: Experiment['kind']): Promise<ExperimentResults> {
    const list = (await admin.call(experiments.list, { query: { product_id: [productId] } })).body;
    const found = (list as AnswerOf<typeof experiments.list>).items.filter((one) => one.kind === kind);
    expect(found).toHaveLength(1);
    const answer = await admin.call(readExperimentResults, { params: { id: found[0]?.id ?? 0 } });
    return answer.body as ExperimentResults;
  }

  /** The counts of an experiment's arms as the ledger has them for an instant, and what its own filters find. */
  async function expectCounted({ experiment, arms, history }: ExperimentResults): Promise<void> {
    const metric = { answered: 'answered_at', qualified: 'qualified_at', success: 'ended_at' }[experiment.metric];
    for (const { at, arms: counted } of history) {
      const { rows } = await world.pool.query<{ n: number; successes: number }>(
        `select count(*)::int as n, count(*) filter (where o.${metric} <= d.deadline)::int as successes
           from experiment_assignments x join outcomes o using (lead_id, attempt)
           cross join lateral (select greatest(x.assigned_at, o.started_at) + make_interval(days => $2) as deadline) d
          where x.experiment_id = $1 and x.arm is not null and d.deadline <= $3 group by x.arm order by x.arm`,
        [experiment.id, experiment.days, at],
      );
      expect(counted).toEqual(rows);
    }
    for (const { arm, filters, ...counts } of arms)
      for (const [name, filter] of Object.entries(filters)) {
        const { body } = await admin.call(listOutcomes, { query: { ...filter, limit: 1 } });
        expect([arm, name, body]).toEqual([arm, name, expect.objectContaining({ total: counts[name as 'assigned'] })]);
      }
  }

  it('one with first texts, whose winner is what the product uses', async () => {
    const found = await find('first_text');
    const { experiment, arms, history, sentence } = found;
    expect(experiment).toMatchObject({ state: 'stopped', end: 'decided', stopped_by: null, applied_arm: 1 });
    const [control, winner] = history.at(-1)?.arms ?? [];
    const [, ofWinner, ofControl] =
      /^Ask for the wall is better \(([\d.]+) % against ([\d.]+) %, /.exec(sentence) ?? [];
    expect(Number(ofWinner)).toBeCloseTo((100 * (winner?.successes ?? 0)) / (winner?.n ?? 1), 0);
    expect(Number(ofControl)).toBeCloseTo((100 * (control?.successes ?? 0)) / (control?.n ?? 1), 0);
    expect(arms.map(({ finished: n, successes }) => ({ n, successes }))).toEqual(history.at(-1)?.arms);
    await expectCounted(found);
    const { rows } = await world.pool.query<{ uses: string; used: string }>(
      `select p.config->'messaging_config'->>'initial_message_prepared_message_id' as uses,
              e.applied_before->>'initial_message_prepared_message_id' as used
         from products p join experiments e on e.product_id = p.id where e.id = $1`,
      [experiment.id],
    );
    const prepared = experiment.arm_states.map(({ content }) => content.kind === 'text' && content.prepared_message_id);
    expect(rows.map(({ used, uses }) => [Number(used), Number(uses)])).toEqual([prepared]);
    // Whoever got a text of an arm got it as the arm's text, and nobody else got the winner's before it was applied.
    const { rows: texts } = await world.pool.query<{ arm: number | null; prepared: string; early: boolean }>(
      `select distinct x.arm, m.prepared_message_id as prepared, m.created_at < $2 as early
         from messages m join contacts c on c.id = m.contact_id
         left join experiment_assignments x on x.lead_id = c.lead_id and x.experiment_id = $1
        where m.product_id = $3 and m.origin = 'first' and m.prepared_message_id = any($4)`,
      [experiment.id, experiment.applied_at, productId, prepared],
    );
    expect(
      new Set(texts.map(({ arm, prepared: id, early }) => `${arm} ${prepared.indexOf(Number(id))} ${early}`)),
    ).toEqual(new Set(['0 0 true', '1 1 true', 'null 0 true', 'null 1 false']));
  });

  it('one with prompts, which runs and has nothing to decide yet', async () => {
    const found = await find('prompt');
    expect(found).toMatchObject({
      experiment: { state: 'running', applied_arm: null },
      until_next: expect.any(Number),
    });
    expect(found.sentence).toMatch(/^too early: about \d+ more attempts$/);
    expect(found.sentence).toBe(found.history.at(-1)?.sentence);
    await expectCounted(found);
    // Each lead is answered by its arm's version; the demo's own leads do not take part.
    const { rows } = await world.pool.query<{ arm: number | null; versions: number[]; is_simulated: boolean }>(
      `select x.arm, array_agg(distinct m.prompt_version) as versions, bool_or($2 = any(l.tags)) as is_simulated
         from experiment_assignments x join leads l on l.id = x.lead_id join contacts c on c.lead_id = l.id
         join messages m on m.contact_id = c.id and m.prompt_version is not null and m.turn is not null
        where x.experiment_id = $1 group by 1, $2 = any(l.tags) order by 1, 3`,
      [found.experiment.id, SIMULATED_TAG],
    );
    expect(rows).toEqual([
      { arm: 0, versions: [5], is_simulated: true },
      { arm: 1, versions: [4], is_simulated: true },
      { arm: null, versions: [5], is_simulated: false },
      { arm: null, versions: [5], is_simulated: true },
    ]);
  });

  it('that the product looks at without finding anything else', async () => {
    const before = [await find('first_text'), await find('prompt')];
    await world.pool.query("update experiments set check_at = domain_now() where state = 'running'");
    await world.drain();
    await world.waitUntil(async () => {
      const { rows } = await world.pool.query('select 1 from experiments where check_at <= domain_now()');
      return rows.length === 0;
    }, 'a look at the running experiment');
    expect([await find('first_text'), await find('prompt')]).toEqual(before);
  });
});

describe('shows the stated differences', () => {
  it('between prompt versions, messengers, first texts and hours', async () => {
    const versions = await figuresBy('prompt_version');
    const qualified = (version: number) => versions.rate(`Kitchen consultant, version ${version}`, 'qualified');
    expect(qualified(4)).toBeGreaterThan(qualified(3));
    expect(qualified(3)).toBeGreaterThan(qualified(1));
    const messengers = await figuresBy('messenger');
    expect(messengers.rate('WhatsApp', 'answered')).toBeGreaterThan(messengers.rate('Telegram', 'answered'));
    const texts = await figuresBy('first_text');
    expect(texts.rate('After the home fair', 'answered')).toBeGreaterThan(texts.rate('First message', 'answered'));
    expect(texts.rate('First message', 'answered')).toBeGreaterThan(texts.rate('Who we are', 'answered'));
    const { items } = await figuresBy('hour');
    const share = (from: number, to: number) => {
      const found = items.filter(({ value }) => Number(value) >= from && Number(value) < to);
      return found.reduce((sum, one) => sum + one.answered, 0) / found.reduce((sum, one) => sum + one.attempts, 0);
    };
    expect(share(17, 19)).toBeGreaterThan(share(9, 12));
    expect((await figuresBy('week')).items.length).toBeGreaterThanOrEqual(26);
  });

  it('between follow-ups, reasons and people', async () => {
    const query = { product_id: productId };
    const steps = ((await admin.call(readOutcomesByStep, { query })).body as AnswerOf<typeof readOutcomesByStep>).items;
    expect(steps.map(({ value }) => value)).toEqual([1, 2, 3]);
    expect(steps[1]?.rates.answered.rate).toBeGreaterThan(steps[2]?.rates.answered.rate ?? 1);
    const { items } = (await admin.call(readRefusals, { query })).body as AnswerOf<typeof readRefusals>;
    for (const { reason } of REFUSALS) expect(items.map((one) => one.reason)).toContain(reason.toLowerCase());
    const times = (await admin.call(readResponseTimes, { query })).body as AnswerOf<typeof readResponseTimes>;
    expect(new Set(times.items.map(({ operator }) => operator))).toEqual(new Set(['demo', 'felix', 'nora']));
    expect(times.unanswered).toBeGreaterThan(5);
  });
});
