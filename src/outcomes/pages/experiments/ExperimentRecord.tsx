/** A running or stopped experiment: what it has found, its arms and its analyses. */
import { Alert, Badge, Button, Stack, Text } from '@mantine/core';
import { IconCheck, IconPlayerStop, IconTrophy } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { PageFrame } from '../../../ui/PageFrame.tsx';
import { PageLoading } from '../../../ui/PageLoading.tsx';
import { usePage } from '../../../ui/page.ts';
import { usePageContext } from '../../../ui/pageContext.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { Section } from '../../../ui/Section.tsx';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { toast } from '../../../ui/toast.ts';
import { type Experiment, type ExperimentResults, readExperimentResults } from '../../experimentContract.ts';
import { formatRate } from '../shared/RateText.tsx';
import { Analyses } from './Analyses.tsx';
import { ApplyDialog } from './ApplyDialog.tsx';
import { ArmContents, ArmResults } from './ArmResults.tsx';
import { asLine, kindLabel, metricLabel, stateOf } from './experimentLabels.ts';
import { recordContext } from './experimentTools.ts';
import { useExperimentActions } from './useExperimentActions.ts';
import { winnerOf } from './winner.ts';

/** Milliseconds between readings of a running experiment. */
const REFRESH_MS = 15_000;

export function ExperimentRecord({ experiment }: { experiment: Experiment }) {
  const page = usePage();
  const read = useEndpoint(
    readExperimentResults,
    { params: { id: experiment.id } },
    { refetchInterval: experiment.state === 'running' ? REFRESH_MS : false, staleTime: 0 },
  );
  if (read.data) return <Record results={read.data} error={read.error} onRetry={() => void read.refetch()} />;
  return (
    <PageLoading
      title={experiment.name}
      entity={t('results')}
      description={t('One experiment.')}
      error={read.error}
      onRetry={() => void read.refetch()}
      onBack={() => page.back('experiments')}
    />
  );
}

interface RecordProps {
  results: ExperimentResults;
  error: Error | null;
  onRetry: () => void;
}

function Record({ results, error, onRetry }: RecordProps) {
  const page = usePage();
  const { experiment, target } = results;
  const actions = useExperimentActions(experiment);
  const [asking, setAsking] = useState<'stop' | 'apply' | null>(null);
  const state = stateOf(experiment.state);
  const winner = winnerOf(results);
  const mayApply = experiment.state === 'stopped' && experiment.applied_at === null && target !== null;
  usePageContext(recordContext(results, actions));
  return (
    <PageFrame
      title={experiment.name}
      onBack={() => page.back('experiments')}
      aside={<Badge color={state.tone}>{state.label}</Badge>}
      actions={
        <>
          {experiment.state === 'running' && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlayerStop size="1rem" />}
              onClick={() => setAsking('stop')}
            >
              {t('Stop')}
            </Button>
          )}
          {mayApply && (
            <Button size="xs" leftSection={<IconCheck size="1rem" />} onClick={() => setAsking('apply')}>
              {winner === null ? t('Apply an arm') : t('Apply the winner')}
            </Button>
          )}
        </>
      }
    >
      <Stack gap="md">
        {error && <Failure error={error} onRetry={onRetry} />}
        <Result results={results} winner={winner} />
        <ArmResults results={results} winner={winner} />
        <Analyses results={results} />
        <ArmContents experiment={experiment} />
        <Setup experiment={experiment} excluded={results.excluded} />
      </Stack>
      {asking === 'stop' && (
        <ConfirmDialog
          title={t('Stop “{{name}}”?', { name: experiment.name })}
          text={t(
            'No new leads take part, and all leads go back to what the product uses. What was counted stays, but nothing is decided. A stopped experiment cannot be started again.',
          )}
          confirm={t('Stop')}
          color="red"
          run={actions.stop}
          onDone={() => toast.success(t('{{name}} was stopped', { name: experiment.name }))}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'apply' && target && (
        <ApplyDialog
          experiment={experiment}
          winner={winner}
          onApply={(arm) => actions.apply(arm, target)}
          onClose={() => setAsking(null)}
        />
      )}
    </PageFrame>
  );
}

/** The finding in a sentence, how far it is, and the record of what was applied. */
function Result({ results, winner }: { results: ExperimentResults; winner: number | null }) {
  const { experiment, sentence, analysis, until_next: untilNext, more } = results;
  const { applied_arm: arm, applied_at: at, applied_by: by, state, conclusion } = experiment;
  return (
    <Section title={t('Result')}>
      <Stack gap="xs">
        <Text fz="xl" fw={600} role="status">
          {winner !== null && <IconTrophy size="1.1em" aria-hidden style={{ verticalAlign: '-0.1em' }} />}
          {winner !== null && ' '}
          {asLine(conclusion ?? sentence)}.
        </Text>
        {state === 'running' && untilNext !== null && more !== null && (
          <Text size="sm" c="dimmed">
            {analysis === 0
              ? t(
                  'About {{next, number}} more attempts until the next analysis, {{more, number}} until the planned end.',
                  {
                    next: untilNext,
                    more,
                  },
                )
              : t(
                  'As of analysis {{analysis}}. About {{next, number}} more attempts until the next one, {{more, number}} until the planned end.',
                  { analysis, next: untilNext, more },
                )}
          </Text>
        )}
        {at !== null && arm !== null && (
          <Alert color="green" icon={<IconCheck />}>
            {t('{{name}} was applied by {{by}}', { name: experiment.arms[arm]?.name ?? '', by: by ?? '–' })}
            {' · '}
            <Timestamp iso={at} />
          </Alert>
        )}
        {state === 'stopped' && results.target === null && at === null && (
          <Text size="sm">{t('The product has nothing now that an arm could be applied to.')}</Text>
        )}
      </Stack>
    </Section>
  );
}

/** How the experiment was set up, and its record. */
function Setup({ experiment, excluded }: { experiment: Experiment; excluded: number }) {
  const { guards } = experiment;
  const points = (limit: number) => t('{{points}} points', { points: +(limit * 100).toFixed(2) });
  const limits = [
    guards.opt_outs === null ? null : `${t('opt-outs')} ${points(guards.opt_outs)}`,
    guards.refusals === null ? null : `${t('refusals')} ${points(guards.refusals)}`,
    guards.cost === null ? null : t('${{cost}} per attempt', { cost: guards.cost }),
  ].filter((limit) => limit !== null);
  const rows: readonly (readonly [string, string])[] = [
    [t('Kind'), kindLabel(experiment.kind)],
    [
      t('Metric'),
      t('{{metric}} within {{days}} days', { metric: metricLabel(experiment.metric), days: experiment.days }),
    ],
    [t('Share of new leads'), formatRate(experiment.part)],
    [
      t('Plan'),
      t('From {{base}}, to find {{points}}: {{count, number}} attempts per arm', {
        base: formatRate(experiment.base_rate),
        points: points(experiment.difference),
        count: experiment.per_arm,
      }),
    ],
    [t('Guards, more than the control'), limits.length === 0 ? t('None') : limits.join(', ')],
    ...(excluded > 0
      ? [[t('Not counted'), t('{{count}} leads of persons who were assigned before', { count: excluded })] as const]
      : []),
  ];
  return (
    <Section title={t('Set-up')}>
      <Stack gap={4}>
        {rows.map(([label, value]) => (
          <Text key={label} size="sm">
            <Text span inherit c="dimmed">
              {label}:
            </Text>{' '}
            {value}
          </Text>
        ))}
        <Text size="sm">
          <Text span inherit c="dimmed">
            {t('Started:')}
          </Text>{' '}
          {experiment.started_at && <Timestamp iso={experiment.started_at} />}{' '}
          {experiment.started_by && t('by {{who}}', { who: experiment.started_by })}
        </Text>
        {experiment.stopped_at && (
          <Text size="sm">
            <Text span inherit c="dimmed">
              {t('Stopped:')}
            </Text>{' '}
            <Timestamp iso={experiment.stopped_at} />{' '}
            {experiment.stopped_by === null ? t('by itself') : t('by {{who}}', { who: experiment.stopped_by })}
          </Text>
        )}
      </Stack>
    </Section>
  );
}
