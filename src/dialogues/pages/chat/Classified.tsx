/** How the conversation was judged, and when it is judged next. */
import { Button, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Failure } from '../../../kit/Failure.tsx';
import { formatCountdown } from '../../../kit/format.ts';
import { Moment } from '../../../kit/Moment.tsx';
import { useNow } from '../../../kit/now.ts';
import { PlainText } from '../../../kit/PlainText.tsx';
import { keyOf, useCall, useEndpoint } from '../../../kit/query.ts';
import { t } from '../../../kit/t.ts';
import { toast } from '../../../kit/toast.ts';
import { StageBadge } from '../../../leads/pages/stage.tsx';
import { type Classification, classificationOfDialogue, classifyNow } from '../../classificationContract.ts';
import type { DialogueView } from '../../contract.ts';
import classes from './chat.module.css';

export function Classified({ view }: { view: DialogueView }) {
  const params = { id: view.dialogue.id };
  const found = useEndpoint(classificationOfDialogue, { params });
  if (!found.data) {
    if (found.error) return <Failure error={found.error} onRetry={() => void found.refetch()} />;
    return (
      <Text size="sm" c="dimmed">
        {t('Loading…')}
      </Text>
    );
  }
  const { latest, turn } = found.data;
  return (
    <Stack gap="xs" align="flex-start">
      {latest && <Latest latest={latest} />}
      {turn === null ? (
        latest === null && (
          <Text size="sm" c="dimmed">
            {t('Not classified so far.')}
          </Text>
        )
      ) : (
        <Turn turn={turn} byBot={view.dialogue.owner === 'bot'} id={params.id} />
      )}
    </Stack>
  );
}

function Latest({ latest }: { latest: NonNullable<Classification['latest']> }) {
  return (
    <div>
      <Text size="sm" component="div">
        {t('Classified as')} <StageBadge stage={latest.stage} />
      </Text>
      <Text size="sm" className={classes.text}>
        {t('because')} <PlainText text={latest.reason} />
      </Text>
      {latest.confirmation !== null && (
        <Text size="sm" className={classes.text}>
          {latest.confirmed === true ? t('Confirmed:') : t('Not confirmed, the stage stayed:')}{' '}
          <PlainText text={latest.confirmation} />
        </Text>
      )}
      <Text size="xs" c="dimmed">
        <Moment iso={latest.at} />
      </Text>
    </div>
  );
}

function Turn({ turn, byBot, id }: { turn: NonNullable<Classification['turn']>; byBot: boolean; id: number }) {
  const cache = useQueryClient();
  const now = useCall(classifyNow);
  const words = useWords(turn, byBot);
  if (turn.state === 'done') return null;
  const failed = turn.state === 'failed';
  return (
    <>
      <Text size="sm" c={failed ? 'var(--mantine-color-error)' : 'dimmed'} className={classes.text}>
        {words}
      </Text>
      {turn.state !== 'open' && byBot && (
        <Button
          size="compact-sm"
          variant="default"
          loading={now.isPending}
          onClick={() =>
            now.mutate(
              { params: { id } },
              {
                onSuccess: (shown) => cache.setQueryData(keyOf(classificationOfDialogue, { params: { id } }), shown),
                onError: toast.failure,
              },
            )
          }
        >
          {failed ? t('Retry') : t('Classify now')}
        </Button>
      )}
    </>
  );
}

function useWords({ state, note, due_at: due }: NonNullable<Classification['turn']>, byBot: boolean): string {
  const left = (Date.parse(due) - useNow(1000)) / 1000;
  switch (state) {
    case 'waiting':
      if (!byBot) return t('Not classified while a human answers.');
      return left > 0
        ? t('Classified in {{time}}, unless the lead writes again.', { time: formatCountdown(left) })
        : t('Being classified.');
    case 'open':
      if (note === null) return t('Being classified.');
      return t('Not classified yet: {{note}}', { note });
    case 'void':
    case 'failed':
      return t('Not classified: {{note}}', { note: note ?? t('unknown') });
    case 'done':
      return '';
    default:
      return state satisfies never;
  }
}
