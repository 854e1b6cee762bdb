/** The views of the inbox with their counts, the search, and the rows of the chosen view. */
import { ActionIcon, Checkbox, Skeleton, Stack, Text } from '@mantine/core';
import { IconListCheck } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { Failure } from '../../ui/Failure.tsx';
import { formatCount, formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { Notice } from '../../ui/Notice.tsx';
import { isPlainClick } from '../../ui/PageLink.tsx';
import { hrefOf } from '../../ui/page.ts';
import { SearchInput } from '../../ui/SearchInput.tsx';
import { type Selection, toggleSelected } from '../../ui/selection.ts';
import { useStableCallback } from '../../ui/useStableCallback.ts';
import { type InboxCounts, type InboxView, inboxViews } from '../contract.ts';
import { InboxListRow } from './InboxListRow.tsx';
import classes from './inbox.module.css';
import type { VisibleRow } from './inboxRows.ts';
import type { InboxState } from './useInboxState.ts';

const InboxBulkBar = lazy(() => import('./InboxBulkBar.tsx'));

/** Height of a row with its three lines, pixels; each is measured. */
const ESTIMATED_ROW_HEIGHT = 72;
/** How many rows before the end the next ones are loaded. */
const LOAD_BEFORE_END = 15;

const VIEW_LABELS: Readonly<Record<InboxView, string>> = {
  needs_me: 'Needs me',
  mine: 'Mine',
  unassigned: 'Unassigned',
  others: 'Others',
  bot: 'Bot',
  snoozed: 'Snoozed',
  done: 'Done',
};

/** What a view shows, where its name does not say it. */
const VIEW_NOTES: Partial<Record<InboxView, string>> = {
  needs_me: 'Leads who need you or anyone',
  others: 'Leads who are waiting for a colleague',
};

const EMPTY_TEXTS: Readonly<Record<InboxView, string>> = {
  needs_me: 'Nobody is waiting for you.',
  mine: 'No dialogue is assigned to you.',
  unassigned: 'No unassigned dialogues.',
  others: 'Nobody is waiting for a colleague.',
  bot: 'The bot has no dialogues.',
  snoozed: 'Nothing is snoozed.',
  done: 'Nothing is marked as done.',
};

const viewLabel = (view: InboxView): string => t(VIEW_LABELS[view]);

interface InboxColumnProps {
  inbox: InboxState;
  counts: InboxCounts | undefined;
  isFullPage: boolean;
  selection: Selection;
}

export function InboxColumn({ inbox, counts, isFullPage, selection }: InboxColumnProps) {
  const { query, isOneProduct, setList } = inbox;
  const [isSelecting, setSelecting] = useState(false);
  const toggleSelecting = () => {
    selection.clear();
    setSelecting(!isSelecting);
  };
  // A phone has no room for a checkbox in every row unless somebody selects.
  const selects = !isFullPage || isSelecting;
  return (
    <section className={classes.column} data-whole={isFullPage || undefined} aria-label={t('Dialogues of the inbox')}>
      <div className={classes.views} role="group" aria-label={t('Views')}>
        {inboxViews.map((view) => (
          <a
            key={view}
            className={classes.view}
            href={hrefOf('inbox', inbox.paramsOf({ view }))}
            aria-current={view === query.view ? 'true' : undefined}
            title={VIEW_NOTES[view] && t(VIEW_NOTES[view])}
            onClick={(event) => {
              if (!isPlainClick(event)) return;
              event.preventDefault();
              setList({ view });
            }}
          >
            {viewLabel(view)}
            {counts && (
              <span className={classes.count} title={formatNumber(counts[view])}>
                {formatCount(counts[view])}
              </span>
            )}
          </a>
        ))}
      </div>
      <div className={classes.tools}>
        <SearchInput
          className={classes.search}
          label={t('Search the inbox')}
          value={query.search ?? ''}
          onChange={(search) => setList({ search })}
        />
        {inbox.product && (
          <Checkbox
            size="xs"
            label={t('Only {{product}}', { product: t('this product') })}
            title={inbox.product.name}
            checked={isOneProduct}
            onChange={(event) => setList({ isOneProduct: event.currentTarget.checked })}
          />
        )}
        {isFullPage && (
          <ActionIcon
            size="lg"
            {...(isSelecting ? { variant: 'light' } : { variant: 'subtle', color: 'gray' })}
            aria-label={t('Select dialogues')}
            aria-pressed={isSelecting}
            onClick={toggleSelecting}
          >
            <IconListCheck size={18} aria-hidden />
          </ActionIcon>
        )}
      </div>
      <Rows inbox={inbox} selection={selects ? selection : null} selectsByRow={isFullPage} />
      {selects && selection.chosen.size > 0 && (
        <Suspense>
          <InboxBulkBar inbox={inbox} selection={selection} />
        </Suspense>
      )}
    </section>
  );
}

interface RowsProps {
  inbox: InboxState;
  /** Null: rows cannot be selected. */
  selection: Selection | null;
  /** Whether a tap anywhere on a row selects it, instead of opening it. */
  selectsByRow: boolean;
}

function Rows({ inbox, ...selecting }: RowsProps) {
  const { rows, total, visible, error, retry, query } = inbox;
  if (error !== null && rows === undefined) return <Failure error={error} onRetry={retry} />;
  if (rows === undefined) return <LoadingRows />;
  if (visible.length === 0 && total === 0)
    return (
      <Notice
        title={
          query.search === undefined ? t(EMPTY_TEXTS[query.view]) : t('No {{entity}} found', { entity: t('dialogues') })
        }
      />
    );
  return <VirtualRows inbox={inbox} visible={visible} {...selecting} />;
}

function VirtualRows({ inbox, visible, selection, selectsByRow }: RowsProps & { visible: readonly VisibleRow[] }) {
  const frame = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count: visible.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ESTIMATED_ROW_HEIGHT,
    getItemKey: (index) => visible[index]?.row.id ?? index,
    overscan: 6,
  });
  const { loadMore, cursor, dialogueId } = inbox;
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= visible.length - LOAD_BEFORE_END) loadMore();
  }, [last, visible.length, loadMore]);
  useEffect(() => {
    inbox.showRow.current = (id) => {
      const index = visible.findIndex(({ row }) => row.id === id);
      if (index >= 0) virtualizer.scrollToIndex(index, { align: 'auto' });
    };
  });
  // The row that the keys have reached takes the focus, so that Enter opens it.
  useEffect(() => {
    if (cursor === null) return;
    const timer = requestAnimationFrame(() =>
      frame.current?.querySelector<HTMLElement>(`[data-inbox-row="${cursor}"]`)?.focus(),
    );
    return () => cancelAnimationFrame(timer);
  }, [cursor]);
  const handlers = usePointerOver(inbox.setPointerOver);
  // A key that opens the next dialogue renders two rows, not all: the list's address is the same, and so are these.
  const open = useStableCallback(inbox.open);
  const select = useStableCallback((id: number) => selection?.choose(toggleSelected(selection.chosen, id)));
  const selectRow = useStableCallback(({ id }: { id: number }) => select(id));
  return (
    <section
      ref={frame}
      className={classes.rows}
      data-under-bar={(selection && selection.chosen.size > 0) || undefined}
      aria-label={t('Dialogues')}
      onKeyDown={(event) => moveByKey(event, inbox.moveCursor)}
      {...handlers}
    >
      <div className={classes.sizer} style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => {
          const one = visible[item.index];
          if (!one) return null;
          return (
            <div
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              className={classes.slot}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <InboxListRow
                row={one.row}
                search={inbox.query.search}
                href={hrefOf('inbox', inbox.paramsOf({}, one.row.id))}
                isOpen={one.row.id === dialogueId}
                hasLeft={one.hasLeft}
                isSelected={selection && selection.chosen.has(one.row.id)}
                onOpen={selection && selectsByRow ? selectRow : open}
                onSelect={select}
              />
            </div>
          );
        })}
      </div>
    </section>
  );
}

/** Whether a mouse is over the list. A finger that scrolls is not. */
function usePointerOver(onChange: (isOver: boolean) => void) {
  return useMemo(
    () => ({
      onPointerEnter: ({ pointerType }: { pointerType: string }) => onChange(pointerType === 'mouse'),
      onPointerLeave: () => onChange(false),
    }),
    [onChange],
  );
}

function moveByKey(event: KeyboardEvent, move: (by: 1 | -1) => void): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  move(event.key === 'ArrowDown' ? 1 : -1);
}

function LoadingRows() {
  return (
    <Stack gap="xs" p="xs" aria-busy>
      <Text size="xs" c="dimmed" role="status">
        {t('Loading {{entity}}...', { entity: t('dialogues') })}
      </Text>
      {['a', 'b', 'c', 'd', 'e'].map((key) => (
        <Skeleton key={key} height={60} />
      ))}
    </Stack>
  );
}
