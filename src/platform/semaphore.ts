/** Lets a few in at a time; the others wait in order, as long as it takes. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

export function createSemaphore(width: number): Semaphore {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return async (work) => {
    if (inside >= width) await new Promise<void>((resolve) => waiting.push(resolve));
    else inside += 1;
    try {
      return await work();
    } finally {
      // The place goes to who waits, without being free in between.
      const next = waiting.shift();
      if (next) next();
      else inside -= 1;
    }
  };
}
