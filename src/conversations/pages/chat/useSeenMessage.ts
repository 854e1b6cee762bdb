/** Which messages an operator has seen. */
import { type RefObject, useEffect, useRef } from 'react';
import type { Message } from '../../contract.ts';

/** How long a message is on screen until it counts as read. */
const READING_MS = 2000;

/**
 * The newest message that has been on screen long enough to be read: a colleague's answer that has just come may have
 * been missed.
 */
export function useSeenMessage(items: readonly Message[]): RefObject<number | null> {
  const newest = items.reduce<number | null>((latest, { id }) => (latest === null || id > latest ? id : latest), null);
  const seen = useRef<number | null>(null);
  useEffect(() => {
    if (seen.current === null) seen.current = newest;
    const timer = setTimeout(() => {
      seen.current = newest;
    }, READING_MS);
    return () => clearTimeout(timer);
  }, [newest]);
  return seen;
}
