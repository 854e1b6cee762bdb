import { describe, expect, test } from 'vitest';
import { figureKeys } from './contract.ts';
import { levelOf, levelOfModel, levelOfNode, levelOfSweep, levelOfVendor, worst } from './thresholds.ts';

describe('a figure', () => {
  test.each([
    ['messages_due_seconds', 119, 'fine'],
    ['messages_due_seconds', 120, 'look'],
    ['messages_due_seconds', 900, 'bad'],
    ['messages_failed', 0, 'fine'],
    ['messages_failed', 1, 'look'],
    ['migrations_missing', 1, 'bad'],
    ['opt_outs_due_seconds', 60, 'look'],
    ['database_connections', 69.9, 'fine'],
    ['database_connections', 90, 'bad'],
    // Shown, but not rated.
    ['messages_due', 100_000, 'fine'],
    ['sockets', 5000, 'fine'],
  ] as const)('rates %s of %d as %s', (key, value, level) => {
    expect(levelOf(key, value)).toBe(level);
  });

  test.each(figureKeys)('rates %s as fine when there is nothing', (key) => {
    expect(levelOf(key, 0)).toBe('fine');
  });
});

describe('a node', () => {
  test('is rated by its heartbeat while it runs', () => {
    const ages = [0, 14, 15, 30].map((beat_seconds) => levelOfNode({ beat_seconds, ended_at: null }, 30));
    expect(ages).toEqual(['fine', 'fine', 'look', 'bad']);
    expect(levelOfNode({ beat_seconds: 900, ended_at: '2026-01-02T03:04:05.000Z' }, 30)).toBe('fine');
  });

  test('needs attention when its sweep fails, before it is late', () => {
    expect(levelOfSweep({ seconds: 1, error: null })).toBe('fine');
    expect(levelOfSweep({ seconds: 1, error: 'no' })).toBe('look');
    expect(levelOfSweep({ seconds: 200, error: null })).toBe('bad');
  });
});

describe('a vendor', () => {
  const well = {
    account_id: 1,
    vendor: 'wazzup24',
    key_mask: '…',
    channels: 1,
    last_accepted_at: '2026-01-02T03:04:05.000Z',
    last_error_at: null,
    last_error: null,
    unacknowledged: 0,
    rest_reason: null,
    resting_until: null,
  } as const;

  test.each([
    ['takes messages', {}, false, 'fine'],
    ['takes no key of ours', {}, true, 'bad'],
    ['rests', { rest_reason: 'No phone' }, false, 'look'],
    ['refused the last one', { last_error_at: '2026-01-02T03:05:00.000Z' }, false, 'look'],
    ['took one after it had refused one', { last_error_at: '2026-01-02T03:00:00.000Z' }, false, 'fine'],
    [
      'took nothing yet and refused one',
      { last_accepted_at: null, last_error_at: '2026-01-02T03:00:00.000Z' },
      false,
      'look',
    ],
    ['acknowledges nothing', { unacknowledged: 10 }, false, 'look'],
  ] as const)('that %s', (_what, change, dead, level) => {
    expect(levelOfVendor({ ...well, ...change }, dead)).toBe(level);
  });
});

test.each([
  [{ calls: 0, errors: 0, p95_ms: 0 }, 'fine'],
  [{ calls: 100, errors: 4, p95_ms: 2000 }, 'fine'],
  [{ calls: 100, errors: 5, p95_ms: 2000 }, 'look'],
  [{ calls: 100, errors: 25, p95_ms: 2000 }, 'bad'],
  [{ calls: 1, errors: 1, p95_ms: 2000 }, 'look'],
  [{ calls: 100, errors: 0, p95_ms: 30_000 }, 'look'],
  [{ calls: 1, errors: 0, p95_ms: 90_000 }, 'bad'],
] as const)('rates a model with %o as %s', (model, level) => {
  expect(levelOfModel(model)).toBe(level);
});

test('takes the worst of several ratings', () => {
  expect(worst([])).toBe('fine');
  expect(worst(['fine', 'look', 'fine'])).toBe('look');
  expect(worst(['look', 'bad', 'fine'])).toBe('bad');
});
