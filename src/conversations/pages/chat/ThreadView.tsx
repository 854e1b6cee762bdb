/** The thread: only what is in view is in the document, older pages come on scrolling up, nothing jumps. */
import { Button } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { t } from '../../../ui/i18n.ts';
import { toast } from '../../../ui/toast.ts';
import { Bubble, type BubbleContext } from './Bubble.tsx';
import classes from './chat.module.css';
import type { Row } from './thread.ts';

/** A bubble of two lines; the first guess only, every row is measured. */
const ESTIMATED_ROW_HEIGHT = 84;
/** So close to the end one still reads the newest message. */
const END_THRESHOLD = 60;
/** Older pages are asked for before the reader arrives at the top. */
const LOAD_OLDER_THRESHOLD = 800;

interface ThreadViewProps {
  rows: readonly Row[];
  hasMore: boolean;
  /** Reads the page before into the thread. */
  onOlder: () => Promise<unknown>;
  /** The message the address asks for, once it is loaded. */
  target: number | null;
  newCount: number;
  context: BubbleContext;
  onAtEnd: (atEnd: boolean) => void;
}

export function ThreadView({ rows, hasMore, onOlder, target, newCount, context, onAtEnd }: ThreadViewProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { following, follow, atEnd, onScroll } = useFollowNewest();
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ESTIMATED_ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 6,
    anchorTo: 'end',
    followOnAppend: 'auto',
    scrollEndThreshold: END_THRESHOLD,
    // Where one will read: rows at the top would be made and measured only to be thrown away.
    initialOffset: () => (target === null ? initialRow(rows) * ESTIMATED_ROW_HEIGHT : 0),
  });
  useEffect(() => onAtEnd(atEnd), [atEnd, onAtEnd]);

  const opened = useRef(false);
  const initial = useRef({ rows, target });
  initial.current = { rows, target };
  useLayoutEffect(() => {
    if (opened.current || rows.length === 0) return;
    opened.current = true;
    const firstNew = rows.findIndex((row) => row.opensNew);
    follow(initial.current.target === null && firstNew < 0);
    if (initial.current.target !== null) return;
    if (firstNew >= 0) virtualizer.scrollToIndex(firstNew, { align: 'start' });
    else virtualizer.scrollToEnd();
  }, [rows, virtualizer, follow]);
  useLayoutEffect(
    () => () => {
      opened.current = false;
    },
    [],
  );

  const loading = useOlderPages(
    frame,
    virtualizer.scrollOffset ?? 0,
    hasMore && opened.current && rows.length > 0,
    onOlder,
  );

  const targetLoaded = target !== null && rows.some((row) => row.message?.id === target);
  useEffect(() => {
    if (!targetLoaded) return;
    const index = initial.current.rows.findIndex((row) => row.message?.id === target);
    if (index < 0) return;
    follow(false);
    virtualizer.scrollToIndex(index, { align: 'center' });
  }, [target, targetLoaded, virtualizer, follow]);

  // The strip appears, the composer grows, a narrow window breaks the lines anew: who reads the newest
  // message goes on reading it. The rows are watched too: they are measured after the frame has changed.
  const sizer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (frame.current === null || sizer.current === null) return;
    const observer = new ResizeObserver(() => {
      if (following.current && opened.current) virtualizer.scrollToEnd();
    });
    observer.observe(frame.current);
    observer.observe(sizer.current);
    return () => observer.disconnect();
  }, [virtualizer, following]);

  // What one sends oneself is always brought into view.
  const lastPending = rows.at(-1)?.pending?.client_key;
  useLayoutEffect(() => {
    if (lastPending === undefined) return;
    follow(true);
    virtualizer.scrollToEnd();
  }, [lastPending, virtualizer, follow]);

  return (
    <div className={classes.threadFrame}>
      <div
        ref={frame}
        className={classes.thread}
        role="log"
        aria-label={t('Messages')}
        tabIndex={0}
        onScroll={(event) => onScroll(event.currentTarget)}
      >
        <div ref={sizer} className={classes.sizer} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (!row) return null;
            return (
              <div
                key={item.key}
                ref={virtualizer.measureElement}
                data-index={item.index}
                className={`${classes.row} ${row.isGrouped ? classes.joined : ''}`}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <Bubble row={row} marked={row.message !== null && row.message.id === target} context={context} />
              </div>
            );
          })}
        </div>
      </div>
      {loading && (
        <output className={`${classes.floating} ${classes.loading}`}>
          {t('Loading {{entity}}...', { entity: t('messages') })}
        </output>
      )}
      {!atEnd && (
        <Button
          className={`${classes.floating} ${classes.jump}`}
          size="xs"
          variant="default"
          leftSection={<IconArrowDown size={14} />}
          onClick={() => {
            follow(true);
            virtualizer.scrollToEnd();
          }}
        >
          {newCount > 0
            ? t('{{count}} new messages', { count: newCount, defaultValue_one: '{{count}} new message' })
            : t('Jump to latest')}
        </Button>
      )}
    </div>
  );
}

/**
 * Whether the reader follows the newest message. Only the reader ends it, by scrolling away: a frame or rows that
 * change their height move the end too, and who was there stays there.
 */
function useFollowNewest() {
  const following = useRef(true);
  const [atEnd, setAtEnd] = useState(true);
  const lastHeights = useRef({ scrollHeight: 0, clientHeight: 0 });
  const follow = useCallback((now: boolean) => {
    following.current = now;
    setAtEnd(now);
  }, []);
  const onScroll = useCallback(
    ({ scrollHeight, clientHeight, scrollTop }: HTMLElement) => {
      const sameHeights =
        lastHeights.current.scrollHeight === scrollHeight && lastHeights.current.clientHeight === clientHeight;
      lastHeights.current = { scrollHeight, clientHeight };
      const end = scrollHeight - clientHeight - scrollTop <= END_THRESHOLD;
      if (end || sameHeights) follow(end);
    },
    [follow],
  );
  return { following, follow, atEnd, onScroll };
}

/** The row that a thread opens at: what is new, else the newest. */
function initialRow(rows: readonly Row[]): number {
  const firstNew = rows.findIndex((row) => row.opensNew);
  return firstNew >= 0 ? firstNew : rows.length;
}

/** Asks for the page before while the reader is near the top, one at a time. */
function useOlderPages(
  frame: React.RefObject<HTMLDivElement | null>,
  offset: number,
  isEnabled: boolean,
  onOlder: () => Promise<unknown>,
): boolean {
  const [loading, setLoading] = useState(false);
  const failedAt = useRef<number | null>(null);
  const isNearTop = isEnabled && offset < LOAD_OLDER_THRESHOLD && frame.current !== null;
  useEffect(() => {
    // After a failure the reader has to scroll a little: a dead server is not asked in a loop.
    if (!isNearTop || loading || failedAt.current === offset) return;
    setLoading(true);
    onOlder()
      .then(() => {
        failedAt.current = null;
      })
      .catch((error: unknown) => {
        failedAt.current = offset;
        toast.failure(error);
      })
      .finally(() => setLoading(false));
  }, [isNearTop, loading, offset, onOlder]);
  return loading;
}
