import { expect, it } from 'vitest';
import { createBatchLoader } from './batchLoader.ts';

it('loads all keys of a moment together, each once, in batches of the allowed size', async () => {
  const asked: number[][] = [];
  const one = createBatchLoader(async (keys: readonly number[]) => {
    asked.push([...keys]);
    return new Map(keys.map((key) => [key, key * 10]));
  }, 2);
  expect(await Promise.all([1, 2, 1, 3].map(one))).toEqual([10, 20, 10, 30]);
  expect(asked).toEqual([[1, 2], [3]]);
  expect(await one(1)).toBe(10);
  expect(asked).toHaveLength(3);
});

it('fails the callers of a failed batch, and only one caller for a missing row', async () => {
  const one = createBatchLoader(async (keys: readonly string[]) => {
    if (keys.includes('bad')) throw new Error('away');
    return new Map([['here', 1]]);
  }, 10);
  expect((await Promise.allSettled(['here', 'gone'].map(one))).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
  ]);
  const failed = await Promise.allSettled(['here', 'bad'].map(one));
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
