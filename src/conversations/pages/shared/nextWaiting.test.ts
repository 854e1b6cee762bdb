/** Whom an operator may be led to next, by rows that the stream has not brought up to date yet. */
import { beforeEach, expect, it, vi } from 'vitest';
import { addPending, type Pending, removePending, storageKeyOf } from '../chat/pendingMessages.ts';
import { nextAfter, noteAccepted, stillWaits } from './nextWaiting.ts';

const OPERATOR = 1;
const pending: Pending = {
  client_key: 'key',
  text: 'An answer',
  at: 0,
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

const row = (id: number, since: string) => ({ id, inbox_state: 'needs_human', inbox_at: since }) as const;
const waits = (one: ReturnType<typeof row>) => stillWaits(OPERATOR, one);

beforeEach(() => {
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
  return () => vi.unstubAllGlobals();
});

it('finds the next row that waits, from the chosen one on and round', () => {
  const rows = [1, 2, 3].map((id) => row(id, '2026-11-20T10:00:00.000Z'));
  expect(nextAfter(rows, 2, waits)?.id).toBe(3);
  expect(nextAfter(rows, 3, waits)?.id).toBe(1);
  expect(
    nextAfter([{ ...row(1, ''), inbox_state: 'bot' as const }], null, (one) => stillWaits(OPERATOR, one)),
  ).toBeNull();
});

it('does not lead back to a lead whose answer is on its way, or accepted since the row was read', () => {
  const waitsSinceTen = row(11, '2026-11-20T10:00:00.000Z');
  expect(waits(waitsSinceTen)).toBe(true);
  addPending(storageKeyOf(OPERATOR, 11), pending);
  expect(waits(waitsSinceTen)).toBe(false);
  noteAccepted(11, { created_at: '2026-11-20T10:05:00.000Z' });
  removePending(storageKeyOf(OPERATOR, 11), pending.client_key);
  expect(waits(waitsSinceTen)).toBe(false);
  expect(waits(row(11, '2026-11-20T10:05:01.000Z'))).toBe(true);
});
