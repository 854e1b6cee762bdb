/** Repeatable random numbers (mulberry32): the same seed gives the same numbers. */
export interface Random {
  /** Return a number from 0 up to, but not including, 1. */
  next(): number;
  /** Return a whole number; both ends are included. */
  integer(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    integer: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
    pick<T>(list: readonly T[]): T {
      const one = list[Math.floor(next() * list.length)];
      if (one === undefined) throw new Error('Nothing to choose from');
      return one;
    },
  };
}
