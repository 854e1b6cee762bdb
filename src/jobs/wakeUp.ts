/** What one loop sleeps on, and anyone may wake: at once, or at an instant that is known already. */
export interface WakeUp {
  /** Wake the loop in `ms` milliseconds; 0 is at once. If it is not waiting, its next wait ends at once. */
  wake(ms?: number): void;
  /** Wake the loop in `ms` milliseconds, in place of the last such instant; infinite: at none. */
  wakeAgain(ms: number): void;
  /** Resolve when it is woken. */
  wait(): Promise<void>;
  /** Whether it was woken since it last waited. */
  readonly isPending: boolean;
  /** Forget the instants to come. */
  clear(): void;
}

/** Instants within one such slot are one, so that a crowd of them wakes the loop some fifty times a second at most. */
const SLOT_MS = 20;
/**
 * One waits for a slot that is taken and so many behind its own, at most: a notification and the poll know the same
 * instant, to within the time that a notification takes. [With one slot, nine of ten turns were looked for twice.]
 */
const SLOTS_BEHIND = 5;

export function createWakeUp(): WakeUp {
  const timers = new Map<number, NodeJS.Timeout>();
  let again: NodeJS.Timeout | undefined;
  let isPending = false;
  let resolveWait: (() => void) | null = null;
  const wakeNow = (): void => {
    isPending = true;
    resolveWait?.();
  };
  return {
    wake(ms = 0) {
      if (ms <= 0) return wakeNow();
      if (!Number.isFinite(ms)) return;
      const now = performance.now();
      const slot = Math.ceil((now + ms) / SLOT_MS);
      for (let taken = slot; taken <= slot + SLOTS_BEHIND; taken++) if (timers.has(taken)) return;
      const timer = setTimeout(
        () => {
          timers.delete(slot);
          wakeNow();
        },
        slot * SLOT_MS - now,
      );
      timers.set(slot, timer);
    },
    wakeAgain(ms) {
      clearTimeout(again);
      if (Number.isFinite(ms)) again = setTimeout(wakeNow, ms);
    },
    async wait() {
      if (!isPending) await new Promise<void>((resolve) => (resolveWait = resolve));
      resolveWait = null;
      isPending = false;
    },
    get isPending() {
      return isPending;
    },
    clear() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      clearTimeout(again);
    },
  };
}
