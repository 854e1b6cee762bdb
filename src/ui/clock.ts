/** The console's current time: the browser's clock plus an offset, when the server's event clock has been moved. */
import { useSyncExternalStore } from 'react';

let offset = 0;
const listeners = new Set<() => void>();

/** Return the server's event time in milliseconds since the epoch, as far as the browser knows it. */
export function now(): number {
  return Date.now() + offset;
}

/** Set how far the server's event clock is ahead of real time, in seconds. */
export function setClockOffset(seconds: number): void {
  offset = seconds * 1000;
  for (const listener of listeners) listener();
}

/**
 * `now()` rounded down to `everyMs`, with a new render each time it changes. A relative time is formatted with `now()`:
 * by the rounded one, what has just happened would be in the future.
 */
export function useNow(everyMs = 30_000): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      const timer = setInterval(listener, everyMs);
      return () => {
        listeners.delete(listener);
        clearInterval(timer);
      };
    },
    () => Math.floor(now() / everyMs) * everyMs,
  );
}
