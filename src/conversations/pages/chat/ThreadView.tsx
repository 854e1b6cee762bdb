/**
 * The virtualised thread: only visible rows are in the document, pages load on scrolling to either end, and nothing
 * jumps.
 */
import { Button } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { useVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { formatDay } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { FirstFrame, useFirstFrame } from '../../../ui/Tip.tsx';
import { toast } from '../../../ui/toast.ts';
import { Bubble, type BubbleContext } from './Bubble.tsx';
import classes from './chat.module.css';
import type { Row, Thread } from './thread.ts';

/** Height of a bubble of two lines, pixels; only the first estimate, since every row is measured. */
const ESTIMATED_ROW_HEIGHT = 84;
/** Distance from the end within which the newest message counts as in view, pixels. */
const END_THRESHOLD = 60;
/** Distance from an end at which the page beyond it is requested, pixels. */
const LOAD_THRESHOLD = 800;

type ThreadVirtualizer = Virtualizer<HTMLDivElement, Element>;
type Side = 'before' | 'after';

interface ThreadViewProps {
  rows: readonly Row[];
  /** Whether there are messages before and after the rows. */
  ends: Pick<Thread, 'has_more' | 'has_newer'>;
  /** Loads the page before or after the rows. */
  onPage: (side: Side) => Promise<unknown>;
  /** Loads the newest messages, if these rows end before them. */
  onLatest: () => void;
  /** The message requested by the URL. */
  target: number | null;
  newCount: number;
  context: BubbleContext;
  onAtEnd: (atEnd: boolean) => void;
}

export function ThreadView(props: ThreadViewProps) {
  const { rows, ends, onPage, onLatest, newCount, context, onAtEnd } = props;
  const hasNewer = ends.has_newer;
  const target = rows.some((row) => row.message?.id === props.target) ? props.target : null;
  const frame = useRef<HTMLDivElement>(null);
  const sizer = useRef<HTMLDivElement>(null);
  const newest = useFollowNewest(hasNewer);
  const isFirstFrame = useFirstFrame();
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ESTIMATED_ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: isFirstFrame ? 1 : OVERSCAN,
    anchorTo: 'end',
    followOnAppend: newest.atEnd,
    scrollEndThreshold: END_THRESHOLD,
    // Start where the operator will read: rows at the top would be rendered and measured only to be discarded.
    initialOffset: () => initialRow(rows, target) * ESTIMATED_ROW_HEIGHT,
  });
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = isAboveView;
  useEffect(() => onAtEnd(newest.atEnd), [newest.atEnd, onAtEnd]);
  const opened = useScrolling(virtualizer, { rows, hasNewer, target, newest, frame, sizer });
  const isLoading = useLoading(virtualizer, {
    isOpen: opened.current && frame.current !== null,
    ends,
    onPage,
  });

  return (
    <div className={classes.threadFrame}>
      <DayLabel row={isFirstFrame || isLoading ? undefined : topRow(virtualizer, rows)} />
      <div
        ref={frame}
        className={classes.thread}
        role="log"
        aria-label={t('Messages')}
        tabIndex={0}
        onScroll={(event) => newest.onScroll(event.currentTarget)}
      >
        <div ref={sizer} className={classes.sizer} style={{ height: virtualizer.getTotalSize() }}>
          <FirstFrame value={isFirstFrame}>
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
          </FirstFrame>
        </div>
      </div>
      {isLoading && (
        <output className={`${classes.floating} ${classes.loading}`}>
          {t('Loading {{entity}}...', { entity: t('messages') })}
        </output>
      )}
      {!newest.atEnd && (
        <JumpButton
          newCount={newCount}
          onJump={() => {
            if (hasNewer) return onLatest();
            newest.follow(true);
            virtualizer.scrollToEnd();
          }}
        />
      )}
    </div>
  );
}

/** Return the row at the top of the view. */
function topRow({ getVirtualItems, scrollOffset }: ThreadVirtualizer, rows: readonly Row[]): Row | undefined {
  const item = getVirtualItems().find(({ end }) => end > (scrollOffset ?? 0));
  return item && rows[item.index];
}

/** The day of the messages at the top of the view, unless that row shows it itself. Above them, so that it covers none. */
function DayLabel({ row }: { row: Row | undefined }) {
  return (
    <div className={classes.topDay} aria-hidden>
      {row?.message && row.day === null ? formatDay(row.message.thread_at) : null}
    </div>
  );
}

function JumpButton({ newCount, onJump }: { newCount: number; onJump: () => void }) {
  return (
    <Button
      className={`${classes.floating} ${classes.jump}`}
      size="xs"
      variant="default"
      leftSection={<IconArrowDown size={14} />}
      onClick={onJump}
    >
      {newCount > 0
        ? t('{{count}} new messages', { count: newCount, defaultValue_one: '{{count}} new message' })
        : t('Jump to latest')}
    </Button>
  );
}

interface Scrolling {
  rows: readonly Row[];
  hasNewer: boolean;
  target: number | null;
  newest: ReturnType<typeof useFollowNewest>;
  frame: RefObject<HTMLDivElement | null>;
  sizer: RefObject<HTMLDivElement | null>;
}

/**
 * Scroll to where the operator reads: to the first new message on opening, to the message requested by the URL, and to
 * the newest one while it is followed. Returns a ref that tells whether the thread has been opened.
 */
function useScrolling(
  virtualizer: ThreadVirtualizer,
  { rows, hasNewer, target, newest: { following, follow }, frame, sizer }: Scrolling,
): RefObject<boolean> {
  const opened = useRef(false);
  const latest = useRef({ rows, target });
  useLayoutEffect(() => {
    latest.current = { rows, target };
  });
  useLayoutEffect(() => {
    if (opened.current || rows.length === 0) return;
    opened.current = true;
    const firstNew = rows.findIndex((row) => row.opensNew);
    follow(latest.current.target === null && firstNew < 0 && !hasNewer);
    if (latest.current.target !== null) return;
    if (firstNew >= 0) virtualizer.scrollToIndex(firstNew, { align: 'start' });
    else virtualizer.scrollToEnd();
  }, [rows, hasNewer, virtualizer, follow]);
  useLayoutEffect(
    () => () => {
      opened.current = false;
    },
    [],
  );

  const targetLoaded = target !== null && rows.some((row) => row.message?.id === target);
  useEffect(() => {
    if (!targetLoaded) return;
    const index = latest.current.rows.findIndex((row) => row.message?.id === target);
    if (index < 0) return;
    follow(false);
    virtualizer.scrollToIndex(index, { align: 'center' });
  }, [target, targetLoaded, virtualizer, follow]);

  // Keep the newest message in view when the strip appears, the composer grows or a narrow window re-wraps lines.
  // Observe the rows too: they are measured after the frame has changed.
  useEffect(() => {
    if (frame.current === null || sizer.current === null) return;
    const observer = new ResizeObserver(() => {
      if (following.current && opened.current) virtualizer.scrollToEnd();
    });
    observer.observe(frame.current);
    observer.observe(sizer.current);
    return () => observer.disconnect();
  }, [virtualizer, following, frame, sizer]);

  // Always scroll to a message the operator has just sent.
  const lastPending = rows.at(-1)?.pending?.client_key;
  useLayoutEffect(() => {
    if (lastPending === undefined) return;
    follow(true);
    virtualizer.scrollToEnd();
  }, [lastPending, virtualizer, follow]);
  return opened;
}

/**
 * Track whether the view follows the newest message, which the rows may not reach. Only the operator ends it, by scrolling away: changes of the
 * height of frame or rows move the end too, and must not.
 */
function useFollowNewest(hasNewer: boolean) {
  const following = useRef(!hasNewer);
  const [atEnd, setAtEnd] = useState(!hasNewer);
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
      const end = !hasNewer && scrollHeight - clientHeight - scrollTop <= END_THRESHOLD;
      if (end || sameHeights) follow(end);
    },
    [follow, hasNewer],
  );
  return { following, follow, atEnd, onScroll };
}

/**
 * Whether a row whose height changes is above what is being read, which must stay in its place. The library's own rule
 * leaves out rows measured before while the operator scrolls up. But then older rows are put in front, and the row that
 * was the oldest one loses its date.
 */
function isAboveView(row: VirtualItem, _delta: number, { itemSizeCache, scrollOffset }: ThreadVirtualizer): boolean {
  const offset = scrollOffset ?? 0;
  return itemSizeCache.has(row.key) ? row.end <= offset : row.start < offset;
}

/** Rows rendered beyond both ends of the view, so that a quick scroll shows no gap; the first frame has one. */
const OVERSCAN = 6;

/** Return the row that a thread opens at: the requested one, the first new one, else the newest. */
function initialRow(rows: readonly Row[], target: number | null): number {
  const index = rows.findIndex((row) => (target === null ? row.opensNew : row.message?.id === target));
  return index >= 0 ? index : rows.length;
}

/** Load pages at both ends. Returns whether one is being loaded. */
function useLoading(
  { scrollOffset, scrollRect, getTotalSize }: ThreadVirtualizer,
  { isOpen, ends, onPage }: { isOpen: boolean } & Pick<ThreadViewProps, 'ends' | 'onPage'>,
): boolean {
  const offset = scrollOffset ?? 0;
  const beyond = getTotalSize() - offset - (scrollRect?.height ?? 0);
  const older = usePages({
    side: 'before',
    isWanted: isOpen && ends.has_more && offset < LOAD_THRESHOLD,
    offset,
    onPage,
  });
  const newer = usePages({
    side: 'after',
    isWanted: isOpen && ends.has_newer && beyond < LOAD_THRESHOLD,
    offset,
    onPage,
  });
  return older || newer;
}

interface Pages {
  side: Side;
  /** Whether the view is near this end and there are messages beyond it. */
  isWanted: boolean;
  /** The scroll position, pixels. */
  offset: number;
  onPage: (side: Side) => Promise<unknown>;
}

/** Load the pages beyond one end, one at a time. */
function usePages({ side, isWanted, offset, onPage }: Pages): boolean {
  const [loading, setLoading] = useState(false);
  const failedAt = useRef<number | null>(null);
  useEffect(() => {
    // After a failure, wait until the operator scrolls a little, so that a dead server is not polled in a loop.
    if (!isWanted || loading || failedAt.current === offset) return;
    setLoading(true);
    onPage(side)
      .then(() => {
        failedAt.current = null;
      })
      .catch((error: unknown) => {
        failedAt.current = offset;
        toast.failure(error);
      })
      .finally(() => setLoading(false));
  }, [side, isWanted, loading, offset, onPage]);
  return loading;
}
