/** The console's idea of now: the browser's clock plus an offset, where the server's clock of events has been moved. */
import { useSyncExternalStore } from 'react';

let offset = 0;
const listeners = new Set<() => void>();

/** Milliseconds since the epoch on the server's clock of events, as well as the browser knows it. */
export function now(): number {
  return Date.now() + offset;
}

/** Tells by how much the server's clock of events is ahead of real time. */
export function setClockOffset(seconds: number): void {
  offset = seconds * 1000;
  for (const listener of listeners) listener();
}

/** `now()` that renders again every `everyMs`, rounded down to it. All watchers of one pace tick together. */
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
