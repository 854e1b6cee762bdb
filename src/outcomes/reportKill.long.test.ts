/**
 * Kills the server at every failpoint of the weekly report and of its delivery. The next instance finishes the work: each
 * week is reported to each webhook by one event, which arrives at least once.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../testing/serverProcess.ts';
import { openWebhookReceiver, WEBHOOK_SECRET, type WebhookReceiver } from '../testing/webhookReceiver.ts';
import { createWorld, type World } from '../testing/world.ts';
import { webhooks } from '../webhooks/contract.ts';

const FILES = ['weeklyReport.ts', '../webhooks/deliver.ts'];
const POINTS = [
  'report.beforeCommit',
  'report.afterCommit',
  'webhook.afterClaim',
  'webhook.beforeRequest',
  'webhook.afterAnswer',
  'webhook.afterSettle',
];
const QUIET = { RAPPORT_LOG_LEVEL: 'error' };
const FIRST_MONDAY = Date.UTC(2031, 0, 6);
const WEEK_MS = 7 * 86_400_000;

let world: World;
let server: ServerProcess;
let receivers: readonly WebhookReceiver[];

beforeAll(async () => {
  world = await createWorld({ serve: false });
  server = startServer(world, QUIET);
  await server.waitUntilReady();
  const anna = await world.operator('anna', [world.companyId]);
  receivers = [await openWebhookReceiver(), await openWebhookReceiver()];
  for (const { url } of receivers) {
    const body = { company_id: world.companyId, url, events: ['report.weekly' as const], secret: WEBHOOK_SECRET };
    expect((await anna.call(webhooks.create, { body })).status).toBe(201);
  }
});
afterAll(async () => {
  await server.kill();
  for (const receiver of receivers) await receiver.close();
  await world.close();
});

it('covers every failpoint', () => {
  const text = FILES.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n');
  expect(new Set([...text.matchAll(/failpoint\('([\w.]+)'\)/g)].map(([, name]) => name))).toEqual(new Set(POINTS));
});

it('reports each week once to each webhook when killed anywhere', { timeout: 300_000 }, async () => {
  for (const [index, point] of POINTS.entries()) {
    await server.kill();
    const monday = FIRST_MONDAY + index * WEEK_MS;
    await world.pool.query('update installation set clock_offset = $1::timestamptz - clock_timestamp()', [
      new Date(monday).toISOString(),
    ]);
    server = startServer(world, { ...QUIET, RAPPORT_FAILPOINT: point });
    expect(await server.waitForExit(), `${point} ${server.output()}`).toBe('SIGKILL');
    server = startServer(world, QUIET);
    await server.waitUntilReady();
    const from = new Date(monday - WEEK_MS).toISOString().slice(0, 10);
    const eventsOf = ({ received }: WebhookReceiver) => received.filter(({ data }) => data['from'] === from);
    await world.waitUntil(async () => {
      const { rows } = await world.pool.query(
        "select 1 from webhook_deliveries where state = 'delivered' and claimed_by is null and event_key like '%' || $1",
        [from],
      );
      return rows.length === receivers.length;
    }, `${point}: the week of ${from} was delivered`);
    for (const receiver of receivers) {
      expect(eventsOf(receiver).length, point).toBeGreaterThan(0);
      expect(eventsOf(receiver).every(({ isSigned }) => isSigned)).toBe(true);
    }
    expect(new Set(receivers.flatMap(eventsOf).map(({ id }) => id)).size, point).toBe(1);
  }
  // Once where nothing was in doubt; a second time where an answer may have been lost.
  const { rows } = await world.pool.query<{ weeks: number }>('select count(*)::int as weeks from weekly_reports');
  expect(rows).toEqual([{ weeks: POINTS.length }]);
  for (const { received } of receivers) expect(received.length).toBeLessThanOrEqual(POINTS.length + 2);
});
