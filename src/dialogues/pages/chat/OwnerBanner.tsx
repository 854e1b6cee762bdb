/** Who answers in this dialogue, why nobody does, and the one button that changes it. */
import { Button, Group, Text } from '@mantine/core';
import { formatCountdown, formatDateTime } from '../../../kit/format.ts';
import { useShortcut } from '../../../kit/keys.ts';
import { useNow } from '../../../kit/now.ts';
import { useCall } from '../../../kit/query.ts';
import { t } from '../../../kit/t.ts';
import { toast } from '../../../kit/toast.ts';
import { silenceOf } from '../../../leads/pages/stage.tsx';
import { answerAgain } from '../../answerContract.ts';
import { type Dialogue, type DialogueView, type Owner, setOwner } from '../../contract.ts';
import { storeDialogue } from '../live.ts';
import { OwnerIcon, ownerReason, ownerWords } from '../owner.tsx';
import classes from './chat.module.css';

export function OwnerBanner({ view }: { view: DialogueView }) {
  const { dialogue, channel } = view;
  const change = useCall(setOwner);
  const answer = useCall(answerAgain);
  const params = { id: dialogue.id };
  const done = { onSuccess: storeDialogue, onError: toast.failure };
  const byBot = dialogue.owner === 'bot';
  const silent = byBot ? silenceOf(view.lead) : null;
  const more = silent ?? (byBot ? null : sinceWords(dialogue));
  const give = (owner: Owner) => {
    if (dialogue.owner !== owner && !change.isPending) change.mutate({ params, body: { owner } }, done);
  };
  useShortcut('t', t('Take the dialogue over from the bot'), () => give('human'));
  useShortcut('b', t('Hand the dialogue back to the bot'), () => give('bot'));
  return (
    <>
      <div className={`${classes.bar} ${classes.oneLine}`}>
        <Group gap="xs" wrap="nowrap" miw={0}>
          <OwnerIcon owner={dialogue.owner} size={18} className={classes.fixed} />
          <Text size="sm" fw={600} role="status" className={classes.fixed}>
            {silent === null ? ownerWords(dialogue) : t('The bot stays silent:')}
          </Text>
          <Text size="xs" c="dimmed" truncate {...(more === null ? {} : { title: more })}>
            {more ?? <Turn dueAt={dialogue.turn_due_at} />}
          </Text>
        </Group>
        <Button
          size="compact-sm"
          className={classes.fixed}
          variant={byBot ? 'default' : 'light'}
          loading={change.isPending}
          onClick={() => give(byBot ? 'human' : 'bot')}
        >
          {byBot ? t('Hand over') : t('Hand back to bot')}
        </Button>
      </div>
      {dialogue.no_answer !== null && (
        <div className={`${classes.bar} ${classes.warning}`} role="alert">
          <Text size="sm" className={classes.troubleText}>
            {dialogue.no_answer.startsWith('No answer')
              ? dialogue.no_answer
              : t('No answer: {{reason}}', { reason: dialogue.no_answer })}
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            loading={answer.isPending}
            onClick={() => answer.mutate({ params }, done)}
          >
            {t('Retry')}
          </Button>
        </div>
      )}
      {!channel.is_session_active && (
        <div className={`${classes.bar} ${classes.warning}`} role="status">
          <Text size="sm">
            {t('{{channel}} is not connected: {{state}}', {
              channel: channel.name,
              state: channel.state ?? t('unknown'),
            })}
          </Text>
        </div>
      )}
    </>
  );
}

function sinceWords(dialogue: Dialogue): string {
  const { owner_since: since } = dialogue;
  const parts = [ownerReason(dialogue), since === null ? null : t('since {{time}}', { time: formatDateTime(since) })];
  return parts.filter((part) => part !== null).join(', ');
}

function Turn({ dueAt }: { dueAt: string | null }) {
  const at = useNow(1000);
  if (dueAt === null) return null;
  const left = (Date.parse(dueAt) - at) / 1000;
  return <>{left > 0 ? t('answers in {{time}}', { time: formatCountdown(left) }) : t('is writing an answer...')}</>;
}
