/** Unconfirmed first messages, refused ones in parts, and people who already have a conversation. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { markSent } from '../conversations/contract.ts';
import type { Fault } from '../sandbox/emulators/contract.ts';
import { connectChatpush } from '../testing/chatpush.ts';
import { dialogueOf, hookUrl, inboundItem, messagesOf, postHook } from '../testing/messageRows.ts';
import { createOutreachWorld, DAY, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import { type TestLead, WAZZUP_KEY } from '../testing/world.ts';

let world: OutreachWorld;
let chatpush: number;
beforeAll(async () => {
  world = await createOutreachWorld();
  chatpush = (await connectChatpush(world)).whatsapp.id;
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  await world.setFirstMessages({ initial_message_send_at: '08:00' });
  await world.advanceClockTo('07:00');
});

/** Add a second contact of the lead, in Telegram. */
async function addTelegramContact(lead: TestLead, username: string): Promise<void> {
  await world.pool.query(
    `insert into contacts (lead_id, product_id, contact, contact_type, address, is_main) values ($1, $2, $3, 'telegram', $3, true)`,
    [lead.leadId, world.productId, username],
  );
  await world.control.putPhone(username, lead.name);
}

const statuses = async (lead: TestLead) => (await messagesOf(world, lead, 'bot')).map(({ status }) => status);

describe('an unconfirmed first message moves the lead to started once confirmed', () => {
  beforeEach(async () => {
    await world.setChannels(chatpush);
    await world.pool.query('update vendor_accounts set next_send_at = null');
    await world.setFollowUps([
      { after_minutes: 60, prepared_message_id: await world.addPreparedMessage('Still there?') },
    ]);
  });

  it('by the vendor', async () => {
    const anna = await world.createLead('Anna');
    await world.control.setFaults([{ kind: 'chatpush.lose_answer', times: 1 }]);
    await world.advanceClock(2 * HOUR);
    await world.waitUntil(async () => (await world.stageOf(anna.leadId)) === 'started', 'the lead is begun');
    await world.advanceClock(2 * HOUR);
    expect((await anna.sees()).at(-1)).toBe('us: Still there?');
  });

  it('by an operator', async () => {
    const boris = await world.createLead('Boris');
    await world.control.setFaults([{ kind: 'chatpush.fail_before', status: 500, times: 1 }]);
    await world.advanceClock(2 * HOUR);
    expect([await statuses(boris), await world.stageOf(boris.leadId)]).toEqual([['unconfirmed'], 'initial']);
    const [first] = await messagesOf(world, boris, 'bot');
    const operator = await world.operator();
    expect((await operator.call(markSent, { params: { id: first?.id ?? 0 } })).status).toBe(200);
    expect(await world.stageOf(boris.leadId)).toBe('started');
  });
});

describe('a first message in parts to a contact that the messenger does not know', () => {
  beforeEach(() => world.setChannels(world.whatsapp.id, world.telegram.id));

  it.each([
    ['refused at once', { kind: 'wazzup24.refuse', code: 'BAD_CONTACT' }],
    ['found out later', { kind: 'wazzup24.fail_later', code: 'BAD_CONTACT' }],
  ] satisfies [string, Fault][])(
    '%s: what is left of it stays here, and the other contact gets it whole',
    async (_name, fault) => {
      await world.setFirstMessages({
        initial_message_send_at: '08:00',
        initial_message_text: 'Good day!\n\nMay we help?',
      });
      const anna = await world.createLead('Anna');
      const username = `anna_${anna.leadId}`;
      await addTelegramContact(anna, username);
      await world.control.setFaults([{ ...fault, match: { to: anna.address } }]);
      await world.advanceClock(2 * HOUR);
      await world.advanceClock(DAY);
      const { messages } = await world.control.thread(username);
      expect(messages.map(({ text }) => text)).toEqual(['Good day!', 'May we help?']);
      expect(await statuses(anna)).not.toContain('scheduled');
      expect(await world.stageOf(anna.leadId)).toBe('started');
    },
  );
});

it('sends no first message to a contact who talks with us as another lead', async () => {
  const ref = crypto.randomUUID();
  const { rows } = await world.pool.query<{ id: string }>(
    `insert into channels (account_id, company_id, name, number, vendor, channel_type, vendor_ref, is_session_active, state)
     select account_id, company_id, 'Second', '79990000009', vendor, channel_type, $2, true, 'active' from channels where id = $1 returning id`,
    [world.whatsapp.id, ref],
  );
  await world.setChannels(world.whatsapp.id, Number(rows[0]?.id));
  const [account] = (await world.control.accounts()).filter((one) => one.key === WAZZUP_KEY);
  await world.control.putAccount(WAZZUP_KEY, {
    channels: [
      ...(account?.channels ?? []),
      { channelId: ref, transport: 'whatsapp', plainId: '79990000009', name: 'Second' },
    ],
  });
  const anna = await world.lead('Anna', { stage: 'ongoing' });
  await anna.writes('How long does delivery take?');
  await world.drain();
  const twin = await world.createLead('Twin');
  await world.pool.query('update contacts set contact = $2, address = $2 where id = $1', [
    twin.contactId,
    anna.address,
  ]);
  await world.advanceClock(2 * HOUR);
  expect(await world.sentMessages()).toEqual([]);
  expect(await world.reasonOf(twin.leadId)).toBe('person_known');
});

it('sends no first message to a lead written to from the phone', async () => {
  await world.setChannels(world.whatsapp.id);
  const anna = await world.createLead('Anna');
  const echo = inboundItem(world, anna.address, 'Hello from the phone', { isEcho: true, status: 'sent' });
  await postHook(await hookUrl(world), { messages: [echo] });
  await world.drain();
  expect(await dialogueOf(world, anna)).toMatchObject({ owner: 'human', owner_reason: 'phone' });
  await world.advanceClock(2 * HOUR);
  expect(await world.sentMessages()).toEqual([]);
  expect(await world.reasonOf(anna.leadId)).toBe('talked');
});
