import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  DRAFT_TTL_MS,
  deleteDraft,
  deleteDraftsOf,
  deleteExpiredDrafts,
  draftTitlesOf,
  MAX_ALL_DRAFTS_LENGTH,
  MAX_DRAFT_LENGTH,
  readDraft,
  storeDraft,
} from './drafts.ts';

let stored: Map<string, string>;
beforeEach(() => {
  stored = new Map();
  vi.useFakeTimers({ now: 1_000_000 });
  vi.stubGlobal('localStorage', {
    get length() {
      return stored.size;
    },
    key: (index: number) => [...stored.keys()][index] ?? null,
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const named = (what: string, value: unknown = 'text') => ({ what, base: '"1"', value });

it('keeps a draft for its operator and place until it is discarded', () => {
  expect(storeDraft(1, 'prompt/7', named('Vera', { text: 'Hello' }))).toBe(true);
  storeDraft(11, 'prompt/7', named('Of another'));
  storeDraft(1, 'schedule/3', named('Schedule'));
  expect(readDraft(1, 'prompt/7')).toEqual({ at: 1_000_000, what: 'Vera', base: '"1"', value: { text: 'Hello' } });
  expect(readDraft(2, 'prompt/7')).toBeNull();
  expect(draftTitlesOf(1)).toEqual(['Vera', 'Schedule']);
  deleteDraft(1, 'prompt/7');
  expect(draftTitlesOf(1)).toEqual(['Schedule']);
  deleteDraftsOf(1);
  expect([draftTitlesOf(1), draftTitlesOf(11)]).toEqual([[], ['Of another']]);
});

it('does not keep a draft that is too long, and evicts the oldest', () => {
  storeDraft(1, 'prompt/1', named('Short'));
  expect(storeDraft(1, 'prompt/1', named('Long', 'x'.repeat(MAX_DRAFT_LENGTH)))).toBe(false);
  expect(readDraft(1, 'prompt/1')).toBeNull();
  const fits = Math.floor(MAX_ALL_DRAFTS_LENGTH / (MAX_DRAFT_LENGTH - 1000));
  for (let index = 0; index < fits; index++) {
    storeDraft(index % 2, `prompt/${index}`, named(`${index}`, 'x'.repeat(MAX_DRAFT_LENGTH - 1000)));
    vi.advanceTimersByTime(1);
  }
  expect(storeDraft(1, 'new', named('New', 'x'.repeat(MAX_DRAFT_LENGTH - 1000)))).toBe(true);
  expect(readDraft(0, 'prompt/0')).toBeNull();
  expect(readDraft(1, 'prompt/1')).not.toBeNull();
});

it('deletes old and unreadable drafts, and nothing else', () => {
  storeDraft(1, 'prompt/1', named('Old'));
  vi.advanceTimersByTime(DRAFT_TTL_MS);
  storeDraft(1, 'prompt/2', named('New'));
  expect(readDraft(1, 'prompt/1')).not.toBeNull();
  vi.advanceTimersByTime(1);
  stored.set('rapport.draft.1.12', 'as version 1.0.0 kept it');
  stored.set('rapport-color-scheme', 'dark');
  expect(readDraft(1, 'prompt/1')).toBeNull();
  deleteExpiredDrafts();
  expect([...stored.keys()]).toEqual(['rapport.draft.1.prompt/2', 'rapport-color-scheme']);
});

it('works in a browser without storage', () => {
  vi.stubGlobal('localStorage', undefined);
  expect(storeDraft(1, 'prompt/1', named('Vera'))).toBe(false);
  expect([readDraft(1, 'prompt/1'), draftTitlesOf(1)]).toEqual([null, []]);
  deleteDraft(1, 'prompt/1');
  deleteExpiredDrafts();
});
