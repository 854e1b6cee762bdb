import { Badge, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Column } from '../../../ui/columns.ts';
import type { Filter } from '../../../ui/filter.ts';
import { t } from '../../../ui/i18n.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { ResourcePage } from '../../../ui/ResourcePage.tsx';
import { useScope } from '../../../ui/scope.ts';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { type Experiment, experiments, readExperimentResults } from '../../experimentContract.ts';
import { asLine, kindLabel, kindOptions, metricLabel, stateOf, stateOptions } from './experimentLabels.ts';
import { listTools } from './experimentTools.ts';

/** Page of the experiments of the chosen product. */
export default function ExperimentsPage() {
  const { product } = useScope();
  const productId = product?.id ?? 0;
  const columns = useMemo(experimentColumns, []);
  const assistant = useMemo(() => listTools(productId), [productId]);
  return (
    <ResourcePage
      crud={experiments}
      title={t('Experiments')}
      description={t(
        'Experiments of the chosen product: new leads are split among first texts, prompts or models, and the better one is found at planned analyses. A row opens the editor of a draft, or the results.',
      )}
      columns={columns}
      filters={experimentFilters()}
      fixedQuery={{ product_id: productId }}
      nameOf={(experiment) => experiment.name}
      assistantFields={({ kind, state, metric, conclusion, per_arm, applied_arm }) => ({
        kind,
        state,
        metric,
        conclusion,
        per_arm,
        applied_arm,
      })}
      assistant={assistant}
      rowLink={(experiment) => ({ page: 'experiment-detail', params: { experimentId: experiment.id } })}
      newLink={{ page: 'experiment-detail', params: {} }}
      removal={{ crud: experiments }}
      emptyText={t(
        'An experiment splits new leads among two to four texts, prompts or models, and finds the better one.',
      )}
      failureText={t('Failed to load experiments')}
    />
  );
}

function experimentColumns(): Column<Experiment>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', primary: true, span: 2.5, render: ({ name }) => name },
    {
      key: 'state',
      label: t('State'),
      sort: 'state',
      span: 1.35,
      render: ({ state }) => <Badge color={stateOf(state).tone}>{stateOf(state).label}</Badge>,
    },
    {
      key: 'conclusion',
      label: t('Result'),
      span: 3.4,
      render: (experiment) => <Finding experiment={experiment} />,
      text: ({ conclusion }) => conclusion ?? '',
    },
    {
      key: 'progress',
      label: t('Attempts'),
      span: 1.6,
      render: (experiment) => <Progress experiment={experiment} />,
      text: ({ per_arm, arms }) => String(per_arm * arms.length),
    },
    { key: 'kind', label: t('Kind'), span: 1.75, render: ({ kind }) => kindLabel(kind) },
    {
      key: 'guards',
      label: t('Guards'),
      span: 1.1,
      render: (experiment) => <Guards experiment={experiment} />,
      text: stoppedArms,
    },
    {
      key: 'metric',
      label: t('Metric'),
      span: 1.25,
      hiddenByDefault: true,
      render: ({ metric }) => metricLabel(metric),
    },
    {
      key: 'started_at',
      label: t('Started'),
      sort: 'started_at',
      span: 1.25,
      hiddenByDefault: true,
      render: ({ started_at }) => (started_at === null ? '–' : <Timestamp iso={started_at} />),
    },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.25,
      hiddenByDefault: true,
      render: ({ created_at }) => <Timestamp iso={created_at} />,
    },
  ];
}

/** Only running experiments are counted here: of a kind one runs at a time. */
const useRunning = ({ id, state }: Experiment) =>
  useEndpoint(readExperimentResults, { params: { id } }, { enabled: state === 'running' }).data;

function Progress({ experiment }: { experiment: Experiment }) {
  const results = useRunning(experiment);
  const total = experiment.per_arm * experiment.arms.length;
  if (experiment.state !== 'running')
    return (
      <Text span inherit c="dimmed">
        {t('{{total, number}} planned', { total })}
      </Text>
    );
  const counted = results?.arms.reduce((sum, { finished }) => sum + finished, 0);
  return <>{counted === undefined ? t('…') : t('{{counted, number}} of {{total, number}}', { counted, total })}</>;
}

function Finding({ experiment }: { experiment: Experiment }) {
  const results = useRunning(experiment);
  return <>{asLine(experiment.conclusion ?? results?.sentence ?? '–')}</>;
}

const stoppedArms = ({ arms, arm_states: states }: Experiment): string =>
  arms
    .filter((_arm, index) => (states[index]?.stopped_at ?? null) !== null)
    .map(({ name }) => name)
    .join(', ');

function Guards({ experiment }: { experiment: Experiment }) {
  const stopped = stoppedArms(experiment);
  if (stopped !== '') return <Badge color="red">{t('{{arms}} stopped', { arms: stopped })}</Badge>;
  return (
    <Text span inherit c="dimmed">
      {experiment.state === 'draft' ? '–' : t('Kept')}
    </Text>
  );
}

function experimentFilters(): Filter[] {
  return [
    { kind: 'options', name: 'state', label: t('State'), options: stateOptions() },
    { kind: 'options', name: 'kind', label: t('Kind'), options: kindOptions() },
    { kind: 'days', name: 'created', label: t('Created') },
  ];
}
