/**
 * Claims that this instance is working on. A row carries its claim from before the work begins until it has ended, and
 * this process remembers it as well. If the database connection is lost during a commit, its outcome is unknown: a row
 * may then carry a claim of this instance that the process does not know, and it would stay claimed until the instance
 * ends.
 */

/** A row that this instance has claimed, and the names under which the process would track it. */
export interface ClaimedRow {
  readonly id: number;
  readonly keys: readonly string[];
}

export interface ClaimRegistry {
  /** Track `name` while `work` runs. The row is claimed and released within `work`. */
  track<T>(name: string, work: () => Promise<T>): Promise<T>;
  /**
   * Find lost claims among the claimed rows of a kind: those that this process has not tracked since it first saw them,
   * at least the grace period ago. Call it at every poll that sees claims; after a pause it starts over, since the
   * claims of before may have been released meanwhile.
   */
  findLost(kind: string, rows: readonly ClaimedRow[]): number[];
}

/** `graceMs`: milliseconds; must be longer than the time from the end of a commit until its caller continues. */
export function createClaimRegistry(graceMs: number): ClaimRegistry {
  const active = new Map<string, number>();
  const unclaimedSince = new Map<string, { readonly at: number; readonly firstSeen: ReadonlyMap<number, number> }>();
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
      const last = unclaimedSince.get(kind);
      const before = last && now - last.at < graceMs / 2 ? last.firstSeen : undefined;
      const unknown = rows.filter(({ keys }) => !keys.some((name) => active.has(name)));
      const firstSeen = new Map(unknown.map(({ id }) => [id, before?.get(id) ?? now]));
      unclaimedSince.set(kind, { at: now, firstSeen });
      return [...firstSeen].filter(([, seenAt]) => now - seenAt >= graceMs).map(([id]) => id);
    },
  };
}
