/** ChatPush's hooks as observed, and a thousand corruptions of each. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { payloads } from '../../testing/chatpushPayloads.ts';
import { corruptionsOf } from '../../testing/corruptPayload.ts';
import { REFRESH_SESSIONS } from '../driver.ts';
import { parseHook } from './hooks.ts';

const first = (body: unknown) => parseHook(body)[0];

describe('a message in nested form', () => {
  it('parses a message', () => {
    expect(first(payloads.nested())).toEqual({
      kind: 'message',
      channelRef: '10001:whatsapp',
      extId: 'false_79990000002@c.us_3AAAA',
      status: 'inbound',
      chatId: '79990000002',
      occurredAt: '2026-09-21T14:13:20.999Z',
      text: 'hi',
      mediaKind: 'text',
      mediaUrl: null,
      notPerson: null,
      sameAs: [],
      variants: [],
      otherAddress: null,
      name: 'Lead',
      address: '79990000002',
      errorCode: null,
      errorReason: null,
    });
  });

  it('reads the sender from the instance too', () => {
    const { customer_id, ...rest } = payloads.nested().payload;
    const body = { type: 'whatsapp_incoming_msg', payload: { ...rest, instance: { id: 5, customer_id } } };
    expect(first(body)?.channelRef).toBe('10001:whatsapp');
  });

  it.each([
    ['of a group', { chat_id: '123@g.us', chat_phone: null }, { notPerson: 'group' }],
    ['of a hidden number', { chat_id: '456@lid', chat_phone: null }, { chatId: '456@lid', address: 'id:456@lid' }],
    [
      'of ten digits with their country code',
      { chat_id: '4791234567@c.us', chat_phone: '4791234567' },
      { chatId: '4791234567', address: '+4791234567' },
    ],
    [
      'of a privacy id with its phone',
      { chat_id: '456@lid' },
      { chatId: '456@lid', sameAs: ['79990000002'], address: '79990000002' },
    ],
    ['with the number in the chat only', { chat_phone: null }, { chatId: '79990000002', address: '79990000002' }],
  ])('%s', (_name, more, expected) => {
    const body = payloads.nested();
    Object.assign(body.payload.new_message, more);
    expect(first(body)).toMatchObject(expected);
  });
});

describe('the author of an outgoing message', () => {
  const outgoing = (delivery_id: number | null, id = 'true_79990000002@c.us_3B') => {
    const body = payloads.nested();
    Object.assign(body.payload, { delivery_id });
    Object.assign(body.payload.new_message, { direction: 'outgoing', sender_phone_number: '79990000001' });
    Object.assign(body.payload.new_message.message, { id });
    return body;
  };

  it.each([
    ['a person’s', outgoing(null), { viaApi: false, extId: 'true_79990000002@c.us_3B' }],
    ['a program’s', outgoing(300_000_001), { viaApi: true, extId: '300000001' }],
    [
      'a program’s, told by its id alone',
      outgoing(null, 'true_9@lid_d300000002THISISBOT'),
      { viaApi: true, extId: '300000002' },
    ],
  ])('%s', (_name, body, expected) => {
    expect(first(body)).toMatchObject({ ...expected, status: 'sent', chatId: '79990000002', address: '79990000002' });
  });

  it("treats an incoming message with a delivery id as the lead's", () => {
    const body = payloads.flat();
    Object.assign(body.payload, { delivery_id: 7 });
    expect(first(body)).toMatchObject({ status: 'inbound', extId: '500000001/40000000001' });
    expect(first(body)).not.toHaveProperty('viaApi');
  });
});

describe('a message in flat form', () => {
  it('parses a message', () => {
    expect(first(payloads.flat())).toMatchObject({
      channelRef: '10001:tdlib',
      extId: '500000001/40000000001',
      status: 'inbound',
      chatId: '500000001',
      address: '79990000002',
      text: 'hi',
      name: 'Lead',
    });
  });

  it.each([
    ['a hidden number', { sender_phone_number: null }, { address: 'id:500000001' }],
    ['a number of 0', { sender_phone_number: 0 }, { address: 'id:500000001' }],
    ['a Russian number with the 8', { sender_phone_number: 89_990_000_002 }, { address: '79990000002' }],
    ['a Vietnamese number', { sender_phone_number: '84912345678' }, { address: '+84912345678' }],
    ['a name instead', { sender_phone_number: null, sender_username: 'anna_k' }, { address: 'anna_k' }],
    ['a group', { chat_id: -1000, chat_type: 'group' }, { notPerson: 'group' }],
    ['going out', { direction: 'outgoing', recipient_phone_number: '79990000003' }, { address: '79990000003' }],
  ])('%s', (_name, more, expected) => {
    const body = payloads.flat();
    Object.assign(body.payload, more);
    expect(first(body)).toMatchObject(expected);
  });

  it("parses a bot's message", () => {
    expect(first({ ...payloads.flat(), type: 'telegram_bot_incoming_msg' })?.channelRef).toBe('10001:telegram');
  });

  it('reads kind, caption and link of a file', () => {
    const body = payloads.flat();
    Object.assign(body.payload.message, {
      type: 'voice',
      text: null,
      file_data: { mime_type: 'audio/ogg', caption: 'listen', download_url: 'https://files.example/1' },
    });
    expect(first(body)).toMatchObject({
      mediaKind: 'voice message',
      text: 'listen',
      mediaUrl: 'https://files.example/1',
    });
  });
});

describe.each(['nested', 'flat'] as const)('a %s message', (form) => {
  const file_data = { mime_type: 'image/webp', caption: null, download_url: 'https://files.example/1' };
  it.each([
    [{ type: 'call_log', text: null }, { mediaKind: 'missing_call' }],
    [{ type: 'brand_new', text: 'hi' }, { mediaKind: 'text' }],
    [{ text: 5 }, { text: '5', mediaKind: 'text' }],
    [{ text: { body: 'hello' } }, { text: 'hello', mediaKind: 'text' }],
    [{ is_edited: 'true', text: 'new' }, { kind: 'edit' }],
    [{ edited: 1, text: 'new' }, { kind: 'edit' }],
    [{ is_edited: 0, edited: 'false', is_deleted: 'no' }, { kind: 'message' }],
    [
      { is_deleted: 1, text: null },
      { kind: 'deletion', status: 'deleted' },
    ],
    [{ timestamp: 1_790_000_000_123 }, { occurredAt: '2026-09-21T14:13:20.123Z' }],
    [{ type: 'brand_new', text: null, file_data }, { mediaKind: 'document' }],
    [{ type: 'sticker', text: null }, { mediaKind: 'sticker' }],
    [
      { is_edited: true, text: 'new', old_text: 'old' },
      { kind: 'edit', text: 'new', textBefore: 'old', isOurs: false },
    ],
    [
      { edit_date: 1_790_000_100, text: 'new' },
      { kind: 'edit', occurredAt: '2026-09-21T14:15:00.999Z' },
    ],
    [
      { type: 'revoked', text: null },
      { kind: 'deletion', status: 'deleted' },
    ],
  ])('reads %j as %j', (more, expected) => {
    const nested = payloads.nested();
    const flat = payloads.flat();
    Object.assign(nested.payload.new_message.message, more);
    Object.assign(flat.payload.message, more);
    expect(first({ nested, flat }[form])).toMatchObject(expected);
  });

  it('names the message that is quoted or changed as it is stored', () => {
    const of = (more: object) => {
      const nested = payloads.nested();
      const flat = payloads.flat();
      Object.assign(nested.payload.new_message.message, more);
      Object.assign(flat.payload.message, more);
      return first({ nested, flat }[form]);
    };
    const prefix = { nested: '', flat: '500000001/' }[form];
    expect(of({ reply_to_message_id: 'm7' })?.refersTo).toBe(`${prefix}m7`);
    expect(of({ type: 'revoked', original_message_id: 'm7' })?.extId).toBe(`${prefix}m7`);
  });
});

describe('who has written a message', () => {
  it.each([
    ['in', 'm1', { status: 'inbound', notPerson: null }],
    [' Outgoing', 'm1', { status: 'sent', notPerson: null }],
    [null, 'false_79990000002@c.us_3AAAA', { status: 'inbound', notPerson: null }],
    ['sideways', 'true_79990000002@c.us_3AAAA', { status: 'sent', notPerson: null }],
    [null, 'm1', { kind: 'message', notPerson: 'unknown_direction', text: 'hi' }],
  ])('is read of the direction %j and the id %s', (direction, id, expected) => {
    const body = payloads.nested();
    Object.assign(body.payload.new_message, { direction });
    Object.assign(body.payload.new_message.message, { id });
    expect(first(body)).toMatchObject(expected);
  });

  it.each([
    [500_000_001, { status: 'inbound', notPerson: null }],
    [500_000_002, { kind: 'message', notPerson: 'unknown_direction' }],
    [null, { kind: 'message', notPerson: 'unknown_direction' }],
  ])('is read of the sender %j of a flat message', (sender_id, expected) => {
    const body = payloads.flat();
    Object.assign(body.payload, { direction: undefined, sender_id });
    expect(first(body)).toMatchObject(expected);
  });
});

describe('an event of its own', () => {
  it.each([
    ['whatsapp_edited_msg', 'edit'],
    ['whatsapp_message_deleted', 'deletion'],
    ['whatsapp_revoked_msg', 'deletion'],
  ])('%s is the %s of a message', (type, kind) => {
    expect(first({ ...payloads.nested(), type })).toMatchObject({ kind, extId: 'false_79990000002@c.us_3AAAA' });
  });

  it('reads a change without a direction', () => {
    const body = payloads.nested();
    Object.assign(body.payload.new_message, { direction: null });
    expect(first({ ...body, type: 'whatsapp_edited_msg' })).toMatchObject({ kind: 'edit' });
  });

  it('reads a call', () => {
    const incoming_call = {
      call: { id: 'c1', timestamp: 1_790_000_000, type: 'audio' },
      direction: 'incoming',
      chat_id: '79990000002@c.us',
      chat_phone: '79990000002',
    };
    expect(first({ type: 'whatsapp_call', payload: { customer_id: 10_001, incoming_call } })).toMatchObject({
      kind: 'message',
      status: 'inbound',
      mediaKind: 'missing_call',
      extId: 'call c1',
      chatId: '79990000002',
    });
    const unnamed = { ...incoming_call, chat_id: undefined };
    expect(first({ type: 'whatsapp_call', payload: { customer_id: 10_001, incoming_call: unnamed } })).toMatchObject({
      mediaKind: 'missing_call',
      chatId: '79990000002',
    });
  });
});

describe('statuses', () => {
  it.each([
    ['sent', 'sent', undefined],
    ['received', 'delivered', undefined],
    ['read', 'read', undefined],
    ['played', 'read', undefined],
    ['failed', 'error', 'message'],
    ['content_too_big', 'error', 'message'],
    ['Read', 'read', undefined],
    ['delivered', 'delivered', undefined],
    [' FAILED ', 'error', 'message'],
  ])('maps the WhatsApp status %s to %s', (word, status, errorAbout) => {
    const body = payloads.status();
    body.payload.message_status.status = word;
    expect(first(body)).toMatchObject({
      kind: 'status',
      extId: '300000001',
      status,
      channelRef: '10001:whatsapp',
      ...(errorAbout ? { errorAbout } : {}),
    });
  });

  it('keeps the id of a message sent from the phone', () => {
    const body = payloads.status();
    body.payload.message_status.id = 'true_79990000002@c.us_3B';
    expect(first(body)?.extId).toBe('true_79990000002@c.us_3B');
  });

  it.each([
    [6, 'sent', null],
    [2, 'delivered', null],
    [16, 'read', null],
    [44, 'error', 'recipient'],
    [45, 'error', 'channel'],
    [31, 'error', 'channel'],
    [35, 'error', 'passing'],
    [26, 'error', 'message'],
    [1299, 'error', 'message'],
    [987_654, 'sent', null],
  ])('maps the callback %i to %s', (status_id, status, about) => {
    const body = payloads.callback();
    body.delivery.status.status_id = status_id;
    expect(first(body)).toMatchObject({
      kind: 'status',
      channelRef: null,
      extId: '300000001',
      key: 'our-key',
      status,
      ...(about ? { errorAbout: about, errorCode: String(status_id) } : {}),
    });
  });
});

it.each([null, '', false, 'soon', {}])('knows no delivery from a callback with the status %j', (status_id) => {
  const { delivery } = payloads.callback();
  expect(parseHook({ delivery: { ...delivery, status: { status_id } } })).toEqual([]);
});

it('parses a callback with its status beside the id', () => {
  const { status, ...delivery } = payloads.callback().delivery;
  expect(first({ delivery: { ...delivery, ...status, status_id: '16' } })).toMatchObject({
    status: 'read',
    key: 'our-key',
  });
});

it('polls the account again after each sign-out', () => {
  const [one] = parseHook(payloads.notice());
  const [two] = parseHook(payloads.notice());
  expect(one).toMatchObject({ kind: 'channel', status: REFRESH_SESSIONS, channelRef: '10001:whatsapp' });
  expect(one?.extId).not.toBe(two?.extId);
});

it.each(['max_incoming_msg', 'max_bot_incoming_msg', 'whatsapp_call', 'something_new'])('ignores %s', (type) =>
  expect(parseHook({ ...payloads.flat(), type })).toEqual([]),
);

describe('a malformed webhook', () => {
  it.each(Object.keys(payloads))('parses a malformed %s without throwing or inventing facts', (name) => {
    const whole = Object.entries(payloads).find(([key]) => key === name)?.[1]();
    fc.assert(
      fc.property(corruptionsOf(whole), (body) => {
        for (const item of parseHook(body)) {
          expect(item.extId.length).toBeGreaterThan(0);
          expect(item.extId.length).toBeLessThan(700);
          expect(item.occurredAt === null || !Number.isNaN(Date.parse(item.occurredAt))).toBe(true);
          expect(typeof item.text).toBe('string');
          if (item.kind !== 'status') expect(item.channelRef).toMatch(/:(whatsapp|tdlib|telegram)$/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('parses any body without throwing', () => {
    fc.assert(
      fc.property(fc.anything(), (body) => {
        expect(Array.isArray(parseHook(body))).toBe(true);
        expect(Array.isArray(parseHook({ type: 'whatsapp_incoming_msg', payload: body }))).toBe(true);
        expect(Array.isArray(parseHook({ delivery: body }))).toBe(true);
      }),
    );
  });
});
