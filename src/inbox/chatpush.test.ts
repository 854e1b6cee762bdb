/** Full round trip over ChatPush, on both messengers: authors, statuses and owners. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { markSent } from '../conversations/contract.ts';
import { sendNew } from '../outbox/sendContract.ts';
import { type Chatpush, connectChatpush } from '../testing/chatpush.ts';
import type { Client } from '../testing/client.ts';
import { expectInvariants } from '../testing/invariants.ts';
import { dialogueOf, messagesOf } from '../testing/messageRows.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';

const QUESTION = 'How long does delivery take?';
let world: World;
let chatpush: Chatpush;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ASK_VENDOR_SECONDS: '0.2' } });
  chatpush = await connectChatpush(world);
  admin = await world.operator();
});
afterEach(() => world.control.setFaults([]));
afterAll(() => world.close());

async function send(lead: TestLead, channelId: number, text: string): Promise<void> {
  const answer = await admin.call(sendNew, { body: { contact_id: lead.contactId, channel_id: channelId, text } });
  expect(answer.status).toBe(201);
}

const chatIdOf = async (lead: TestLead): Promise<string | null> => {
  const { rows } = await world.pool.query<{ chat_id: string | null }>(
    'select chat_id from dialogues where contact_id = $1',
    [lead.contactId],
  );
  return rows[0]?.chat_id ?? null;
};

const authorsAndStatuses = async (lead: TestLead) =>
  (await messagesOf(world, lead)).map((one) => [one.author, one.status]);

describe.each(['whatsapp', 'telegram'] as const)('by %s', (messenger) => {
  let channel: { readonly id: number; readonly ref: string };
  let anna: TestLead;
  let names = 0;
  beforeEach(async () => {
    channel = chatpush[messenger];
    anna = await world.lead(`Anna ${messenger} ${++names}`, { messenger, channel, dialogue: false });
  });

  it('sends a first message, answers the lead, and hands over to the phone', async () => {
    await send(anna, channel.id, 'Good morning!');
    await world.drain();
    expect(await anna.sees()).toEqual(['us: Good morning!']);
    expect(await authorsAndStatuses(anna)).toEqual([['operator', 'read']]);
    // Telegram's echo is the only source of the chat id; on WhatsApp it is the number.
    expect(await chatIdOf(anna)).toBe((await anna.thread())[0]?.chatId);
    await anna.writes(QUESTION);
    await world.drain();
    expect((await anna.sees()).at(-1)).toMatch(/^us: .*six weeks/);
    expect(await authorsAndStatuses(anna)).toEqual([
      ['operator', 'read'],
      ['lead', 'inbound'],
      ['bot', 'read'],
    ]);
    expect((await dialogueOf(world, anna)).owner).toBe('bot');
    await world.control.type(anna.address, { channelId: channel.ref, text: 'Olga here, I take over' });
    await world.drain();
    expect(await dialogueOf(world, anna)).toMatchObject({ owner: 'human', owner_reason: 'phone' });
    expect((await authorsAndStatuses(anna)).at(-1)).toEqual(['phone', 'sent']);
    await expectInvariants(world);
  });

  it("is not taken over by another program's messages on the account", async () => {
    await send(anna, channel.id, 'Good morning!');
    await world.drain();
    await world.control.type(anna.address, { channelId: channel.ref, text: 'Your parcel is here', otherSystem: true });
    await world.drain();
    expect(await authorsAndStatuses(anna)).toEqual([
      ['operator', 'read'],
      ['other', 'sent'],
    ]);
    expect((await dialogueOf(world, anna)).owner).toBe('bot');
    await anna.writes(QUESTION);
    await world.drain();
    expect((await anna.sees()).at(-1)).toMatch(/six weeks/);
  });

  it('keeps a message unconfirmed after a lost answer until the callback, and sends nothing twice', async () => {
    await world.control.setFaults([
      { kind: 'chatpush.lose_answer', times: 1 },
      { kind: 'chatpush.no_echo' },
      { kind: 'hooks.delay', ms: 600 },
    ]);
    await send(anna, channel.id, 'Good morning!');
    await world.waitUntil(
      async () => (await messagesOf(world, anna))[0]?.status === 'unconfirmed',
      'it is unconfirmed',
    );
    await world.waitUntil(async () => (await messagesOf(world, anna))[0]?.status === 'read', 'it is read');
    expect(await authorsAndStatuses(anna)).toEqual([['operator', 'read']]);
    expect((await messagesOf(world, anna))[0]?.ext_id).toMatch(/^3000/);
    expect(await anna.sees()).toEqual(['us: Good morning!']);
    await expectInvariants(world);
  });

  it('keeps a message unconfirmed without a callback until an operator settles it', async () => {
    await world.control.setFaults([
      { kind: 'chatpush.fail_after', times: 1 },
      { kind: 'chatpush.no_echo' },
      { kind: 'chatpush.no_callback' },
    ]);
    await send(anna, channel.id, 'Good morning!');
    await world.drain();
    const [row] = await messagesOf(world, anna);
    expect(row).toMatchObject({ status: 'unconfirmed', reason: 'The vendor failed with 500' });
    expect((await admin.call(markSent, { params: { id: row?.id ?? 0 } })).status).toBe(200);
    await world.drain();
    expect(await authorsAndStatuses(anna)).toEqual([['operator', 'sent']]);
    expect(await anna.sees()).toEqual(['us: Good morning!']);
  });

  it('polls the status of a message without a callback', async () => {
    await world.control.setFaults([{ kind: 'chatpush.no_callback' }, { kind: 'hooks.drop' }]);
    await send(anna, channel.id, 'Good morning!');
    await world.waitUntil(async () => (await messagesOf(world, anna))[0]?.status === 'read', 'it is read');
    expect(await anna.sees()).toEqual(['us: Good morning!']);
  });

  it('fails a message that the vendor accepted and cannot send, with the reason', async () => {
    await world.control.setFaults([{ kind: 'chatpush.fail_later', code: '58' }]);
    await send(anna, channel.id, 'Good morning!');
    await world.drain();
    expect((await messagesOf(world, anna))[0]).toMatchObject({
      status: 'error',
      error_code: '58',
      reason: 'There is no such user in Telegram',
    });
  });

  it('applies early, shuffled and repeated statuses once', async () => {
    await world.control.setFaults([
      { kind: 'chatpush.status_first' },
      { kind: 'chatpush.statuses_reordered' },
      { kind: 'hooks.duplicate' },
      { kind: 'chatpush.echo' },
    ]);
    await send(anna, channel.id, 'Good morning!');
    await anna.writes(QUESTION);
    await world.drain();
    expect(await authorsAndStatuses(anna)).toEqual([
      ['operator', 'read'],
      ['lead', 'inbound'],
      ['bot', 'read'],
    ]);
    expect((await dialogueOf(world, anna)).owner).toBe('bot');
    await expectInvariants(world);
  });
});

describe('Telegram', () => {
  it('matches the echo of a repeated text to its last attempt', async () => {
    const anna = await world.lead('Anna twice', { messenger: 'telegram', channel: chatpush.telegram, dialogue: false });
    const untold = [{ kind: 'chatpush.no_echo' }, { kind: 'chatpush.no_callback' }] as const;
    await world.control.setFaults([{ kind: 'chatpush.fail_after', times: 1 }, ...untold]);
    await send(anna, chatpush.telegram.id, 'Are you there?');
    await world.drain();
    // Some minutes later: until then the unconfirmed message blocks the next one.
    await world.pool.query(
      `update messages set unconfirmed_at = unconfirmed_at - interval '5 minutes', send_key_used_at = send_key_used_at - interval '5 minutes'
        where status = 'unconfirmed'`,
    );
    await world.control.setFaults([{ kind: 'chatpush.lose_answer', times: 1 }, { kind: 'chatpush.no_callback' }]);
    await send(anna, chatpush.telegram.id, 'Are you there?');
    await world.drain();
    expect(await anna.sees()).toEqual(['us: Are you there?', 'us: Are you there?']);
    expect((await authorsAndStatuses(anna)).map(([, status]) => status)).toEqual([
      'unconfirmed',
      expect.stringMatching(/^(sent|read)$/),
    ]);
    await expectInvariants(world);
  });

  it('answers a lead with a hidden number in the chat', async () => {
    await world.control.write('anna_hidden', {
      channelId: chatpush.telegram.ref,
      name: 'Hidden',
      text: QUESTION,
      hiddenPhone: true,
    });
    await world.drain();
    const { messages } = await world.control.thread('anna_hidden');
    expect(messages.map(({ author }) => author)).toEqual(['lead', 'api']);
    const { rows } = await world.pool.query(
      'select c.contact, c.address, d.chat_id from contacts c join dialogues d on d.contact_id = c.id join leads l on l.id = c.lead_id where l.name = $1',
      ['Hidden'],
    );
    const chatId = messages[0]?.chatId;
    expect(rows).toEqual([{ contact: `id:${chatId}`, address: `id:${chatId}`, chat_id: chatId }]);
  });

  it('does not answer a group', async () => {
    await world.control.write('boris_group', {
      channelId: chatpush.telegram.ref,
      text: QUESTION,
      chatType: 'telegroup',
      chatId: '77001',
    });
    await world.drain();
    expect((await world.control.thread('boris_group')).messages).toHaveLength(1);
  });

  it('answers a lead who writes to a bot', async () => {
    await world.control.write('carl_of_riga', { channelId: chatpush.bot.ref, name: 'Carl', text: QUESTION });
    await world.drain();
    expect((await world.control.thread('carl_of_riga')).messages.map(({ author }) => author)).toEqual(['lead', 'api']);
  });
});

it('stores a medium by its kind with its link', async () => {
  const anna = await world.lead('Anna who sends a picture', { channel: chatpush.whatsapp, dialogue: false });
  await world.control.write(anna.address, {
    channelId: chatpush.whatsapp.ref,
    type: 'image',
    contentUri: 'https://phone.invalid/image',
  });
  await world.drain();
  expect((await messagesOf(world, anna, 'user'))[0]).toMatchObject({ kind: 'image', message: '[image]' });
});
