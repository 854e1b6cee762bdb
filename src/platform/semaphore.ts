/** Limits how many pieces of work run at a time; the others wait in order, without a time limit. */
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
      // Pass the slot directly to the next waiter, without releasing it in between.
      const next = waiting.shift();
      if (next) next();
      else inside -= 1;
    }
  };
}
