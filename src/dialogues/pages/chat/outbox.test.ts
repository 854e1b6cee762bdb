import { beforeEach, expect, test, vi } from 'vitest';
import type { Pending } from './outbox.ts';

const SHELF = 'rapport.outbox.1.7';

function pending(key: string): Pending {
  return {
    client_key: key,
    text: `text of ${key}`,
    at: 1_700_000_000_000,
    send_not_before: null,
    schedule_enabled: false,
    state: 'sending',
    error: null,
  };
}

/** The storage of a browser: it outlives the page. */
function browserStorage(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

/** Loads the page anew: what was in memory is gone. */
async function openPage() {
  vi.resetModules();
  return import('./outbox.ts');
}

beforeEach(() => {
  const storage = browserStorage();
  vi.stubGlobal('localStorage', storage);
  return () => vi.unstubAllGlobals();
});

test('what was under way when the page closed comes back as failed, under the same key', async () => {
  const before = await openPage();
  before.addPending(SHELF, pending('a'));
  const after = await openPage();
  expect(after.pendingOn(SHELF)).toEqual([{ ...pending('a'), state: 'failed' }]);
});

test('an answered text does not come back', async () => {
  const before = await openPage();
  before.addPending(SHELF, pending('a'));
  before.addPending(SHELF, pending('b'));
  before.dropPending(SHELF, 'a');
  const after = await openPage();
  expect(after.pendingOn(SHELF).map((one) => one.client_key)).toEqual(['b']);
});

test('shelves are apart by operator and dialogue', async () => {
  const outbox = await openPage();
  outbox.addPending(outbox.shelfOf(1, 7), pending('a'));
  expect(outbox.pendingOn(outbox.shelfOf(2, 7))).toEqual([]);
  expect(outbox.pendingOn(outbox.shelfOf(1, 8))).toEqual([]);
});

test('a shelf that is not ours to read is an empty one', async () => {
  localStorage.setItem(SHELF, '[{"text":"of another version"}]');
  const outbox = await openPage();
  expect(outbox.pendingOn(SHELF)).toEqual([]);
});

test('the same array until it changes, so that React does not render in circles', async () => {
  const outbox = await openPage();
  expect(outbox.pendingOn(SHELF)).toBe(outbox.pendingOn(SHELF));
  outbox.addPending(SHELF, pending('a'));
  const first = outbox.pendingOn(SHELF);
  outbox.changePending(SHELF, 'a', { state: 'failed', error: 'no network' });
  expect(outbox.pendingOn(SHELF)).not.toBe(first);
  expect(outbox.pendingOn(SHELF)[0]).toMatchObject({ state: 'failed', error: 'no network' });
});
