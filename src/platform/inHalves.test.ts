import { describe, expect, it } from 'vitest';
import { inHalves, tryHalves } from './inHalves.ts';

const ITEMS = [1, 2, 3, 4, 5, 6, 7];

/** Work that fails for some items. */
function createWork(...failing: number[]) {
  const tried: (readonly number[])[] = [];
  return {
    tried,
    work: async (items: readonly number[]) => {
      tried.push(items);
      if (items.some((item) => failing.includes(item))) throw new Error(`Not ${items.join()}`);
      return `done ${items.join()}`;
    },
    onFailure: async (item: number, error: unknown) => `${item}: ${String(error)}`,
  };
}
const sqlError = (code: string) => Object.assign(new Error('SQL'), { code });

describe('work in halves', () => {
  it('is done once if it succeeds, and not at all for no items', async () => {
    const { tried, ...halving } = createWork();
    expect(await inHalves(ITEMS, halving)).toEqual(['done 1,2,3,4,5,6,7']);
    expect(await inHalves([], halving)).toEqual([]);
    expect(tried).toEqual([ITEMS]);
  });

  it('is done for all items but those for which it fails', async () => {
    expect(await inHalves(ITEMS, createWork(3))).toEqual(['done 1,2', '3: Error: Not 3', 'done 4', 'done 5,6,7']);
    expect(await inHalves([1, 2], createWork(1, 2))).toEqual(['1: Error: Not 1', '2: Error: Not 2']);
  });

  it.each([
    ['unavailable', '57P01'],
    ['too slow', '57014'],
    ['waiting for a lock', '55P03'],
  ])('is given up if the database is %s', async (_why, code) => {
    const failed: number[] = [];
    const halving = {
      work: () => Promise.reject(sqlError(code)),
      onFailure: async (item: number) => void failed.push(item),
    };
    await expect(inHalves(ITEMS, halving)).rejects.toThrow('SQL');
    expect(failed).toEqual([]);
  });

  it('goes on after a failure without trying the same again', async () => {
    const { tried, ...halving } = createWork(2);
    expect(await tryHalves(new Error('Together'), [1, 2], halving)).toEqual(['done 1', '2: Error: Not 2']);
    expect(await tryHalves(new Error('Alone'), [2], halving)).toEqual(['2: Error: Alone']);
    expect(tried).toEqual([[1], [2]]);
    await expect(tryHalves(new Error('None'), [], halving)).rejects.toThrow('None');
  });
});
