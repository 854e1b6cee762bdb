import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createClaimRegistry } from './claimRegistry.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => vi.useRealTimers());

const ROW = { id: 1, keys: ['message 1'] };

/** Poll once a second with these rows. Returns the ids found lost by each poll. */
function poll(registry: ReturnType<typeof createClaimRegistry>, seconds: number, rows = [ROW]): number[][] {
  return Array.from({ length: seconds }, () => {
    vi.advanceTimersByTime(1000);
    return registry.findLost('messages', rows);
  });
}

it('finds a claim that nothing has tracked for the grace period', () => {
  expect(poll(createClaimRegistry(3000), 4)).toEqual([[], [], [], [1]]);
});

it('does not find a claim that is tracked', async () => {
  const registry = createClaimRegistry(3000);
  const work = Promise.withResolvers<void>();
  const tracked = registry.track('message 1', () => work.promise);
  expect(poll(registry, 5).flat()).toEqual([]);
  work.resolve();
  await tracked;
  expect(poll(registry, 4).at(-1)).toEqual([1]);
});

it('begins anew when it has not been asked for a while', () => {
  const registry = createClaimRegistry(3000);
  poll(registry, 2);
  vi.advanceTimersByTime(60_000);
  expect(poll(registry, 4)).toEqual([[], [], [], [1]]);
});
