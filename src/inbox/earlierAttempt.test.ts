/** Vendor reports about a failed try that arrive after an operator has retried the message. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { retryMessage } from '../conversations/contract.ts';
import type { Client } from '../testing/client.ts';
import { dialogueOf, hookUrl, inboundItem, messagesOf, postHook } from '../testing/messageRows.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';

const TEXT = 'Good morning';
let world: World;
let olga: Client;
let url = '';
beforeAll(async () => {
  world = await createWorld();
  olga = await world.operator('olga');
  url = await hookUrl(world);
  // The test itself sends the reports.
  await world.control.changeSettings({ echo: 'off' });
});
beforeEach(() => world.control.setFaults([]));
afterAll(() => world.close());

/**
 * Send a message that the vendor accepts and cannot deliver, `times` times; returns its id and the vendor's ids of
 * the tries.
 */
async function sendAndFail(lead: TestLead, times: number): Promise<{ id: number; tries: string[] }> {
  await world.control.setFaults([{ kind: 'wazzup24.fail_later', code: 'GENERAL_ERROR', times }]);
  const { rows } = await world.pool.query<{ id: number }>(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, scheduled_at)
     select product_id, contact_id, id, channel_id, $2, 'bot', 'bot', 'scheduled', domain_now() from dialogues where contact_id = $1
     returning id::int`,
    [lead.contactId, TEXT],
  );
  const id = rows[0]?.id ?? 0;
  const tries: string[] = [];
  for (let attempt = 1; ; attempt++) {
    await world.drain();
    const [row] = await messagesOf(world, lead);
    expect(row).toMatchObject({ status: 'error' });
    tries.push(row?.ext_id ?? '');
    // End the pause of the channel, which follows a failure that was about it.
    await world.pool.query('update channels set paused_until = null, pause_reason = null');
    if (attempt === times) return { id, tries };
    await retry(id);
  }
}

async function retry(id: number): Promise<void> {
  expect((await olga.call(retryMessage, { params: { id } })).status).toBe(200);
}

const echoOf = (lead: TestLead, messageId: string | undefined) =>
  postHook(url, { messages: [inboundItem(world, lead.address, TEXT, { messageId, isEcho: true, status: 'sent' })] });

const notesOf = async (extId: string | undefined) =>
  (
    await world.pool.query<{ note_detail: string }>(
      "select note_detail from inbox where ext_id = $1 and note = 'earlier_attempt'",
      [extId],
    )
  ).rows;

it('treats the echo of any earlier attempt as ours', async () => {
  const anna = await world.lead('Anna');
  const { id, tries } = await sendAndFail(anna, 2);
  await retry(id);
  await world.drain();
  for (const extId of tries) await echoOf(anna, extId);
  await world.drain();
  expect(await dialogueOf(world, anna)).toMatchObject({ owner: 'bot', owner_reason: null });
  expect((await messagesOf(world, anna)).map((one) => [one.author, one.status, one.message])).toEqual([
    ['bot', 'read', TEXT],
  ]);
  expect(new Set(tries).size).toBe(2);
  expect(await notesOf(tries[0])).toEqual([{ note_detail: String(id) }]);
});

it('treats the echo as ours while the message is queued again', async () => {
  const boris = await world.lead('Boris');
  const { id, tries } = await sendAndFail(boris, 1);
  await world.pool.query(
    "update channels set paused_until = clock_timestamp() + interval '1 hour', pause_reason = 'It rests'",
  );
  await retry(id);
  await echoOf(boris, tries[0]);
  await world.waitUntil(async () => (await notesOf(tries[0])).length === 1, 'the echo is read');
  expect((await dialogueOf(world, boris)).owner).toBe('bot');
  expect((await messagesOf(world, boris)).map((one) => one.status)).toEqual(['scheduled']);
  await world.pool.query('update channels set paused_until = null, pause_reason = null');
  await world.waitUntil(async () => (await messagesOf(world, boris))[0]?.status === 'read', 'it leaves');
});

it('does not settle the present attempt', async () => {
  const clara = await world.lead('Clara');
  const { id, tries } = await sendAndFail(clara, 2);
  const reportDelivered = (messageId: string | undefined) =>
    postHook(url, { statuses: [{ messageId, status: 'delivered', timestamp: new Date().toISOString() }] });
  await reportDelivered(tries[0]);
  await world.drain();
  expect((await messagesOf(world, clara)).map((one) => one.status)).toEqual(['error']);
  expect(await notesOf(tries[0])).toEqual([{ note_detail: String(id) }]);
  await reportDelivered(tries[1]);
  await world.drain();
  expect((await messagesOf(world, clara)).map((one) => one.status)).toEqual(['delivered']);
});
