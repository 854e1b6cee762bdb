import { expect, it } from 'vitest';
import { batchWrites } from './batchWrites.ts';

const NO_TIMEOUT = { isFatal: () => false, timeoutMs: 60_000, onTimeout: () => new Error('late') };

it('writes items that arrive together in one statement and gives each caller its own result', async () => {
  const batches: number[][] = [];
  const write = batchWrites<number, string>(
    async (all) => {
      batches.push([...all]);
      return all.map((one) => `written ${one}`);
    },
    3,
    NO_TIMEOUT,
  );
  const outcomes = await Promise.all([1, 2, 3, 4, 5].map(write));
  expect(outcomes).toEqual(['written 1', 'written 2', 'written 3', 'written 4', 'written 5']);
  expect(batches.flat().toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
  expect(batches.length).toBeLessThan(5);
  expect(Math.max(...batches.map((batch) => batch.length))).toBe(3);
});

it('writes the rest of a batch when one item is refused', async () => {
  const written: number[] = [];
  const write = batchWrites<number, number>(
    async (all) => {
      if (all.includes(2)) throw new Error('two');
      written.push(...all);
      return all;
    },
    10,
    NO_TIMEOUT,
  );
  const outcomes = await Promise.allSettled([1, 2, 3].map(write));
  expect(outcomes.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(written).toEqual([1, 3]);
});

it('does not split a batch that failed because the database is away', async () => {
  let writes = 0;
  const write = batchWrites<number, number>(
    async () => {
      writes++;
      throw new Error('away');
    },
    10,
    { ...NO_TIMEOUT, isFatal: () => true },
  );
  const outcomes = await Promise.allSettled([1, 2, 3].map(write));
  expect(outcomes.map((one) => one.status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(writes).toBe(1);
});

it('keeps writing later batches after a failed one', async () => {
  let fails = true;
  const write = batchWrites<number, number>(
    async (all) => {
      if (fails) throw new Error('away');
      return all;
    },
    10,
    { ...NO_TIMEOUT, isFatal: () => true },
  );
  await expect(write(1)).rejects.toThrow('away');
  fails = false;
  await expect(write(2)).resolves.toBe(2);
});

it('finds the refused item of a batch in a few attempts', async () => {
  let writes = 0;
  const write = batchWrites<number, number>(
    async (all) => {
      writes++;
      if (all.includes(37)) throw new Error('thirty-seven');
      return all;
    },
    100,
    NO_TIMEOUT,
  );
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, (_, index) => write(index)));
  expect(outcomes.filter((one) => one.status === 'rejected')).toHaveLength(1);
  expect(writes).toBeLessThan(20);
});

it('rejects items that waited too long, and does not write them later', async () => {
  const blocker = Promise.withResolvers<void>();
  const written: number[] = [];
  const write = batchWrites<number, number>(
    async (all) => {
      await blocker.promise;
      if (all.includes(0)) throw new Error('zero');
      written.push(...all);
      return all;
    },
    2,
    { ...NO_TIMEOUT, timeoutMs: 20, onTimeout: () => new Error('late') },
  );
  const [zero, one, two] = [write(0), write(1), write(2)];
  // The third write waits for the first two.
  await expect(two).rejects.toThrow('late');
  blocker.resolve();
  await expect(zero).rejects.toThrow('late');
  await expect(one).rejects.toThrow('late');
  expect(written).toEqual([]);
  await expect(write(3)).resolves.toBe(3);
});
