/** The domain clock (real time plus one offset) and the timers of one emulator process. */

/** Times are milliseconds since the epoch; the offset is set through the control API and stored in the journal. */
export interface DomainClock {
  now(): number;
  iso(): string;
  offset(): number;
  set(offsetMs: number): void;
}

export function domainClock(): DomainClock {
  let offset = 0;
  return {
    now: () => Date.now() + offset,
    iso: () => new Date(Date.now() + offset).toISOString(),
    offset: () => offset,
    set: (offsetMs) => {
      offset = offsetMs;
    },
  };
}

/** Pending actions, all of which can be run at once. */
export interface Timers {
  after(ms: number, action: () => void): void;
  /** Resolves after `ms`, or earlier when fired. */
  pause(ms: number): Promise<void>;
  /** Run all pending actions, in order of due time; returns how many. */
  fireAll(): number;
  size(): number;
  close(): void;
}

export function timers(): Timers {
  interface Pending {
    due: number;
    handle: NodeJS.Timeout;
    action: () => void;
  }
  const pending = new Set<Pending>();
  let closed = false;

  function after(ms: number, action: () => void): void {
    if (closed) return;
    const entry: Pending = {
      due: performance.now() + ms,
      action,
      handle: setTimeout(() => {
        pending.delete(entry);
        action();
      }, ms),
    };
    pending.add(entry);
  }

  return {
    after,
    pause: (ms) => new Promise((resolve) => after(ms, resolve)),
    fireAll: () => {
      const now = [...pending].toSorted((a, b) => a.due - b.due);
      pending.clear();
      for (const entry of now) {
        clearTimeout(entry.handle);
        entry.action();
      }
      return now.length;
    },
    size: () => pending.size,
    close: () => {
      closed = true;
      for (const entry of pending) clearTimeout(entry.handle);
      pending.clear();
    },
  };
}
