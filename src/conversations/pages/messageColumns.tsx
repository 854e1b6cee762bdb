/** Columns of the message list. */
import { Group, Text, Tooltip } from '@mantine/core';
import type { Column } from '../../ui/columns.ts';
import { formatDollars } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { PlainText } from '../../ui/PlainText.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import type { Author, Message } from '../contract.ts';
import { isGenerated, RunDetails } from './chat/RunDetails.tsx';
import { MessageStatusBadge, originLabel } from './shared/status.tsx';

const AUTHORS: Readonly<Record<Author, string>> = {
  lead: 'Lead',
  bot: 'Bot',
  operator: 'Operator',
  phone: 'Phone',
  other: 'Other system',
};

/** Return the label of a message's author. */
export function authorLabel(author: Author): string {
  return t(AUTHORS[author]);
}

export function messageColumns(): Column<Message>[] {
  return [...visibleColumns(), ...optionalColumns().map((column) => ({ ...column, hiddenByDefault: true }))];
}

function visibleColumns(): Column<Message>[] {
  return [
    {
      key: 'message',
      label: t('Message'),
      primary: true,
      span: 2.3,
      render: (message) => <PlainText text={message.message} />,
    },
    {
      key: 'author',
      label: t('From'),
      span: 1.3,
      render: (message) => <Sender message={message} />,
    },
    { key: 'lead', label: t('Dialogue with'), span: 1.3, render: (message) => message.lead_name },
    {
      key: 'status',
      label: t('Status'),
      sort: 'status',
      span: 1.6,
      render: (message) => <StatusWithReason message={message} />,
    },
    {
      key: 'thread_at',
      label: t('When'),
      sort: 'thread_at',
      span: 1.4,
      render: (message) => <Timestamp iso={message.thread_at} />,
    },
  ];
}

/** Columns that are hidden until the operator chooses them. */
function optionalColumns(): Column<Message>[] {
  return [
    { key: 'reason', label: t('Reason'), span: 3, render: (message) => message.reason ?? '–' },
    {
      key: 'scheduled_at',
      label: t('Due'),
      sort: 'scheduled_at',
      span: 1.5,
      render: (message) => <Timestamp iso={message.scheduled_at} />,
    },
    {
      key: 'sent_at',
      label: t('Sent'),
      sort: 'sent_at',
      span: 1.5,
      render: (message) => <Timestamp iso={message.sent_at} />,
    },
    {
      key: 'read_at',
      label: t('Read'),
      span: 1.5,
      render: (message) => <Timestamp iso={message.read_at} />,
    },
    { key: 'model', label: t('Model'), render: (message) => message.model_name ?? '–' },
    {
      key: 'cost',
      label: t('Cost'),
      span: 1.25,
      number: true,
      listQuery: { with_cost: true },
      render: (message) => costOf(message),
    },
    { key: 'prompt', label: t('Prompt'), render: (message) => message.prompt_name ?? '–' },
    {
      key: 'retry_count',
      label: t('Retries'),
      span: 1,
      number: true,
      render: (message) => message.retry_count,
    },
    { key: 'trace', label: t('Trace'), span: 2.5, render: (message) => message.trace ?? '–' },
    {
      key: 'id',
      label: t('ID'),
      sort: 'id',
      span: 1,
      number: true,
      render: (message) => message.id,
    },
  ];
}

/** Return the cost of a message; a dash if no model was called. */
function costOf({ cost, model_name }: Message): string {
  if (typeof cost === 'number') return formatDollars(cost);
  return model_name === null || cost === undefined ? '–' : t('price unknown');
}

/** The author of a message; for a model's message, its runs open in place. */
function Sender({ message }: { message: Message }) {
  const author = message.operator ?? authorLabel(message.author);
  const origin = originLabel(message);
  const from = origin === null ? author : t('{{author}}, {{origin}}', { author, origin });
  if (!isGenerated(message)) return from;
  return (
    <Group gap={4} wrap="nowrap">
      <Text inherit truncate miw={0}>
        {from}
      </Text>
      <span style={{ flex: 'none' }}>
        · <RunDetails message={message} label={t('Runs')} />
      </span>
    </Group>
  );
}

function StatusWithReason({ message }: { message: Message }) {
  const badge = <MessageStatusBadge status={message.status} />;
  if (message.reason === null) return badge;
  return (
    <Tooltip label={message.reason}>
      <span>{badge}</span>
    </Tooltip>
  );
}
