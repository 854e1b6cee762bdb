/**
 * What the operator has sent and the server has not answered yet, per dialogue. Kept outside React and in localStorage,
 * so that leaving the page, a reload or a lost network never loses a text: it comes back as failed, and its Retry uses
 * the same `client_key`, which makes a second arrival the same message.
 */
import { useSyncExternalStore } from 'react';
import { z } from 'zod';

const pendingShape = z.object({
  client_key: z.string(),
  text: z.string(),
  /** When Enter was pressed: milliseconds on the domain clock as the console knows it. */
  at: z.number(),
  send_not_before: z.string().nullable(),
  /** Chosen with 'Send later': wait for working hours too. */
  schedule_enabled: z.boolean(),
  state: z.enum(['sending', 'failed']),
  error: z.string().nullable(),
});
export type Pending = z.output<typeof pendingShape>;

const NONE: readonly Pending[] = [];
const shelves = new Map<string, readonly Pending[]>();
const listeners = new Set<() => void>();

/** The shelf of one dialogue; the operator is part of it because browsers are shared. */
export function shelfOf(operatorId: number, dialogueId: number): string {
  return `rapport.outbox.${operatorId}.${dialogueId}`;
}

/** @returns what waits on a shelf, oldest first; the same array until it changes. */
export function pendingOn(shelf: string): readonly Pending[] {
  const known = shelves.get(shelf);
  if (known) return known;
  const read = readShelf(shelf);
  shelves.set(shelf, read);
  return read;
}

export function usePending(shelf: string): readonly Pending[] {
  return useSyncExternalStore(subscribe, () => pendingOn(shelf));
}

export function addPending(shelf: string, pending: Pending): void {
  write(shelf, [...pendingOn(shelf), pending]);
}

export function changePending(
  shelf: string,
  clientKey: string,
  change: Partial<Pick<Pending, 'state' | 'error'>>,
): void {
  write(
    shelf,
    pendingOn(shelf).map((pending) => (pending.client_key === clientKey ? { ...pending, ...change } : pending)),
  );
}

export function dropPending(shelf: string, clientKey: string): void {
  const left = pendingOn(shelf).filter((pending) => pending.client_key !== clientKey);
  if (left.length < pendingOn(shelf).length) write(shelf, left);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function write(shelf: string, pending: readonly Pending[]): void {
  shelves.set(shelf, pending.length === 0 ? NONE : pending);
  try {
    if (pending.length === 0) localStorage.removeItem(shelf);
    else localStorage.setItem(shelf, JSON.stringify(pending));
  } catch {
    // Storage is full or forbidden: the shelf still lives as long as this tab does.
  }
  for (const listener of listeners) listener();
}

function readShelf(shelf: string): readonly Pending[] {
  try {
    const stored = z.array(pendingShape).safeParse(JSON.parse(localStorage.getItem(shelf) ?? '[]'));
    if (!stored.success) return NONE;
    // Nobody waits for these answers any more: whether they arrived is for the thread, or for Retry, to tell.
    return stored.data.map((pending) => ({ ...pending, state: 'failed' }));
  } catch {
    return NONE;
  }
}
