/** The weekly report: the same figures for the API and for webhooks, published once at the start of each week. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { changeLeadStage } from '../leads/contract.ts';
import type { AnswerOf } from '../platform/contract.ts';
import type { Client } from '../testing/client.ts';
import { openWebhookReceiver, WEBHOOK_SECRET, type WebhookReceiver } from '../testing/webhookReceiver.ts';
import { createWorld, type World } from '../testing/world.ts';
import { webhooks } from '../webhooks/contract.ts';
import { readOutcomeSpending, readRefusals, readResponseTimes } from './insightContract.ts';
import { readOutcomeStrip, readOutcomesBy, readOutcomesByStep } from './outcomeContract.ts';
import { readWeeklyReport, type WeeklyReport } from './reportContract.ts';
import { publishReports } from './weeklyReport.ts';

let world: World;
let anna: Client;
let receiver: WebhookReceiver;
beforeAll(async () => {
  world = await createWorld();
  anna = await world.operator('anna', [world.companyId]);
  receiver = await openWebhookReceiver();
  const { body } = await anna.call(webhooks.create, {
    body: { company_id: world.companyId, url: receiver.url, events: ['report.weekly'], secret: WEBHOOK_SECRET },
  });
  expect(body).toMatchObject({ events: ['report.weekly'] });
});
afterAll(async () => {
  await receiver.close();
  await world.close();
});
beforeEach(async () => {
  await world.pool.query('delete from webhook_deliveries');
  await world.pool.query('delete from weekly_reports');
});

/** Have the clock of the product's zone show a time. */
async function setClock(local: string, zone = 'Asia/Tokyo'): Promise<void> {
  await world.pool.query('update products set timezone = $2 where id = $1', [world.productId, zone]);
  const { rows } = await world.pool.query<{ ms: number }>(
    `update installation set clock_offset = ($1::timestamp at time zone $2) - clock_timestamp()
     returning (extract(epoch from clock_offset) * 1000)::float8 as ms`,
    [local, zone],
  );
  await world.control.setClock(rows[0]?.ms ?? 0);
  await world.pool.query("update webhooks set created_at = domain_now() - interval '3 days'");
}

async function publish(): Promise<number> {
  if (!world.app) throw new Error('This world has a server');
  return publishReports(world.app.context);
}

const reports = async () =>
  (await world.pool.query<{ key: string }>('select event_key as key from webhook_deliveries order by id')).rows.map(
    ({ key }) => key.replace(`report.weekly:${world.productId}:`, ''),
  );

async function report(week: string): Promise<WeeklyReport> {
  const query = { product_id: world.productId, week };
  const { status, body } = await anna.call(readWeeklyReport, { query });
  expect(status).toBe(200);
  return body as WeeklyReport;
}

it('is made once, when the week has begun in the time zone of the product', async () => {
  await setClock('2030-03-10 23:50');
  // A webhook that wants it since three days: the week before last is its first.
  const waitMs = await publish();
  expect(waitMs / 60_000).toBeGreaterThan(9);
  expect(waitMs / 60_000).toBeLessThanOrEqual(10);
  expect(await reports()).toEqual([]);
  await setClock('2030-03-11 00:00');
  await Promise.all([publish(), publish(), publish()]);
  expect(await reports()).toEqual(['2030-03-04']);
  await setClock('2030-03-17 12:00');
  await publish();
  expect(await reports()).toEqual(['2030-03-04']);
  await setClock('2030-03-18 08:00');
  await publish();
  expect(await reports()).toEqual(['2030-03-04', '2030-03-11']);
});

it.each([
  [
    'is not made for a webhook that was added after the week had begun',
    "update webhooks set created_at = domain_now() - interval '1 hour'",
  ],
  ['is not made for a product that is off', 'update products set is_active = false'],
  ['is not made for a webhook that is off', 'update webhooks set is_active = false'],
])('%s', async (_what, statement) => {
  await setClock('2030-03-11 08:00');
  await world.pool.query(statement);
  await publish();
  expect(await reports()).toEqual([]);
  await world.pool.query('update webhooks set is_active = true');
  await world.pool.query('update products set is_active = true');
});

it('has the figures of the tables, reaches the webhook as the API shows it, and names no lead', async () => {
  await setClock('2030-03-06 12:00');
  const lead = await world.lead('Olga Refuses', { stage: 'initial' });
  await lead.writes('Never write to me again, I am Olga');
  await world.drain();
  await anna.call(changeLeadStage, {
    params: { id: lead.leadId },
    query: { new_stage: 'refused', update_in_crm: false },
  });
  await setClock('2030-03-11 00:05');
  const expected = await report('2030-03-04');
  const query = { product_id: world.productId, started_from: '2030-03-04', started_to: '2030-03-10' };
  expect(expected).toMatchObject({ from: query.started_from, to: query.started_to, product_id: world.productId });
  const strip = (await anna.call(readOutcomeStrip, { query })).body;
  expect(expected.strip).toEqual(strip);
  expect(expected.strip.current.attempts).toBe(1);
  const by = async (dimension: 'first_text' | 'prompt_version') =>
    ((await anna.call(readOutcomesBy, { params: { dimension }, query })).body as AnswerOf<typeof readOutcomesBy>).items;
  expect(expected.first_texts).toEqual(await by('first_text'));
  expect(expected.prompt_versions).toEqual(await by('prompt_version'));
  expect({ items: expected.follow_ups }).toEqual((await anna.call(readOutcomesByStep, { query })).body);
  const refusals = (await anna.call(readRefusals, { query })).body as AnswerOf<typeof readRefusals>;
  expect(refusals.items).toMatchObject([{ examples: [{ lead_name: 'Olga Refuses' }] }]);
  expect(expected.refusals.refusals).toBe(refusals.refusals);
  expect(expected.refusals.items.map(({ count }) => count)).toEqual(refusals.items.map(({ count }) => count));
  const waits = (await anna.call(readResponseTimes, { query })).body as AnswerOf<typeof readResponseTimes>;
  expect(expected.response_times).toMatchObject({ handed_over: waits.handed_over, median: waits.overall.median });
  const spent = (await anna.call(readOutcomeSpending, { query })).body as AnswerOf<typeof readOutcomeSpending>;
  expect(expected.models).toEqual(spent.models);
  const before = receiver.received.length;
  await publish();
  await world.waitUntil(async () => receiver.received.length > before, 'the report arrives');
  const sent = receiver.received.at(-1);
  expect(sent).toMatchObject({ type: 'report.weekly', isSigned: true });
  expect(sent?.data).toEqual(JSON.parse(JSON.stringify(expected)));
  expect(JSON.stringify(sent)).not.toContain('Olga');
});
