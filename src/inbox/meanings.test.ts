/** What leads do beside writing, what needs no answer, and who is no person: on a real database. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dialogue, dialogues, message, readThread } from '../conversations/contract.ts';
import type { Client } from '../testing/client.ts';
import { dialogueOf, hookUrl, inboundItem, messagesOf, postHook } from '../testing/messageRows.ts';
import { createOutreachWorld, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import type { TestLead } from '../testing/world.ts';

const DEBOUNCE = 600;
let world: OutreachWorld;
let olga: Client;
beforeAll(async () => {
  world = await createOutreachWorld({ env: { RAPPORT_REPLY_DEBOUNCE_SECONDS: String(DEBOUNCE) } });
  olga = await world.operator('olga');
});
afterAll(() => world.close());
beforeEach(() => world.reset());

async function receive(from: TestLead, text: string | null, more: object = {}): Promise<string> {
  const { rows } = await world.pool.query<{ at: Date }>('select domain_now() as at');
  const messageId = randomUUID();
  const item = inboundItem(world, from.address, text ?? '', {
    dateTime: rows[0]?.at.toISOString(),
    messageId,
    text,
    ...more,
  });
  await postHook(await hookUrl(world), { messages: [item] });
  await world.waitUntil(async () => {
    const open = await world.pool.query("select 1 from inbox where state = 'new'");
    return open.rows.length === 0;
  }, 'what came in is worked on');
  return messageId;
}

async function lastOf(lead: TestLead) {
  const reply = await olga.call(readThread, { params: { id: await lead.dialogueId() } });
  return z
    .object({ items: z.array(message) })
    .parse(reply.body)
    .items.at(-1);
}
const shownOf = async (lead: TestLead) =>
  dialogue.parse((await olga.call(dialogues.get, { params: { id: await lead.dialogueId() } })).body);

const answers = async (lead: TestLead) => (await lead.sees()).filter((line) => line.startsWith('us: '));

/** A lead that has had an answer, which we then word ourselves. */
async function answered(name: string, ourWords: string): Promise<TestLead> {
  const lead = await world.lead(name);
  await receive(lead, 'How long does delivery take?');
  await world.advanceClock(2 * DEBOUNCE);
  await world.pool.query("update messages set message = $2 where contact_id = $1 and side = 'bot'", [
    lead.contactId,
    ourWords,
  ]);
  return lead;
}

async function stateOf(lead: TestLead) {
  const { rows } = await world.pool.query(
    'select attention, no_answer, quiet_reason, turn_due_at is not null as due, owner from dialogues where contact_id = $1',
    [lead.contactId],
  );
  return rows[0];
}

/** Each kind: the hook's item, the kind and text that are stored, and whether it is a turn, needs a human, or neither. */
const KINDS = [
  [{ type: 'sticker' }, 'sticker', '[sticker]', null],
  [{ type: 'reaction', reaction: { emoji: '👍', messageId: 'x' } }, 'reaction', '👍', null],
  [{ type: 'reaction', reaction: { emoji: '😡', messageId: 'x' } }, 'reaction', '😡', 'turn'],
  [{ type: 'reaction', reaction: { emoji: '', messageId: 'x' } }, 'removed reaction', '[removed reaction]', null],
  [{ type: 'dice' }, 'dice', '[dice]', null],
  [{ type: 'poll', text: 'Which one' }, 'poll', 'Which one', 'turn'],
  [{ type: 'poll_vote', text: 'Blue' }, 'poll vote', 'Blue', 'turn'],
  [{ type: 'poll_vote' }, 'poll vote', '[poll vote]', 'unreadable'],
  [{ type: 'text', interactive: [{ title: 'Call me' }] }, 'button reply', 'Call me', 'turn'],
  [{ type: 'list_reply', text: 'Delivery' }, 'list reply', 'Delivery', 'turn'],
  [{ type: 'vcard' }, 'contact card', '[contact card]', 'turn'],
  [{ type: 'geo' }, 'location', '[location]', 'turn'],
  [{ type: 'livelocation' }, 'live location', '[live location]', 'turn'],
  [{ type: 'gif' }, 'GIF', '[GIF]', 'turn'],
  [{ type: 'ptv' }, 'video note', '[video note]', 'turn'],
  [{ type: 'audio' }, 'voice message', '[voice message]', 'turn'],
  [{ type: 'story' }, 'story reply', '[story reply]', 'turn'],
  [{ type: 'product', text: 'This one' }, 'product inquiry', 'This one', 'turn'],
  [{ type: 'order' }, 'order', '[order]', 'order'],
  [{ type: 'payment' }, 'payment', '[payment]', 'payment'],
  [{ type: 'missing_call' }, 'missing_call', '[missing_call]', 'call'],
  [{ type: 'gift' }, 'gift', '[gift]', 'unreadable'],
  [{ type: 'view_once' }, 'view-once media', '[view-once media]', 'unreadable'],
  [{ type: 'hologram' }, 'unknown', '[unknown kind: hologram]', 'unreadable'],
  [{ type: 'text' }, 'empty', '[empty message]', 'unreadable'],
] as const;

describe.each(KINDS)('%j', (more, kind, text, effect) => {
  it('is stored, shown, ends a sequence, and is answered or seen by people as it needs', async () => {
    await world.setFollowUps([
      { after_minutes: 180, prepared_message_id: await world.addPreparedMessage('Still there?') },
    ]);
    const lead = await answered('Anna', 'Six weeks.');
    await receive(lead, null, more);
    const state = await stateOf(lead);
    expect(state).toMatchObject({
      due: effect === 'turn',
      no_answer: effect === 'turn' ? null : effect,
      attention: effect === 'turn' || effect === null ? null : 'no_answer',
    });
    expect(await lastOf(lead)).toMatchObject({ kind, message: text, side: 'user' });
    await world.advanceClock(2 * HOUR);
    expect((await lead.sees()).includes('us: Still there?')).toBe(false);
    expect(await answers(lead)).toHaveLength(effect === 'turn' ? 2 : 1);
    await world.advanceClock(2 * HOUR);
    expect((await lead.sees()).includes('us: Still there?')).toBe(effect === 'turn');
  });
});

it('names the message that a reaction is for', async () => {
  const lead = await answered('Anna', 'Six weeks.');
  const [, ours] = await messagesOf(world, lead);
  await receive(lead, null, { type: 'reaction', reaction: { emoji: '❤️', messageId: ours?.ext_id } });
  expect(await lastOf(lead)).toMatchObject({
    refers_to: { id: ours?.id, text: 'Six weeks.' },
  });
});

describe("'Ok, thanks'", () => {
  it('ends a turn without an answer, and the dialogue says why', async () => {
    const lead = await answered('Anna', 'It takes six weeks.');
    await receive(lead, 'Ok, thanks 👍');
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(lead)).toHaveLength(1);
    expect(await stateOf(lead)).toEqual({
      attention: null,
      no_answer: null,
      quiet_reason: 'closing',
      due: false,
      owner: 'bot',
    });
    expect((await shownOf(lead)).quiet_reason).toBe('No answer needed: the lead only ended the conversation politely');
  });

  it('is an answer if we have asked something, in any part of what we wrote last', async () => {
    const lead = await answered('Anna', 'Shall we come on Friday?');
    await world.pool.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, sent_at, thread_at)
       select product_id, contact_id, dialogue_id, channel_id, 'It takes an hour.', 'bot', 'bot', 'sent', domain_now(), domain_now()
         from messages where contact_id = $1 and side = 'bot'`,
      [lead.contactId],
    );
    await receive(lead, 'ok');
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(lead)).toHaveLength(2);
    expect((await stateOf(lead))?.quiet_reason).toBe(null);
  });

  it('with a question behind it is a turn', async () => {
    const lead = await answered('Anna', 'It takes six weeks.');
    await receive(lead, 'ok, thanks, and how much is delivery');
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(lead)).toHaveLength(2);
  });

  it("is answered if it is the lead's first message", async () => {
    const lead = await world.lead('Anna');
    await receive(lead, 'ok, thanks');
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(lead)).toHaveLength(1);
  });

  it('leaves a question before it to be answered', async () => {
    const lead = await answered('Anna', 'It takes six weeks.');
    await receive(lead, 'And how much is it');
    await receive(lead, 'thanks');
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(lead)).toHaveLength(2);
  });

  it('calls nobody after the deal', async () => {
    const lead = await answered('Anna', 'It takes six weeks.');
    await world.pool.query("update leads set stage = 'success' where id = $1", [lead.leadId]);
    await receive(lead, 'thank you');
    expect(await stateOf(lead)).toMatchObject({ owner: 'bot', attention: null });
  });

  it('is not answered when a human gives the dialogue back', async () => {
    const lead = await answered('Anna', 'It takes six weeks.');
    await receive(lead, 'thanks');
    const url = `/v1/dialogues/${await lead.dialogueId()}/owner`;
    for (const owner of ['human', 'bot'])
      await olga.fetch(url, {
        method: 'POST',
        body: JSON.stringify({ owner }),
        headers: { 'content-type': 'application/json' },
      });
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(lead)).toHaveLength(1);
    expect(await stateOf(lead)).toMatchObject({ attention: null, no_answer: null });
  });
});

describe('another robot', () => {
  const MENU = 'Welcome to the shop. Choose a section of the menu and send its name.';

  /** Let a lead write a text and wait for our answer; the domain clock runs a minute each time. */
  async function exchange(lead: TestLead, text: string): Promise<void> {
    await receive(lead, text);
    await world.advanceClock(61);
  }

  it('is answered a few times, and then a human is told', async () => {
    const lead = await world.lead('Robot');
    for (let round = 0; round < 8; round++) await exchangeFast(lead, `${MENU} ${round}`);
    expect((await answers(lead)).length).toBe(3);
    expect(await dialogueOf(world, lead)).toMatchObject({ owner: 'human', owner_reason: 'robot', turn_is_due: false });
    expect(await stateOf(lead)).toMatchObject({ attention: 'no_answer' });
    expect((await shownOf(lead)).owner_reason).toBe('Probably an automatic reply');
    const { rows } = await world.pool.query(
      'select reason from hand_overs h join dialogues d on d.id = h.dialogue_id where d.contact_id = $1',
      [lead.contactId],
    );
    expect(rows).toEqual([{ reason: 'robot' }]);
  });

  it('that says that it is one is answered once', async () => {
    const lead = await world.lead('Away');
    for (const text of [
      'Thank you for contacting us, we will get back to you shortly.',
      'We are currently closed. Our business hours are 9 to 6.',
    ])
      await exchange(lead, text).then(() => world.advanceClock(2 * DEBOUNCE));
    expect(await answers(lead)).toHaveLength(1);
    expect(await dialogueOf(world, lead)).toMatchObject({ owner: 'human', owner_reason: 'robot' });
  });

  it('is not seen in a customer who asks three times', async () => {
    const lead = await world.lead('Impatient');
    for (const text of ['How much is delivery to Riga?', '?', '?', '?', 'How much is delivery to Riga?'])
      await receive(lead, text);
    await world.advanceClock(2 * DEBOUNCE);
    await receive(lead, 'How much is delivery to Riga?');
    await world.advanceClock(2 * DEBOUNCE);
    expect(await dialogueOf(world, lead)).toMatchObject({ owner: 'bot' });
    expect(await answers(lead)).toHaveLength(2);
  });

  /** Make the answer due at once: exchanges within ten minutes. */
  async function exchangeFast(lead: TestLead, text: string): Promise<void> {
    await receive(lead, text);
    await world.pool.query(
      'update dialogues set turn_due_at = domain_now() where contact_id = $1 and turn_due_at is not null',
      [lead.contactId],
    );
    await world.drain();
    await world.advanceClock(5);
  }
});
