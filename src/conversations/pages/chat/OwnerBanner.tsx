/** Shows who answers in this dialogue, or why nobody does, with the one button that changes it. */
import { Button, Group, Text, Tooltip } from '@mantine/core';
import { PersonOptOutNotice } from '../../../leads/pages/shared/personOptOut.tsx';
import { botStopReason } from '../../../leads/pages/shared/stage.tsx';
import { call } from '../../../ui/api.ts';
import { useNow } from '../../../ui/clock.ts';
import { dateTimeInSentence, formatCountdown } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { keyOf, queryClient, useCall } from '../../../ui/query.ts';
import { useShortcut } from '../../../ui/shortcuts.ts';
import { toast } from '../../../ui/toast.ts';
import { answerAgain } from '../../answerContract.ts';
import { type Dialogue, type DialogueView, type Owner, setOwner, viewDialogue } from '../../contract.ts';
import { storeDialogue } from '../applyLiveEvents.ts';
import { OwnerIcon, ownerLabel, ownerReason } from '../owner.tsx';
import classes from './chat.module.css';
import { useHandBack } from './useHandBack.tsx';

export function OwnerBanner({ view }: { view: DialogueView }) {
  const { dialogue, channel } = view;
  const change = useCall(setOwner, { queue: `owner/${dialogue.id}` });
  const answer = useCall(answerAgain);
  const params = { id: dialogue.id };
  const handlers = { onSuccess: storeDialogue, onError: toast.failure };
  const undoOwner = (owner: Owner) => async () =>
    storeDialogue(await call(setOwner, { params, body: { owner, stay_silent: false } }));
  const byBot = dialogue.owner === 'bot';
  const stopReason = byBot ? botStopReason(view.lead) : null;
  const detail = stopReason ?? (byBot ? dialogue.quiet_reason : ownerSince(dialogue));
  // The live stream may show a change before its call is answered: the next key is then about what is shown.
  const nextOwner = change.isPending ? change.variables.body.owner : dialogue.owner;
  const changeOwner = (owner: Owner, { staySilent = false } = {}) => {
    if (nextOwner === owner) return;
    const onSuccess = (changed: Dialogue) => {
      storeDialogue(changed);
      if (owner === 'bot') toast.undoable(t('Handed back to the bot'), undoOwner('human'));
      else toast.undoable(t('Taken over from the bot'), undoOwner('bot'));
    };
    change.mutate({ params, body: { owner, stay_silent: staySilent } }, { ...handlers, onSuccess });
  };
  const handBack = useHandBack(dialogue, (choice) => changeOwner('bot', choice));
  const askToHandBack = () => {
    if (nextOwner !== 'bot') handBack.ask();
  };
  useShortcut('t', t('Take the dialogue over from the bot'), () => changeOwner('human'));
  useShortcut('b', t('Hand the dialogue back to the bot'), askToHandBack);
  return (
    <>
      <div className={`${classes.bar} ${classes.oneLine}`}>
        <Group gap="xs" wrap="nowrap" miw={0}>
          <OwnerIcon owner={dialogue.owner} size={18} className={classes.fixed} />
          <Text size="sm" fw={600} role="status" className={classes.fixed}>
            {stopReason === null ? statusLabel(dialogue) : t('Bot is off:')}
          </Text>
          <Text size="xs" c="dimmed" truncate {...(detail === null ? {} : { title: detail })}>
            {detail ?? <ReplyCountdown dueAt={dialogue.turn_due_at} />}
          </Text>
        </Group>
        <Tooltip label={handBack.sentence ?? ''} disabled={byBot || handBack.sentence === null} multiline maw={360}>
          <Button
            size="compact-sm"
            className={classes.fixed}
            variant={byBot ? 'default' : 'light'}
            loading={change.isPending || handBack.isAsking}
            onClick={() => (byBot ? changeOwner('human') : askToHandBack())}
          >
            {byBot ? t('Take over') : t('Hand back to bot')}
          </Button>
        </Tooltip>
      </div>
      {handBack.dialog}
      {dialogue.no_answer !== null && (
        <div className={`${classes.bar} ${classes.oneLine} ${classes.warning}`} role="alert">
          <Text size="sm" className={classes.troubleText}>
            {dialogue.no_answer}
          </Text>
          {stopReason === null && (
            <Button
              size="compact-sm"
              className={classes.fixed}
              variant="default"
              loading={answer.isPending}
              onClick={() => answer.mutate({ params }, handlers)}
            >
              {t('Retry')}
            </Button>
          )}
        </div>
      )}
      <PersonOptOutNotice
        isBar
        lead={view.lead}
        onChanged={() => void queryClient.invalidateQueries({ queryKey: keyOf(viewDialogue) })}
      />
      {!channel.is_session_active && <DisconnectedNotice channel={channel} />}
    </>
  );
}

function DisconnectedNotice({ channel }: Pick<DialogueView, 'channel'>) {
  return (
    <div className={`${classes.bar} ${classes.warning}`} role="status">
      <Text size="sm">
        {t('{{channel}} is not connected: {{state}}', {
          channel: channel.name,
          state: channel.state ?? t('unknown'),
        })}
      </Text>
    </div>
  );
}

/** The bot that needs not answer is not said to be answering: the reason is beside it. */
function statusLabel(dialogue: Dialogue): string {
  return dialogue.owner === 'bot' && dialogue.quiet_reason !== null ? t('Bot') : ownerLabel(dialogue);
}

function ownerSince(dialogue: Dialogue): string {
  const { owner_since: since } = dialogue;
  const parts = [
    ownerReason(dialogue),
    since === null ? null : t('since {{time}}', { time: dateTimeInSentence(since) }),
  ];
  return parts.filter((part) => part !== null).join(', ');
}

function ReplyCountdown({ dueAt }: { dueAt: string | null }) {
  const at = useNow(1000);
  if (dueAt === null) return null;
  const secondsLeft = (Date.parse(dueAt) - at) / 1000;
  return (
    <>
      {secondsLeft > 0
        ? t('answers in {{time}}', { time: formatCountdown(secondsLeft) })
        : t('is writing an answer...')}
    </>
  );
}
