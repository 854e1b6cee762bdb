/**
 * What an operator has typed and not saved, kept in this browser until it is saved or discarded: `rapport.draft.3.prompt/7`
 * is what operator 3 typed into prompt 7. It is not encrypted. Nobody else who signs in here is shown it.
 */
import { z } from 'zod';

const PREFIX = 'rapport.draft.';
/** Characters of one draft, as it is stored. */
export const LONGEST_DRAFT = 500_000;
/** Characters of all drafts: less than half of what browsers give a site. The oldest give way. */
export const MOST_KEPT = 2_000_000;
/** A draft that nobody came back to. */
export const OLD_AFTER_MS = 30 * 86_400_000;

const draft = z.object({
  /** When it was last typed in, unix ms. */
  at: z.number(),
  /** What it is called where unsaved changes are listed. */
  what: z.string(),
  /** ETag of the document that was edited; null: there was none. */
  base: z.string().nullable(),
  value: z.unknown(),
});
export type KeptDraft = z.output<typeof draft>;

const operatorKey = (operatorId: number): string => `${PREFIX}${operatorId}.`;
const keyOf = (operatorId: number, place: string): string => `${operatorKey(operatorId)}${place}`;

/** Keeps a draft in the place of the former one. False: it is too long, or the browser stores nothing. */
export function keepDraft(operatorId: number, place: string, kept: Omit<KeptDraft, 'at'>): boolean {
  const key = keyOf(operatorId, place);
  const text = JSON.stringify({ ...kept, at: Date.now() } satisfies KeptDraft);
  try {
    if (text.length > LONGEST_DRAFT) {
      localStorage.removeItem(key);
      return false;
    }
    const others = draftKeys().filter((one) => one !== key);
    for (const oldest of tooMany(others, MOST_KEPT - text.length)) localStorage.removeItem(oldest);
    localStorage.setItem(key, text);
    return true;
  } catch {
    // Without storage what is typed lives as long as the page does.
    return false;
  }
}

/** The draft of a place; null: there is none that can be read. */
export function readDraft(operatorId: number, place: string): KeptDraft | null {
  try {
    return parse(localStorage.getItem(keyOf(operatorId, place)));
  } catch {
    return null;
  }
}

/** The draft is saved or discarded. */
export function dropDraft(operatorId: number, place: string): void {
  remove([keyOf(operatorId, place)]);
}

/** What an operator has not saved, by name. */
export function draftsOf(operatorId: number): string[] {
  return keysOf(operatorId).flatMap((key) => parse(localStorage.getItem(key))?.what ?? []);
}

/** Discards all that an operator has not saved. */
export function dropDraftsOf(operatorId: number): void {
  remove(keysOf(operatorId));
}

/** Removes what is old and what cannot be read, of every operator. */
export function sweepDrafts(): void {
  try {
    remove(draftKeys().filter((key) => parse(localStorage.getItem(key)) === null));
  } catch {
    // Nothing is stored, so nothing is swept.
  }
}

function keysOf(operatorId: number): string[] {
  try {
    return draftKeys().filter((key) => key.startsWith(operatorKey(operatorId)));
  } catch {
    return [];
  }
}

function draftKeys(): string[] {
  return Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '').filter((key) =>
    key.startsWith(PREFIX),
  );
}

/** The oldest of these keys, as many as do not fit into `room` characters. */
function tooMany(keys: readonly string[], room: number): string[] {
  const sizes = keys.map((key) => ({ key, size: localStorage.getItem(key)?.length ?? 0 }));
  let excess = sizes.reduce((sum, { size }) => sum + size, 0) - room;
  if (excess <= 0) return [];
  const byAge = sizes
    .map((one) => ({ ...one, at: parse(localStorage.getItem(one.key))?.at ?? 0 }))
    .sort((one, other) => one.at - other.at);
  const found: string[] = [];
  for (const { key, size } of byAge) {
    if (excess <= 0) break;
    found.push(key);
    excess -= size;
  }
  return found;
}

function parse(text: string | null): KeptDraft | null {
  if (text === null) return null;
  try {
    const read = draft.safeParse(JSON.parse(text));
    return read.success && Date.now() - read.data.at <= OLD_AFTER_MS ? read.data : null;
  } catch {
    return null;
  }
}

function remove(keys: readonly string[]): void {
  try {
    for (const key of keys) localStorage.removeItem(key);
  } catch {
    // Nothing is stored, so nothing is removed.
  }
}
