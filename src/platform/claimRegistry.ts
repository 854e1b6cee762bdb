/**
 * What this life of the node has in hand. A row says so from before the work begins until it has ended, and the process
 * knows it as well. Where the database goes away in the middle of a commit its answer is lost: then a row may say what
 * nobody here knows, and would wait until this life is over.
 */

/** A row that says it is in this life's hand, and by what names the process would know it. */
export interface ClaimedRow {
  readonly id: number;
  readonly keys: readonly string[];
}

export interface ClaimRegistry {
  /** Has something in hand for as long as `work` takes, in which the row comes to say so and ceases to. */
  track<T>(name: string, work: () => Promise<T>): Promise<T>;
  /**
   * Of the rows of a kind that say they are in hand now: those of which nothing was known here since they were first seen,
   * a while ago. To be asked at every look.
   */
  findLost(kind: string, rows: readonly ClaimedRow[]): number[];
}

/** @param patienceMs longer than it takes from a commit's end until whoever waits for it goes on */
export function createClaimRegistry(graceMs: number): ClaimRegistry {
  const active = new Map<string, number>();
  const unclaimedSince = new Map<string, ReadonlyMap<number, number>>();
  return {
    async track(name, work) {
      active.set(name, (active.get(name) ?? 0) + 1);
      try {
        return await work();
      } finally {
        const remaining = (active.get(name) ?? 1) - 1;
        if (remaining === 0) active.delete(name);
        else active.set(name, remaining);
      }
    },
    findLost(kind, rows) {
      const now = performance.now();
      const before = unclaimedSince.get(kind);
      const unknown = rows.filter(({ keys }) => !keys.some((name) => active.has(name)));
      const firstSeen = new Map(unknown.map(({ id }) => [id, before?.get(id) ?? now]));
      unclaimedSince.set(kind, firstSeen);
      return [...firstSeen].filter(([, seenAt]) => now - seenAt >= graceMs).map(([id]) => id);
    },
  };
}
