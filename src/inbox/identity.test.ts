/** Whose chat it is: reused usernames, recycled numbers, privacy ids, national variants, and chats of nobody. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Chatpush, connectChatpush } from '../testing/chatpush.ts';
import { hookUrl, inboundItem, messagesOf, postHook } from '../testing/messageRows.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { adoptIgnoredItem, type IgnoredItem, listIgnoredItems } from './ignoredContract.ts';

const QUESTION = 'How long does delivery take?';
let world: World;
let chatpush: Chatpush;
beforeAll(async () => {
  world = await createWorld();
  chatpush = await connectChatpush(world);
});
afterAll(() => world.close());

let count = 0;
/** An invented Telegram account. */
const account = (): string => String(2_000_000_000 + ++count);

interface DialogueRow {
  id: number;
  lead_id: number;
  name: string;
  chat_id: string | null;
  address: string;
  contact: string;
  chats: string[];
  texts: string[];
}

/** Read the dialogues that are known by a chat id, or have an address, oldest first. */
async function dialoguesOf(...keys: string[]): Promise<DialogueRow[]> {
  const { rows } = await world.pool.query<DialogueRow>(
    `select d.id::int, c.lead_id::int, l.name, d.chat_id, d.address, c.contact,
            array(select chat_id from dialogue_chats k where k.dialogue_id = d.id order by chat_id) as chats,
            array(select message from messages m where m.dialogue_id = d.id and m.side = 'user' order by m.id) as texts
       from dialogues d join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id
      where d.address = any($1) or d.id in (select dialogue_id from dialogue_chats where chat_id = any($1)) order by d.id`,
    [keys],
  );
  return rows;
}

const linksOf = async (...ids: number[]) =>
  (
    await world.pool.query<{ dialogue_id: number; other_id: number; kind: string; detail: string }>(
      'select dialogue_id::int, other_id::int, kind, detail from dialogue_links where dialogue_id = any($1) or other_id = any($1) order by id',
      [ids],
    )
  ).rows;

const telegramItem = (chatId: string, text: string, contact: object) =>
  inboundItem(world, chatId, text, { channelId: world.telegram.ref, chatType: 'telegram', contact });

const post = async (...messages: object[]) => {
  expect((await postHook(await hookUrl(world), { messages })).status).toBe(200);
  await world.drain();
};

async function postChatpush(type: string, payload: object): Promise<void> {
  const answer = await postHook(await chatpush.hookUrl(), { type, payload: { customer_id: 10_001, ...payload } });
  expect(answer.status).toBe(200);
  await world.drain();
}

const nested = (chat_id: string, text: string, more: object = {}) => ({
  new_message: {
    direction: 'incoming',
    chat_id,
    pushname: 'Somebody',
    message: { id: `false_${chat_id}_${randomUUID()}`, type: 'text', text, timestamp: Math.floor(Date.now() / 1000) },
    ...more,
  },
});

const flat = (chat_id: string | number, text: string, more: object = {}) => ({
  chat_id,
  chat_type: 'person',
  direction: 'incoming',
  sender_name: 'Somebody',
  message: { id: ++count, type: 'formattedText', text, timestamp: Math.floor(Date.now() / 1000) },
  ...more,
});

/** The chat ids and addresses to which something was sent at the vendor. */
const sentTo = async (text: string) =>
  (await world.control.entriesOf('reached')).filter((one) => one.text?.includes(text)).map(({ chatId }) => chatId);

describe('an address that belongs to another chat now', () => {
  it.each(['username', 'phone'] as const)('makes a new lead of who writes under a reused %s', async (kind) => {
    const [ann, stranger] = [account(), account()];
    const address = kind === 'username' ? `ann_shop${++count}` : `7901${String(1_000_000 + ++count)}`;
    const contact = { name: 'Ann', [kind]: address };
    await post(telegramItem(ann, 'I am Ann', contact));
    await post(telegramItem(stranger, 'Hello', { ...contact, name: 'Stranger' }));
    const [hers, theirs, ...others] = await dialoguesOf(ann, stranger);
    expect(others).toEqual([]);
    expect(hers).toMatchObject({ chat_id: ann, address, texts: ['I am Ann'] });
    expect(theirs).toMatchObject({ chat_id: stranger, address: `id:${stranger}`, contact: address, texts: ['Hello'] });
    expect(theirs?.lead_id).not.toBe(hers?.lead_id);
    expect(await linksOf(hers?.id ?? 0)).toEqual([
      { dialogue_id: hers?.id, other_id: theirs?.id, kind: 'address_moved', detail: address },
    ]);
  });

  it('does the same for ChatPush', async () => {
    const [ann, stranger] = [account(), account()];
    const sender_username = `ann_shop${++count}`;
    await postChatpush('tdlib_incoming_msg', flat(Number(ann), 'I am Ann', { sender_username }));
    await postChatpush('tdlib_incoming_msg', flat(Number(stranger), 'Hello', { sender_username }));
    const found = await dialoguesOf(ann, stranger);
    expect(found.map(({ chat_id, address, texts }) => ({ chat_id, address, texts }))).toEqual([
      { chat_id: ann, address: sender_username, texts: ['I am Ann'] },
      { chat_id: stranger, address: `id:${stranger}`, texts: ['Hello'] },
    ]);
  });

  it('knows from another channel that the account is another one', async () => {
    const ref = randomUUID();
    await world.pool.query(
      `with h as (insert into channels (account_id, company_id, name, vendor, channel_type, vendor_ref, is_session_active, state)
                  select account_id, company_id, 'Another', vendor, channel_type, $2, true, 'active' from channels where id = $1 returning id)
       insert into product_channels (product_id, company_id, channel_id, inbound_enabled) select $3, $4, id, true from h`,
      [world.telegram.id, ref, world.productId, world.companyId],
    );
    const [ann, stranger] = [account(), account()];
    const contact = { name: 'Ann', username: `ann_shop${++count}` };
    await post(telegramItem(ann, 'I am Ann', contact));
    await post({ ...telegramItem(stranger, 'Hello', contact), channelId: ref });
    await post({ ...telegramItem(ann, 'Me again', contact), channelId: ref });
    const [here, theirs, there, ...others] = await dialoguesOf(ann, stranger);
    expect(others).toEqual([]);
    expect(here).toMatchObject({ chat_id: ann, texts: ['I am Ann'] });
    expect(theirs).toMatchObject({ chat_id: stranger, address: `id:${stranger}`, texts: ['Hello'] });
    expect(there).toMatchObject({ chat_id: ann, texts: ['Me again'], lead_id: here?.lead_id });
    expect(theirs?.lead_id).not.toBe(here?.lead_id);
  });

  it('answers the chat that wrote', async () => {
    const lead = await world.lead('Ann', { messenger: 'telegram' });
    await lead.writes('I am Ann');
    await world.drain();
    const stranger = await world.control.write('somebody_else', { channelId: world.telegram.ref, text: 'Hi' });
    await world.drain();
    // The other account has taken the number over.
    await post(telegramItem(account(), 'Hello there', { name: 'Stranger', phone: lead.address }));
    expect((await messagesOf(world, lead, 'user')).map(({ message }) => message)).toEqual(['I am Ann']);
    expect((await lead.sees()).filter((text) => text.startsWith('us: '))).toHaveLength(1);
    expect(stranger.chatId).not.toBe((await dialoguesOf(lead.address))[0]?.chat_id);
  });

  it('tells two strangers with one username apart who write at the same time', async () => {
    for (const isOneHook of [true, false]) {
      const [one, other] = [account(), account()];
      const username = `twins${++count}`;
      const items = [one, other].map((chatId) => telegramItem(chatId, `I am ${chatId}`, { name: 'Twin', username }));
      const url = await hookUrl(world);
      await Promise.all(
        (isOneHook ? [items] : items.map((item) => [item])).map((messages) => postHook(url, { messages })),
      );
      await world.drain();
      const found = await dialoguesOf(one, other);
      expect(new Map(found.map(({ chat_id, texts }) => [chat_id, texts]))).toEqual(
        new Map([
          [one, [`I am ${one}`]],
          [other, [`I am ${other}`]],
        ]),
      );
      expect(new Set(found.map(({ lead_id }) => lead_id)).size).toBe(2);
      expect(found.map(({ address }) => address).filter((address) => address === username)).toHaveLength(1);
    }
  });

  it('gives one of two strangers the dialogue that waits for an answer', async () => {
    const lead = await world.lead('Ulla', { messenger: 'telegram' });
    const [one, other] = [account(), account()];
    const items = [one, other].map((chatId) => telegramItem(chatId, QUESTION, { name: 'Twin', phone: lead.address }));
    const url = await hookUrl(world);
    await Promise.all(items.map((item) => postHook(url, { messages: [item] })));
    await world.drain();
    expect((await messagesOf(world, lead, 'user')).length).toBe(1);
    const found = await dialoguesOf(one, other);
    expect(found.map(({ texts }) => texts)).toEqual([[QUESTION], [QUESTION]]);
    expect(found.filter(({ address }) => address === lead.address)).toHaveLength(1);
  });
});

/** A lead to whom a first message has left, and whose chat id is not known. */
async function writtenTo(address: string, channel: { id: number; ref: string } = world.whatsapp): Promise<TestLead> {
  const lead = await world.lead('Lia', { channel, dialogue: false });
  await world.pool.query('update contacts set contact = $2, address = $2 where id = $1', [lead.contactId, address]);
  await world.pool.query(
    'insert into dialogues (product_id, contact_id, channel_id, address) values ($1, $2, $3, $4)',
    [world.productId, lead.contactId, channel.id, address],
  );
  return lead;
}

describe('national variants of one number', () => {
  it.each([
    ['Brazil, without the 9', '5511987650101', '551187650101'],
    ['Brazil, with the 9', '551187650102', '5511987650102'],
    ['Mexico, with the 1', '525512340103', '5215512340103'],
    ['Mexico, without the 1', '5215512340104', '525512340104'],
    ['Argentina, with the 9', '541123450105', '5491123450105'],
    ['Argentina, without the 9', '5491123450106', '541123450106'],
  ])('%s', async (_name, address, answersAs) => {
    const lead = await writtenTo(address);
    await post(inboundItem(world, answersAs, QUESTION));
    expect((await messagesOf(world, lead, 'user')).map(({ message }) => message)).toEqual([QUESTION]);
    expect(await dialoguesOf(address, answersAs)).toMatchObject([{ chat_id: answersAs, address, chats: [answersAs] }]);
    expect((await sentTo('six weeks')).at(-1)).toBe(answersAs);
    // From the other spelling, as after the vendor has changed its own: still one chat, answered as it wrote last.
    await post(inboundItem(world, address, QUESTION));
    expect(await dialoguesOf(address, answersAs)).toMatchObject([
      { chat_id: address, chats: [answersAs, address].toSorted() },
    ]);
  });
});

describe('a WhatsApp person without a phone', () => {
  it('is a lead known by the business-scoped id, and answered to exactly that', async () => {
    const chatId = `LV.${randomUUID().replaceAll('-', '')}`;
    await world.control.write('79011230105', { channelId: world.whatsapp.ref, name: 'Nora', text: QUESTION, chatId });
    await world.drain();
    expect(await dialoguesOf(chatId)).toMatchObject([
      { chat_id: chatId, address: `id:${chatId}`, contact: `id:${chatId}`, name: 'Nora', texts: [QUESTION] },
    ]);
    expect((await sentTo('six weeks')).at(-1)).toBe(chatId);
  });

  it.each(['wazzup24', 'chatpush'] as const)('is a lead known by the privacy id at %s', async (vendor) => {
    const channelId = vendor === 'chatpush' ? chatpush.whatsapp.ref : world.whatsapp.ref;
    const lead = vendor === 'chatpush' ? '79011230106' : '79011230109';
    const { chatId } = await world.control.write(lead, {
      channelId,
      text: QUESTION,
      privacyId: true,
      hiddenPhone: true,
    });
    await world.drain();
    expect(chatId).toMatch(/@lid$/);
    expect(await dialoguesOf(chatId)).toMatchObject([{ chat_id: chatId, address: `id:${chatId}`, texts: [QUESTION] }]);
    expect((await sentTo('six weeks')).at(-1)).toBe(chatId);
  });

  it('is the lead whom we wrote to once a hook names id and phone together', async () => {
    const lead = await writtenTo('79011230107', chatpush.whatsapp);
    const id = `${account()}@lid`;
    await postChatpush('whatsapp_incoming_msg', nested(id, QUESTION, { chat_phone: '79011230107' }));
    expect((await messagesOf(world, lead, 'user')).map(({ message }) => message)).toEqual([QUESTION]);
    expect(await dialoguesOf(id)).toMatchObject([{ chat_id: id, address: '79011230107' }]);
    // Later without the phone, and under the phone alone.
    await postChatpush('whatsapp_incoming_msg', nested(id, 'And the colour?', { chat_phone: null }));
    await postChatpush('whatsapp_incoming_msg', nested('79011230107@c.us', 'And the price?'));
    expect((await messagesOf(world, lead, 'user')).map(({ message }) => message)).toEqual([
      QUESTION,
      'And the colour?',
      'And the price?',
    ]);
  });

  it('is another lead when the number belongs to another account now', async () => {
    const phone = '79011230108';
    const [ann, stranger] = [`${account()}@lid`, `${account()}@lid`];
    await postChatpush('whatsapp_incoming_msg', nested(ann, 'I am Ann', { chat_phone: phone }));
    await postChatpush('whatsapp_incoming_msg', nested(stranger, 'Hello', { chat_phone: phone }));
    expect(await dialoguesOf(ann, stranger)).toMatchObject([
      { chat_id: ann, chats: [ann], texts: ['I am Ann'] },
      { chat_id: stranger, chats: [stranger, phone].toSorted(), address: `id:${stranger}`, texts: ['Hello'] },
    ]);
  });
});

describe('a chat that is not one person', () => {
  const texts = async (item: string) =>
    (
      await world.pool.query(
        "select note, ignored_at is not null as is_ignored, item->>'text' as text from inbox where ext_id like $1",
        [`%${item}`],
      )
    ).rows;

  it.each([
    ['a story', 'status@broadcast', 'story'],
    ['a broadcast list', '1700000000@broadcast', 'broadcast'],
    ['a newsletter', '120363000000000001@newsletter', 'news_channel'],
    ['a group by its id', '120363000000000002@g.us', 'group'],
    ['a group without a suffix', '79990000009-1500000000', 'group'],
    ["WhatsApp's own account", '0@c.us', 'service'],
    ["WhatsApp's assistant", '13135550002@c.us', 'bot'],
    ['the number of the channel', '79990000000@c.us', 'own_number'],
    ['an unknown kind of chat', '1700000000@interop', 'unknown_chat'],
  ])('ignores %s', async (_name, chatId, note) => {
    const leads = (await world.pool.query('select count(*)::int from leads')).rows;
    const [id, other] = [randomUUID(), randomUUID()];
    await post(inboundItem(world, chatId, 'Good news!', { messageId: id }));
    await postChatpush(
      'whatsapp_incoming_msg',
      nested(chatId, 'Good news!', { message: { id: other, text: 'Good news!' } }),
    );
    for (const one of [id, other]) expect(await texts(one)).toMatchObject([{ note, is_ignored: true }]);
    expect((await world.pool.query('select count(*)::int from leads')).rows).toEqual(leads);
  });

  it.each(['777000', '333000', '489000', '1271266957'])(
    "keeps nothing of a code from Telegram's account %s",
    async (chatId) => {
      const calls = (await world.control.entriesOf('completion')).length;
      const [id, code] = [randomUUID(), `Login code: ${10_000 + ++count}. Do not give it to anyone.`];
      await post(telegramItem(chatId, code, { name: 'Telegram' }));
      await postChatpush(
        'tdlib_incoming_msg',
        flat(Number(chatId), code, { sender_phone_number: '42777', message: { id, text: code } }),
      );
      expect(await texts(id)).toEqual([{ note: 'service', is_ignored: true, text: '' }]);
      expect(await dialoguesOf(chatId)).toEqual([]);
      expect((await world.pool.query('select 1 from inbox where item::text like $1', [`%${code}%`])).rows).toEqual([]);
      expect((await world.control.entriesOf('completion')).length).toBe(calls);
    },
  );

  it.each([
    ['bot', { sender_username: 'parcels_bot' }, 'bot'],
    ['channel', { chat_type: 'channel' }, 'news_channel'],
    ['supergroup', { chat_type: 'supergroup' }, 'group'],
    ['kind nobody knows', { chat_type: 'forum_topic' }, 'unknown_chat'],
  ])('ignores a Telegram %s', async (_name, more, note) => {
    const chatId = account();
    const id = randomUUID();
    await postChatpush('tdlib_incoming_msg', flat(Number(chatId), 'Hi', { message: { id, text: 'Hi' }, ...more }));
    expect(await texts(id)).toMatchObject([{ note, is_ignored: true }]);
    expect(await dialoguesOf(chatId)).toEqual([]);
  });

  it('stores a message that names no chat as ignored', async () => {
    const id = randomUUID();
    await post(inboundItem(world, '', 'Hello', { messageId: id, chatId: null }));
    expect(await texts(id)).toMatchObject([{ note: 'no_chat', is_ignored: true }]);
  });

  it('is listed for operators of the channel, who may make a lead of it', async () => {
    const admin = await world.operator();
    const chatId = account();
    const contact = { name: 'Parcels', username: `parcels${count}_bot` };
    await post(telegramItem(chatId, 'Are you there?', contact));
    const list = async (client = admin, query = {}) =>
      (await client.call(listIgnoredItems, { params: { id: world.telegram.id }, query })).body as IgnoredItem[];
    const [item] = await list();
    expect(item).toMatchObject({
      reason: 'bot',
      chat_id: chatId,
      sender_name: 'Parcels',
      address: contact.username,
      text: 'Are you there?',
      can_become_lead: true,
    });
    const [code] = await list(admin, { reason: 'service' });
    expect(code).toMatchObject({ sender_name: 'Telegram', text: '', can_become_lead: false });
    const adopt = (id = 0) => admin.call(adoptIgnoredItem, { params: { id } });
    expect((await adopt(code?.id)).status).toBe(409);
    expect((await adopt(item?.id)).status).toBe(202);
    await world.drain();
    await post(telegramItem(chatId, 'And now?', contact));
    expect(await dialoguesOf(chatId)).toMatchObject([{ chat_id: chatId, texts: ['Are you there?', 'And now?'] }]);
    expect((await list()).filter((one) => one.chat_id === chatId)).toEqual([]);
  });

  it('is not shown to another company that the channel is shared with', async () => {
    const { rows } = await world.pool.query<{ id: string }>(
      "insert into companies (name) values ('Others') returning id",
    );
    const others = Number(rows[0]?.id);
    await world.pool.query(
      'insert into vendor_account_companies select account_id, $2 from channels where id = $1 on conflict do nothing',
      [world.telegram.id, others],
    );
    await world.pool.query('insert into channel_companies values ($1, $2)', [world.telegram.id, others]);
    const member = await world.operator('others', [others]);
    const answer = await member.call(listIgnoredItems, { params: { id: world.telegram.id }, query: {} });
    expect(answer).toMatchObject({ status: 200, body: [] });
    const { rows: items } = await world.pool.query<{ id: string }>(
      'select max(id) as id from inbox where ignored_at is not null',
    );
    expect((await member.call(adoptIgnoredItem, { params: { id: Number(items[0]?.id) } })).status).toBe(404);
  });
});
