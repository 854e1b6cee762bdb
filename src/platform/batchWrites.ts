/**
 * Combine small writes that arrive together. Writes that arrive while one is under way wait for the next batch. Each
 * caller gets its own outcome, and only after the commit. A lone write starts at once. Only one write is under way at a
 * time: with two, each half as large, 32 connections were served a seventh slower.
 */

interface WaitingWrite<In, Out> {
  readonly item: In;
  readonly resolve: (outcome: Out) => void;
  readonly reject: (error: unknown) => void;
  /** Milliseconds on the clock of `performance.now()`. */
  readonly deadline: number;
}

interface BatchOptions {
  /** Returns true for errors that a smaller batch cannot avoid. */
  readonly isFatal: (error: unknown) => boolean;
  /**
   * Milliseconds that a write may wait for the one before it. It is then rejected with the error of `onTimeout`, and
   * nothing of it is written.
   */
  readonly timeoutMs: number;
  readonly onTimeout: () => Error;
}

/**
 * Create a function that writes one item through `write`. `write` takes up to `maxBatch` items in one transaction and
 * returns their outcomes in the same order. When a batch fails, it is retried in smaller parts, so one item that cannot
 * be written does not fail the others.
 */
export function batchWrites<In, Out>(
  write: (all: readonly In[]) => Promise<readonly Out[]>,
  maxBatch: number,
  { isFatal, timeoutMs, onTimeout }: BatchOptions,
): (item: In) => Promise<Out> {
  const waiting: WaitingWrite<In, Out>[] = [];
  let isWriting = false;
  let timer: NodeJS.Timeout | null = null;

  /** Reject the writes whose deadline has passed. They are in order of arrival, so the first have waited longest. */
  function expireWaiting(): void {
    timer = null;
    const now = performance.now();
    while (waiting[0] && waiting[0].deadline <= now) waiting.shift()?.reject(onTimeout());
    scheduleTimeout();
  }

  function scheduleTimeout(): void {
    const [first] = waiting;
    if (first && timer === null) timer = setTimeout(expireWaiting, Math.max(1, first.deadline - performance.now()));
  }

  function startNext(): void {
    if (isWriting || waiting.length === 0) return;
    isWriting = true;
    const batch = waiting.splice(0, maxBatch);
    // The remaining items are now waiting for this batch.
    scheduleTimeout();
    void writeBatch(batch).finally(() => {
      isWriting = false;
      startNext();
    });
  }

  async function writeBatch(batch: readonly WaitingWrite<In, Out>[]): Promise<void> {
    try {
      const outcomes = await write(batch.map(({ item }) => item));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) reject(new Error(`${outcomes.length} outcomes for ${batch.length} writes`));
        else resolve(outcome);
      }
    } catch (error) {
      if (batch.length === 1 || isFatal(error)) for (const { reject } of batch) reject(error);
      else await writeInHalves(batch);
    }
  }

  /**
   * Retry a failed batch in halves. An item that cannot be written is found in a few tries, and a batch that only met
   * another transaction's lock costs two. [One by one, a hundred hooks after one deadlock: answered after 1 to 60 s.]
   */
  async function writeInHalves(batch: readonly WaitingWrite<In, Out>[]): Promise<void> {
    const middle = Math.ceil(batch.length / 2);
    for (const half of [batch.slice(0, middle), batch.slice(middle)]) {
      const now = performance.now();
      const late = half.filter(({ deadline }) => deadline <= now);
      for (const { reject } of late) reject(onTimeout());
      const onTime = half.filter((item) => !late.includes(item));
      if (onTime.length > 0) await writeBatch(onTime);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject, deadline: performance.now() + timeoutMs });
      if (isWriting) scheduleTimeout();
      // Requests of the same event loop turn go into one batch.
      if (waiting.length === 1) setImmediate(startNext);
    });
}
