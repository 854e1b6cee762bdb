/** A dialogue in the inbox: who, where, the last message, what it needs and how long it has waited. */
import { Checkbox, Text } from '@mantine/core';
import { memo } from 'react';
import { SearchSnippet } from '../../conversations/pages/shared/SearchSnippet.tsx';
import { useNow } from '../../ui/clock.ts';
import { formatRelative } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { isPlainClick } from '../../ui/PageLink.tsx';
import { PlainText } from '../../ui/PlainText.tsx';
import type { InboxRow } from '../contract.ts';
import classes from './inbox.module.css';
import { Assignee, AttentionReason, SnoozeNote, WaitingTime } from './shared/attention.tsx';

interface InboxListRowProps {
  row: InboxRow;
  /** What the list was searched for. */
  search: string | undefined;
  href: string;
  isOpen: boolean;
  hasLeft: boolean;
  /** Null: rows cannot be selected. */
  isSelected: boolean | null;
  onOpen: (row: InboxRow) => void;
  onSelect: (id: number) => void;
}

export const InboxListRow = memo(function InboxListRow(props: InboxListRowProps) {
  const { row, search = '', href, isOpen, hasLeft, isSelected, onOpen, onSelect } = props;
  return (
    <div className={classes.row} data-open={isOpen || undefined} data-left={hasLeft || undefined}>
      {isSelected !== null && (
        <Checkbox
          size="xs"
          className={classes.check}
          aria-label={t('Select {{name}}', { name: row.lead_name })}
          checked={isSelected}
          onChange={() => onSelect(row.id)}
        />
      )}
      <a
        className={classes.link}
        href={href}
        data-inbox-row={row.id}
        aria-current={isOpen ? 'true' : undefined}
        onClick={(event) => {
          if (!isPlainClick(event)) return;
          event.preventDefault();
          onOpen(row);
        }}
      >
        <RowContent row={row} search={search} />
      </a>
    </div>
  );
});

function RowContent({ row, search }: { row: InboxRow; search: string }) {
  const { attention, assignee } = row;
  const place = t('{{product}} · {{channel}}', { product: row.product_name, channel: row.channel_name });
  return (
    <>
      <span className={classes.line}>
        <Text span size="sm" fw={attention ? 600 : 500} truncate>
          {row.lead_name}
        </Text>
        {attention ? <WaitingTime attention={attention} /> : <LastTime iso={row.last_msg_created_at} />}
      </span>
      <span className={classes.line}>
        <Text span size="xs" truncate>
          {row.found ? <SearchSnippet text={row.found} search={search} /> : <LastMessage row={row} />}
        </Text>
        {assignee !== null && <Assignee login={assignee} />}
      </span>
      <span className={classes.line}>
        {attention ? <AttentionReason state={attention.state} /> : <SnoozeNote dialogue={row} />}
        <Text span size="xs" c="dimmed" truncate title={place} className={classes.place}>
          {place}
        </Text>
      </span>
    </>
  );
}

function LastMessage({
  row: { last_message: text, last_bot_msg_id: ours, last_user_msg_id: theirs },
}: {
  row: InboxRow;
}) {
  if (text === null) return t('No messages yet');
  return (
    <>
      {(ours ?? 0) > (theirs ?? 0) && (
        <Text span inherit c="dimmed">
          {t('Us: ')}
        </Text>
      )}
      <PlainText text={text} />
    </>
  );
}

function LastTime({ iso }: { iso: string | null }) {
  useNow();
  return (
    <Text span size="xs" c="dimmed" className={classes.fixed}>
      {iso === null ? '' : formatRelative(iso)}
    </Text>
  );
}
