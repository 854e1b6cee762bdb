import { Badge, Button, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { Column } from '../../../ui/columns.ts';
import type { Filter } from '../../../ui/filter.ts';
import { formatDollars } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { parseId, usePage } from '../../../ui/page.ts';
import { ResourcePage } from '../../../ui/ResourcePage.tsx';
import { useScope } from '../../../ui/scope.ts';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { listStudioRuns, readStudioRun, type StudioRun } from '../../runContract.ts';
import { isActive, kindLabel, kindOptions, stateOf, stateOptions, verdictText } from '../labels.ts';
import { StudioTabs } from '../StudioTabs.tsx';
import { promptSource } from '../shared/promptSource.ts';
import { versionText } from './runTexts.ts';
import { startTools } from './runTools.ts';
import { StartRunDialog } from './StartRunDialog.tsx';

const RUNS = {
  resource: 'studio_run',
  plural: 'runs',
  orderBy: ['id', 'created_at'] as const,
  search: [],
  list: listStudioRuns,
  get: readStudioRun,
};

/** Page of the runs of the chosen product: what a prompt was tried on, and what was found. */
export default function RunsPage() {
  const { product } = useScope();
  const { params, go } = usePage();
  const productId = product?.id ?? 0;
  const [isStarting, setStarting] = useState(false);
  const columns = useMemo(runColumns, []);
  const assistant = useMemo(() => startTools(), []);
  return (
    <>
      <ResourcePage<StudioRun>
        crud={RUNS}
        title={t('Runs')}
        singular={t('run')}
        description={t(
          'Runs of the prompt studio: a prompt text compared with the live one on test cases, real dialogues, known outcomes or simulated leads. Nothing of a run is sent to anybody.',
        )}
        columns={columns}
        filters={runFilters(productId)}
        fixedQuery={{ product_id: productId }}
        nameOf={({ id }) => t('Run {{id}}', { id })}
        assistantFields={(run) => ({
          kind: run.kind,
          prompt: run.prompt_name,
          version: run.version,
          state: run.state,
          finding: verdictText(run),
          spent: run.spent,
        })}
        assistant={assistant}
        rowLink={({ id }) => ({ page: 'studio-run', params: { runId: id } })}
        above={<StudioTabs />}
        createButton={
          <Button size="xs" leftSection={<IconPlayerPlay size="1rem" />} onClick={() => setStarting(true)}>
            {t('Start a run')}
          </Button>
        }
        emptyText={t(
          'A run tries a prompt on your test cases, on real dialogues or on simulated leads, before it goes live. Nothing is sent.',
        )}
        failureText={t('Failed to load runs')}
      />
      {isStarting && (
        <StartRunDialog
          productId={productId}
          preset={{ promptId: parseId(params['promptId'] ?? params['prompt_id']) }}
          onStarted={({ id }) => go('studio-run', { runId: id })}
          onClose={() => setStarting(false)}
        />
      )}
    </>
  );
}

function runColumns(): Column<StudioRun>[] {
  return [
    {
      key: 'prompt',
      label: t('Prompt'),
      primary: true,
      span: 2.8,
      render: (run) => (
        <>
          {run.prompt_name}{' '}
          <Text span inherit c="dimmed">
            {versionText(run)}
          </Text>
        </>
      ),
      text: (run) => `${run.prompt_name} ${versionText(run)}`,
    },
    { key: 'kind', label: t('Tried on'), span: 1.6, render: ({ kind }) => kindLabel(kind) },
    {
      key: 'state',
      label: t('State'),
      span: 1.7,
      render: ({ state }) => <Badge color={stateOf(state).tone}>{stateOf(state).label}</Badge>,
      text: ({ state }) => stateOf(state).label,
    },
    {
      key: 'finding',
      label: t('Finding'),
      span: 3,
      render: findingText,
    },
    {
      key: 'spent',
      label: t('Spent'),
      span: 1.3,
      number: true,
      render: ({ spent }) => formatDollars(spent),
      text: ({ spent }) => String(spent),
    },
    { key: 'author', label: t('By'), span: 1, render: ({ author }) => author ?? '–' },
    {
      key: 'created_at',
      label: t('Started'),
      sort: 'created_at',
      span: 1.3,
      render: ({ created_at }) => <Timestamp iso={created_at} />,
    },
  ];
}

/** The finding; before there is one, how far the run is. */
function findingText(run: StudioRun): string {
  const { done, failed, total } = run.progress;
  if (isActive(run) && total > 0)
    return t('{{done, number}} of {{total, number}} answers', { done: done + failed, total });
  return verdictText(run) ?? '–';
}

function runFilters(productId: number): Filter[] {
  return [
    { kind: 'options', name: 'kind', label: t('Tried on'), options: kindOptions() },
    { kind: 'options', name: 'state', label: t('State'), options: stateOptions() },
    { kind: 'source', name: 'prompt_id', label: t('Prompt'), source: promptSource(productId) },
    { kind: 'days', name: 'created', label: t('Started') },
  ];
}
