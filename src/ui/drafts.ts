/**
 * Unsaved input of operators, stored in this browser until it is saved or discarded: `rapport.draft.3.prompt/7` is what
 * operator 3 typed into prompt 7. Drafts are not encrypted, but the console shows them to no other operator.
 */
import { z } from 'zod';

const PREFIX = 'rapport.draft.';
/** Size limit of one stored draft, in characters. */
export const MAX_DRAFT_LENGTH = 500_000;
/**
 * Size limit of all drafts in characters, less than half of what browsers give a site. The oldest are evicted first.
 */
export const MAX_ALL_DRAFTS_LENGTH = 2_000_000;
/** A draft expires after 30 days without changes. */
export const DRAFT_TTL_MS = 30 * 86_400_000;

const draftSchema = z.object({
  /** Time of the last change, unix ms. */
  at: z.number(),
  /** Name of the draft in the list of unsaved changes. */
  what: z.string(),
  /** ETag of the document that was edited; null if there was none. */
  base: z.string().nullable(),
  value: z.unknown(),
});
export type StoredDraft = z.output<typeof draftSchema>;

const operatorKey = (operatorId: number): string => `${PREFIX}${operatorId}.`;
const storageKey = (operatorId: number, draftKey: string): string => `${operatorKey(operatorId)}${draftKey}`;

/**
 * Store a draft, replacing the previous one. Returns false if it is too long or the browser's storage is unavailable.
 */
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
    // Without storage, the input lasts as long as the page.
    return false;
  }
}

/** Read a draft; null if there is none or it cannot be read. */
export function readDraft(operatorId: number, draftKey: string): StoredDraft | null {
  try {
    return parseDraft(localStorage.getItem(storageKey(operatorId, draftKey)));
  } catch {
    return null;
  }
}

/** Delete a draft after it was saved or discarded. */
export function deleteDraft(operatorId: number, draftKey: string): void {
  removeKeys([storageKey(operatorId, draftKey)]);
}

/** Return the names of an operator's drafts. */
export function draftTitlesOf(operatorId: number): string[] {
  return storageKeysOf(operatorId).flatMap((key) => parseDraft(localStorage.getItem(key))?.what ?? []);
}

/** Delete all drafts of an operator. */
export function deleteDraftsOf(operatorId: number): void {
  removeKeys(storageKeysOf(operatorId));
}

/** Delete expired and unreadable drafts of all operators. */
export function deleteExpiredDrafts(): void {
  try {
    removeKeys(allStorageKeys().filter((key) => parseDraft(localStorage.getItem(key)) === null));
  } catch {
    // Without storage there are no drafts to delete.
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

/** Return the oldest keys that must go so that the others fit into `capacity` characters. */
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
    // Without storage there is nothing to delete.
  }
}
