/** Another operator saved the document being edited. Shows both versions side by side, and the operator chooses one. */
import { Button, Group, Loader, Modal, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import classes from './ConflictDialog.module.css';
import type { DocumentField } from './documentField.ts';
import { formatDate, formatTime } from './format.ts';
import { t } from './i18n.ts';
import type { OptionSource } from './optionSource.ts';

const Diff = lazy(() => import('./Diff.tsx'));

interface ConflictDialogProps {
  /** Who changed it and when, in the server's words; null when the server gave none. */
  sentence: string | null;
  /** Null: the document was deleted. */
  theirs: readonly DocumentField[] | null;
  mine: readonly DocumentField[];
  /** Keep editing one's own version. */
  onMine: () => void;
  /** Replace one's own version with theirs. */
  onTheirs: () => void;
}

export default function ConflictDialog({ sentence, theirs, mine, onMine, onTheirs }: ConflictDialogProps) {
  const differences = differencesOf(theirs ?? [], mine);
  return (
    <Modal
      opened
      onClose={onMine}
      size="xl"
      // Above any other dialog that the page shows at the same time.
      zIndex={300}
      title={
        theirs === null
          ? t('Deleted while you were editing')
          : sentence === null
            ? t('Changed while you were editing')
            : withLocalTimes(sentence)
      }
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        <Text size="sm">
          {theirs === null
            ? t('Your changes are not saved. If you keep editing, the next save creates it again.')
            : t('Your changes are not saved. If you keep editing, the next save replaces what is stored now.')}
        </Text>
        {theirs !== null &&
          differences.map(({ label, theirs: stored, mine: typed }) => (
            <section key={label} aria-label={label}>
              <Text size="sm" fw={600} mb={4}>
                {label}
              </Text>
              {stored?.isText || typed?.isText ? (
                <Suspense fallback={<Loader size="sm" />}>
                  <Diff before={stored?.value ?? ''} after={typed?.value ?? ''} />
                </Suspense>
              ) : (
                <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing={4}>
                  <Side name={t('Stored now')} field={stored} />
                  <Side name={t('Yours')} field={typed} />
                </SimpleGrid>
              )}
            </section>
          ))}
        <Group justify="flex-end" className={classes.end}>
          <Button variant="default" onClick={onTheirs}>
            {t('Take theirs')}
          </Button>
          <Button onClick={onMine}>{t('Keep editing mine')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Replaces the server's ISO-8601 timestamp with local time: `Changed by demo at 22 Nov, 17:44`. */
const withLocalTimes = (sentence: string): string =>
  sentence.replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/, (iso) => `${formatDate(iso)}, ${formatTime(iso)}`).replace(/\.$/, '');

interface Difference {
  readonly label: string;
  readonly theirs: DocumentField | undefined;
  readonly mine: DocumentField | undefined;
}

function differencesOf(theirs: readonly DocumentField[], mine: readonly DocumentField[]): Difference[] {
  const labels = [...new Set([...theirs, ...mine].map(({ label }) => label))];
  const find = (fields: readonly DocumentField[], label: string) => fields.find((one) => one.label === label);
  return labels
    .map((label) => ({ label, theirs: find(theirs, label), mine: find(mine, label) }))
    .filter((one) => one.theirs?.value !== one.mine?.value);
}

function Side({ name, field }: { name: string; field: DocumentField | undefined }) {
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      <Text span size="sm" c="dimmed">
        {t('{{label}}:', { label: name })}{' '}
      </Text>
      {field === undefined || field.value === '' ? (
        '–'
      ) : field.source && /^\d+$/.test(field.value) ? (
        <ReferencedName value={field.value} source={field.source} />
      ) : (
        field.value
      )}
    </Text>
  );
}

/** The name of a referenced row. */
function ReferencedName({ value, source }: { value: string; source: OptionSource }) {
  const { data } = useQuery({
    queryKey: [...source.itemKey, value],
    queryFn: ({ signal }) => source.get(Number(value), signal),
  });
  return <>{data?.label ?? `#${value}`}</>;
}
