/**
 * Many small writes that arrive together become one: what comes while a write is under way waits for the next. Each
 * caller still gets its own outcome, and only after the commit. Alone, a write goes at once. One write is under way at a
 * time: with two, each half as large, 32 connections were served a seventh slower.
 */

interface WaitingWrite<In, Out> {
  readonly item: In;
  readonly resolve: (outcome: Out) => void;
  readonly reject: (error: unknown) => void;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
}

interface BatchOptions {
  /** Of which errors trying fewer at once cannot help. */
  readonly isFatal: (error: unknown) => boolean;
  /** How long a write may wait for the one before it; then it is given up, with what `impatient` makes. Nothing of it is written. */
  readonly timeoutMs: number;
  readonly onTimeout: () => Error;
}

/**
 * Gives a function that writes one, through `write`, which writes up to `most` in one transaction and answers in the
 * order in which it was asked. When a write of several fails, they are tried in smaller parts, so that one that cannot be
 * written harms no other.
 */
export function batchWrites<In, Out>(
  write: (all: readonly In[]) => Promise<readonly Out[]>,
  maxBatch: number,
  { isFatal, timeoutMs, onTimeout }: BatchOptions,
): (item: In) => Promise<Out> {
  const waiting: WaitingWrite<In, Out>[] = [];
  let isWriting = false;
  let timer: NodeJS.Timeout | null = null;

  /** They came in order, so the first are the ones that have waited longest. */
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
    // Whoever is left waits from now on.
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
   * What failed together is tried in halves, so that one that cannot be written is found in a few tries, and what merely
   * met somebody else's lock costs two. [One by one, a hundred hooks after one deadlock: answered after 1 to 60 s.]
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
      // The requests of one turn of the event loop go together.
      if (waiting.length === 1) setImmediate(startNext);
    });
}
