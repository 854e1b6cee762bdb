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
      notPerson: null,
      sameAs: [],
      variants: [],
      otherAddress: null,
      name: 'Anna',
      address: '79990000002',
      errorCode: null,
      errorReason: null,
    });
  });

  it.each([
    [{ status: undefined }, 'inbound'],
    [{ isEcho: undefined, status: undefined }, 'inbound'],
    [{ status: 'INBOUND', isEcho: 'false' }, 'inbound'],
    [{ status: 'Inbound', messageId: 5, channelId: 6, text: 7 }, 'inbound'],
    [{ isEcho: 'true', status: 'Inbound' }, 'sent'],
    [{ isEcho: true, status: undefined }, 'sent'],
    [{ isEcho: true, status: 'inbound' }, 'sent'],
    [{ isEcho: false, status: 'sent' }, 'sent'],
    [{ isEcho: true, status: 'read' }, 'read'],
    [{ isEcho: true, status: 'error', error: { error: 'SPAM' } }, 'error'],
    [{ isEcho: false, status: 'received' }, 'inbound'],
    [{ isEcho: false, status: 'inbound ' }, 'inbound'],
    [{ isEcho: 0, status: 'new' }, 'inbound'],
    [{ isEcho: 1, status: 'new' }, 'sent'],
    [{ isEcho: true, status: 'received' }, 'sent'],
    [{ isEcho: undefined, status: 'received' }, 'sent'],
    [{ isEcho: false, status: 'received', authorName: 'Anna' }, 'sent'],
    [{ isEcho: false, status: ' Delivered' }, 'delivered'],
  ])('maps %j to %s', (more, status) => expect(one(more)?.status).toBe(status));

  it.each([
    ['2026-01-02T03:04:05', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T06:04:05+03:00', '2026-01-02T03:04:05.000Z'],
    ['02.01.2026 03:04', null],
    [1_767_323_045, '2026-01-02T03:04:05.000Z'],
    ['1767323045678', '2026-01-02T03:04:05.678Z'],
    [99_999_999_999, null],
    ['yesterday', null],
    [undefined, null],
    [5, null],
  ])('reads the time %s as %s', (dateTime, at) => expect(one({ dateTime })?.occurredAt).toBe(at));

  it.each([
    [
      { isEdited: true, text: 'new', oldInfo: { oldText: 'old' } },
      { kind: 'edit', text: 'new', textBefore: 'old' },
    ],
    [{ isEdited: true, status: 'inbound' }, { isOurs: false }],
    [{ isEdited: true, isEcho: true, status: 'inbound' }, { isOurs: true }],
    [{ isEdited: true, isEcho: true, status: 'read' }, { isOurs: true }],
    [{ isDeleted: true }, { kind: 'deletion', status: 'deleted', text: '' }],
    [{ isEdited: 1 }, { kind: 'edit' }],
    [{ text: { body: 'hello' } }, { text: 'hello' }],
    [
      { status: 'error', error: 'BAD_CONTACT' },
      { errorCode: 'BAD_CONTACT', errorReason: null },
    ],
    [{ quotedMessage: { messageId: 'q' } }, { kind: 'message', refersTo: 'q' }],
    [{ quotedMessage: { id: 'q' } }, { refersTo: 'q' }],
  ])('reads %j as %j', (more, expected) => expect(one(more)).toMatchObject({ extId: 'm', ...expected }));

  it('tells edits of one message apart, and repeats of one not', () => {
    const edit = (text: string, oldText: string) => one({ isEdited: true, text, oldInfo: { oldText } })?.status;
    expect(edit('b', 'a')).toBe(edit('b', 'a'));
    expect(new Set([edit('b', 'a'), edit('c', 'b'), edit('b', 'c')]).size).toBe(3);
  });

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
    [
      'Telegram, with 0 for its phone',
      { chatType: 'telegram', chatId: '9161234567', contact: { phone: 0 } },
      'id:9161234567',
    ],
    ['a Russian phone with the 8', { chatId: '89990000002' }, '79990000002'],
    [
      'Telegram, with the 8',
      { chatType: 'telegram', chatId: '9161234567', contact: { phone: '89990000002' } },
      '79990000002',
    ],
    ['Telegram, with neither', { chatType: 'telegram', chatId: '9161234567' }, 'id:9161234567'],
  ])('normalizes an address from %s', (_name, more, address) => expect(one(more)?.address).toBe(address));

  it.each(['whatsgroup', 'telegroup', 'maxgroup'])("treats a message in a %s as a group's", (chatType) =>
    expect(one({ chatType })?.notPerson).toBe('group'),
  );

  it.each([{ messageId: '' }, { messageId: undefined }, { channelId: {} }])('ignores a message with %j', (more) =>
    expect(one(more)).toBeUndefined(),
  );

  it('keeps a message that names no chat', () =>
    expect(one({ chatId: null })).toMatchObject({ chatId: null, address: null, text: 'hello' }));

  it('parses a message with unexpected fields', () =>
    expect(
      one({ contact: 'x', text: {}, contentUri: {}, error: [], chatId: 79990000002, extra: { deep: [] } }),
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
    ['edit', 'c', expect.stringMatching(/^edited /), null],
    ['channel', 'c 5', 'qridle', null],
  ]);
});

it('parses an item that comes without its list', () => {
  const status = { messageId: 'a', status: 'Error ', timestamp: 1_767_323_045, error: 'BAD_CONTACT' };
  expect(parseHook({ messages: message, statuses: status })).toMatchObject([
    { kind: 'message', extId: 'm', text: 'hello' },
    {
      kind: 'status',
      extId: 'a',
      status: 'error',
      occurredAt: '2026-01-02T03:04:05.000Z',
      errorCode: 'BAD_CONTACT',
      errorAbout: 'recipient',
    },
  ]);
});
