/**
 * First messages and follow-ups that are retried by an operator, requeued, sent through the other messenger, or partly
 * reverted.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { messages, retryMessage } from '../conversations/contract.ts';
import { countRetries, type RetryCount, retryMessages } from '../outbox/deliveryFailureContract.ts';
import { type Chatpush, connectChatpush } from '../testing/chatpush.ts';
import type { Client } from '../testing/client.ts';
import { type MessageFacts, messagesOf } from '../testing/messageRows.ts';
import { createOutreachWorld, DAY, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import type { TestLead } from '../testing/world.ts';

const GOOD_DAY = 'us: Good day!';
let world: OutreachWorld;
let chatpush: Chatpush;
let olga: Client;
beforeAll(async () => {
  world = await createOutreachWorld();
  chatpush = await connectChatpush(world);
  olga = await world.operator('olga');
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  await world.pool.query(
    `update channels set paused_until = null, pause_reason = null, first_messages_stopped_at = null, first_messages_stopped_reason = null`,
  );
  await world.setChannels(world.whatsapp.id, world.telegram.id);
  await world.setFirstMessages({ initial_message_send_at: '08:00' });
  await world.advanceClockTo('07:00');
});

async function readOnlyMessage(lead: TestLead): Promise<MessageFacts> {
  const [row, ...others] = await messagesOf(world, lead, 'bot');
  if (!row || others.length > 0) throw new Error(`${lead.name} has ${1 + others.length} messages`);
  return row;
}

/** Make a message unconfirmed and let the vendor's idempotency key expire. */
async function forget(id: number): Promise<void> {
  await world.pool.query(
    `update messages set status = 'unconfirmed', ext_id = null, unconfirmed_at = clock_timestamp() - interval '3 minutes',
            send_key_used_at = clock_timestamp() - interval '5 minutes' where id = $1`,
    [id],
  );
}

/** Begin `change`, let a lead's first message become due, and commit only once its claim waits for the change. */
async function changeDuringClaim(change: string, leadId: number): Promise<void> {
  // The planner knows then that there are no dialogues.
  await world.pool.query('analyze');
  const operator = await world.pool.connect();
  try {
    await operator.query('begin');
    await operator.query('select 1 from leads where id = $1 for update', [leadId]);
    await world.pool.query("update installation set clock_offset = clock_offset + interval '2 hours'");
    await world.waitUntil(() => isWaitingFor('%locked_leads%'), 'the claim waits for the lead');
    await operator.query(change, [leadId]);
    await operator.query('commit');
  } finally {
    await operator.query('rollback');
    operator.release();
  }
}

/** Check whether a statement like this waits for a lock. */
async function isWaitingFor(like: string): Promise<boolean> {
  const { rows } = await world.pool.query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
    [like],
  );
  return rows.length > 0;
}

const retry = async (id: number) => (await olga.call(retryMessage, { params: { id } })).status;

it('does not recreate a deleted retry, and sends the others in the queue', async () => {
  const anna = await world.createLead('Anna');
  await world.control.setFaults([{ kind: 'wazzup24.refuse', code: 'CHANNEL_BLOCKED', times: 1 }]);
  await world.advanceClock(2 * HOUR);
  const { id } = await readOnlyMessage(anna);
  expect((await olga.call(messages.remove, { params: { id } })).status).toBe(204);
  const boris = await world.createLead('Boris');
  await world.pool.query(
    'update channels set paused_until = null, first_messages_stopped_at = null, first_messages_stopped_reason = null',
  );
  await world.advanceClock(DAY);
  expect(await boris.sees()).toEqual([GOOD_DAY]);
  expect([(await readOnlyMessage(anna)).status, await world.reasonOf(anna.leadId)]).toEqual(['cancelled', 'talked']);
});

it('tries the other messenger once for an unknown number without delaying others', async () => {
  const anna = await world.createLead('Anna');
  await world.pool.query(
    `insert into contacts (lead_id, product_id, contact, contact_type, address) values ($1, $2, $3, 'telegram', $3)`,
    [anna.leadId, world.productId, anna.address],
  );
  await world.control.setFaults([{ kind: 'wazzup24.refuse', code: 'BAD_CONTACT', match: { to: anna.address } }]);
  const boris = await world.createLead('Boris');
  await world.advanceClock(2 * HOUR);
  await world.advanceClock(DAY);
  const { rows } = await world.pool.query(
    `select c.contact_type as type, m.status from messages m join contacts c on c.id = m.contact_id where c.lead_id = $1 order by m.id`,
    [anna.leadId],
  );
  expect(rows).toEqual([
    { type: 'whatsapp', status: 'error' },
    { type: 'telegram', status: 'error' },
  ]);
  expect(await world.reasonOf(anna.leadId)).toBe('first_refused');
  expect(await boris.sees()).toEqual([GOOD_DAY]);
});

/** Create a lead whose first message by WhatsApp was refused, and whose Telegram contact then got one. */
async function createLeadReachedOnTelegram(name: string): Promise<{ lead: TestLead; refused: number }> {
  const lead = await world.createLead(name);
  await world.pool.query(
    `insert into contacts (lead_id, product_id, contact, contact_type, address) values ($1, $2, $3, 'telegram', $3)`,
    [lead.leadId, world.productId, lead.address],
  );
  const match = { to: lead.address };
  await world.control.setFaults([{ kind: 'wazzup24.refuse', code: 'BAD_CONTACT', match, times: 1 }]);
  await world.advanceClock(2 * HOUR);
  await world.advanceClock(DAY);
  const { rows } = await world.pool.query<{ id: number; type: string; status: string }>(
    `select m.id::int, c.contact_type as type, m.status from messages m join contacts c on c.id = m.contact_id where c.lead_id = $1 order by m.id`,
    [lead.leadId],
  );
  expect(rows).toMatchObject([
    { type: 'whatsapp', status: 'error' },
    { type: 'telegram', status: expect.stringMatching(/sent|delivered|read/) },
  ]);
  return { lead, refused: rows[0]?.id ?? 0 };
}

it('does not retry a refused first message after another contact of the lead got one', async () => {
  const { lead, refused } = await createLeadReachedOnTelegram('Anna');
  const before = await lead.sees();
  const selection = { narrowing: {}, ids: [refused] };
  const counted = await olga.call(countRetries, { body: selection });
  expect(counted.body).toMatchObject({ matching: 1, new_key: 0, cannot: [{ why: 'talked', count: 1 }] });
  const { counted_at } = counted.body as RetryCount;
  const retried = await olga.call(retryMessages, { body: { ...selection, counted_at, doubtful: true } });
  expect(retried.body).toMatchObject({ new_key: 0, left: 1 });
  expect(await retry(refused)).toBe(200);
  await world.drain();
  expect(await readOnlyMessage(lead)).toMatchObject({
    status: 'cancelled',
    reason: 'There are already messages with this lead, so no first message is sent',
  });
  expect(await lead.sees()).toEqual(before);
});

it('does not retry a refused first message in the middle of a conversation', async () => {
  const anna = await world.createLead('Anna');
  await world.control.setFaults([
    { kind: 'wazzup24.refuse', code: 'BAD_CONTACT', match: { to: anna.address }, times: 1 },
  ]);
  await world.advanceClock(2 * HOUR);
  const { id, status } = await readOnlyMessage(anna);
  expect(status).toBe('error');
  await anna.writes('How long does delivery take?');
  await world.drain();
  expect(await retry(id)).toBe(200);
  await world.drain();
  expect((await messagesOf(world, anna)).find((message) => message.id === id)?.status).toBe('cancelled');
  expect(await anna.sees()).not.toContain(GOOD_DAY);
});

it('does not count a first message as refused any more once it is sent again', async () => {
  await world.setChannels(world.whatsapp.id);
  const anna = await world.createLead('Anna');
  await world.control.setFaults([
    { kind: 'wazzup24.refuse', code: 'BAD_CONTACT', match: { to: anna.address }, times: 1 },
  ]);
  await world.advanceClock(2 * HOUR);
  const { id } = await readOnlyMessage(anna);
  expect(await retry(id)).toBe(200);
  await world.drain();
  const { rows } = await world.pool.query('select refused from first_messages where message_id = $1', [id]);
  expect([rows, await anna.sees()]).toEqual([[{ refused: false }], [GOOD_DAY]]);
});

it('sends other retried first messages when one cannot be claimed', async () => {
  const leads = [await world.createLead('Anna'), await world.createLead('Boris')] as const;
  await world.control.setFaults([{ kind: 'wazzup24.refuse', code: 'BAD_CONTACT', times: 2 }]);
  await world.advanceClock(2 * HOUR);
  const [anna, boris] = await Promise.all(leads.map((lead) => readOnlyMessage(lead)));
  expect([anna?.status, boris?.status]).toEqual(['error', 'error']);
  await world.pool.query(`
    create function refuse_it() returns trigger language plpgsql as $$ begin raise exception 'not this one'; end $$;
    create trigger refuse_it before insert on first_message_quota for each row when (new.message_id = ${anna?.id}) execute function refuse_it()`);
  try {
    expect([await retry(anna?.id ?? 0), await retry(boris?.id ?? 0)]).toEqual([200, 200]);
    await world.waitUntil(async () => (await leads[1].sees()).length === 1, 'the other is sent');
    const { rows } = await world.pool.query(
      'select status, reason, retry_at > clock_timestamp() as is_deferred from messages where id = $1',
      [anna?.id],
    );
    expect(rows).toEqual([
      { status: 'scheduled', reason: expect.stringContaining('error in Rapport'), is_deferred: true },
    ]);
  } finally {
    await world.pool.query('drop trigger refuse_it on first_message_quota; drop function refuse_it');
  }
  await world.pool.query('update messages set retry_at = clock_timestamp() where id = $1', [anna?.id]);
  await world.drain();
  expect(await leads[0].sees()).toEqual([GOOD_DAY]);
});

it('keeps its quota when retried by hand on a full day', async () => {
  await world.setFirstMessages({ initial_message_send_at: '08:00', whatsapp_daily_limit: 1 });
  const anna = await world.createLead('Anna');
  await world.advanceClock(2 * HOUR);
  const { id } = await readOnlyMessage(anna);
  await forget(id);
  expect(await retry(id)).toBe(200);
  await world.waitUntil(
    async () => ['sent', 'delivered', 'read'].includes((await readOnlyMessage(anna)).status),
    'it has left',
  );
  const { rows } = await world.pool.query(
    'select count(*)::int as slots from first_message_quota where message_id = $1',
    [id],
  );
  expect(rows).toEqual([{ slots: 1 }]);
});

it('delays no other message when retried on ChatPush', async () => {
  await world.setChannels(chatpush.whatsapp.id);
  const anna = await world.createLead('Anna');
  await world.advanceClock(2 * HOUR);
  const { id } = await readOnlyMessage(anna);
  await forget(id);
  expect(await retry(id)).toBe(200);
  const boris = await world.createLead('Boris');
  await world.advanceClock(DAY);
  expect([await anna.sees(), await boris.sees()]).toEqual([[GOOD_DAY, GOOD_DAY], [GOOD_DAY]]);
});

it('cancels a retried follow-up that waits for the morning when the lead writes', async () => {
  await world.setWorkingHours('09:00', '18:00');
  await world.setFollowUps([
    { after_minutes: 60, prepared_message_id: await world.addPreparedMessage('Still there?') },
  ]);
  const anna = await world.createLead('Anna');
  await world.advanceClockTo('09:10');
  await world.control.setFaults([{ kind: 'wazzup24.refuse', code: 'SOMETHING_NEW', times: 1 }]);
  await world.advanceClock(2 * HOUR);
  const failed = (await messagesOf(world, anna, 'bot')).at(-1);
  expect([failed?.message, failed?.status]).toEqual(['Still there?', 'error']);
  await world.advanceClockTo('20:00');
  expect(await retry(failed?.id ?? 0)).toBe(200);
  await world.drain();
  await anna.writes('How long does delivery take?');
  await world.drain();
  expect((await messagesOf(world, anna, 'bot')).find(({ id }) => id === failed?.id)?.status).toBe('cancelled');
});

it('cancels all parts of a follow-up', async () => {
  const id = await world.addPreparedMessage('Still there?\n\nI could call you at five.');
  const step = { after_minutes: 60, prepared_message_id: id };
  await world.setFollowUps([step]);
  await world.pool.query('update product_channels set delay_messages_seconds = 600');
  const anna = await world.createLead('Anna');
  await world.advanceClockTo('08:10');
  await world.advanceClock(53 * 60);
  await world.waitUntil(async () => (await messagesOf(world, anna, 'bot')).length === 3, 'both parts wait');
  await world.setFollowUps([step], { is_enabled: false });
  await world.advanceClock(HOUR);
  expect((await messagesOf(world, anna, 'bot')).map(({ status }) => status)).toEqual([
    'read',
    'cancelled',
    'cancelled',
  ]);
});

it('sends no first message to a lead with an unprocessed message', async () => {
  const anna = await world.createLead('Anna');
  const { rows } = await world.pool.query<{ id: string }>(
    `insert into inbox (account_id, channel_id, kind, ext_id, status, chat_id, item, received_at)
     select c.account_id, c.id, 'message', 'words', 'inbound', $2, '{}', now() + interval '100 days' from channels c where c.id = $1 returning id`,
    [world.whatsapp.id, anna.address],
  );
  // Set the clock offset directly: `advanceClock` would wait for the inbound message to be processed.
  await world.pool.query("update installation set clock_offset = clock_offset + interval '2 hours'");
  await world.waitUntil(async () => (await world.reasonOf(anna.leadId)) === 'answer_first', 'it waits for the words');
  expect(await anna.sees()).toEqual([]);
  await world.pool.query('delete from inbox where id = $1', [rows[0]?.id]);
  await world.waitUntil(async () => (await anna.sees()).length === 1, 'there were none');
});

it('uses a value that is filled in during the claim', async () => {
  await world.setFirstMessages({
    initial_message_send_at: '08:00',
    initial_message_text: 'Good day, {{ lead.crm_fields.title }}!',
  });
  const anna = await world.createLead('Anna');
  await world.drain();
  const change = `update leads set crm_fields = '{"title": "Ms Miller"}' where id = $1`;
  await changeDuringClaim(change, anna.leadId);
  await world.advanceClock(DAY);
  expect(await anna.sees()).toEqual(['us: Good day, Ms Miller!']);
});

it('sends nothing to a lead deactivated during the claim', async () => {
  const anna = await world.createLead('Anna');
  await world.drain();
  await changeDuringClaim('update leads set is_active = false where id = $1', anna.leadId);
  await world.advanceClock(DAY);
  expect(await anna.sees()).toEqual([]);
});

it('starts nothing when ChatPush reports an unknown number before its answer', async () => {
  await world.setChannels(chatpush.whatsapp.id);
  const anna = await world.createLead('Anna');
  await world.control.setFaults([
    { kind: 'chatpush.fail_later', code: '44', times: 1 },
    { kind: 'chatpush.delay', ms: 1500, after: true, times: 1 },
  ]);
  await world.advanceClock(2 * HOUR);
  expect([
    (await readOnlyMessage(anna)).status,
    await world.stageOf(anna.leadId),
    await world.reasonOf(anna.leadId),
  ]).toEqual(['error', 'initial', 'first_refused']);
});

it('waits for the Send at of the day on which a refused first message is sent again', async () => {
  const anna = await world.createLead('Anna');
  await world.control.setFaults([{ kind: 'wazzup24.rate_limited' }]);
  await world.advanceClockTo('07:59');
  await world.pool.query("update installation set clock_offset = clock_offset + interval '2 minutes'");
  const isRefused = async () => {
    const { rows } = await world.pool.query(
      "select 1 from messages where status = 'scheduled' and retry_at is not null",
    );
    return rows.length > 0;
  };
  await world.waitUntil(isRefused, 'the vendor has refused it for a moment');
  await world.pool.query("update installation set clock_offset = clock_offset + interval '18 hours'");
  await world.control.setFaults([]);
  await world.pool.query('update messages set retry_at = null; update channels set paused_until = null');
  const isDeferred = async () => {
    const { rows } = await world.pool.query<{ reason: string; time: string }>(
      "select reason, to_char(scheduled_at at time zone 'UTC', 'HH24:MI') as time from messages where originally_scheduled_at is not null",
    );
    return rows[0]?.reason === 'Send at 08:00 UTC' && rows[0].time === '08:00';
  };
  await world.waitUntil(isDeferred, 'it waits for the morning');
  await world.advanceClockTo('07:50');
  expect(await anna.sees()).toEqual([]);
  await world.advanceClockTo('08:05');
  expect(await anna.sees()).toEqual([GOOD_DAY]);
});
