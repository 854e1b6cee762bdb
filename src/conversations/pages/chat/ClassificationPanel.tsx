/** How the conversation was classified, and when it is classified next. */
import { Button, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { StageBadge } from '../../../leads/pages/shared/stage.tsx';
import { useNow } from '../../../ui/clock.ts';
import { Failure } from '../../../ui/Failure.tsx';
import { formatCountdown } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { PlainText } from '../../../ui/PlainText.tsx';
import { keyOf, useCall, useEndpoint } from '../../../ui/query.ts';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { toast } from '../../../ui/toast.ts';
import { type Classification, classifyNow, readDialogueClassification } from '../../classificationContract.ts';
import type { DialogueView } from '../../contract.ts';
import { StageDetectionOff, useStageDetection } from '../shared/stageDetection.tsx';
import classes from './chat.module.css';

export function ClassificationPanel({ view }: { view: DialogueView }) {
  const params = { id: view.dialogue.id };
  const query = useEndpoint(readDialogueClassification, { params });
  const { product_id: productId } = view.dialogue;
  const isOff = useStageDetection(productId).data?.items.length === 0;
  if (!query.data) {
    if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
    return (
      <Text size="sm" c="dimmed">
        {t('Loading…')}
      </Text>
    );
  }
  const { latest, turn } = query.data;
  return (
    <Stack gap="xs" align="flex-start">
      {latest && <LatestClassification latest={latest} />}
      {turn === null ? (
        latest === null &&
        !isOff && (
          <Text size="sm" c="dimmed">
            {t('Stage not detected yet.')}
          </Text>
        )
      ) : (
        <TurnStatus turn={turn} byBot={view.dialogue.owner === 'bot'} id={params.id} />
      )}
      <StageDetectionOff productId={productId} />
    </Stack>
  );
}

function LatestClassification({ latest }: { latest: NonNullable<Classification['latest']> }) {
  return (
    <div>
      <Text size="sm" component="div">
        {t('Detected stage:')} <StageBadge stage={latest.stage} />
      </Text>
      <Text size="sm" className={classes.text}>
        {t('Reason:')} <PlainText text={latest.reason} />
      </Text>
      {latest.confirmation !== null && (
        <Text size="sm" className={classes.text}>
          {latest.confirmed === true ? t('Confirmed:') : t('Not confirmed; the stage did not change:')}{' '}
          <PlainText text={latest.confirmation} />
        </Text>
      )}
      <Text size="xs" c="dimmed">
        <Timestamp iso={latest.at} />
      </Text>
    </div>
  );
}

function TurnStatus({ turn, byBot, id }: { turn: NonNullable<Classification['turn']>; byBot: boolean; id: number }) {
  const cache = useQueryClient();
  const classifyAction = useCall(classifyNow);
  const text = useTurnText(turn, byBot);
  if (turn.state === 'done') return null;
  const failed = turn.state === 'failed';
  return (
    <>
      <Text size="sm" c={failed ? 'var(--mantine-color-error)' : 'dimmed'} className={classes.text}>
        {text}
      </Text>
      {turn.state !== 'open' && byBot && (
        <Button
          size="compact-sm"
          variant="default"
          loading={classifyAction.isPending}
          onClick={() =>
            classifyAction.mutate(
              { params: { id } },
              {
                onSuccess: (updated) =>
                  cache.setQueryData(keyOf(readDialogueClassification, { params: { id } }), updated),
                onError: toast.failure,
              },
            )
          }
        >
          {failed ? t('Retry') : t('Detect stage now')}
        </Button>
      )}
    </>
  );
}

function useTurnText({ state, note, due_at: due }: NonNullable<Classification['turn']>, byBot: boolean): string {
  const secondsLeft = (Date.parse(due) - useNow(1000)) / 1000;
  switch (state) {
    case 'waiting':
      if (!byBot) return t('Stage detection is paused while a human replies.');
      return secondsLeft > 0
        ? t('Detecting the stage in {{time}}, unless the lead writes again.', { time: formatCountdown(secondsLeft) })
        : t('Detecting the stage…');
    case 'open':
      if (note === null) return t('Detecting the stage…');
      return t('Stage not detected yet: {{note}}', { note });
    case 'void':
    case 'failed':
      return t('Stage not detected: {{note}}', { note: note ?? t('unknown') });
    case 'done':
      return '';
    default:
      return state satisfies never;
  }
}
