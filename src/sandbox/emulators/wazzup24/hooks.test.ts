import { describe, expect, test } from 'vitest';
import { setUpEmulators, telegram, waitUntil, whatsapp, world } from '../testEmulators.ts';

setUpEmulators();

const anna = '79991112233';
const { channelId } = whatsapp;

test.each([
  ['echo', [{ isEcho: true, status: 'sent', text: 'Hello' }]],
  ['plain', [{ isEcho: false, status: 'sent', text: 'Hello' }]],
  ['off', []],
] as const)(
  'reports sent, delivered and read, and the message by the setting %s, without our key',
  async (echo, expected) => {
    await world.control.changeSettings({ echo, statuses: { sentMs: 60_000, deliveredMs: 70_000, readMs: 80_000 } });
    const { messageId } = (await world.send(anna, 'Hello', { crmMessageId: 'k' })).body;
    // Pending statuses come at once on advance.
    expect(await world.control.advance()).toEqual({ fired: 3 });
    await world.control.untilQuiet();
    const statuses = ['sent', 'delivered', 'read'].map((status) => ({ messageId, status }));
    expect(world.sink.statuses()).toMatchObject(statuses);
    expect((await world.control.thread(anna)).messages).toMatchObject([{ messageId, status: 'read' }]);
    expect(world.sink.messages()).toMatchObject(expected.map((item) => ({ ...item, messageId, chatId: anna })));
    expect(JSON.stringify(world.sink.hooks)).not.toContain('crmMessageId');
    expect(new Set(world.sink.contentTypes)).toEqual(new Set(['application/json; charset-utf-8']));
  },
);

describe('phones', () => {
  test('report what the lead writes, by the domain clock', async () => {
    await world.control.setClock(86_400_000);
    const written = await world.control.write(anna, { channelId, text: 'How much?', name: 'Anna' });
    await world.control.untilQuiet();
    expect(written).toMatchObject({ hooked: true, chatId: anna });
    const [item] = world.sink.messages();
    const common = { messageId: written.messageIds[0], channelId, chatType: 'whatsapp', chatId: anna, type: 'text' };
    expect(item).toMatchObject({ ...common, text: 'How much?', isEcho: false, status: 'inbound' });
    expect(item?.contact).toEqual({ name: 'Anna' });
    expect(Date.parse(String(item?.dateTime)) - Date.now()).toBeGreaterThan(86_000_000);
  });

  test('report media, and given ids and times', async () => {
    const image = { type: 'image', contentUri: 'https://example.com/a.jpg', text: 'caption' } as const;
    for (const one of [{ text: 'one', messageId: 'given' }, image, { text: 'old', at: '2020-01-02T03:04:05Z' }])
      await world.control.write(anna, { channelId, ...one });
    await world.control.untilQuiet();
    const old = { text: 'old', dateTime: '2020-01-02T03:04:05.000Z' };
    expect(world.sink.messages()).toMatchObject([{ text: 'one', messageId: 'given' }, image, old]);
  });

  test('report username or phone with the opaque chat of Telegram, and a group with its own type and id', async () => {
    await world.control.write('Anna_K', { channelId: telegram.channelId, text: 'hi' });
    await world.control.write(anna, { channelId: telegram.channelId, text: 'hi' });
    await world.control.write(anna, { channelId, text: 'hi all', chatType: 'whatsgroup', chatId: 'group-1' });
    await world.control.untilQuiet();
    expect(world.sink.messages()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ contact: { name: 'anna_k', username: 'anna_k' } }),
        expect.objectContaining({ contact: { name: anna, phone: anna } }),
        expect.objectContaining({ chatType: 'whatsgroup', chatId: 'group-1' }),
      ]),
    );
  });

  test('report what a person writes on the business phone or in the vendor’s window', async () => {
    await world.control.type(anna, { channelId, text: 'from the handset' });
    await world.control.type(anna, { channelId, text: 'from the window', sentFromApp: true, authorName: 'Olga' });
    await world.control.untilQuiet();
    const [handset, window] = world.sink.messages();
    expect(handset).toMatchObject({ isEcho: true, status: 'sent', text: 'from the handset' });
    expect(handset).not.toHaveProperty('sentFromApp');
    expect(window).toMatchObject({ isEcho: true, sentFromApp: true, authorName: 'Olga' });
    expect((await world.control.thread(anna)).messages).toMatchObject([{ author: 'operator' }, { author: 'operator' }]);
  });

  test('report edits and deletions with the previous text', async () => {
    const { messageIds } = await world.control.write(anna, { channelId, text: 'first' });
    const messageId = String(messageIds[0]);
    await world.control.amend(anna, { messageId, text: 'second' });
    await world.control.amend(anna, { messageId });
    await world.control.untilQuiet();
    expect(world.sink.messages().slice(1)).toMatchObject([
      { messageId, isEdited: true, text: 'second', oldInfo: { oldText: 'first' } },
      { messageId, isDeleted: true, oldInfo: { oldText: 'second' } },
    ]);
  });
});

test('sends the hooks of one chat in order, without waiting for other chats', async () => {
  const release = world.sink.delayNext();
  for (const text of ['1', '2', '3']) await world.control.write(anna, { channelId, text });
  await waitUntil(() => world.sink.messages().length === 1);
  await world.control.write('79990000000', { channelId, text: 'other' });
  await waitUntil(() => world.sink.messages().length === 2);
  release();
  await world.control.untilQuiet();
  expect(world.sink.messages().map((item) => item.text)).toEqual(['1', 'other', '2', '3']);
});
