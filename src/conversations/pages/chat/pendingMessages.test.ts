import { beforeEach, expect, test, vi } from 'vitest';
import type { Pending } from './pendingMessages.ts';

const STORAGE_KEY = 'rapport.outbox.1.7';

function pending(key: string): Pending {
  return {
    client_key: key,
    text: `text of ${key}`,
    at: 1_700_000_000_000,
    send_not_before: null,
    schedule_enabled: false,
    keep_bot: false,
    seen_message_id: null,
    draft_run_id: null,
    prepared_message_id: null,
    state: 'sending',
    error: null,
    confirm_opted_out: false,
    asks: null,
  };
}

/** Simulate a browser's storage, which outlives the page. */
function browserStorage(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  const stored = new Map<string, string>();
  return {
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => void stored.set(key, value),
    removeItem: (key) => void stored.delete(key),
  };
}

/** Reload the page: what was in memory is gone. */
async function openPage() {
  vi.resetModules();
  return import('./pendingMessages.ts');
}

beforeEach(() => {
  const storage = browserStorage();
  vi.stubGlobal('localStorage', storage);
  return () => vi.unstubAllGlobals();
});

test('restores a message under way at page close as failed, under the same key', async () => {
  const before = await openPage();
  before.addPending(STORAGE_KEY, pending('a'));
  const after = await openPage();
  expect(after.getPending(STORAGE_KEY)).toEqual([{ ...pending('a'), state: 'failed' }]);
});

test('does not restore an acknowledged message', async () => {
  const before = await openPage();
  before.addPending(STORAGE_KEY, pending('a'));
  before.addPending(STORAGE_KEY, pending('b'));
  before.removePending(STORAGE_KEY, 'a');
  const after = await openPage();
  expect(after.getPending(STORAGE_KEY).map((item) => item.client_key)).toEqual(['b']);
});

test('separates pending messages by operator and dialogue', async () => {
  const outbox = await openPage();
  outbox.addPending(outbox.storageKeyOf(1, 7), pending('a'));
  expect(outbox.getPending(outbox.storageKeyOf(2, 7))).toEqual([]);
  expect(outbox.getPending(outbox.storageKeyOf(1, 8))).toEqual([]);
});

test('ignores unreadable stored messages', async () => {
  localStorage.setItem(STORAGE_KEY, '[{"text":"of another version"}]');
  const outbox = await openPage();
  expect(outbox.getPending(STORAGE_KEY)).toEqual([]);
});

test('returns the same array until it changes, so that React does not loop', async () => {
  const outbox = await openPage();
  expect(outbox.getPending(STORAGE_KEY)).toBe(outbox.getPending(STORAGE_KEY));
  outbox.addPending(STORAGE_KEY, pending('a'));
  const first = outbox.getPending(STORAGE_KEY);
  outbox.changePending(STORAGE_KEY, 'a', { state: 'failed', error: 'no network' });
  expect(outbox.getPending(STORAGE_KEY)).not.toBe(first);
  expect(outbox.getPending(STORAGE_KEY)[0]).toMatchObject({ state: 'failed', error: 'no network' });
});
