/** The simulated history of the demo: counted by the ledger, finished, and with the rates that were stated. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRefusals, readResponseTimes } from '../../outcomes/insightContract.ts';
import { type Dimension, readOutcomesBy, readOutcomesByStep } from '../../outcomes/outcomeContract.ts';
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
