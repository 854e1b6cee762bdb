/** One row of the thread: dividers above, the bubble, and the actions after a failure. */
import { Button, Text } from '@mantine/core';
import {
  IconAlertCircle,
  IconDeviceMobile,
  IconNote,
  IconPlugConnected,
  IconRobot,
  IconUser,
} from '@tabler/icons-react';
import { memo } from 'react';
import type { Markup } from '../../../channels/markup.ts';
import type { Note } from '../../../desk/contract.ts';
import { formatDay, formatExact, formatTime } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { isPlainClick } from '../../../ui/PageLink.tsx';
import { PlainText } from '../../../ui/PlainText.tsx';
import { useCall } from '../../../ui/query.ts';
import { Tip } from '../../../ui/Tip.tsx';
import { toast } from '../../../ui/toast.ts';
import { type Message, markSent, retryMessage } from '../../contract.ts';
import { MessageStatusIcon, originLabel } from '../shared/status.tsx';
import { Attachment, hasAttachment, isPlaceholder } from './Attachment.tsx';
import { ChangeMarks } from './ChangeMarks.tsx';
import classes from './chat.module.css';
import { MessageText } from './MessageText.tsx';
import type { Pending } from './pendingMessages.ts';
import { isGenerated, RunDetails } from './RunDetails.tsx';
import { type Row, upsertMessage } from './thread.ts';
import { updateThread } from './threadQuery.ts';

export interface BubbleContext {
  leadName: string;
  /** Login of the operator at this console. */
  ownLogin: string;
  leadZone: string;
  /** Whether the channel reports when a message was read. */
  reportsRead: boolean;
  /** What the messenger makes of the signs in a text. */
  markup: Markup;
  /** Returns the URL of one message of this dialogue. */
  hrefOf: (messageId: number) => string;
  onLink: (messageId: number) => void;
  onRetry: (clientKey: string) => void;
  onDiscard: (clientKey: string) => void;
}

interface BubbleProps {
  row: Row;
  marked: boolean;
  context: BubbleContext;
}

export const Bubble = memo(function Bubble({ row, marked, context }: BubbleProps) {
  const { message, pending, note } = row;
  const at = message?.thread_at ?? note?.created_at ?? new Date(pending?.at ?? 0).toISOString();
  return (
    <>
      {row.day !== null && <div className={classes.day}>{formatDay(at)}</div>}
      {row.opensNew && <div className={classes.newLine}>{t('New messages')}</div>}
      {message !== null && (
        <MessageBubble message={message} isGrouped={row.isGrouped} marked={marked} context={context} />
      )}
      {note !== null && <NoteBubble note={note} isGrouped={row.isGrouped} />}
      {pending !== null && <PendingBubble pending={pending} isGrouped={row.isGrouped} context={context} />}
    </>
  );
});

const authorClasses: Readonly<Record<Message['author'], string | undefined>> = {
  lead: '',
  bot: classes.bot,
  operator: classes.human,
  phone: `${classes.human} ${classes.phone}`,
  other: classes.other,
};

interface MessageBubbleProps {
  message: Message;
  isGrouped: boolean;
  marked: boolean;
  context: BubbleContext;
}

function MessageBubble({ message, isGrouped, marked, context }: MessageBubbleProps) {
  const isOurs = message.side === 'bot';
  const origin = originLabel(message);
  const state = message.status === 'error' ? classes.failed : message.status === 'cancelled' ? classes.cancelled : '';
  return (
    <article
      className={`${classes.bubbleLine} ${isOurs ? classes.ours : ''}`}
      aria-label={t('{{author}}, {{time}}', {
        author: authorName(message, context),
        time: formatTime(message.thread_at),
      })}
      data-author={message.author}
      data-message={message.id}
    >
      {!isGrouped && <MessageAuthor message={message} context={context} />}
      <div className={`${classes.bubble} ${authorClasses[message.author]} ${state} ${marked ? classes.marked : ''}`}>
        <MessageBody message={message} markup={context.markup} />
        <div className={classes.foot}>
          <ChangeMarks message={message} leadName={context.leadName} />
          {origin !== null && <span data-origin={message.origin}>{origin}</span>}
          {isGenerated(message) && <RunDetails message={message} />}
          <Tip
            label={<BothClocks iso={message.thread_at} leadZone={context.leadZone} />}
            style={{ whiteSpace: 'pre-line' }}
          >
            <a
              className={classes.time}
              href={context.hrefOf(message.id)}
              aria-label={t('Link to this message, {{time}}', { time: formatTime(message.thread_at) })}
              onClick={(event) => {
                if (!isPlainClick(event)) return;
                event.preventDefault();
                context.onLink(message.id);
              }}
            >
              <time dateTime={message.thread_at}>{formatTime(message.thread_at)}</time>
            </a>
          </Tip>
          {isOurs && <MessageStatusIcon status={message.status} note={statusNote(message, context)} />}
        </div>
      </div>
      <DeliveryFailureNote message={message} />
    </article>
  );
}

function MessageAuthor({ message, context }: { message: Message; context: BubbleContext }) {
  const Glyph = { lead: null, bot: IconRobot, operator: IconUser, phone: IconDeviceMobile, other: IconPlugConnected }[
    message.author
  ];
  return (
    <div className={classes.author}>
      {Glyph !== null && <Glyph size={14} aria-hidden />}
      <span className={classes.text}>{authorName(message, context)}</span>
    </div>
  );
}

function authorName(message: Message, context: BubbleContext): string {
  switch (message.author) {
    case 'lead':
      return context.leadName;
    case 'bot':
      return t('Bot');
    case 'operator':
      return operatorName(message);
    case 'phone':
      return t('From our phone');
    case 'other':
      return t('Another system');
    default:
      return message.author satisfies never;
  }
}

/** An operator who sent what a model had drafted is named with it. */
function operatorName({ operator, model_name: model }: Message): string {
  const name = operator ?? t('Operator');
  return model === null ? name : t('{{name}}, with a draft of the bot', { name });
}

function MessageBody({ message, markup }: { message: Message; markup: Markup }) {
  const isDeleted = message.deleted_at !== null;
  return (
    <>
      {message.refers_to !== null && (
        <blockquote className={classes.quote} dir="auto">
          <PlainText text={message.refers_to.text} />
        </blockquote>
      )}
      {hasAttachment(message) && <Attachment message={message} />}
      {!isPlaceholder(message) && (
        <div className={`${classes.text} ${isDeleted ? classes.deleted : ''}`} dir="auto">
          <MessageText text={message.message} markup={markup} />
        </div>
      )}
    </>
  );
}

/** Return the exact time in both time zones, one per line. */
export function bothClocks(iso: string, leadZone: string): string {
  return t('You: {{yours}}\nLead: {{theirs}}', { yours: formatExact(iso), theirs: formatExact(iso, leadZone) });
}

/** Computed on render of the tooltip: two exact times in each bubble took a tenth of a thread's first rendering. */
function BothClocks({ iso, leadZone }: { iso: string; leadZone: string }) {
  return <>{bothClocks(iso, leadZone)}</>;
}

function statusNote(message: Message, context: BubbleContext): string | undefined {
  if (message.reason !== null) return message.reason;
  if (message.status === 'read' && message.read_at !== null) return formatTime(message.read_at);
  if (message.status === 'delivered' && !context.reportsRead) return t('this channel does not report reads');
  return undefined;
}

/** Why a message failed, and the actions to fix it. */
function DeliveryFailureNote({ message }: { message: Message }) {
  const retry = useCall(retryMessage);
  const settle = useCall(markSent);
  const busy = retry.isPending || settle.isPending;
  const options = {
    onSuccess: (answer: Message) => updateThread(answer.dialogue_id, (thread) => upsertMessage(thread, answer)),
    onError: toast.failure,
  };
  const failed = message.status === 'error';
  const unconfirmed = message.status === 'unconfirmed';
  if (message.reason === null && !failed && !unconfirmed) return null;
  const sendAgain = () => retry.mutate({ params: { id: message.id } }, options);
  return (
    <div className={classes.trouble} role={failed ? 'alert' : undefined}>
      <Text span inherit className={classes.troubleText} c={failed ? 'var(--mantine-color-error)' : 'dimmed'}>
        {message.reason ?? (failed ? t('It was not sent.') : t('It may or may not have arrived.'))}
      </Text>
      {(failed || unconfirmed) && (
        <Button size="compact-xs" variant="light" color={failed ? 'red' : 'gray'} disabled={busy} onClick={sendAgain}>
          {t('Retry')}
        </Button>
      )}
      {unconfirmed && (
        <Button
          size="compact-xs"
          variant="default"
          disabled={busy}
          onClick={() => settle.mutate({ params: { id: message.id } }, options)}
        >
          {t('Mark as sent')}
        </Button>
      )}
    </div>
  );
}

/** What an operator noted for colleagues. It stands across the thread, so that nobody takes it for a message. */
function NoteBubble({ note, isGrouped }: { note: Note; isGrouped: boolean }) {
  return (
    <article
      className={classes.noteLine}
      aria-label={t('Note of {{operator}}, {{time}}', {
        operator: note.operator,
        time: formatTime(note.created_at),
      })}
      data-note={note.id}
    >
      <div className={classes.note}>
        {!isGrouped && (
          <div className={classes.author}>
            <IconNote size={14} aria-hidden />
            <span>{t('Note by {{operator}}', { operator: note.operator })}</span>
          </div>
        )}
        <div className={classes.text} dir="auto">
          <PlainText text={note.text} />
        </div>
        <div className={classes.foot}>
          <time dateTime={note.created_at} title={formatExact(note.created_at)}>
            {formatTime(note.created_at)}
          </time>
        </div>
      </div>
    </article>
  );
}

/** A bubble that waits for the server's response, or failed to get one. */
function PendingBubble({
  pending,
  isGrouped,
  context,
}: {
  pending: Pending;
  isGrouped: boolean;
  context: BubbleContext;
}) {
  const failed = pending.state === 'failed';
  return (
    <article className={`${classes.bubbleLine} ${classes.ours}`} aria-label={t('You')} data-pending={pending.state}>
      {!isGrouped && (
        <div className={classes.author}>
          <IconUser size={14} aria-hidden />
          <span>{context.ownLogin}</span>
        </div>
      )}
      <div className={`${classes.bubble} ${classes.human} ${failed ? classes.failed : ''}`}>
        <div className={classes.text} dir="auto">
          <MessageText text={pending.text} markup={context.markup} />
        </div>
        <div className={classes.foot}>
          <span>{formatTime(new Date(pending.at).toISOString())}</span>
          {failed ? (
            <IconAlertCircle size={15} role="img" aria-label={t('Failed')} color="var(--mantine-color-error)" />
          ) : (
            <MessageStatusIcon status="scheduled" />
          )}
        </div>
      </div>
      {failed && (
        <div className={classes.trouble} role="alert">
          <span className={classes.troubleText} style={{ color: 'var(--mantine-color-error)' }}>
            {pending.error ?? t('The page was closed before the server responded.')}
          </span>
          <Button size="compact-xs" variant="light" color="red" onClick={() => context.onRetry(pending.client_key)}>
            {pending.asks ? t('Send anyway') : t('Retry')}
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => context.onDiscard(pending.client_key)}>
            {t('Discard')}
          </Button>
        </div>
      )}
    </article>
  );
}
