/** Thread, scheduled strip and composer of one dialogue, and the state they share. */
import { Box, Text } from '@mantine/core';
import { type RefObject, useCallback, useEffect, useMemo, useState } from 'react';
import { listNotes, type Note } from '../../../desk/contract.ts';
import type { LeadOutreach } from '../../../outreach/rehearsalContract.ts';
import { now, useNow } from '../../../ui/clock.ts';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import type { LiveState } from '../../../ui/live.ts';
import { hrefOf, parseId, usePage } from '../../../ui/page.ts';
import { keyOf, queryClient, useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { toast } from '../../../ui/toast.ts';
import { useStableCallback } from '../../../ui/useStableCallback.ts';
import { type DialogueView, type Message, viewDialogue } from '../../contract.ts';
import type { BubbleContext } from './Bubble.tsx';
import { Composer } from './Composer.tsx';
import { FollowUpStrip } from './FollowUpStrip.tsx';
import { LoadingBubbles } from './LoadingBubbles.tsx';
import { type Pending, removePending, storageKeyOf, usePending } from './pendingMessages.ts';
import { ScheduledStrip } from './ScheduledStrip.tsx';
import { sendAgain, sendMessage } from './send.ts';
import { ThreadView } from './ThreadView.tsx';
import { EMPTY_THREAD, isScheduledLater, latestDue, type Row, rowsOf, type Thread } from './thread.ts';
import { loadAround, loadLatest, loadPage, useThread } from './threadQuery.ts';
import { type ComposedMessage } from './useComposer.ts';
import { useSeenMessage } from './useSeenMessage.ts';
import { useUnread } from './useUnread.ts';

const NO_NOTES: readonly Note[] = [];

/** Polling interval of the thread while the stream is down. */
const POLL_MS = 5000;

interface ConversationProps {
  view: DialogueView;
  /** The lead's planned outreach; undefined while loading. */
  outreach: LeadOutreach | undefined;
  live: LiveState;
  /** Called with the message that goes next, for the lead card. */
  onNext: (next: Message | null) => void;
  /** Whether the cursor is put into the composer. */
  writesAtOnce: boolean;
  /** Opens the next dialogue after a message was sent. */
  onSentNext?: () => void;
}

export function Conversation({ view, outreach, live, onNext, writesAtOnce, onSentNext }: ConversationProps) {
  const { dialogue } = view;
  const id = dialogue.id;
  const { operator } = useScope();
  const { params, setParams } = usePage();
  const target = parseId(params.messageId);
  const thread = useThread(id, target, live === 'disconnected' ? POLL_MS : false);
  const { items, has_newer: hasNewer } = thread.data ?? EMPTY_THREAD;
  const storageKey = storageKeyOf(operator.id, id);
  const pending = usePending(storageKey);
  const [atEnd, setAtEnd] = useState(true);
  const unread = useUnread({
    ids: { operatorId: operator.id, dialogueId: id },
    items,
    hasNewer,
    ownLogin: operator.login,
    atEnd,
  });

  const currentTime = useNow(1000);
  const due = latestDue(items, currentTime);
  const seenMessageId = useSeenMessage(items);
  const rows = useRows(id, { thread: thread.data ?? EMPTY_THREAD, pending, now: due, firstNewId: unread.firstNewId });
  const scheduled = items.filter((message) => isScheduledLater(message, currentTime));
  const next = scheduled[0] ?? null;
  useEffect(() => onNext(next), [next, onNext]);

  useMessageLoaded(id, thread.data === undefined ? null : target);
  const onPage = useCallback((side: 'before' | 'after') => loadPage(id, side), [id]);
  const onLatest = () => jumpToLatest(id, unread.clear);

  const { send, retry } = useSending(view, { storageKey, live, seenMessageId });
  const onSend = useStableCallback((message: ComposedMessage) => {
    if (hasNewer) onLatest();
    else unread.clear();
    send(message);
  });
  const onSendNext = useStableCallback((message: ComposedMessage) => {
    onSend(message);
    onSentNext?.();
  });
  const context = useBubbleContext(view, operator.login, {
    onLink: (messageId) => setParams({ messageId }),
    onRetry: retry,
    onDiscard: (clientKey) => removePending(storageKey, clientKey),
  });

  return (
    <>
      {thread.data === undefined && <NoThread error={thread.error} onRetry={() => void thread.refetch()} />}
      {thread.data !== undefined && rows.length === 0 && (
        <Text c="dimmed" ta="center" m="auto" p="md">
          {t('No messages yet. Write the first one.')}
        </Text>
      )}
      {thread.data !== undefined && rows.length > 0 && (
        // Another window is another thread: it opens where the operator will read.
        <ThreadView
          key={thread.data.anchor}
          rows={rows}
          ends={thread.data}
          onPage={onPage}
          onLatest={onLatest}
          target={target}
          newCount={unread.count}
          context={context}
          onAtEnd={setAtEnd}
        />
      )}
      <ScheduledStrip scheduled={scheduled} leadZone={view.lead_timezone} />
      <FollowUpStrip dialogue={dialogue} outreach={outreach} leadZone={view.lead_timezone} />
      <Composer view={view} onSend={onSend} onSendNext={onSentNext ? onSendNext : null} writesAtOnce={writesAtOnce} />
    </>
  );
}

interface RowsOptions {
  thread: Thread;
  pending: readonly Pending[];
  now: number;
  firstNewId: number | null;
}

/** The rows of the thread: messages, pending bubbles and notes. */
function useRows(id: number, { thread, pending, now: at, firstNewId }: RowsOptions): readonly Row[] {
  const { operator } = useScope();
  const notes = useEndpoint(listNotes, { params: { id } }).data?.items;
  const { items, has_more: hasMore, has_newer: hasNewer } = thread;
  return useMemo(
    () =>
      rowsOf({
        items,
        hasMore,
        hasNewer,
        pending,
        notes: notes ?? NO_NOTES,
        now: at,
        firstNewId,
        ownLogin: operator.login,
      }),
    [items, hasMore, hasNewer, pending, notes, at, firstNewId, operator.login],
  );
}

/** Shown in place of the thread while it loads, or when that failed. */
function NoThread({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  return (
    <>
      {error === null ? (
        <LoadingBubbles />
      ) : (
        <Box p="md">
          <Failure error={error} onRetry={onRetry} />
        </Box>
      )}
      <Box flex={1} />
    </>
  );
}

/** Sending messages of this dialogue, new ones and those whose sending failed. */
function useSending(
  { dialogue, lead }: DialogueView,
  { storageKey, live, seenMessageId }: { storageKey: string; live: LiveState; seenMessageId: RefObject<number | null> },
) {
  const { id, product_id, contact_id } = dialogue;
  const recipient = { product_id, contact_id, dialogue_id: id, lead_name: lead.name };
  const afterSend = () => {
    // The stream delivers the dialogue's new owner; without it, refetch the dialogue.
    if (live !== 'connected') void queryClient.invalidateQueries({ queryKey: keyOf(viewDialogue, { params: { id } }) });
  };
  return {
    send: ({ text, sendNotBefore, scheduleEnabled, keepBot, draftRunId, preparedMessageId }: ComposedMessage) =>
      void sendMessage(storageKey, recipient, {
        client_key: crypto.randomUUID(),
        text,
        at: now(),
        send_not_before: sendNotBefore,
        schedule_enabled: scheduleEnabled,
        keep_bot: keepBot,
        seen_message_id: seenMessageId.current,
        draft_run_id: draftRunId,
        prepared_message_id: preparedMessageId,
        state: 'sending',
        error: null,
        confirm_opted_out: false,
        asks: null,
      }).then(afterSend),
    retry: (clientKey: string) => void sendAgain(storageKey, recipient, clientKey).then(afterSend),
  };
}

/** Replace the window by the newest messages, which the operator wants to see: nothing of them is marked as new. */
function jumpToLatest(dialogueId: number, clearUnread: () => void): void {
  clearUnread();
  loadLatest(dialogueId).catch(toast.failure);
}

/** Load the requested message with those around it; null: nothing is requested. */
function useMessageLoaded(dialogueId: number, requestedId: number | null): void {
  useEffect(() => {
    if (requestedId === null) return;
    loadAround(dialogueId, requestedId)
      .then((isFound) => {
        if (!isFound) toast.info(t('This message is no longer in the dialogue.'));
      })
      .catch(toast.failure);
  }, [dialogueId, requestedId]);
}

type Actions = Pick<BubbleContext, 'onLink' | 'onRetry' | 'onDiscard'>;

/** Return one object as long as nothing in it changes, since a new one re-renders every bubble. */
function useBubbleContext(view: DialogueView, ownLogin: string, actions: Actions): BubbleContext {
  const [latest] = useState<{ actions: Actions }>({ actions });
  useEffect(() => {
    latest.actions = actions;
  });
  const { lead, dialogue, channel, lead_timezone: leadZone } = view;
  return useMemo(
    () => ({
      leadName: lead.name,
      ownLogin,
      leadZone,
      reportsRead: channel.reports_read,
      markup: channel.markup,
      hrefOf: (messageId) => hrefOf('dialogue-chat', { dialogueId: dialogue.id, dialogueName: lead.name, messageId }),
      onLink: (messageId) => latest.actions.onLink(messageId),
      onRetry: (clientKey) => latest.actions.onRetry(clientKey),
      onDiscard: (clientKey) => latest.actions.onDiscard(clientKey),
    }),
    [lead.name, ownLogin, leadZone, channel.reports_read, channel.markup, dialogue.id, latest],
  );
}
