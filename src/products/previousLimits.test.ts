/** Limits of first messages that are raised, lowered and switched on, at any time of the day. */
import { expect, it } from 'vitest';
import type { MessagingConfig } from './contract.ts';
import { type FirstMessageClock, limitsAt, type PreviousLimits, previousLimitsAfter } from './previousLimits.ts';

const config = (whatsapp: number, sendAt = '10:30'): MessagingConfig => ({
  tg_daily_limit: 0,
  whatsapp_daily_limit: whatsapp,
  add_interval_seconds: 0,
  add_interval_jitter_seconds: 0,
  initial_message_send_at: sendAt,
  initial_message_document_prompt_id: null,
  initial_message_prepared_message_id: null,
  initial_message_text: 'Good day!',
});
const at = (time: string, day = 14) => Date.parse(`2026-06-${day}T${time}:00Z`);

/** Change settings at times of one day, and return what holds at the end. */
function heldAfter(...changes: readonly (FirstMessageClock & { readonly time: string })[]): PreviousLimits | null {
  let previousLimits: PreviousLimits | null = null;
  for (const [index, after] of changes.entries()) {
    const before = changes[index - 1];
    if (before) previousLimits = previousLimitsAfter({ ...before, previousLimits }, after, at(after.time));
  }
  return previousLimits;
}
const step = (time: string, messagingConfig: MessagingConfig | null, zone = 'UTC') => ({ time, messagingConfig, zone });
const described = (previousLimits: PreviousLimits | null) =>
  previousLimits && [previousLimits.limits.whatsapp, new Date(previousLimits.until).toISOString()];

it('counts a raised limit from the next Send at, on the clock of the product', () => {
  expect(described(heldAfter(step('00:00', config(2)), step('22:00', config(9))))).toEqual([
    2,
    '2026-06-15T10:30:00.000Z',
  ]);
  expect(described(heldAfter(step('00:00', config(2)), step('09:00', config(9))))).toEqual([
    2,
    '2026-06-14T10:30:00.000Z',
  ]);
  const riga = (time: string, limit: number) => step(time, config(limit), 'Europe/Riga');
  expect(described(heldAfter(riga('00:00', 2), riga('22:00', 9)))).toEqual([2, '2026-06-15T07:30:00.000Z']);
});

it('counts first messages that are switched on from the next Send at', () => {
  expect(described(heldAfter(step('00:00', null), step('22:00', config(9))))).toEqual([0, '2026-06-15T10:30:00.000Z']);
  expect(heldAfter(step('00:00', config(9)), step('22:00', null))).toBeNull();
});

it('counts a lowered limit at once', () => {
  const previousLimits = heldAfter(step('00:00', config(9)), step('22:00', config(2)));
  expect([previousLimits, limitsAt({ telegram: 0, whatsapp: 2 }, previousLimits, at('22:00')).whatsapp]).toEqual([
    null,
    2,
  ]);
});

it('keeps the limit of the last Send at through several changes of one day', () => {
  const previousLimits = heldAfter(step('00:00', config(2)), step('11:00', config(9)), step('12:00', config(5)));
  expect([
    described(previousLimits),
    limitsAt({ telegram: 0, whatsapp: 5 }, previousLimits, at('12:00')).whatsapp,
  ]).toEqual([[2, '2026-06-15T10:30:00.000Z'], 2]);
  expect(heldAfter(step('00:00', config(2)), step('11:00', config(9)), step('12:00', config(2)))).toBeNull();
  expect(limitsAt({ telegram: 0, whatsapp: 5 }, previousLimits, at('10:30', 15)).whatsapp).toBe(5);
});

it('ends at another Send at of the same day when that is moved there', () => {
  const previousLimits = heldAfter(
    step('00:00', config(2)),
    step('11:00', config(9)),
    step('12:00', config(9, '15:00')),
  );
  expect(described(previousLimits)).toEqual([2, '2026-06-14T15:00:00.000Z']);
});
