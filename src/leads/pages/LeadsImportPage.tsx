/**
 * Lead import from a CSV file: choose the file, map its columns, review each row with its errors, import the valid
 * rows.
 */
import { Alert, Button, Progress, Text } from '@mantine/core';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { toCsv } from '../../platform/csv.ts';
import { call } from '../../ui/api.ts';
import { downloadFile } from '../../ui/downloadFile.ts';
import { Failure } from '../../ui/Failure.tsx';
import { formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { useLeaveGuard } from '../../ui/leaveGuard.tsx';
import { namesKey } from '../../ui/optionSource.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { keyOf } from '../../ui/query.ts';
import { useScope } from '../../ui/scope.ts';
import { toast } from '../../ui/toast.ts';
import { contacts, leads } from '../contract.ts';
import { undoImport } from '../importContract.ts';
import { leadFacets, leadImports } from '../listContract.ts';
import { ChooseFile } from './import/ChooseFile.tsx';
import classes from './import/import.module.css';
import { guessMapping, type Mapping } from './import/mapping.ts';
import { ReviewRows } from './import/ReviewRows.tsx';
import { applyAnswers, type FileRow, type RowStatus, rejectedTable, toFileRows, updateCell } from './import/rows.ts';
import { type ImportLabels, sendRows } from './import/send.ts';
import type { Reading, Table } from './import/table.ts';
import { importTools } from './import/tools.ts';

/** Loaded when the first file is chosen. */
const MapColumns = lazy(async () => ({ default: (await import('./import/MapColumns.tsx')).MapColumns }));

interface ImportState {
  readonly table: Table;
  /** What the operator has changed about how the file is read. */
  readonly choices: Partial<Reading>;
  readonly mapping: Mapping;
  /** Null while the columns are mapped. */
  readonly rows: readonly FileRow[] | null;
  readonly key: string;
  readonly labels: ImportLabels;
  readonly stage: 'mapping' | 'review' | 'done';
}

export default function LeadsImportPage() {
  const page = usePage();
  const { product } = useScope();
  const [work, setWork] = useState<ImportState | null>(null);
  const guard = useLeaveGuard(work !== null && work.stage !== 'done');
  usePageContext({
    description: t('Imports leads of the chosen product from a CSV file: file, columns, rows with their errors.'),
    summary: JSON.stringify({
      page: t('Import leads'),
      step: work?.stage ?? 'file',
      file: work?.table.name ?? null,
      rows: work?.rows ? countByStatus(work.rows) : null,
    }),
    ...importTools(work, product?.id ?? null),
  });
  const startMapping = (table: Table) =>
    setWork({
      table,
      choices: {},
      mapping: guessMapping(table),
      rows: null,
      key: crypto.randomUUID(),
      labels: { name: table.name, tags: [] },
      stage: 'mapping',
    });
  const readAgain = (current: ImportState, choice: Partial<Reading>) => {
    const choices = { ...current.choices, ...choice };
    try {
      const table = current.table.reread(choices);
      setWork({ ...current, table, choices, mapping: guessMapping(table) });
    } catch (error) {
      toast.failure(error);
    }
  };
  return (
    <PageFrame title={t('Import leads')} fill onBack={() => page.go('crm-leads', {})}>
      <div className={classes.steps}>
        {work === null && (
          <div className={classes.step}>
            <ChooseFile onTable={startMapping} />
          </div>
        )}
        {work?.stage === 'mapping' && (
          <div className={classes.step}>
            <Suspense>
              <MapColumns
                table={work.table}
                mapping={work.mapping}
                labels={work.labels}
                onChange={(mapping) => setWork({ ...work, mapping })}
                onReading={(choice) => readAgain(work, choice)}
                onLabels={(labels) => setWork({ ...work, labels })}
                onDone={() => setWork({ ...work, rows: toFileRows(work.table, work.mapping), stage: 'review' })}
                onBack={() => setWork(null)}
              />
            </Suspense>
          </div>
        )}
        {work?.rows && product && (
          <Review
            key={work.key}
            productId={product.id}
            table={work.table}
            importKey={work.key}
            labels={work.labels}
            rows={work.rows}
            done={work.stage === 'done'}
            onRows={(change) =>
              setWork((current) => (current?.rows ? { ...current, rows: change(current.rows) } : current))
            }
            onDone={() => setWork((current) => current && { ...current, stage: 'done' })}
            onColumns={() => setWork({ ...work, rows: null, stage: 'mapping' })}
            onAgain={() => setWork(null)}
          />
        )}
      </div>
      {guard.question}
    </PageFrame>
  );
}

function countByStatus(rows: readonly FileRow[]): Readonly<Record<RowStatus['kind'], number>> {
  const counts = { ready: 0, created: 0, invalid: 0, twin: 0, present: 0, forgotten: 0 };
  for (const { status } of rows) counts[status.kind]++;
  return counts;
}

interface ReviewProps {
  productId: number;
  table: Table;
  importKey: string;
  labels: ImportLabels;
  rows: readonly FileRow[];
  done: boolean;
  onRows: (change: (rows: readonly FileRow[]) => readonly FileRow[]) => void;
  onDone: () => void;
  onColumns: () => void;
  onAgain: () => void;
}

function Review(props: ReviewProps) {
  const { table, rows, done, onRows } = props;
  const work = useImport(props);
  const { counts, progress, checking, importing, isBusy } = work;
  const failed = importing.error ? importing : checking;
  return (
    <>
      <div className={classes.head}>
        <Text size="sm" className={classes.told} role="status">
          {rowsText(table.name, rows.length, { counts, done })}
        </Text>
        <ReviewButtons {...props} work={work} />
        {progress && (
          <Progress
            w="100%"
            size="sm"
            value={(progress.done / Math.max(1, progress.of)) * 100}
            aria-label={importing.isPending ? t('Importing') : t('Looking for leads that already exist')}
          />
        )}
        {failed.error && !isBusy && (
          <Alert w="100%" p={0} variant="transparent">
            <Failure error={failed.error} onRetry={() => failed.mutate()} />
          </Alert>
        )}
      </div>
      <ReviewRows rows={rows} onCell={done || isBusy ? null : (cell) => onRows((now) => updateCell(now, cell))} />
    </>
  );
}

/** Checking the rows against stored leads, importing them, and undoing the import. */
function useImport({ productId, importKey, labels, rows, onRows, onDone, onAgain }: ReviewProps) {
  const cache = useQueryClient();
  const [progress, setProgress] = useState<{ done: number; of: number } | null>(null);
  const stopped = useRef(false);
  const hasChecked = useRef(false);
  const counts = countByStatus(rows);

  const send = async (dryRun: boolean) => {
    stopped.current = false;
    const readyRows = rows.filter(({ status }) => status.kind === 'ready').map(({ row }) => row);
    setProgress({ done: 0, of: readyRows.length });
    await sendRows({
      productId,
      importKey,
      labels,
      dryRun,
      rows: readyRows,
      isStopped: () => stopped.current,
      onAnswers: (answers, sent) => {
        setProgress({ done: sent, of: readyRows.length });
        onRows((now) => applyAnswers(now, answers, dryRun));
      },
    });
  };
  const refreshLists = () => {
    for (const endpoint of [leads.list, contacts.list, leadImports.list, leadFacets])
      void cache.invalidateQueries({ queryKey: keyOf(endpoint) });
    void cache.invalidateQueries({ queryKey: namesKey(leads) });
  };
  const checking = useMutation({ mutationFn: () => send(true), onSettled: () => setProgress(null) });
  const importing = useMutation({
    mutationFn: () => send(false),
    onSuccess: () => {
      if (!stopped.current) onDone();
    },
    onSettled: () => {
      setProgress(null);
      refreshLists();
    },
  });
  const undoing = useMutation({
    mutationFn: () => call(undoImport, { body: { product_id: productId, import_key: importKey } }),
    onSuccess: ({ removed, kept: remaining }) => {
      refreshLists();
      const text = t('{{count, number}} leads removed', { count: removed, defaultValue_one: '{{count}} lead removed' });
      if (remaining === 0) toast.success(text);
      else
        toast.info(
          t('{{text}}; {{kept}} kept, because they were changed or contacted since', { text, kept: remaining }),
        );
      onAgain();
    },
    onError: toast.failure,
  });
  // Runs one dry run as soon as the rows are shown, so that existing leads are marked before the import.
  useEffect(() => {
    if (hasChecked.current) return;
    hasChecked.current = true;
    if (counts.ready > 0) checking.mutate();
  });
  const stop = () => {
    stopped.current = true;
  };
  const isBusy = checking.isPending || importing.isPending;
  return { counts, progress, checking, importing, undoing, isBusy, stop };
}

function ReviewButtons(props: ReviewProps & { work: ReturnType<typeof useImport> }) {
  const { table, rows, done, work } = props;
  const { counts, checking, importing, undoing, isBusy } = work;
  const page = usePage();
  const small = { size: 'xs', variant: 'default' } as const;
  const rejectedCount = counts.invalid + counts.forgotten;
  const saveRejected = () =>
    downloadFile(`skipped-${table.name.replace(/\.\w+$/, '')}.csv`, toCsv(rejectedTable(table, rows)));
  return (
    <>
      {rejectedCount > 0 && !isBusy && (
        <Button {...small} leftSection={<IconDownload size="1rem" />} onClick={saveRejected}>
          {t('Download {{count, number}} skipped rows', {
            count: rejectedCount,
            defaultValue_one: 'Download {{count}} skipped row',
          })}
        </Button>
      )}
      {!isBusy && counts.created > 0 && (
        <Button {...small} loading={undoing.isPending} onClick={() => undoing.mutate()}>
          {t('Undo import')}
        </Button>
      )}
      {done && (
        <>
          <Button {...small} onClick={props.onAgain}>
            {t('Import another file')}
          </Button>
          <Button size="xs" onClick={() => page.go('crm-leads', {})}>
            {t('Show leads')}
          </Button>
        </>
      )}
      {!done && !isBusy && (
        <Button {...small} disabled={counts.created > 0} onClick={props.onColumns}>
          {t('Change columns')}
        </Button>
      )}
      {!done && isBusy && (
        <Button {...small} onClick={work.stop}>
          {t('Stop')}
        </Button>
      )}
      {!done && (
        <Button
          size="xs"
          leftSection={<IconUpload size="1rem" />}
          loading={importing.isPending}
          disabled={counts.ready === 0 || checking.isPending}
          onClick={() => importing.mutate()}
        >
          {t('Import {{count, number}} leads', { count: counts.ready, defaultValue_one: 'Import {{count}} lead' })}
        </Button>
      )}
    </>
  );
}

type Counts = ReturnType<typeof countByStatus>;

/** Describe what becomes or became of the rows; the numbers add up to the rows of the file. */
function rowsText(file: string, all: number, { counts, done }: { counts: Counts; done: boolean }): string {
  const existing = counts.twin + counts.present + counts.forgotten;
  const part = (text: string, count: number) => (count > 0 ? [t(text, { count: formatNumber(count) })] : []);
  return [
    t('{{file}}: {{count, number}} rows', { file, count: all, defaultValue_one: '{{file}}: 1 row' }),
    ...(done || counts.created > 0
      ? [t('{{count, number}} leads imported', { count: counts.created, defaultValue_one: '{{count}} lead imported' })]
      : []),
    ...(done
      ? part('{{count}} to import', counts.ready)
      : [t('{{count}} to import', { count: formatNumber(counts.ready) })]),
    ...part(done ? '{{count}} skipped' : '{{count}} with errors', counts.invalid),
    ...part('{{count}} existing', existing),
  ].join(' · ');
}
