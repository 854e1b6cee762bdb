/**
 * Detect whether the operator is active in this tab. Requests that an unattended console makes by itself, such as
 * refreshing lists or reconnecting a live stream, do not keep the session alive.
 */
const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;
const ACTIVE_FOR_MS = 60_000;

let lastInputAt = Date.now();

/** Start listening for operator input. */
export function trackActivity(): void {
  const recordInput = (): void => {
    lastInputAt = Date.now();
  };
  for (const input of INPUTS) window.addEventListener(input, recordInput, { capture: true, passive: true });
}

/** Return whether the operator was active within the last minute. Opening the page counts as activity. */
export function isOperatorActive(): boolean {
  return Date.now() - lastInputAt < ACTIVE_FOR_MS;
}
