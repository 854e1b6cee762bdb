import { expect, it } from 'vitest';
import { gather } from './gather.ts';

const PATIENT = { isHopeless: () => false, patienceMs: 60_000, impatient: () => new Error('late') };

it('writes together what arrives together, and answers each with its own', async () => {
  const batches: number[][] = [];
  const write = gather<number, string>(
    async (all) => {
      batches.push([...all]);
      return all.map((one) => `written ${one}`);
    },
    3,
    PATIENT,
  );
  const outcomes = await Promise.all([1, 2, 3, 4, 5].map(write));
  expect(outcomes).toEqual(['written 1', 'written 2', 'written 3', 'written 4', 'written 5']);
  expect(batches.flat().toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
  expect(batches.length).toBeLessThan(5);
  expect(Math.max(...batches.map((batch) => batch.length))).toBe(3);
});

it('lets one that cannot be written harm no other', async () => {
  const written: number[] = [];
  const write = gather<number, number>(
    async (all) => {
      if (all.includes(2)) throw new Error('two');
      written.push(...all);
      return all;
    },
    10,
    PATIENT,
  );
  const outcomes = await Promise.allSettled([1, 2, 3].map(write));
  expect(outcomes.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(written).toEqual([1, 3]);
});

it('does not try each alone when that cannot help', async () => {
  let writes = 0;
  const write = gather<number, number>(
    async () => {
      writes++;
      throw new Error('away');
    },
    10,
    { ...PATIENT, isHopeless: () => true },
  );
  const outcomes = await Promise.allSettled([1, 2, 3].map(write));
  expect(outcomes.map((one) => one.status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(writes).toBe(1);
});

it('goes on after a failure', async () => {
  let fails = true;
  const write = gather<number, number>(
    async (all) => {
      if (fails) throw new Error('away');
      return all;
    },
    10,
    { ...PATIENT, isHopeless: () => true },
  );
  await expect(write(1)).rejects.toThrow('away');
  fails = false;
  await expect(write(2)).resolves.toBe(2);
});
