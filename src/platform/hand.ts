/**
 * What this life of the node has in hand. A row says so from before the work begins until it has ended, and the process
 * knows it as well. Where the database goes away in the middle of a commit its answer is lost: then a row may say what
 * nobody here knows, and would wait until this life is over.
 */

/** A row that says it is in this life's hand, and by what names the process would know it. */
export interface Said {
  readonly id: number;
  readonly names: readonly string[];
}

export interface Hand {
  /** Has something in hand for as long as `work` takes, in which the row comes to say so and ceases to. */
  hold<T>(name: string, work: () => Promise<T>): Promise<T>;
  /**
   * Of the rows of a kind that say they are in hand now: those of which nothing was known here since they were first seen,
   * a while ago. To be asked at every look.
   */
  leftBehind(kind: string, rows: readonly Said[]): number[];
}

/** @param patienceMs longer than it takes from a commit's end until whoever waits for it goes on */
export function createHand(patienceMs: number): Hand {
  const held = new Map<string, number>();
  const suspects = new Map<string, ReadonlyMap<number, number>>();
  return {
    async hold(name, work) {
      held.set(name, (held.get(name) ?? 0) + 1);
      try {
        return await work();
      } finally {
        const left = (held.get(name) ?? 1) - 1;
        if (left === 0) held.delete(name);
        else held.set(name, left);
      }
    },
    leftBehind(kind, rows) {
      const now = performance.now();
      const before = suspects.get(kind);
      const unknown = rows.filter(({ names }) => !names.some((name) => held.has(name)));
      const since = new Map(unknown.map(({ id }) => [id, before?.get(id) ?? now]));
      suspects.set(kind, since);
      return [...since].filter(([, first]) => now - first >= patienceMs).map(([id]) => id);
    },
  };
}
