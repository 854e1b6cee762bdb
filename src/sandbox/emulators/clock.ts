/** The domain clock (real time plus one offset) and the timers of one emulator process. */

export type DomainClock = ReturnType<typeof domainClock>;

/** Times are milliseconds since the epoch; the offset is set through the control API and stored in the journal. */
export function domainClock() {
  let offset = 0;
  return {
    now: () => Date.now() + offset,
    iso: () => new Date(Date.now() + offset).toISOString(),
    offset: () => offset,
    set: (offsetMs: number) => {
      offset = offsetMs;
    },
  };
}

export type Timers = ReturnType<typeof timers>;

/** Pending actions, all of which can be run at once. */
export function timers() {
  const pending = new Set<{ due: number; handle: NodeJS.Timeout; action: () => void }>();
  let closed = false;
  function after(ms: number, action: () => void): void {
    if (closed) return;
    const handle = setTimeout(() => {
      pending.delete(entry);
      action();
    }, ms);
    const entry = { due: performance.now() + ms, action, handle };
    pending.add(entry);
  }
  function cancelAll() {
    const all = [...pending];
    for (const { handle } of all) clearTimeout(handle);
    pending.clear();
    return all;
  }
  return {
    after,
    /** Resolves after `ms`, or earlier when fired. */
    pause: (ms: number) => new Promise<void>((resolve) => after(ms, resolve)),
    /** Run all pending actions, in order of due time; returns how many. */
    fireAll: () => {
      const now = cancelAll().toSorted((a, b) => a.due - b.due);
      for (const { action } of now) action();
      return now.length;
    },
    size: () => pending.size,
    close: () => {
      closed = true;
      cancelAll();
    },
  };
}
