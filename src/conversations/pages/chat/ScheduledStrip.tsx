/** The next scheduled message, above the composer: its time, the reason, and the actions still possible. */
import { ActionIcon, Badge, Button, Group, Menu, Modal, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { IconClock, IconDots } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { z } from 'zod';
import { call } from '../../../ui/api.ts';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { useNow } from '../../../ui/clock.ts';
import { formatCountdown, formatDateTime } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { PlainText } from '../../../ui/PlainText.tsx';
import { useCall } from '../../../ui/query.ts';
import { toast } from '../../../ui/toast.ts';
import { plainDraftCodec, useDraft } from '../../../ui/useDraft.tsx';
import { editMessage, type Message, messages, sendNow } from '../../contract.ts';
import { skipPings } from '../../skipFollowUpsContract.ts';
import { storeDialogue } from '../applyLiveEvents.ts';
import { originLabel } from '../shared/status.tsx';
import { bothClocks } from './Bubble.tsx';
import classes from './chat.module.css';
import { upsertMessage } from './thread.ts';
import { updateThread } from './threadQuery.ts';

/** Loaded lazily: the calendar is large and rarely needed. */
const ScheduleDialog = lazy(() => import('./ScheduleDialog.tsx'));

interface ScheduledStripProps {
  /** Messages scheduled for a future time, soonest first. */
  scheduled: readonly Message[];
  leadZone: string;
}

export function ScheduledStrip({ scheduled, leadZone }: ScheduledStripProps) {
  const [all, setAll] = useState(false);
  const visible = all ? scheduled : scheduled.slice(0, 1);
  if (scheduled.length === 0) return null;
  return (
    <section className={classes.strip} aria-label={t('Scheduled messages')}>
      {visible.map((message) => (
        <ScheduledMessage key={message.id} message={message} leadZone={leadZone} />
      ))}
      {scheduled.length > 1 && (
        <UnstyledButton className={classes.why} aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('Show only the next one') : t('{{count}} more', { count: scheduled.length - 1 })}
        </UnstyledButton>
      )}
    </section>
  );
}

function ScheduledMessage({ message, leadZone }: { message: Message; leadZone: string }) {
  const [isEditing, setEditing] = useState(false);
  const [isCancelling, setCancelling] = useState(false);
  const { send, isSending, skip, isSkipping, cancel, isFollowUp } = useScheduledActions(message);
  const isBusy = isSending || isSkipping;
  return (
    <div className={classes.stripItem}>
      <Group gap="xs" wrap="nowrap" className={classes.stripText}>
        <IconClock size={16} className={classes.fixed} aria-hidden />
        <Countdown message={message} leadZone={leadZone} />
        <Badge className={classes.fixed} color={message.author === 'bot' ? 'accent' : 'teal'}>
          {senderLabel(message)}
        </Badge>
        <Text size="sm" truncate miw={0} title={message.message}>
          <PlainText text={message.message} />
        </Text>
      </Group>
      <Group gap="xs" wrap="nowrap">
        <Button size="compact-sm" variant="default" disabled={isBusy} loading={isSending} onClick={send}>
          {t('Send now')}
        </Button>
        <Menu position="top-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={t('More actions for this message')} disabled={isBusy}>
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setEditing(true)}>{t('Edit')}</Menu.Item>
            {isFollowUp ? (
              <Menu.Item onClick={skip}>{t('Skip')}</Menu.Item>
            ) : (
              <Menu.Item c="var(--mantine-color-error)" onClick={() => setCancelling(true)}>
                {t('Cancel message')}
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      </Group>
      {message.reason !== null && (
        <Text size="xs" c="dimmed" className={classes.stripReason}>
          {message.reason}
        </Text>
      )}
      {isCancelling && (
        <ConfirmDialog
          title={t('Cancel message')}
          text={t('Cancel this message? It is not sent. This action cannot be undone.')}
          confirm={t('Cancel message')}
          color="red"
          run={cancel}
          onDone={() => undefined}
          onClose={() => setCancelling(false)}
        />
      )}
      {isEditing && (
        <Suspense>
          <Edit message={message} leadZone={leadZone} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </div>
  );
}

function useScheduledActions(message: Message) {
  const now = useCall(sendNow);
  const skip = useCall(skipPings);
  const params = { id: message.id };
  // Skip a follow-up instead of only cancelling it: the plan would recreate it.
  const isFollowUp = message.author === 'bot' && message.ping_step_number !== null;
  const storeCancelled = () => storeMessage({ ...message, status: 'cancelled' });
  const skipFollowUp = () =>
    skip.mutate(
      { params: { id: message.dialogue_id }, body: { skip: true } },
      {
        onSuccess: (dialogue) => {
          storeDialogue(dialogue);
          storeCancelled();
          toast.undoable(t('Follow-up skipped'), async () =>
            storeDialogue(await call(skipPings, { params: { id: message.dialogue_id }, body: { skip: false } })),
          );
        },
        onError: toast.failure,
      },
    );
  return {
    isFollowUp,
    isSending: now.isPending,
    isSkipping: skip.isPending,
    send: () => now.mutate({ params }, { onSuccess: storeMessage, onError: toast.failure }),
    skip: skipFollowUp,
    cancel: async () => {
      await call(messages.remove, { params });
      storeCancelled();
    },
  };
}

function storeMessage(message: Message) {
  updateThread(message.dialogue_id, (thread) => upsertMessage(thread, message));
}

/** What can be changed of a scheduled message. `at`: milliseconds. */
const change = z.object({ text: z.string(), at: z.number().nullable() });
const CHANGE_CODEC = plainDraftCodec(change);

const changeOf = ({ message: text, scheduled_at: at }: Message): z.output<typeof change> => ({
  text,
  at: at === null ? null : Date.parse(at),
});

interface EditProps {
  message: Message;
  leadZone: string;
  onClose: () => void;
}

function Edit({ message, leadZone, onClose }: EditProps) {
  const edit = useCall(editMessage);
  const { draft, setDraft, guard, notice } = useDraft({
    draftKey: `scheduled/${message.id}`,
    what: t('Scheduled message to {{name}}', { name: message.lead_name }),
    loaded: message,
    draftOf: changeOf,
    codec: CHANGE_CODEC,
  });
  return (
    <Modal.Stack>
      <ScheduleDialog
        title={t('Edit scheduled message')}
        submit={t('Save')}
        text={draft.text}
        onText={(text) => setDraft((typed) => ({ ...typed, text }))}
        at={draft.at}
        onAt={(at) => setDraft((typed) => ({ ...typed, at }))}
        leadZone={leadZone}
        askHours={false}
        busy={edit.isPending}
        notice={notice}
        onClose={() => guard.ask(onClose)}
        onSubmit={({ text, at }) =>
          edit.mutate(
            { params: { id: message.id }, body: { message: text, scheduled_at: at } },
            {
              onSuccess: (answer) => {
                guard.release();
                onClose();
                storeMessage(answer);
              },
              onError: toast.failure,
            },
          )
        }
      />
      {guard.question}
    </Modal.Stack>
  );
}

function Countdown({ message, leadZone }: { message: Message; leadZone: string }) {
  const at = useNow(1000);
  const due = message.scheduled_at;
  if (due === null) return null;
  const secondsLeft = (Date.parse(due) - at) / 1000;
  return (
    <Tooltip label={bothClocks(due, leadZone)} style={{ whiteSpace: 'pre-line' }}>
      <Text size="sm" fw={600} component="time" dateTime={due} className={classes.fixed}>
        {secondsLeft < 86_400 ? t('in {{time}}', { time: formatCountdown(secondsLeft) }) : formatDateTime(due)}
      </Text>
    </Tooltip>
  );
}

/** Return a short label of who wrote a scheduled message. */
export function senderLabel(message: Message): string {
  const label = originLabel(message) ?? (message.author === 'bot' ? t('Bot') : null);
  return label ?? message.operator ?? t('Operator');
}
