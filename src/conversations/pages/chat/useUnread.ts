/**
 * Unread messages of a dialogue: the place of the 'new messages' line, and how many are below. The last message seen
 * is stored per dialogue, so that the line is right after a reload too.
 */
import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Message } from '../../contract.ts';

interface Unread {
  /** The message below the line; null if nothing is new. */
  firstNewId: number | null;
  /** New messages that have not been in view yet. */
  count: number;
  /** Removes the line, after the operator has replied. */
  clear: () => void;
}

/**
 * @param items the loaded thread, oldest first.
 * @param hasNewer whether it ends before the newest message: nothing in it counts as new then.
 * @param ownLogin login of the operator at this console; their own messages are not new.
 * @param atEnd whether the newest message is in view.
 */
export function useUnread({
  ids,
  items,
  hasNewer,
  ownLogin,
  atEnd,
}: {
  ids: { operatorId: number; dialogueId: number };
  items: readonly Message[];
  hasNewer: boolean;
  ownLogin: string;
  atEnd: boolean;
}): Unread {
  const storageKey = `rapport.seen.${ids.operatorId}.${ids.dialogueId}`;
  const visible = useDocumentVisibility() === 'visible';
  const reading = visible && atEnd;
  // The line follows this message; null if there is no line.
  const [lineAfter, setLineAfter] = useState(() => readLastSeenId(storageKey));
  const [lastSeenId, setLastSeenId] = useState(lineAfter);
  const lastId = hasNewer ? 0 : items.reduce((last, item) => Math.max(last, item.id), 0);
  const before = useRef(lastId);
  // One line per absence: set by the first message that arrives while the operator is away.
  const lineSet = useRef(false);

  useLayoutEffect(() => {
    if (lastId === 0) return;
    const previous = before.current;
    before.current = lastId;
    if (previous === 0 || lastId <= previous || reading || lineSet.current) return;
    lineSet.current = true;
    setLineAfter(previous);
  }, [lastId, reading]);

  useEffect(() => {
    // On the first visit nothing counts as new.
    if (lastId > 0) setLastSeenId((before) => before ?? lastId);
    if (!reading || lastId === 0) return;
    lineSet.current = false;
    setLastSeenId(lastId);
    try {
      localStorage.setItem(storageKey, String(lastId));
    } catch {
      // Without storage the line is right until the page is closed.
    }
  }, [reading, lastId, storageKey]);

  const isNew = (item: Message, after: number) =>
    item.id > after && item.status !== 'scheduled' && !(item.author === 'operator' && item.operator === ownLogin);
  const firstNew = lineAfter === null || hasNewer ? undefined : items.find((item) => isNew(item, lineAfter));
  return {
    firstNewId: firstNew?.id ?? null,
    count: lastSeenId === null || hasNewer ? 0 : items.filter((item) => isNew(item, lastSeenId)).length,
    clear: () => setLineAfter(null),
  };
}

function readLastSeenId(key: string): number | null {
  try {
    const lastSeenId = Number(localStorage.getItem(key));
    return Number.isSafeInteger(lastSeenId) && lastSeenId > 0 ? lastSeenId : null;
  } catch {
    return null;
  }
}
