import { describe, expect, test } from 'vitest';
import type { Message } from '../../contract.ts';
import type { Pending } from './pendingMessages.ts';
import {
  appendPage,
  deliveredIn,
  EMPTY_THREAD,
  isOutdated,
  mergeRefresh,
  prependPage,
  removeMessage,
  rowsOf,
  type Thread,
  upsertMessage,
} from './thread.ts';

const START = Date.parse('2026-03-02T12:00:00.000Z');

function message(id: number, change: Partial<Message> = {}): Message {
  const at = new Date(START + id * 60_000).toISOString();
  return {
    id,
    product_id: 1,
    contact_id: 1,
    dialogue_id: 1,
    lead_name: 'Anna',
    message: `text ${id}`,
    side: 'bot',
    author: 'bot',
    operator: null,
    status: 'sent',
    sent: true,
    is_failed: false,
    reason: null,
    error_code: null,
    created_at: at,
    thread_at: at,
    scheduled_at: null,
    sent_at: at,
    sent_confirmation_at: null,
    read_at: null,
    retry_count: 0,
    ext_id: null,
    client_key: null,
    prompt_id: null,
    prompt_name: null,
    prompt_version: null,
    model_vendor: null,
    model_name: null,
    prepared_message_id: null,
    ping_config_id: null,
    ping_step_number: null,
    origin: null,
    reply_on_msg_id: null,
    rendered_prompt: null,
    kind: 'text',
    media_url: null,
    edited_at: null,
    earlier_texts: [],
    deleted_at: null,
    refers_to: null,
    trace: null,
    ...change,
  };
}

function pending(key: string): Pending {
  return {
    client_key: key,
    text: 'hello',
    at: START + 3_600_000,
    send_not_before: null,
    schedule_enabled: false,
    keep_bot: false,
    seen_message_id: null,
    draft_run_id: null,
    prepared_message_id: null,
    confirm_opted_out: false,
    asks: null,
    state: 'sending',
    error: null,
  };
}

const ids = (thread: Thread) => thread.items.map((item) => item.id);
const thread = (...items: Message[]): Thread => ({ ...EMPTY_THREAD, items });
const range = (from: number, to: number, ends: Partial<Thread> = {}): Thread => ({
  ...thread(...Array.from({ length: to - from + 1 }, (_one, index) => message(from + index))),
  ...ends,
});

describe('a new message', () => {
  test('is placed in the order of the conversation, not of arrival', () => {
    const late = message(2);
    expect(ids(upsertMessage(thread(message(1), message(3)), late))).toEqual([1, 2, 3]);
  });

  test('is shown once, however often it arrives', () => {
    const once = upsertMessage(thread(message(1)), message(2));
    expect(ids(upsertMessage(once, message(2)))).toEqual([1, 2]);
  });

  test('moves when its place in the thread changes', () => {
    const moved = message(1, { thread_at: new Date(START + 600_000).toISOString() });
    expect(ids(upsertMessage(thread(message(1), message(2)), moved))).toEqual([2, 1]);
  });

  test('is not reverted by an answer older than its live events', () => {
    const current = thread(message(1, { status: 'delivered' }));
    expect(upsertMessage(current, message(1, { status: 'scheduled' })).items[0]?.status).toBe('delivered');
  });

  test('is scheduled again when it is retried', () => {
    const failed = message(1, { status: 'error', retry_count: 1 });
    const again = message(1, { status: 'scheduled', retry_count: 2 });
    expect(isOutdated(failed, again)).toBe(false);
    expect(isOutdated(again, failed)).toBe(true);
  });

  test('is settled in both directions between sent and unconfirmed', () => {
    const sent = message(1, { status: 'sent' });
    const unconfirmed = message(1, { status: 'unconfirmed' });
    expect(isOutdated(unconfirmed, sent)).toBe(false);
    expect(isOutdated(sent, message(1, { status: 'error' }))).toBe(false);
  });

  test('stays at the end until it is sent', () => {
    const queued = message(2, { status: 'scheduled', scheduled_at: new Date(START + 86_400_000).toISOString() });
    const loaded = range(5, 6, { has_more: true });
    const waiting = upsertMessage(loaded, queued);
    expect(ids(waiting)).toEqual([5, 6, 2]);
    expect(deliveredIn(waiting)[0]?.id).toBe(5);
    expect(ids(upsertMessage(waiting, message(7)))).toEqual([5, 6, 7, 2]);
    const sentMessage = message(2, { status: 'sent', thread_at: new Date(START + 86_400_000).toISOString() });
    expect(ids(upsertMessage(waiting, sentMessage))).toEqual([5, 6, 2]);
  });

  test('is ignored when it is older than the loaded pages', () => {
    const loaded = range(5, 6, { has_more: true });
    expect(ids(upsertMessage(loaded, message(2)))).toEqual([5, 6]);
  });

  test('disappears when it is removed', () => {
    expect(ids(removeMessage(thread(message(1), message(2)), 1))).toEqual([2]);
  });
});

describe('a window that ends before the newest message', () => {
  const window = range(5, 6, { has_more: true, has_newer: true, anchor: 5 });

  test('ignores messages on both sides of it, and shows those inside', () => {
    expect(upsertMessage(window, message(7))).toEqual(window);
    expect(upsertMessage(window, message(4))).toEqual(window);
    expect(upsertMessage(window, message(6, { status: 'read' })).items[1]?.status).toBe('read');
  });

  test('keeps a scheduled message for the strip until it is sent', () => {
    const queued = message(9, { status: 'scheduled' });
    const waiting = upsertMessage(window, queued);
    expect(ids(waiting)).toEqual([5, 6, 9]);
    const options = { pending: [pending('key-1')], now: START + 3_600_000, firstNewId: null, ownLogin: 'anna' };
    expect(rowsOf({ items: waiting.items, hasNewer: true, ...options })).toHaveLength(2);
    expect(rowsOf({ items: waiting.items, hasNewer: false, ...options })).toHaveLength(4);
    expect(upsertMessage(waiting, message(9))).toEqual(window);
  });

  test('grows at both ends', () => {
    const older = prependPage(window, range(3, 4, { has_newer: true }));
    expect(older).toEqual(range(3, 6, { has_newer: true, anchor: 5 }));
    expect(appendPage(older, range(7, 8, { has_more: true }))).toEqual(range(3, 8, { anchor: 5 }));
  });

  test('keeps what it has loaded on both sides of a refresh', () => {
    const fresh = range(6, 8, { has_more: true, has_newer: true, anchor: 7 });
    expect(mergeRefresh(range(5, 9, { has_more: true, anchor: 5 }), fresh)).toEqual(
      range(5, 9, { has_more: true, anchor: 5 }),
    );
  });
});

describe('pages', () => {
  test('prepend an older page without duplicates', () => {
    expect(prependPage(range(2, 3, { has_more: true }), range(1, 2))).toEqual(range(1, 3));
  });

  test('keep older pages that a reload overlaps', () => {
    expect(mergeRefresh(range(1, 3), range(3, 4, { has_more: true }))).toEqual(range(1, 4));
  });

  test('drop pages behind a gap after a reload', () => {
    const fresh = range(8, 9, { has_more: true });
    expect(mergeRefresh(range(1, 2), fresh)).toBe(fresh);
  });
});

describe('rows', () => {
  test('open a day once and join what one author says in a row', () => {
    const rows = rowsOf({
      hasNewer: false,
      items: [message(1), message(2), message(3, { author: 'lead', side: 'user' })],
      pending: [],
      now: START,
      firstNewId: null,
      ownLogin: 'anna',
    });
    expect(rows.map((row) => row.day !== null)).toEqual([true, false, false]);
    expect(rows.map((row) => row.isGrouped)).toEqual([false, true, false]);
  });

  test('keep one key for a pending message and its stored one', () => {
    const bubble = pending('key-1');
    const before = rowsOf({
      hasNewer: false,
      items: [message(1)],
      pending: [bubble],
      now: START,
      firstNewId: null,
      ownLogin: 'anna',
    });
    const after = rowsOf({
      hasNewer: false,
      items: [message(1), message(2, { client_key: 'key-1' })],
      pending: [bubble],
      now: START,
      firstNewId: null,
      ownLogin: 'anna',
    });
    expect(before.map((row) => row.key)).toEqual(['message 1', 'key-1']);
    expect(after.map((row) => row.key)).toEqual(['message 1', 'key-1']);
    expect(after[1]?.message?.id).toBe(2);
  });

  test('leave scheduled messages to the strip', () => {
    const due = START + 3_600_000;
    const later = message(2, { status: 'scheduled', scheduled_at: new Date(due).toISOString() });
    expect(
      rowsOf({ hasNewer: false, items: [later], pending: [], now: due - 1000, firstNewId: null, ownLogin: 'anna' }),
    ).toHaveLength(0);
    expect(
      rowsOf({ hasNewer: false, items: [later], pending: [], now: due, firstNewId: null, ownLogin: 'anna' }),
    ).toHaveLength(1);
  });

  test('keep immediate messages in the thread despite a slow clock', () => {
    const now = message(2, { status: 'scheduled' });
    expect(
      rowsOf({
        hasNewer: false,
        items: [{ ...now, scheduled_at: now.thread_at }],
        pending: [],
        now: START - 60_000,
        firstNewId: null,
        ownLogin: 'anna',
      }),
    ).toHaveLength(1);
  });

  test('mark the first new message', () => {
    expect(
      rowsOf({
        hasNewer: false,
        items: [message(1), message(2)],
        pending: [],
        now: START,
        firstNewId: 2,
        ownLogin: 'anna',
      }).map((row) => row.opensNew),
    ).toEqual([false, true]);
  });
});
