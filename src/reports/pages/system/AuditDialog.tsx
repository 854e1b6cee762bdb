import { Loader, Modal, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Failure } from '../../../kit/Failure.tsx';
import { formatExact } from '../../../kit/format.ts';
import { useEndpoint } from '../../../kit/query.ts';
import { t } from '../../../kit/t.ts';
import { type AuditEntry, readAuditEntry } from '../../../operators/auditContract.ts';

const Diff = lazy(() => import('../../../kit/Diff.tsx'));

/** An entry of the trail with the words that changed. Mount it to open it. */
export function AuditDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const [opened, setOpened] = useState(true);
  const read = useEndpoint(readAuditEntry, { params: { id: entry.id } });
  return (
    <Modal
      opened={opened}
      onClose={() => setOpened(false)}
      onExitTransitionEnd={onClose}
      title={t('What changed')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="sm">
        <Text size="sm">
          {t('{{who}}: {{action}}, {{noun}} {{row}}', {
            who: entry.operator ?? t('Rapport'),
            action: entry.action,
            noun: entry.noun.replaceAll('_', ' '),
            row: entry.row_id ?? '',
          })}
        </Text>
        <Text size="xs" c="dimmed">
          {formatExact(entry.at)}
          {entry.request_id !== null && ` · ${t('Request {{id}}', { id: entry.request_id })}`}
        </Text>
        {read.error && <Failure error={read.error} onRetry={() => read.refetch()} />}
        {read.isPending && <Loader size="sm" />}
        {read.data && (
          <Suspense fallback={<Loader size="sm" />}>
            {read.data.has_rows ? (
              <Diff before={written(read.data.before)} after={written(read.data.after)} />
            ) : (
              <Text size="sm" c="dimmed">
                {t('Nothing is kept of the row: there was nothing to keep, or its lead was deleted.')}
              </Text>
            )}
          </Suspense>
        )}
      </Stack>
    </Modal>
  );
}

/** A row with a field on each line, in the order of their names. */
function written(row: unknown): string {
  if (typeof row !== 'object' || row === null) return row === null || row === undefined ? '' : String(row);
  return Object.entries(row)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, value]) => `${field}: ${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`)
    .join('\n');
}
