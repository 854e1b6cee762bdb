/**
 * Whether somebody is at work in this tab. What a console that was left open asks by itself (lists that refresh, a live
 * stream that comes back) does not keep the session in use.
 */
const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;
const ACTIVE_FOR_MS = 60_000;

let lastInputAt = Date.now();

/** Begins to notice what the operator does. */
export function trackActivity(): void {
  const recordInput = (): void => {
    lastInputAt = Date.now();
  };
  for (const input of INPUTS) window.addEventListener(input, recordInput, { capture: true, passive: true });
}

/** Whether the operator has done something in the last minute; the page's opening counts. */
export function isOperatorActive(): boolean {
  return Date.now() - lastInputAt < ACTIVE_FOR_MS;
}
