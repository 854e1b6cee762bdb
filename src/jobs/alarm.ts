/** An alarm that one loop waits for, and that anyone may ring: at once, or at an instant that is known already. */
export interface Alarm {
  /** Ring in `ms` milliseconds; 0 is at once. An alarm that rings while nobody waits ends the next wait at once. */
  ring(ms?: number): void;
  /** Resolve when it rings. */
  wait(): Promise<void>;
  /** Whether it rings and nobody has waited for it since. */
  readonly isRinging: boolean;
  /** Forget the instants to come. */
  clear(): void;
}

/** Instants within one such slot are one, so that a crowd of them rings some fifty times a second at most. */
const SLOT_MS = 20;

export function createAlarm(): Alarm {
  const timers = new Map<number, NodeJS.Timeout>();
  let isRinging = false;
  let resolveWait: (() => void) | null = null;
  const ringNow = (): void => {
    isRinging = true;
    resolveWait?.();
  };
  return {
    ring(ms = 0) {
      if (ms <= 0) return ringNow();
      if (!Number.isFinite(ms)) return;
      const now = performance.now();
      const slot = Math.ceil((now + ms) / SLOT_MS);
      if (timers.has(slot)) return;
      const timer = setTimeout(
        () => {
          timers.delete(slot);
          ringNow();
        },
        slot * SLOT_MS - now,
      );
      timers.set(slot, timer);
    },
    async wait() {
      if (!isRinging) await new Promise<void>((resolve) => (resolveWait = resolve));
      resolveWait = null;
      isRinging = false;
    },
    get isRinging() {
      return isRinging;
    },
    clear() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
