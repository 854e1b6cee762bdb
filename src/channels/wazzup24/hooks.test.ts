import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHook } from './hooks.ts';

const message = {
  messageId: 'm',
  channelId: 'c',
  chatType: 'whatsapp',
  chatId: '79990000002',
  dateTime: '2026-01-02T03:04:05.678Z',
  type: 'text',
  isEcho: false,
  contact: { name: 'Anna' },
  text: 'hello',
  status: 'inbound',
};
const one = (more: object) => parseHook({ messages: [{ ...message, ...more }] })[0];

describe('a message', () => {
  it('parses a message', () => {
    expect(one({})).toEqual({
      kind: 'message',
      channelRef: 'c',
      extId: 'm',
      status: 'inbound',
      chatId: '79990000002',
      occurredAt: '2026-01-02T03:04:05.678Z',
      text: 'hello',
      mediaKind: 'text',
      mediaUrl: null,
      isGroup: false,
      isSilent: false,
      name: 'Anna',
      address: '79990000002',
      errorCode: null,
      errorReason: null,
    });
  });

  it.each([
    [{ status: undefined }, 'inbound'],
    [{ isEcho: undefined, status: undefined }, 'inbound'],
    [{ isEcho: true, status: undefined }, 'sent'],
    [{ isEcho: true, status: 'inbound' }, 'sent'],
    [{ isEcho: false, status: 'sent' }, 'sent'],
    [{ isEcho: true, status: 'read' }, 'read'],
    [{ isEcho: true, status: 'error', error: { error: 'SPAM' } }, 'error'],
    [{ isEcho: false, status: 'something new' }, 'sent'],
  ])('maps %j to %s', (more, status) => expect(one(more)?.status).toBe(status));

  it.each([
    ['2026-01-02T03:04:05', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T06:04:05+03:00', '2026-01-02T03:04:05.000Z'],
    ['yesterday', null],
    [undefined, null],
    [5, null],
  ])('reads the time %s as %s', (dateTime, at) => expect(one({ dateTime })?.occurredAt).toBe(at));

  it.each([
    ['image', 'image', false],
    ['audio', 'voice message', false],
    ['geo', 'location', false],
    ['missing_call', 'missing_call', true],
    ['system', 'system', true],
    ['brand_new', 'text', false],
  ])('maps the message type %s to %s', (type, mediaKind, isSilent) =>
    expect(one({ type })).toMatchObject({ mediaKind, isSilent }),
  );

  it.each([
    ['a Vietnamese phone', { chatId: '84912345678' }, '+84912345678'],
    ['a Norwegian phone', { chatId: '4791234567' }, '+4791234567'],
    [
      'Telegram, with its phone',
      { chatType: 'telegram', chatId: '9161234567', contact: { phone: 79990000002 } },
      '79990000002',
    ],
    [
      'Telegram, with its name',
      { chatType: 'telegram', chatId: '9161234567', contact: { username: 'anna_k' } },
      'anna_k',
    ],
    ['Telegram, with neither', { chatType: 'telegram', chatId: '9161234567' }, 'id:9161234567'],
  ])('normalizes an address from %s', (_name, more, address) => expect(one(more)?.address).toBe(address));

  it.each(['whatsgroup', 'telegroup', 'maxgroup'])("treats a message in a %s as a group's", (chatType) =>
    expect(one({ chatType })?.isGroup).toBe(true),
  );

  it.each([
    { isEdited: true },
    { isDeleted: true },
    { messageId: '' },
    { messageId: undefined },
    { channelId: 7 },
    { chatId: null },
  ])('ignores a message with %j', (more) => expect(one(more)).toBeUndefined());

  it('parses a message with unexpected fields', () =>
    expect(
      one({ contact: 'x', text: 7, contentUri: {}, error: [], chatId: 79990000002, extra: { deep: [] } }),
    ).toMatchObject({
      chatId: '79990000002',
      text: '',
      name: null,
    }));
});

it('parses any body without throwing', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (body, item) => {
      expect(Array.isArray(parseHook(body))).toBe(true);
      expect(Array.isArray(parseHook({ messages: [item, body], statuses: item, channelsUpdates: [body] }))).toBe(true);
    }),
  );
});

it('parses known statuses and states, and ignores unknown ones', () => {
  const items = parseHook({
    statuses: [
      { messageId: 'a', status: 'delivered', timestamp: '2026-01-02T03:04:05Z' },
      { messageId: 'b', status: 'error', error: { error: 'SPAM', description: 'Looks like spam' } },
      { messageId: 'c', status: 'edited' },
      'x',
    ],
    channelsUpdates: [{ channelId: 'c', state: 'qridle', timestamp: 5 }, { channelId: 'c' }],
    test: true,
  });
  expect(items.map((item) => [item.kind, item.extId, item.status, item.errorCode])).toEqual([
    ['status', 'a', 'delivered', null],
    ['status', 'b', 'error', 'SPAM'],
    ['channel', 'c 5', 'qridle', null],
  ]);
});
