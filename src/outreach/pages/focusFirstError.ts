/** Puts the cursor into the first field in which something is wrong, after the faults are on the screen. */
export function focusFirstError(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('main [aria-invalid="true"]')?.focus());
}
