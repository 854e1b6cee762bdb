/** A lead who answers under another id than the address that was written to ends the sequence, and may stop it for good. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DialogueLink, decideLink, listLinksOfLead, listOpenLinks } from '../conversations/linksContract.ts';
import { type Chatpush, connectChatpush } from '../testing/chatpush.ts';
import type { Client } from '../testing/client.ts';
import { messagesOf, postHook } from '../testing/messageRows.ts';
import { createOutreachWorld, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import type { TestLead } from '../testing/world.ts';

let world: OutreachWorld;
let chatpush: Chatpush;
beforeAll(async () => {
  world = await createOutreachWorld();
  chatpush = await connectChatpush(world);
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  await world.setFollowUps([
    { after_minutes: 60, prepared_message_id: await world.addPreparedMessage('Still there?') },
  ]);
});

/** Create a lead that got a first message a moment ago. */
async function startedLead(name: string, channelId: number, address?: string): Promise<TestLead> {
  await world.setChannels(channelId);
  await world.setFirstMessages({ initial_message_send_at: '08:00' });
  await world.advanceClockTo('07:59');
  const lead = await world.createLead(name);
  if (address !== undefined) {
    await world.pool.query('update contacts set contact = $2, address = $2 where id = $1', [lead.contactId, address]);
    await world.control.putPhone(address, name);
  }
  await world.advanceClock(2 * 60);
  return lead;
}

const sentTo = async (lead: TestLead) => (await messagesOf(world, lead, 'bot')).map(({ message }) => message);
const countLeads = async () =>
  (await world.pool.query<{ n: number }>('select count(*)::int as n from leads')).rows[0]?.n;
const write = { name: 'Anna', hiddenPhone: true, privacyId: true };

describe('under a privacy id, without the phone', () => {
  it('ends the sequence', async () => {
    const anna = await startedLead('Anna', chatpush.whatsapp.id);
    await world.control.write(anna.address, { ...write, channelId: chatpush.whatsapp.ref, text: 'Hello' });
    await world.drain();
    expect((await messagesOf(world, anna, 'user')).map(({ message }) => message)).toEqual(['Hello']);
    expect(await countLeads()).toBe(1);
    await world.advanceClock(30 * 60);
    expect(await sentTo(anna)).not.toContain('Still there?');
  });

  it('stops it for good', async () => {
    const anna = await startedLead('Anna', chatpush.whatsapp.id);
    await world.control.write(anna.address, { ...write, channelId: chatpush.whatsapp.ref, text: 'STOP' });
    await world.drain();
    await world.advanceClock(3 * HOUR);
    expect(await sentTo(anna)).toEqual(['Good day!']);
    expect(await world.reasonOf(anna.leadId)).toBe('opted_out');
    expect(await countLeads()).toBe(1);
  });
});

it.each([
  ['551187650201', '5511987650201'],
  ['525512340202', '5215512340202'],
  ['541123450203', '5491123450203'],
])('under another national form of %s stops it for good', async (address, chatId) => {
  const anna = await startedLead('Anna', world.whatsapp.id, address);
  await world.control.write(address, { channelId: world.whatsapp.ref, text: 'STOP', chatId });
  await world.drain();
  await world.advanceClock(3 * HOUR);
  expect(await sentTo(anna)).toEqual(['Good day!']);
  expect(await countLeads()).toBe(1);
});

describe('before anything links the id with the phone', () => {
  /** Anna answers under a privacy id; then a status of our message names it together with her phone. */
  async function answered(text: string) {
    // The statuses that would link both are lost.
    await world.control.setFaults([{ kind: 'hooks.drop' }]);
    const anna = await startedLead('Anna', chatpush.whatsapp.id);
    await world.control.setFaults([]);
    const { chatId } = await world.control.write(anna.address, { ...write, channelId: chatpush.whatsapp.ref, text });
    await world.drain();
    expect(await countLeads()).toBe(2);
    const [sent] = await messagesOf(world, anna, 'bot');
    const message_status = {
      id: `true_3A_d${sent?.ext_id}THISISBOT`,
      status: 'read',
      chat_id: chatId,
      chat_phone: anna.address,
    };
    const body = { type: 'whatsapp_status_msg', payload: { customer_id: 10_001, message_status } };
    expect((await postHook(await chatpush.hookUrl(), body)).status).toBe(200);
    await world.drain();
    const admin = await world.operator();
    const { body: links } = await admin.call(listLinksOfLead, { params: { id: anna.leadId } });
    return { anna, chatId, admin, links: links as DialogueLink[] };
  }
  const decide = (admin: Client, link: DialogueLink | undefined, state: DialogueLink['state']) =>
    admin.call(decideLink, { params: { id: link?.id ?? 0 }, body: { state } });

  it('proposes that both are one person, and holds the sequence until somebody decides', async () => {
    const { anna, chatId, admin, links } = await answered('Hello');
    expect(links).toMatchObject([{ kind: 'same_person', state: 'open', evidence: 'status', detail: chatId }]);
    expect((await admin.call(listOpenLinks)).body).toHaveLength(1);
    await world.advanceClock(3 * HOUR);
    expect(await sentTo(anna)).toEqual(['Good day!']);
    expect(await world.reasonOf(anna.leadId)).toBe('answered_elsewhere');
    expect((await decide(admin, links[0], 'rejected')).status).toBe(200);
    await world.advanceClock(60);
    expect(await sentTo(anna)).toEqual(['Good day!', 'Still there?']);
  });

  it('opts out as both once an operator has said that they are one person', async () => {
    const { anna, admin, links } = await answered('STOP');
    const optedOut = async () =>
      (await world.pool.query('select 1 from leads where recognized_deactivation_request and not is_active')).rowCount;
    expect(await optedOut()).toBe(1);
    expect((await decide(admin, links[0], 'accepted')).body).toMatchObject({
      state: 'accepted',
      decided_by: expect.any(String),
    });
    await world.drain();
    expect(await optedOut()).toBe(2);
    expect((await decide(admin, links[0], 'open')).body).toMatchObject({
      state: 'open',
      decided_by: null,
      decided_at: null,
    });
    await world.advanceClock(3 * HOUR);
    expect(await sentTo(anna)).toEqual(['Good day!']);
  });
});
