/**
 * Messages the operator has sent and the server has not acknowledged, per dialogue. Kept outside React and in
 * localStorage, so that leaving the page, a reload or a lost network never loses a text. It comes back as failed, and
 * Retry uses the same `client_key`, so a second arrival is the same message.
 */
import { useSyncExternalStore } from 'react';
import { z } from 'zod';

const pendingShape = z.object({
  client_key: z.string(),
  text: z.string(),
  /** When Enter was pressed: milliseconds on the domain clock as the console knows it. */
  at: z.number(),
  send_not_before: z.string().nullable(),
  /** Chosen in 'Send later': wait for working hours too. */
  schedule_enabled: z.boolean(),
  keep_bot: z.boolean().default(false),
  /** The newest message that the operator saw; null: send even if a colleague has answered. */
  seen_message_id: z.number().nullable().default(null),
  draft_run_id: z.number().nullable().default(null),
  prepared_message_id: z.number().nullable().default(null),
  state: z.enum(['sending', 'failed']),
  error: z.string().nullable(),
  /** The operator has confirmed to write to a person who asked for no more messages, or may have. */
  confirm_opted_out: z.boolean().default(false),
  /** What the server asks before it sends it; null: nothing. */
  asks: z.enum(['answered', 'opted_out']).nullable().catch(null).default(null),
});
export type Pending = z.output<typeof pendingShape>;

const NO_PENDING: readonly Pending[] = [];
const pendingByKey = new Map<string, readonly Pending[]>();
const listeners = new Set<() => void>();

/** Return the storage key of a dialogue; it includes the operator, because browsers are shared. */
export function storageKeyOf(operatorId: number, dialogueId: number): string {
  return `rapport.outbox.${operatorId}.${dialogueId}`;
}

/** @returns the pending messages of a storage key, oldest first; the same array until it changes. */
export function getPending(storageKey: string): readonly Pending[] {
  const cached = pendingByKey.get(storageKey);
  if (cached) return cached;
  const stored = readStored(storageKey);
  pendingByKey.set(storageKey, stored);
  return stored;
}

export function usePending(storageKey: string): readonly Pending[] {
  return useSyncExternalStore(subscribe, () => getPending(storageKey));
}

export function addPending(storageKey: string, pending: Pending): void {
  write(storageKey, [...getPending(storageKey), pending]);
}

export function changePending(
  storageKey: string,
  clientKey: string,
  change: Partial<Pick<Pending, 'state' | 'error' | 'asks' | 'seen_message_id' | 'confirm_opted_out'>>,
): void {
  write(
    storageKey,
    getPending(storageKey).map((pending) => (pending.client_key === clientKey ? { ...pending, ...change } : pending)),
  );
}

export function removePending(storageKey: string, clientKey: string): void {
  const remaining = getPending(storageKey).filter((pending) => pending.client_key !== clientKey);
  if (remaining.length < getPending(storageKey).length) write(storageKey, remaining);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function write(storageKey: string, pending: readonly Pending[]): void {
  pendingByKey.set(storageKey, pending.length === 0 ? NO_PENDING : pending);
  try {
    if (pending.length === 0) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, JSON.stringify(pending));
  } catch {
    // Storage is full or forbidden: the pending messages still exist while this tab is open.
  }
  for (const listener of listeners) listener();
}

function readStored(storageKey: string): readonly Pending[] {
  try {
    const stored = z.array(pendingShape).safeParse(JSON.parse(localStorage.getItem(storageKey) ?? '[]'));
    if (!stored.success) return NO_PENDING;
    // After a reload no code awaits these responses. The thread, or Retry, shows whether they arrived.
    return stored.data.map((pending) => ({ ...pending, state: 'failed' }));
  } catch {
    return NO_PENDING;
  }
}
