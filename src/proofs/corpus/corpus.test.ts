import { describe, expect, it } from 'vitest';
import { CORPORA } from './all.ts';
import { isRight } from './corpus.ts';

describe.each(CORPORA.map((corpus) => [corpus.name, corpus] as const))('the corpus of %s', (_name, corpus) => {
  it('gets the expected verdict for every case', async () => {
    const judged = await corpus.judge();
    expect(judged.length).toBeGreaterThan(0);
    expect(judged.filter((one) => !isRight(one))).toEqual([]);
  });
});
