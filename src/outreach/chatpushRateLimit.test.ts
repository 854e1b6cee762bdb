/** A ChatPush account sends one message a minute by the domain clock, no matter who sends and in whichever messenger. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sendNew } from '../outbox/sendContract.ts';
import { type Chatpush, connectChatpush } from '../testing/chatpush.ts';
import { messagesOf } from '../testing/messageRows.ts';
import { createOutreachWorld, type OutreachWorld } from '../testing/outreachWorld.ts';
import type { TestLead } from '../testing/world.ts';

const REASON = 'ChatPush takes one message a minute from this account';
let world: OutreachWorld;
let chatpush: Chatpush;
beforeAll(async () => {
  world = await createOutreachWorld({
    env: { RAPPORT_CHATPUSH_PACE_SECONDS: '60', RAPPORT_ASK_VENDOR_SECONDS: '3600' },
  });
  chatpush = await connectChatpush(world);
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  await world.pool.query('update vendor_accounts set next_send_at = null');
});

/** Seconds between the messages that left the account since `after`. */
async function gaps(after: number): Promise<number[]> {
  const at = (await world.control.entriesOf('reached', after)).map((entry) => Date.parse(entry.at) / 1000);
  return at.slice(1).map((one, index) => one - (at[index] ?? 0));
}
const lastEntry = async () => (await world.control.journal()).last;

it("sends an account's messages a minute apart in the order of their due times", async () => {
  const admin = await world.operator();
  const after = await lastEntry();
  const leads: TestLead[] = [];
  for (const messenger of ['whatsapp', 'telegram', 'whatsapp', 'telegram'] as const) {
    const channel = chatpush[messenger];
    const lead = await world.lead(`Anna ${leads.length}`, { messenger, channel, dialogue: false });
    leads.push(lead);
    const body = { contact_id: lead.contactId, channel_id: channel.id, text: lead.name };
    expect((await admin.call(sendNew, { body })).status).toBe(201);
  }
  for (const lead of leads.slice(1))
    await world.waitUntil(
      async () => (await messagesOf(world, lead))[0]?.reason === REASON,
      `${lead.name} is told why`,
    );
  await world.advanceClock(300);
  expect((await world.control.entriesOf('reached', after)).map(({ text }) => text)).toEqual(
    leads.map(({ name }) => name),
  );
  expect((await gaps(after)).every((gap) => gap >= 60)).toBe(true);
});

it('sends on other accounts while one account cannot be reserved', async () => {
  const admin = await world.operator();
  const lead = await world.lead('Berta', { messenger: 'whatsapp', channel: chatpush.whatsapp, dialogue: false });
  const other = await world.lead('Carla');
  const busy = await world.pool.connect();
  await busy.query('begin');
  try {
    await busy.query("select 1 from vendor_accounts where vendor = 'chatpush' for update");
    const first = { contact_id: lead.contactId, channel_id: chatpush.whatsapp.id, text: 'One' };
    const second = { contact_id: other.contactId, channel_id: world.whatsapp.id, text: 'Two' };
    for (const body of [first, second]) expect((await admin.call(sendNew, { body })).status).toBe(201);
    await world.waitUntil(async () => (await other.sees()).includes('us: Two'), 'the other account has sent');
  } finally {
    await busy.query('rollback');
    busy.release();
  }
  await world.waitUntil(async () => (await lead.sees()).includes('us: One'), 'the account sends when it is free');
});

it('sends the messages of others while a dialogue waits for its next attempt', async () => {
  const admin = await world.operator();
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const [waiting, other] = await Promise.all(
    ['Dina', 'Egon'].map((name) => world.lead(name, { channel: chatpush.whatsapp, dialogue: false })),
  );
  if (!waiting || !other) throw new Error('No leads');
  const body = { channel_id: chatpush.whatsapp.id, text: 'Good morning' };
  for (const _part of [1, 2])
    await admin.call(sendNew, { body: { ...body, contact_id: waiting.contactId, send_not_before: later } });
  await world.pool.query(
    `update messages set scheduled_at = domain_now() - interval '1 hour',
            retry_at = case when id = (select min(id) from messages where contact_id = $1) then clock_timestamp() + interval '1 hour' end
      where contact_id = $1`,
    [waiting.contactId],
  );
  await world.pool.query("update vendor_accounts set next_send_at = domain_now() - interval '1 second'");
  await admin.call(sendNew, { body: { ...body, contact_id: other.contactId } });
  await world.waitUntil(async () => (await other.sees()).length === 1, 'the other one is sent');
  expect(await waiting.sees()).toEqual([]);
});

it('spaces first messages a minute apart without a product interval', async () => {
  await world.pool.query('delete from product_channels where channel_id = $1', [world.whatsapp.id]);
  await world.setFirstMessages({ initial_message_send_at: '08:00', add_interval_seconds: 0 });
  await world.advanceClockTo('07:00');
  for (const name of ['Boris', 'Clara', 'Dora']) await world.createLead(name);
  const after = await lastEntry();
  await world.advanceClock(3600 + 400);
  expect(await world.sentMessages()).toHaveLength(3);
  expect((await gaps(after)).every((gap) => gap >= 60)).toBe(true);
});

it('counts the minute from when the vendor received the last message', async () => {
  const admin = await world.operator();
  const after = await lastEntry();
  await world.control.setFaults([{ kind: 'chatpush.delay', ms: 3000, times: 1 }]);
  for (const name of ['Emil', 'Frida']) {
    const lead = await world.lead(name, { channel: chatpush.whatsapp, dialogue: false });
    const body = { contact_id: lead.contactId, channel_id: chatpush.whatsapp.id, text: name };
    expect((await admin.call(sendNew, { body })).status).toBe(201);
  }
  await world.advanceClock(120);
  const [gap] = await gaps(after);
  expect(gap).toBeGreaterThanOrEqual(60);
});
