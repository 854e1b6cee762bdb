/** The results of a run one by one, what matters most first. */
import { Group, Pagination, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { Section } from '../../../ui/Section.tsx';
import { listStudioResults, type StudioRun } from '../../runContract.ts';
import { isActive, resultLabel, resultStates } from '../labels.ts';
import { ResultCard } from './ResultCard.tsx';

const PAGE_SIZE = 10;
/** Milliseconds between readings while the run goes on. */
const REFRESH_MS = 5000;

export function RunResults({ run }: { run: StudioRun }) {
  const [page, setPage] = useState(1);
  const states = resultStates[run.kind];
  const [state, setState] = useState<(typeof states)[number] | null>(null);
  const results = useEndpoint(
    listStudioResults,
    { params: { id: run.id }, query: { page, limit: PAGE_SIZE, ...(state === null ? {} : { state }) } },
    { keepPrevious: true, staleTime: 0, refetchInterval: isActive(run) ? REFRESH_MS : false },
  );
  const total = results.data?.total ?? 0;
  return (
    <Section
      title={t('Results')}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t('Show')}
          data={[
            { value: '', label: t('All') },
            ...states.map((value) => ({ value, label: resultLabel(value).label })),
          ]}
          value={state ?? ''}
          onChange={(value) => {
            setState(states.find((one) => one === value) ?? null);
            setPage(1);
          }}
        />
      }
    >
      <Stack gap="sm">
        {results.error && <Failure error={results.error} onRetry={() => void results.refetch()} />}
        {results.data?.items.length === 0 && (
          <Text size="sm" c="dimmed">
            {isActive(run) ? t('The first results are on their way.') : t('No results found')}
          </Text>
        )}
        {results.isPending && (
          <Text size="sm" c="dimmed" role="status">
            {t('Loading {{entity}}...', { entity: t('results') })}
          </Text>
        )}
        {results.data?.items.map((result) => (
          <ResultCard key={result.id} result={result} kind={run.kind} />
        ))}
        {total > PAGE_SIZE && (
          <Group justify="flex-end">
            <Pagination
              size="sm"
              total={Math.ceil(total / PAGE_SIZE)}
              value={page}
              onChange={setPage}
              getControlProps={(control) => ({
                'aria-label': control === 'next' ? t('Next page') : t('Previous page'),
              })}
            />
          </Group>
        )}
      </Stack>
    </Section>
  );
}
