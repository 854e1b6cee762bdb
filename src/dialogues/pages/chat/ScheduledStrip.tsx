/** What will be sent next, above the composer: when, why, and what can still be done about it. */
import { ActionIcon, Badge, Button, Group, Menu, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { IconClock, IconDots } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { formatCountdown, formatDateTime } from '../../../kit/format.ts';
import { useNow } from '../../../kit/now.ts';
import { PlainText } from '../../../kit/PlainText.tsx';
import { useCall } from '../../../kit/query.ts';
import { t } from '../../../kit/t.ts';
import { toast } from '../../../kit/toast.ts';
import { editMessage, type Message, messages, sendNow } from '../../contract.ts';
import { skipPings } from '../../skipContract.ts';
import { storeDialogue } from '../live.ts';
import { originLabel } from '../status.tsx';
import { bothClocks } from './Bubble.tsx';
import classes from './chat.module.css';
import { putMessage } from './thread.ts';
import { tellThread } from './threadQuery.ts';

/** The calendar is heavy and seldom needed. */
const WhenDialog = lazy(() => import('./WhenDialog.tsx'));

interface ScheduledStripProps {
  /** What waits for a moment still to come, soonest first. */
  scheduled: readonly Message[];
  leadZone: string;
}

export function ScheduledStrip({ scheduled, leadZone }: ScheduledStripProps) {
  const [all, setAll] = useState(false);
  const shown = all ? scheduled : scheduled.slice(0, 1);
  if (scheduled.length === 0) return null;
  return (
    <section className={classes.strip} aria-label={t('Scheduled messages')}>
      {shown.map((message) => (
        <Scheduled key={message.id} message={message} leadZone={leadZone} />
      ))}
      {scheduled.length > 1 && (
        <UnstyledButton className={classes.why} aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('Show the next one only') : t('{{count}} more', { count: scheduled.length - 1 })}
        </UnstyledButton>
      )}
    </section>
  );
}

function Scheduled({ message, leadZone }: { message: Message; leadZone: string }) {
  const [editing, setEditing] = useState(false);
  const now = useCall(sendNow);
  const edit = useCall(editMessage);
  const cancel = useCall(messages.remove);
  const skip = useCall(skipPings);
  // The plan would make a follow-up that is cancelled alone again.
  const isFollowUp = message.author === 'bot' && message.ping_step_number !== null;
  const params = { id: message.id };
  const store = (answer: Message) => tellThread(answer.dialogue_id, (thread) => putMessage(thread, answer));
  const busy = now.isPending || cancel.isPending || skip.isPending;
  const send = () => now.mutate({ params }, { onSuccess: store, onError: toast.failure });
  const remove = () =>
    cancel.mutate(
      { params },
      {
        onSuccess: () => store({ ...message, status: 'cancelled' }),
        onError: toast.failure,
      },
    );
  const leaveOut = () =>
    skip.mutate(
      { params: { id: message.dialogue_id }, body: { skip: true } },
      {
        onSuccess: (dialogue) => {
          storeDialogue(dialogue);
          store({ ...message, status: 'cancelled' });
        },
        onError: toast.failure,
      },
    );
  return (
    <div className={classes.stripItem}>
      <Group gap="xs" wrap="nowrap" className={classes.stripText}>
        <IconClock size={16} className={classes.fixed} aria-hidden />
        <Countdown message={message} leadZone={leadZone} />
        <Badge className={classes.fixed} color={message.author === 'bot' ? 'accent' : 'teal'}>
          {sourceOf(message)}
        </Badge>
        <Text size="sm" truncate miw={0} title={message.message}>
          <PlainText text={message.message} />
        </Text>
      </Group>
      <Group gap="xs" wrap="nowrap">
        <Button size="compact-sm" variant="default" disabled={busy} loading={now.isPending} onClick={send}>
          {t('Send now')}
        </Button>
        <Menu position="top-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={t('More for the scheduled message')} disabled={busy}>
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setEditing(true)}>{t('Edit')}</Menu.Item>
            {isFollowUp ? (
              <Menu.Item onClick={leaveOut}>{t('Skip')}</Menu.Item>
            ) : (
              <Menu.Item c="var(--mantine-color-error)" onClick={remove}>
                {t('Cancel the message')}
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
      <Suspense>
        {editing && (
          <WhenDialog
            title={t('Edit the scheduled message')}
            submit={t('Save')}
            text={message.message}
            at={message.scheduled_at}
            leadZone={leadZone}
            askHours={false}
            busy={edit.isPending}
            onClose={() => setEditing(false)}
            onSubmit={(when) =>
              edit.mutate(
                { params, body: { message: when.text, scheduled_at: when.at } },
                {
                  onSuccess: (answer) => {
                    setEditing(false);
                    store(answer);
                  },
                  onError: toast.failure,
                },
              )
            }
          />
        )}
      </Suspense>
    </div>
  );
}

function Countdown({ message, leadZone }: { message: Message; leadZone: string }) {
  const at = useNow(1000);
  const due = message.scheduled_at;
  if (due === null) return null;
  const left = (Date.parse(due) - at) / 1000;
  return (
    <Tooltip label={bothClocks(due, leadZone)} style={{ whiteSpace: 'pre-line' }}>
      <Text size="sm" fw={600} component="time" dateTime={due} className={classes.fixed}>
        {left < 86_400 ? t('in {{time}}', { time: formatCountdown(left) }) : formatDateTime(due)}
      </Text>
    </Tooltip>
  );
}

/** Who wrote what waits, in a word or two. */
export function sourceOf(message: Message): string {
  const word = originLabel(message) ?? (message.author === 'bot' ? t('Bot') : null);
  return word ?? message.operator ?? t('Operator');
}
