import { expect, it } from 'vitest';
import { createSemaphore } from './semaphore.ts';

it('admits up to its limit, and the others in order, also after errors', async () => {
  const semaphore = createSemaphore(2);
  const log: string[] = [];
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const all = ends.map(({ promise }, index) =>
    semaphore(async () => {
      log.push(`${index} in`);
      await promise;
      return index;
    }),
  );
  const settled = Promise.allSettled(all);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await turn();
  expect(log).toEqual(['0 in', '1 in']);
  ends[1]?.reject(new Error('no'));
  await turn();
  expect(log).toEqual(['0 in', '1 in', '2 in']);
  ends[0]?.resolve();
  await turn();
  expect(log).toEqual(['0 in', '1 in', '2 in', '3 in']);
  for (const { resolve } of ends) resolve();
  expect((await settled).map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(await semaphore(async () => 'in')).toBe('in');
});
