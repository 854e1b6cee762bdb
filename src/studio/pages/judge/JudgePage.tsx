/** Which of two answers is better? Operators' labels say how far the judge can be trusted. */
import { Alert, Badge, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../ui/api.ts';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { PageFrame } from '../../../ui/PageFrame.tsx';
import { PageLink } from '../../../ui/PageLink.tsx';
import { PlainText } from '../../../ui/PlainText.tsx';
import { usePageContext } from '../../../ui/pageContext.ts';
import { keyOf, useEndpoint } from '../../../ui/query.ts';
import { Section } from '../../../ui/Section.tsx';
import { useScope } from '../../../ui/scope.ts';
import { useShortcut } from '../../../ui/shortcuts.ts';
import {
  type Calibration,
  type JudgePair,
  labelJudgePair,
  listJudgePairs,
  type Preference,
  readCalibration,
} from '../../judgeContract.ts';
import { formatShare } from '../labels.ts';
import { StudioTabs } from '../StudioTabs.tsx';
import { ConversationLines } from '../shared/ConversationLines.tsx';
import classes from '../studio.module.css';

export default function JudgePage() {
  const { product } = useScope();
  const productId = product?.id ?? 0;
  const calibration = useEndpoint(readCalibration, { query: { product_id: productId } }, { staleTime: 0 });
  const pairs = useEndpoint(
    listJudgePairs,
    { query: { product_id: productId, is_labelled: false, limit: 1, order: 'asc' } },
    { staleTime: 0, keepPrevious: true },
  );
  const pair = pairs.data?.items[0] ?? null;
  usePageContext({
    description: t(
      'Calibration of the judge: pairs of answers to label, and how far the judge agrees with the labels.',
    ),
    summary: JSON.stringify({ calibration: calibration.data, pairs_to_label: pairs.data?.total }),
    tools: [],
  });
  return (
    <PageFrame title={t('Judge')} fill>
      <StudioTabs />
      <div className={classes.scroll}>
        <Stack gap="md">
          {calibration.error && <Failure error={calibration.error} onRetry={() => void calibration.refetch()} />}
          {calibration.data && <Trust calibration={calibration.data} />}
          {pairs.error && <Failure error={pairs.error} onRetry={() => void pairs.refetch()} />}
          {pairs.data && pair === null && (
            <Section title={t('Which is better?')}>
              <Text size="sm">
                {t('There is no pair to label. Replays with a judge make some:')}{' '}
                <PageLink to="studio" inText>
                  {t('start a run')}
                </PageLink>
              </Text>
            </Section>
          )}
          {pair !== null && <Labelling key={pair.id} pair={pair} left={pairs.data?.total ?? 0} productId={productId} />}
        </Stack>
      </div>
    </PageFrame>
  );
}

/** How far the judge can be trusted. */
function Trust({ calibration }: { calibration: Calibration }) {
  const { labels, needed, is_calibrated: isCalibrated, agreement, kappa, first_preferred: first } = calibration;
  return (
    <Section
      title={t('How far it can be trusted')}
      actions={
        <Badge color={isCalibrated ? 'green' : 'yellow'}>{isCalibrated ? t('Calibrated') : t('Advice only')}</Badge>
      }
    >
      <Stack gap="xs">
        <Progress
          value={Math.min(100, (100 * labels) / needed)}
          aria-label={t('Labels')}
          aria-valuetext={t('{{labels}} of {{needed}}', { labels, needed })}
        />
        <Text size="sm">
          {isCalibrated
            ? t('{{labels}} labels.', { labels })
            : t('{{labels}} of {{needed}} labels. Until then the judge only advises: it blocks nothing.', {
                labels,
                needed,
              })}
        </Text>
        {agreement && (
          <Text size="sm">
            {t('It agrees with your team in {{rate}} of the pairs ({{low}} to {{high}}).', {
              rate: formatShare(agreement.rate),
              low: Math.round(agreement.low * 100),
              high: Math.round(agreement.high * 100),
            })}{' '}
            {kappa !== null && t('Beyond chance: kappa {{kappa}}.', { kappa: kappa.toFixed(2) })}
          </Text>
        )}
        {first && (
          <Text size="sm" c="dimmed">
            {t('It prefers the answer that it reads first in {{rate}} of its judgements ({{low}} to {{high}}).', {
              rate: formatShare(first.rate),
              low: Math.round(first.low * 100),
              high: Math.round(first.high * 100),
            })}
          </Text>
        )}
        {calibration.has_position_bias && (
          <Alert color="orange" icon={<IconAlertTriangle />}>
            {t(
              'The judge leans to one position. Pairs on which its two readings disagree count as ties; choose another model for the judge if there are many.',
            )}
          </Alert>
        )}
      </Stack>
    </Section>
  );
}

function Labelling({ pair, left, productId }: { pair: JudgePair; left: number; productId: number }) {
  const cache = useQueryClient();
  const [labelled, setLabelled] = useState<JudgePair | null>(null);
  const labelling = useMutation({
    mutationFn: (label: Preference) => call(labelJudgePair, { params: { id: pair.id }, body: { label } }),
    onSuccess: (now) => {
      setLabelled(now);
      void cache.invalidateQueries({ queryKey: keyOf(readCalibration, { query: { product_id: productId } }) });
    },
  });
  const choose = (label: Preference) => {
    if (!labelling.isPending && labelled === null) labelling.mutate(label);
  };
  const next = () => void cache.invalidateQueries({ queryKey: keyOf(listJudgePairs) });
  useShortcut('1', t('First answer is better'), () => choose('first'));
  useShortcut('2', t('Second answer is better'), () => choose('second'));
  useShortcut('0', t('Both answers are as good'), () => choose('tie'));
  return (
    <Section
      title={t('Which is better?')}
      actions={
        <Text size="sm" c="dimmed">
          {t('{{count}} left', { count: left })}
        </Text>
      }
    >
      <Stack gap="md">
        <ConversationLines lines={pair.history} label={t('Conversation')} />
        <div className={classes.pair}>
          <Candidate title={t('First')} text={pair.first} />
          <Candidate title={t('Second')} text={pair.second} />
        </div>
        {labelling.error && <Failure error={labelling.error} />}
        {labelled === null ? (
          <Group gap="xs">
            <Button variant="default" disabled={labelling.isPending} onClick={() => choose('first')}>
              {t('First is better')}
            </Button>
            <Button variant="default" disabled={labelling.isPending} onClick={() => choose('second')}>
              {t('Second is better')}
            </Button>
            <Button variant="default" disabled={labelling.isPending} onClick={() => choose('tie')}>
              {t('About the same')}
            </Button>
            <Text size="xs" c="dimmed">
              {t('Keys: 1, 2, 0')}
            </Text>
          </Group>
        ) : (
          <Group gap="md">
            <Text size="sm" role="status">
              {judgedText(labelled)}
            </Text>
            <Button onClick={next} data-autofocus autoFocus>
              {t('Next pair')}
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  );
}

function Candidate({ title, text }: { title: string; text: string }) {
  return (
    <Paper withBorder p="sm" component="section" aria-label={title}>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <div className={classes.pairText} dir="auto">
        <PlainText text={text} />
      </div>
    </Paper>
  );
}

function judgedText({ label, judged }: JudgePair): string {
  if (judged === null) return t('Your label is stored. The judge has not compared this pair.');
  if (judged === label) return t('The judge agrees.');
  const choices: Readonly<Record<Preference, string>> = {
    first: t('The judge prefers the first.'),
    second: t('The judge prefers the second.'),
    tie: t('The judge finds them about the same.'),
  };
  return choices[judged];
}
