/**
 * Many small writes that arrive together become one: what comes while a write is under way waits for the next. Each
 * caller still gets its own outcome, and only after the commit. Alone, a write goes at once. One write is under way at a
 * time: with two, each half as large, 32 connections were served a seventh slower.
 */

interface Waiting<In, Out> {
  readonly one: In;
  readonly resolve: (outcome: Out) => void;
  readonly reject: (error: unknown) => void;
  /** On the clock of `performance.now()`. */
  readonly until: number;
}

interface GatherOptions {
  /** Of which errors trying fewer at once cannot help. */
  readonly isHopeless: (error: unknown) => boolean;
  /** How long a write may wait for the one before it; then it is given up, with what `impatient` makes. Nothing of it is written. */
  readonly patienceMs: number;
  readonly impatient: () => Error;
}

/**
 * Gives a function that writes one, through `write`, which writes up to `most` in one transaction and answers in the
 * order in which it was asked. When a write of several fails, they are tried in smaller parts, so that one that cannot be
 * written harms no other.
 */
export function gather<In, Out>(
  write: (all: readonly In[]) => Promise<readonly Out[]>,
  most: number,
  { isHopeless, patienceMs, impatient }: GatherOptions,
): (one: In) => Promise<Out> {
  const waiting: Waiting<In, Out>[] = [];
  let isFlying = false;
  let timer: NodeJS.Timeout | null = null;

  /** They came in order, so the first are the ones that have waited longest. */
  function giveUp(): void {
    timer = null;
    const now = performance.now();
    while (waiting[0] && waiting[0].until <= now) waiting.shift()?.reject(impatient());
    watch();
  }

  function watch(): void {
    const [first] = waiting;
    if (first && timer === null) timer = setTimeout(giveUp, Math.max(1, first.until - performance.now()));
  }

  function takeOff(): void {
    if (isFlying || waiting.length === 0) return;
    isFlying = true;
    const batch = waiting.splice(0, most);
    // Whoever is left waits from now on.
    watch();
    void fly(batch).finally(() => {
      isFlying = false;
      takeOff();
    });
  }

  async function fly(batch: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const outcomes = await write(batch.map(({ one }) => one));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) reject(new Error(`${outcomes.length} outcomes for ${batch.length} writes`));
        else resolve(outcome);
      }
    } catch (error) {
      if (batch.length === 1 || isHopeless(error)) for (const { reject } of batch) reject(error);
      else await flyInHalves(batch);
    }
  }

  /**
   * What failed together is tried in halves, so that one that cannot be written is found in a few tries, and what merely
   * met somebody else's lock costs two. [One by one, a hundred hooks after one deadlock: answered after 1 to 60 s.]
   */
  async function flyInHalves(batch: readonly Waiting<In, Out>[]): Promise<void> {
    const middle = Math.ceil(batch.length / 2);
    for (const half of [batch.slice(0, middle), batch.slice(middle)]) {
      const now = performance.now();
      const late = half.filter(({ until }) => until <= now);
      for (const { reject } of late) reject(impatient());
      const patient = half.filter((one) => !late.includes(one));
      if (patient.length > 0) await fly(patient);
    }
  }

  return (one) =>
    new Promise((resolve, reject) => {
      waiting.push({ one, resolve, reject, until: performance.now() + patienceMs });
      if (isFlying) watch();
      // The requests of one turn of the event loop go together.
      if (waiting.length === 1) setImmediate(takeOff);
    });
}
