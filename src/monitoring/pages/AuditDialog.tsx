import { Loader, Modal, Stack, Table, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { type AuditEntry, readAuditEntry } from '../../access/auditContract.ts';
import { Failure } from '../../ui/Failure.tsx';
import { diffFields, type FieldChange } from '../../ui/fieldLabels.ts';
import { formatExact } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { PlainText } from '../../ui/PlainText.tsx';
import { useEndpoint } from '../../ui/query.ts';
import { sentenceOf } from './auditWords.ts';

const Diff = lazy(() => import('../../ui/Diff.tsx'));

/** Dialog for an entry of the audit log with the changed fields. Mount it to open it. */
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
          {t('{{who}}: {{what}}', { who: entry.operator ?? t('Rapport'), what: sentenceOf(entry) })}
        </Text>
        <Text size="xs" c="dimmed">
          {formatExact(entry.at)}
          {entry.request_id !== null && ` · ${t('Request {{id}}', { id: entry.request_id })}`}
        </Text>
        {read.error && <Failure error={read.error} onRetry={() => read.refetch()} />}
        {read.isPending && <Loader size="sm" />}
        {read.data &&
          (read.data.has_rows ? (
            <Changes lines={diffFields(read.data.before, read.data.after)} />
          ) : (
            <Text size="sm" c="dimmed">
              {t('No values are stored: there were none, or the lead was deleted.')}
            </Text>
          ))}
      </Stack>
    </Modal>
  );
}

/** Length in characters from which texts are compared word by word, as are those of several lines. */
const LONG = 80;
const isLong = (text: string | null): boolean => text !== null && (text.length > LONG || text.includes('\n'));

function Changes({ lines }: { lines: readonly FieldChange[] }) {
  if (lines.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('No field changed.')}
      </Text>
    );
  const short = lines.filter(({ before, after }) => !isLong(before) && !isLong(after));
  return (
    <Stack gap="sm" role="region" aria-label={t('Changes')}>
      {short.length > 0 && (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('Field')}</Table.Th>
              <Table.Th>{t('Before')}</Table.Th>
              <Table.Th>{t('After')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody style={{ overflowWrap: 'anywhere' }}>
            {short.map(({ label, before, after }) => (
              <Table.Tr key={label}>
                <Table.Td>{label}</Table.Td>
                <Table.Td>{before === null ? '–' : <PlainText text={before} />}</Table.Td>
                <Table.Td>{after === null ? '–' : <PlainText text={after} />}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {lines
        .filter((line) => !short.includes(line))
        .map(({ label, before, after }) => (
          <section key={label} aria-label={label}>
            <Text size="sm" fw={600} mb={4}>
              {label}
            </Text>
            <Suspense fallback={<Loader size="sm" />}>
              <Diff before={before ?? ''} after={after ?? ''} />
            </Suspense>
          </section>
        ))}
    </Stack>
  );
}
