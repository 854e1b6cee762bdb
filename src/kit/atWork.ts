/**
 * Whether somebody is at work in this tab. What a console that was left open asks by itself (lists that refresh, a live
 * stream that comes back) does not keep the session in use.
 */
const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;
const AT_WORK_MS = 60_000;

let lastInput = Date.now();

/** Begins to notice what the operator does. */
export function watchInputs(): void {
  const notice = (): void => {
    lastInput = Date.now();
  };
  for (const input of INPUTS) window.addEventListener(input, notice, { capture: true, passive: true });
}

/** Whether the operator has done something in the last minute; the page's opening counts. */
export function isOperatorAtWork(): boolean {
  return Date.now() - lastInput < AT_WORK_MS;
}
