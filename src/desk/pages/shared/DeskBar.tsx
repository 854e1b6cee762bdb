/** The actions of the inbox on the open dialogue: assign, snooze, done, stage. */
import { Button, Group, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { type Dialogue, type DialogueView, dialogues } from '../../../conversations/contract.ts';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { useCall } from '../../../ui/query.ts';
import { useShortcut } from '../../../ui/shortcuts.ts';
import { toast } from '../../../ui/toast.ts';
import { assignDialogue, markDone, reopenMany, snoozeDialogue } from '../../contract.ts';
import { AssignMenu } from './AssignMenu.tsx';
import { AttentionReason, snoozeText, WaitingTime } from './attention.tsx';
import classes from './desk.module.css';
import { SnoozeMenu } from './SnoozeMenu.tsx';

const StageDialog = lazy(async () => ({
  default: (await import('../../../leads/pages/shared/StageDialog.tsx')).StageDialog,
}));

interface DeskBarProps {
  view: DialogueView;
  /** What is beside the actions in place of the state, which is in view elsewhere then. */
  note?: ReactNode;
  /** Called with the dialogue after a change. */
  onChanged: (dialogue: Dialogue) => void;
}

export function DeskBar({ view, note, onChanged }: DeskBarProps) {
  const { dialogue, lead } = view;
  const { isBusy, isDone, ...actions } = useDeskActions(dialogue, onChanged);
  const [menu, setMenu] = useState<'assign' | 'snooze' | 'stage' | null>(null);
  const menuProps = (name: 'assign' | 'snooze') => ({
    opened: menu === name,
    onOpened: (opened: boolean) => setMenu(opened ? name : null),
  });
  useShortcut('a', t('Assign the dialogue'), () => setMenu('assign'));
  useShortcut('h', t('Snooze the dialogue'), () => setMenu('snooze'));
  useShortcut('e', t('Mark the dialogue as done'), () => {
    if (!isDone) actions.done();
  });
  useShortcut('s', t('Change the stage'), () => setMenu('stage'));
  return (
    <div className={classes.bar} data-with-state={note === undefined || undefined}>
      {note ?? <DeskState dialogue={dialogue} />}
      <Group gap="xs" wrap="nowrap" className={classes.actions}>
        <AssignMenu
          {...menuProps('assign')}
          productIds={[dialogue.product_id]}
          assignee={{ id: dialogue.assignee_id, login: dialogue.assignee }}
          onAssign={actions.assign}
        />
        <SnoozeMenu {...menuProps('snooze')} isSnoozed={dialogue.inbox_state === 'snoozed'} onSnooze={actions.snooze} />
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconCheck size={14} aria-hidden />}
          aria-label={t('Done')}
          classNames={{ section: classes.actionIcon, label: classes.actionLabel }}
          disabled={isDone}
          loading={isBusy}
          onClick={actions.done}
        >
          {t('Done')}
        </Button>
      </Group>
      {menu === 'stage' && (
        <Suspense>
          <StageDialog lead={lead} onClose={() => setMenu(null)} />
        </Suspense>
      )}
    </div>
  );
}

/** Assign, snooze and mark as done, with the dialogue's new state handed to `onChanged`. */
function useDeskActions(dialogue: Dialogue, onChanged: (dialogue: Dialogue) => void) {
  const assign = useCall(assignDialogue);
  const snooze = useCall(snoozeDialogue);
  const done = useCall(markDone);
  const { id } = dialogue;
  const params = { id };
  // Kept for an undo, which may come when another dialogue is open.
  const { assignee_id, snoozed_until, snoozed_until_reply } = dialogue;
  const handlers = (text: string, undo: () => Promise<Dialogue>) => ({
    onSuccess: (changed: Dialogue) => {
      onChanged(changed);
      toast.undoable(text, async () => onChanged(await undo()));
    },
    onError: toast.failure,
  });
  return {
    isBusy: done.isPending,
    isDone: dialogue.done_at !== null && dialogue.attention === null,
    assign: (operatorId: number | null) =>
      assign.mutate(
        { params, body: { operator_id: operatorId } },
        handlers(operatorId === null ? t('Assigned to nobody') : t('Assigned'), () =>
          call(assignDialogue, { params, body: { operator_id: assignee_id } }),
        ),
      ),
    snooze: ({ until, untilReply }: { until: string | null; untilReply: boolean }) =>
      snooze.mutate(
        { params, body: { until, until_reply: untilReply } },
        handlers(until === null && !untilReply ? t('Snooze ended') : t('Snoozed'), () =>
          call(snoozeDialogue, { params, body: { until: snoozed_until, until_reply: snoozed_until_reply } }),
        ),
      ),
    done: () =>
      done.mutate(
        { params },
        handlers(t('Marked as done'), async () => {
          await call(reopenMany, { body: { ids: [id] } });
          return call(dialogues.get, { params });
        }),
      ),
  };
}

/** What the dialogue needs and how long it has waited; else where it is in the inbox. */
export function DeskState({ dialogue }: { dialogue: Dialogue }) {
  const { attention, inbox_state: state } = dialogue;
  const snoozed = snoozeText(dialogue);
  if (snoozed !== null || attention === null) {
    const text = snoozed ?? (state === 'done' ? t('Done') : t('Needs nothing from you'));
    return (
      <Text size="xs" c="dimmed" truncate title={text} className={classes.quietState}>
        {text}
      </Text>
    );
  }
  return (
    <span className={classes.state}>
      <AttentionReason state={attention.state} />
      <WaitingTime attention={attention} />
    </span>
  );
}
