/** Thread, scheduled strip and composer of one dialogue, and the state they share. */
import { Box, Text } from '@mantine/core';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { LeadOutreach } from '../../../outreach/rehearsalContract.ts';
import { now, useNow } from '../../../ui/clock.ts';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import type { LiveState } from '../../../ui/live.ts';
import { hrefOf, usePage } from '../../../ui/page.ts';
import { keyOf, queryClient } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { toast } from '../../../ui/toast.ts';
import { type DialogueView, type Message, viewDialogue } from '../../contract.ts';
import type { BubbleContext } from './Bubble.tsx';
import { type ComposedMessage, Composer } from './Composer.tsx';
import { FollowUpStrip } from './FollowUpStrip.tsx';
import { LoadingBubbles } from './LoadingBubbles.tsx';
import { removePending, storageKeyOf, usePending } from './pendingMessages.ts';
import { ScheduledStrip } from './ScheduledStrip.tsx';
import { sendAgain, sendMessage } from './send.ts';
import { ThreadView } from './ThreadView.tsx';
import { EMPTY_THREAD, isScheduledLater, latestDue, rowsOf } from './thread.ts';
import { loadOlder, loadUntil, useThread } from './threadQuery.ts';
import { useUnread } from './useUnread.ts';

/** Polling interval of the thread while the stream is down. */
const POLL_MS = 5000;

interface ConversationProps {
  view: DialogueView;
  /** The lead's planned outreach; undefined while loading. */
  outreach: LeadOutreach | undefined;
  live: LiveState;
  /** Called with the message that goes next, for the lead card. */
  onNext: (next: Message | null) => void;
}

export function Conversation({ view, outreach, live, onNext }: ConversationProps) {
  const { dialogue, channel } = view;
  const id = dialogue.id;
  const { operator } = useScope();
  const { params, setParams } = usePage();
  const thread = useThread(id, live === 'disconnected' ? POLL_MS : false);
  const items = thread.data?.items ?? EMPTY_THREAD.items;
  const storageKey = storageKeyOf(operator.id, id);
  const pending = usePending(storageKey);
  const [atEnd, setAtEnd] = useState(true);
  const unread = useUnread({ operatorId: operator.id, dialogueId: id }, items, operator.login, atEnd);

  const currentTime = useNow(1000);
  const due = latestDue(items, currentTime);
  const rows = useMemo(
    () => rowsOf(items, pending, due, unread.firstNewId, operator.login),
    [items, pending, due, unread.firstNewId, operator.login],
  );
  const scheduled = items.filter((message) => isScheduledLater(message, currentTime));
  const next = scheduled[0] ?? null;
  useEffect(() => onNext(next), [next, onNext]);

  const requestedId = Number(params.messageId);
  const target = useTargetMessage(
    id,
    Number.isSafeInteger(requestedId) && requestedId > 0 ? requestedId : null,
    thread.data !== undefined,
  );
  const onOlder = useCallback(() => loadOlder(id), [id]);

  const recipient = { product_id: dialogue.product_id, contact_id: dialogue.contact_id, dialogue_id: id };
  const retrySend = (clientKey: string) => void sendAgain(storageKey, recipient, clientKey).then(afterSend);
  const afterSend = () => {
    // The stream delivers the dialogue's new owner; without it, refetch the dialogue.
    if (live !== 'connected') void queryClient.invalidateQueries({ queryKey: keyOf(viewDialogue, { params: { id } }) });
  };
  const onSend = useStableCallback(({ text, sendNotBefore, scheduleEnabled }: ComposedMessage) => {
    unread.clear();
    void sendMessage(storageKey, recipient, {
      client_key: crypto.randomUUID(),
      text,
      at: now(),
      send_not_before: sendNotBefore,
      schedule_enabled: scheduleEnabled,
      state: 'sending',
      error: null,
    }).then(afterSend);
  });

  const context = useBubbleContext(view, operator.login, {
    onLink: (messageId) => setParams({ messageId }),
    onRetry: retrySend,
    onDiscard: (clientKey) => removePending(storageKey, clientKey),
  });

  return (
    <>
      {thread.data === undefined && !thread.isError && <LoadingBubbles />}
      {thread.data === undefined && thread.isError && (
        <Box p="md">
          <Failure error={thread.error} onRetry={() => void thread.refetch()} />
        </Box>
      )}
      {thread.data !== undefined && rows.length === 0 && (
        <Text c="dimmed" ta="center" m="auto" p="md">
          {t('Nobody has written yet. The first message can be yours.')}
        </Text>
      )}
      {rows.length > 0 && (
        <ThreadView
          rows={rows}
          hasMore={thread.data?.has_more ?? false}
          onOlder={onOlder}
          target={target}
          newCount={unread.count}
          context={context}
          onAtEnd={setAtEnd}
        />
      )}
      {thread.data === undefined && <Box flex={1} />}
      <ScheduledStrip scheduled={scheduled} leadZone={view.lead_timezone} />
      <FollowUpStrip dialogue={dialogue} outreach={outreach} leadZone={view.lead_timezone} />
      <Composer
        dialogueId={id}
        leadName={view.lead.name}
        limit={channel.text_limit}
        takesOverDialogue={dialogue.owner === 'bot'}
        leadZone={view.lead_timezone}
        onSend={onSend}
      />
    </>
  );
}

/**
 * Load history until the requested message is there. Returns the id of the message to highlight; null if none is
 * requested.
 */
function useTargetMessage(dialogueId: number, requestedId: number | null, ready: boolean): number | null {
  useEffect(() => {
    if (requestedId === null || !ready) return;
    const controller = new AbortController();
    loadUntil(dialogueId, requestedId, controller.signal)
      .then((isFound) => {
        if (!isFound) toast.info(t('This message is not in the dialogue any more.'));
      })
      .catch(toast.failure);
    return () => controller.abort();
  }, [dialogueId, requestedId, ready]);
  return requestedId;
}

/** Return a function whose identity never changes and which calls the latest `action`. */
function useStableCallback<A>(action: (argument: A) => void): (argument: A) => void {
  const latest = useRef(action);
  useEffect(() => {
    latest.current = action;
  });
  return useCallback((argument) => latest.current(argument), []);
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
      hrefOf: (messageId) => hrefOf('dialogue-chat', { dialogueId: dialogue.id, dialogueName: lead.name, messageId }),
      onLink: (messageId) => latest.actions.onLink(messageId),
      onRetry: (clientKey) => latest.actions.onRetry(clientKey),
      onDiscard: (clientKey) => latest.actions.onDiscard(clientKey),
    }),
    [lead.name, ownLogin, leadZone, channel.reports_read, dialogue.id, latest],
  );
}
