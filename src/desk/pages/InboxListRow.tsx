/** A dialogue in the inbox: who, where, the last message, what it needs and how long it has waited. */
import { Checkbox, Text } from '@mantine/core';
import { memo } from 'react';
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
  href: string;
  isOpen: boolean;
  hasLeft: boolean;
  /** Null: rows cannot be selected. */
  isSelected: boolean | null;
  onOpen: (row: InboxRow) => void;
  onSelect: (id: number) => void;
}

export const InboxListRow = memo(function InboxListRow(props: InboxListRowProps) {
  const { row, href, isOpen, hasLeft, isSelected, onOpen, onSelect } = props;
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
        <RowContent row={row} />
      </a>
    </div>
  );
});

function RowContent({ row }: { row: InboxRow }) {
  const { attention, last_message: lastMessage, assignee } = row;
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
          {lastMessage === null ? t('No messages yet') : <PlainText text={lastMessage} />}
        </Text>
        {assignee !== null && <Assignee login={assignee} />}
      </span>
      <span className={classes.line}>
        {attention ? <AttentionReason state={attention.state} /> : <SnoozeNote dialogue={row} />}
        <Text span size="xs" c="dimmed" truncate className={classes.place}>
          {t('{{product}} · {{channel}}', { product: row.product_name, channel: row.channel_name })}
        </Text>
      </span>
    </>
  );
}

function LastTime({ iso }: { iso: string | null }) {
  const at = useNow();
  return (
    <Text span size="xs" c="dimmed" className={classes.fixed}>
      {iso === null ? '' : formatRelative(iso, at)}
    </Text>
  );
}
