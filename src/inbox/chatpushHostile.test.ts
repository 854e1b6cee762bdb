/** ChatPush hooks that are forged, truncated or false: answered, and without effect. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Chatpush, connectChatpush } from '../testing/chatpush.ts';
import { payloads } from '../testing/chatpushPayloads.ts';
import { corruptionsOf } from '../testing/corruptPayload.ts';
import { postHook } from '../testing/messageRows.ts';
import { ALL } from '../testing/partOf.ts';
import { createWorld, type World } from '../testing/world.ts';

const VARIANTS_PER_PAYLOAD = ALL ? 1000 : 200;
const CONCURRENCY = 25;

let world: World;
let chatpush: Chatpush;
let url: string;
beforeAll(async () => {
  // The vendor is polled rarely, so that any other request of ours was caused by a hook.
  world = await createWorld({ env: { RAPPORT_ASK_VENDOR_SECONDS: '3600' } });
  chatpush = await connectChatpush(world);
  url = await chatpush.hookUrl();
  await world.waitUntil(async () => {
    const { rows } = await world.pool.query(
      "select 1 from vendor_accounts where vendor = 'chatpush' and sessions_polled_at is null",
    );
    return rows.length === 0;
  }, 'the account to be asked for its sessions, this once');
  await world.drain();
});
afterAll(() => world.close());

/** Read everything that a hook could change. */
async function readState(): Promise<unknown> {
  const { rows } = await world.pool.query(
    `select (select count(*) from leads) as leads, (select count(*) from contacts) as contacts,
            (select count(*) from dialogues) as dialogues, (select count(*) from messages) as messages,
            (select json_agg(c order by id) from channels c) as channels,
            (select json_agg(a order by id) from vendor_accounts a) as accounts`,
  );
  return { rows, asked: (await world.control.entriesOf('refused')).length };
}

/** Replace the customer's number with another one's. */
const foreign = (body: unknown): unknown => JSON.parse(JSON.stringify(body).replaceAll('10001', '66666'));

async function post(to: string, body: unknown): Promise<number> {
  return (await postHook(to, { ...(typeof body === 'object' ? body : { body }) })).status;
}

it.each(Object.keys(payloads))('changes nothing on %s of another customer, malformed in many ways', async (name) => {
  const payload = foreign(Object.entries(payloads).find(([key]) => key === name)?.[1]());
  const before = await readState();
  const bodies = [payload, ...fc.sample(corruptionsOf(payload), VARIANTS_PER_PAYLOAD)];
  const statuses = new Set<number>();
  for (let from = 0; from < bodies.length; from += CONCURRENCY)
    for (const status of await Promise.all(bodies.slice(from, from + CONCURRENCY).map((body) => post(url, body))))
      statuses.add(status);
  await world.drain();
  // 400: fast-check may generate invalid JSON, or field names that no body may have.
  expect([...statuses].filter((status) => status !== 200 && status !== 400 && status !== 422)).toEqual([]);
  expect(await readState()).toEqual(before);
});

it.each(Object.keys(payloads))('refuses %s with a forged secret', async (name) => {
  const payload = Object.entries(payloads).find(([key]) => key === name)?.[1]();
  const before = await readState();
  const secret = url.split('/').at(-1) ?? '';
  const forged = [
    `${url.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`,
    `${url}x`,
    url.replace('chatpush', 'wazzup24'),
    url.replace(secret, 'x'.repeat(43)),
    url.replace(secret, encodeURIComponent("' or 1=1 --aaaaaaaaaaaa")),
  ];
  for (const forgedUrl of forged) expect(await post(forgedUrl, payload)).toBe(404);
  await world.drain();
  expect(await readState()).toEqual(before);
});

it('parks a callback of an unknown delivery without applying it', async () => {
  const before = await readState();
  expect(await post(url, payloads.callback())).toBe(200);
  await world.drain();
  expect(await readState()).toEqual(before);
});

it('stores one message for twenty identical webhooks at once', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => postHook(url, payloads.nested())));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  await world.drain();
  const { rows } = await world.pool.query("select message from messages where side = 'user'");
  expect(rows).toEqual([{ message: 'hi' }]);
});
