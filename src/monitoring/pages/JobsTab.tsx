import { Text } from '@mantine/core';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { type Job, type JobState, jobs, readJobQueues, removeJob, retryJob } from '../../jobs/contract.ts';
import { call } from '../../ui/api.ts';
import type { Column } from '../../ui/columns.ts';
import type { Filter } from '../../ui/filter.ts';
import { formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { keyOf, useEndpoint } from '../../ui/query.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { toast } from '../../ui/toast.ts';
import { REFRESH_MS, useRefresh } from '../../ui/useRefresh.ts';
import { jobTools } from './jobTools.ts';
import { SystemTabs } from './SystemTabs.tsx';
import classes from './system.module.css';

const FormDialog = lazy(async () => ({ default: (await import('../../ui/FormDialog.tsx')).FormDialog }));

const STATES: Readonly<Record<JobState, string>> = {
  running: 'Running',
  failed: 'Failed',
  ready: 'Ready',
  later: 'For later',
};

/** Jobs that wait, run or have failed, and the work that runs beside them. */
export function JobsTab() {
  const columns = useMemo(jobColumns, []);
  const [removing, setRemoving] = useState<Job | null>(null);
  const cache = useQueryClient();
  const refresh = () => void cache.invalidateQueries({ queryKey: keyOf(jobs.list) });
  useRefresh(jobs.list);
  const again = async (job: Job) => {
    try {
      await call(retryJob, { params: { id: job.id } });
      toast.success(t('Retrying {{name}}', { name: nameOf(job) }));
    } catch (error) {
      toast.failure(error);
    }
    refresh();
  };
  return (
    <>
      <ResourcePage
        crud={jobs}
        title={t('System')}
        description={t('Background jobs: they only trigger due work, which is stored elsewhere.')}
        columns={columns}
        filters={jobFilters()}
        above={
          <>
            <SystemTabs />
            <WorkQueues />
          </>
        }
        nameOf={nameOf}
        emptyText={t('No waiting or failed jobs.')}
        actions={(job) =>
          job.state === 'running'
            ? []
            : [
                { label: t('Retry'), icon: IconRefresh, run: () => void again(job) },
                { label: t('Remove'), icon: IconTrash, run: () => setRemoving(job), danger: true },
              ]
        }
        assistantFields={({ state, attempts, last_error, run_at, payload }) => ({
          state,
          attempts,
          last_error,
          run_at,
          payload,
        })}
        assistant={jobTools()}
      />
      <Suspense>
        {removing && (
          <FormDialog
            title={t('Remove {{name}}', { name: nameOf(removing) })}
            fields={[
              {
                kind: 'text',
                name: 'reason',
                label: t('Reason'),
                required: true,
                description: t('Recorded in the audit log. The next sweep retries its work.'),
              },
            ]}
            initial={{ reason: '' }}
            submitLabel={t('Remove')}
            send={(body) => call(removeJob, { params: { id: removing.id }, body: removeJob.body.parse(body) })}
            onDone={() => {
              toast.success(t('Removed {{name}}', { name: nameOf(removing) }));
              refresh();
            }}
            onClose={() => setRemoving(null)}
          />
        )}
      </Suspense>
    </>
  );
}

const nameOf = ({ task, key }: Job): string => key ?? task;

/** Work that waits for a model or a messenger. Most of the time there is none. */
function WorkQueues() {
  const { data } = useEndpoint(readJobQueues, {}, { refetchInterval: REFRESH_MS });
  if (!data || data.lanes.length === 0) return null;
  return (
    <div className={classes.above} role="group" aria-label={t('Concurrency')}>
      {data.lanes.map(({ name, running, waiting }) => (
        <Text key={name} size="xs">
          {t('{{name}}: {{running}} of {{width}} running, {{waiting}} waiting', {
            name,
            running: formatNumber(running),
            width: formatNumber(data.width),
            waiting: formatNumber(waiting),
          })}
        </Text>
      ))}
    </div>
  );
}

function jobColumns(): Column<Job>[] {
  return [
    { key: 'task', label: t('Task'), primary: true, span: 1.4, render: ({ task }) => task },
    { key: 'key', label: t('Key'), span: 1.7, render: ({ key }) => key ?? '–' },
    { key: 'state', label: t('State'), span: 1.1, render: ({ state }) => t(STATES[state]) },
    {
      key: 'attempts',
      label: t('Attempts'),
      sort: 'attempts',
      span: 1.2,
      number: true,
      hiddenByDefault: true,
      render: ({ attempts, max_attempts }) => t('{{attempts}} of {{most}}', { attempts, most: max_attempts }),
    },
    { key: 'error', label: t('Last error'), span: 2.4, render: ({ last_error }) => last_error ?? '–' },
    { key: 'run_at', label: t('Due'), sort: 'run_at', span: 1.3, render: ({ run_at }) => <Timestamp iso={run_at} /> },
    { key: 'payload', label: t('Payload'), span: 2, hiddenByDefault: true, render: ({ payload }) => payload },
    { key: 'node', label: t('Node'), span: 1.4, hiddenByDefault: true, render: ({ node }) => node ?? '–' },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.4,
      hiddenByDefault: true,
      render: ({ created_at }) => <Timestamp iso={created_at} />,
    },
    { key: 'id', label: t('ID'), sort: 'id', span: 1, number: true, hiddenByDefault: true, render: ({ id }) => id },
  ];
}

function jobFilters(): Filter[] {
  return [
    {
      kind: 'options',
      name: 'state',
      label: t('State'),
      options: Object.entries(STATES).map(([value, label]) => ({ value, label: t(label) })),
    },
    { kind: 'text', name: 'task', label: t('Task') },
  ];
}
