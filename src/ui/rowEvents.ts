/** Keys and pointers in the rows of a table. */
import type { KeyboardEvent, PointerEvent } from 'react';

/** Select the focused row with Space. Returns whether the key was handled. */
export function selectRowByKey(
  event: KeyboardEvent<HTMLElement>,
  ids: readonly number[],
  choose: (id: number, isRange: boolean) => void,
): boolean {
  if (!(event.target instanceof HTMLElement) || !event.target.matches('[data-row-opener]')) return false;
  const at = [...event.currentTarget.querySelectorAll('[data-row-opener]')].indexOf(event.target);
  const id = ids[at];
  if (id === undefined) return false;
  event.preventDefault();
  choose(id, event.shiftKey);
  return true;
}

/** Move the focus between rows with the arrow keys, Home and End. */
export function moveRowFocus(event: KeyboardEvent<HTMLElement>): void {
  if (!(event.target instanceof HTMLElement) || !event.target.matches('[data-row-opener]')) return;
  const openers = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row-opener]')];
  const at = openers.indexOf(event.target);
  const next = nextRowIndex(event.key, at, openers.length);
  if (next === null) return;
  event.preventDefault();
  openers[next]?.focus();
}

/** Show the full text of a truncated cell as its tooltip. */
export function showFullTextOnHover(event: PointerEvent): void {
  const cell = event.target instanceof Element ? event.target.closest('td') : null;
  if (!cell) return;
  const isTruncated = [cell, ...cell.querySelectorAll('*')].some(
    (one) => one.scrollWidth > one.clientWidth && one.clientWidth > 0,
  );
  if (isTruncated && !cell.querySelector('[title]')) cell.title = cell.innerText;
  else cell.removeAttribute('title');
}

function nextRowIndex(key: string, at: number, count: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, count - 1);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}
