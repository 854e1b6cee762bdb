/**
 * What an operator has typed and not saved, kept in this browser until it is saved or discarded: `rapport.draft.3.prompt/7`
 * is what operator 3 typed into prompt 7. It is not encrypted. Nobody else who signs in here is shown it.
 */
import { z } from 'zod';

const PREFIX = 'rapport.draft.';
/** Characters of one draft, as it is stored. */
export const MAX_DRAFT_LENGTH = 500_000;
/** Characters of all drafts: less than half of what browsers give a site. The oldest give way. */
export const MAX_ALL_DRAFTS_LENGTH = 2_000_000;
/** A draft that nobody came back to. */
export const DRAFT_TTL_MS = 30 * 86_400_000;

const draftSchema = z.object({
  /** When it was last typed in, unix ms. */
  at: z.number(),
  /** What it is called where unsaved changes are listed. */
  what: z.string(),
  /** ETag of the document that was edited; null: there was none. */
  base: z.string().nullable(),
  value: z.unknown(),
});
export type StoredDraft = z.output<typeof draftSchema>;

const operatorKey = (operatorId: number): string => `${PREFIX}${operatorId}.`;
const storageKey = (operatorId: number, draftKey: string): string => `${operatorKey(operatorId)}${draftKey}`;

/** Keeps a draft in the place of the former one. False: it is too long, or the browser stores nothing. */
export function storeDraft(operatorId: number, draftKey: string, newDraft: Omit<StoredDraft, 'at'>): boolean {
  const key = storageKey(operatorId, draftKey);
  const text = JSON.stringify({ ...newDraft, at: Date.now() } satisfies StoredDraft);
  try {
    if (text.length > MAX_DRAFT_LENGTH) {
      localStorage.removeItem(key);
      return false;
    }
    const others = allStorageKeys().filter((one) => one !== key);
    for (const oldest of keysToEvict(others, MAX_ALL_DRAFTS_LENGTH - text.length)) localStorage.removeItem(oldest);
    localStorage.setItem(key, text);
    return true;
  } catch {
    // Without storage what is typed lives as long as the page does.
    return false;
  }
}

/** The draft of a place; null: there is none that can be read. */
export function readDraft(operatorId: number, draftKey: string): StoredDraft | null {
  try {
    return parseDraft(localStorage.getItem(storageKey(operatorId, draftKey)));
  } catch {
    return null;
  }
}

/** The draft is saved or discarded. */
export function deleteDraft(operatorId: number, draftKey: string): void {
  removeKeys([storageKey(operatorId, draftKey)]);
}

/** What an operator has not saved, by name. */
export function draftTitlesOf(operatorId: number): string[] {
  return storageKeysOf(operatorId).flatMap((key) => parseDraft(localStorage.getItem(key))?.what ?? []);
}

/** Discards all that an operator has not saved. */
export function deleteDraftsOf(operatorId: number): void {
  removeKeys(storageKeysOf(operatorId));
}

/** Removes what is old and what cannot be read, of every operator. */
export function deleteExpiredDrafts(): void {
  try {
    removeKeys(allStorageKeys().filter((key) => parseDraft(localStorage.getItem(key)) === null));
  } catch {
    // Nothing is stored, so nothing is swept.
  }
}

function storageKeysOf(operatorId: number): string[] {
  try {
    return allStorageKeys().filter((key) => key.startsWith(operatorKey(operatorId)));
  } catch {
    return [];
  }
}

function allStorageKeys(): string[] {
  return Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '').filter((key) =>
    key.startsWith(PREFIX),
  );
}

/** The oldest of these keys, as many as do not fit into `room` characters. */
function keysToEvict(keys: readonly string[], capacity: number): string[] {
  const sizes = keys.map((key) => ({ key, size: localStorage.getItem(key)?.length ?? 0 }));
  let excess = sizes.reduce((sum, { size }) => sum + size, 0) - capacity;
  if (excess <= 0) return [];
  const byAge = sizes
    .map((one) => ({ ...one, at: parseDraft(localStorage.getItem(one.key))?.at ?? 0 }))
    .sort((one, other) => one.at - other.at);
  const evicted: string[] = [];
  for (const { key, size } of byAge) {
    if (excess <= 0) break;
    evicted.push(key);
    excess -= size;
  }
  return evicted;
}

function parseDraft(text: string | null): StoredDraft | null {
  if (text === null) return null;
  try {
    const read = draftSchema.safeParse(JSON.parse(text));
    return read.success && Date.now() - read.data.at <= DRAFT_TTL_MS ? read.data : null;
  } catch {
    return null;
  }
}

function removeKeys(keys: readonly string[]): void {
  try {
    for (const key of keys) localStorage.removeItem(key);
  } catch {
    // Nothing is stored, so nothing is removed.
  }
}
