/** Guards of unsaved changes, for steps that do not change the address. */

/** Intercepts a step that would lose changes and returns whether it did. */
type Guard = (leave: () => void) => boolean;

const activeGuards = new Set<Guard>();

/** Add a guard. Returns a function that removes it. */
export function addGuard(guard: Guard): () => void {
  activeGuards.add(guard);
  return () => void activeGuards.delete(guard);
}

/** Run `leave` at once or after the operator has agreed to lose changes. */
export function askBeforeLeaving(leave: () => void): void {
  for (const intercept of activeGuards) if (intercept(() => askBeforeLeaving(leave))) return;
  leave();
}
