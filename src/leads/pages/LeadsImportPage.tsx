/** Leads out of a CSV file: choose it, say what its columns are, see every row with its errors, import the valid. */
import { Alert, Button, Progress, Text } from '@mantine/core';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../kit/api.ts';
import { saveFile } from '../../kit/csv.ts';
import { Failure } from '../../kit/Failure.tsx';
import { formatNumber } from '../../kit/format.ts';
import { useLeaveGuard } from '../../kit/leaveGuard.tsx';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { usePage } from '../../kit/page.ts';
import { usePageContext } from '../../kit/pageContext.ts';
import { keyOf } from '../../kit/query.ts';
import { useScope } from '../../kit/scope.ts';
import { namesKey } from '../../kit/source.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { csvOf } from '../../platform/csv.ts';
import { contacts, leads } from '../contract.ts';
import { undoImport } from '../importContract.ts';
import { ChooseFile } from './import/ChooseFile.tsx';
import classes from './import/import.module.css';
import { MapColumns } from './import/MapColumns.tsx';
import { guessMapping, type Mapping } from './import/mapping.ts';
import { ReviewRows } from './import/ReviewRows.tsx';
import { type FileRow, rejectedTable, rowsOf, type Verdict, withAnswers, withCell } from './import/rows.ts';
import { sendRows } from './import/send.ts';
import type { Table } from './import/table.ts';
import { importTools } from './import/tools.ts';

interface Work {
  readonly table: Table;
  readonly mapping: Mapping;
  /** Null while the columns are mapped. */
  readonly rows: readonly FileRow[] | null;
  readonly key: string;
  readonly stage: 'mapping' | 'review' | 'done';
}

export default function LeadsImportPage() {
  const page = usePage();
  const { product } = useScope();
  const [work, setWork] = useState<Work | null>(null);
  const guard = useLeaveGuard(work !== null && work.stage !== 'done');
  usePageContext({
    description: t('Imports leads of the chosen product from a CSV file: file, columns, rows with their errors.'),
    summary: JSON.stringify({
      page: t('Import leads'),
      step: work?.stage ?? 'file',
      file: work?.table.name ?? null,
      rows: work?.rows ? countsOf(work.rows) : null,
    }),
    ...importTools(work),
  });
  const begin = (table: Table) =>
    setWork({ table, mapping: guessMapping(table), rows: null, key: crypto.randomUUID(), stage: 'mapping' });
  return (
    <PageFrame title={t('Import leads')} fill onBack={() => page.go('crm-leads', {})}>
      <div className={classes.steps}>
        {work === null && (
          <div className={classes.step}>
            <ChooseFile onTable={begin} />
          </div>
        )}
        {work?.stage === 'mapping' && (
          <div className={classes.step}>
            <MapColumns
              table={work.table}
              mapping={work.mapping}
              onChange={(mapping) => setWork({ ...work, mapping })}
              onDone={() => setWork({ ...work, rows: rowsOf(work.table, work.mapping), stage: 'review' })}
              onBack={() => setWork(null)}
            />
          </div>
        )}
        {work?.rows && product && (
          <Review
            key={work.key}
            productId={product.id}
            table={work.table}
            importKey={work.key}
            rows={work.rows}
            done={work.stage === 'done'}
            onRows={(change) => setWork((old) => (old?.rows ? { ...old, rows: change(old.rows) } : old))}
            onDone={() => setWork((old) => old && { ...old, stage: 'done' })}
            onColumns={() => setWork({ ...work, rows: null, stage: 'mapping' })}
            onAgain={() => setWork(null)}
          />
        )}
      </div>
      {guard.question}
    </PageFrame>
  );
}

function countsOf(rows: readonly FileRow[]): Readonly<Record<Verdict['kind'], number>> {
  const counts = { ready: 0, created: 0, invalid: 0, twin: 0, present: 0, forgotten: 0 };
  for (const { verdict } of rows) counts[verdict.kind]++;
  return counts;
}

interface ReviewProps {
  productId: number;
  table: Table;
  importKey: string;
  rows: readonly FileRow[];
  done: boolean;
  onRows: (change: (rows: readonly FileRow[]) => readonly FileRow[]) => void;
  onDone: () => void;
  onColumns: () => void;
  onAgain: () => void;
}

function Review(props: ReviewProps) {
  const { productId, table, importKey, rows, done, onRows } = props;
  const page = usePage();
  const cache = useQueryClient();
  const [progress, setProgress] = useState<{ done: number; of: number } | null>(null);
  const stopped = useRef(false);
  const looked = useRef(false);
  const counts = countsOf(rows);

  const send = async (dryRun: boolean) => {
    stopped.current = false;
    const open = rows.filter(({ verdict }) => verdict.kind === 'ready').map(({ row }) => row);
    setProgress({ done: 0, of: open.length });
    await sendRows({
      productId,
      importKey,
      dryRun,
      rows: open,
      isStopped: () => stopped.current,
      onAnswers: (answers, sent) => {
        setProgress({ done: sent, of: open.length });
        onRows((now) => withAnswers(now, answers, dryRun));
      },
    });
  };
  const took = () => {
    for (const endpoint of [leads.list, contacts.list]) void cache.invalidateQueries({ queryKey: keyOf(endpoint) });
    void cache.invalidateQueries({ queryKey: namesKey(leads) });
  };
  const looking = useMutation({ mutationFn: () => send(true), onSettled: () => setProgress(null) });
  const importing = useMutation({
    mutationFn: () => send(false),
    onSuccess: () => {
      if (!stopped.current) props.onDone();
    },
    onSettled: () => {
      setProgress(null);
      took();
    },
  });
  const undoing = useMutation({
    mutationFn: () => call(undoImport, { body: { product_id: productId, import_key: importKey } }),
    onSuccess: ({ removed, kept }) => {
      took();
      const text = t('{{count, number}} leads taken back', {
        count: removed,
        defaultValue_one: '{{count}} lead taken back',
      });
      if (kept === 0) toast.success(text);
      else toast.info(t('{{text}}; {{kept}} stay: they were changed or written to since', { text, kept }));
      props.onAgain();
    },
    onError: toast.failure,
  });
  // Once, as soon as the rows are there: who is a lead already is to be seen before anything is imported.
  useEffect(() => {
    if (looked.current) return;
    looked.current = true;
    if (counts.ready > 0) looking.mutate();
  });

  const busy = looking.isPending || importing.isPending;
  const rejected = counts.invalid + counts.forgotten;
  const failure = importing.error ?? looking.error;
  return (
    <>
      <div className={classes.head}>
        <Text size="sm" className={classes.told} role="status">
          {done ? doneText(counts) : readyText(table.name, rows.length, counts)}
        </Text>
        {rejected > 0 && !busy && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size="1rem" />}
            onClick={() =>
              saveFile(`left-out-${table.name.replace(/\.\w+$/, '')}.csv`, csvOf(rejectedTable(table, rows)))
            }
          >
            {t('Save the {{count}} left out', { count: formatNumber(rejected) })}
          </Button>
        )}
        {!busy && counts.created > 0 && (
          <Button size="xs" variant="default" loading={undoing.isPending} onClick={() => undoing.mutate()}>
            {t('Undo the import')}
          </Button>
        )}
        {done && (
          <>
            <Button size="xs" variant="default" onClick={props.onAgain}>
              {t('Another file')}
            </Button>
            <Button size="xs" onClick={() => page.go('crm-leads', {})}>
              {t('Show the leads')}
            </Button>
          </>
        )}
        {!done && !busy && (
          <Button size="xs" variant="default" disabled={counts.created > 0} onClick={props.onColumns}>
            {t('Columns')}
          </Button>
        )}
        {!done && busy && (
          <Button size="xs" variant="default" onClick={() => (stopped.current = true)}>
            {t('Stop')}
          </Button>
        )}
        {!done && (
          <Button
            size="xs"
            leftSection={<IconUpload size="1rem" />}
            loading={importing.isPending}
            disabled={counts.ready === 0 || looking.isPending}
            onClick={() => importing.mutate()}
          >
            {t('Import {{count, number}} leads', { count: counts.ready, defaultValue_one: 'Import {{count}} lead' })}
          </Button>
        )}
        {progress && (
          <Progress
            w="100%"
            size="sm"
            value={(progress.done / Math.max(1, progress.of)) * 100}
            aria-label={importing.isPending ? t('Importing') : t('Looking for those who are known already')}
          />
        )}
        {failure && !busy && (
          <Alert w="100%" p={0} variant="transparent">
            <Failure error={failure} onRetry={() => (importing.error ? importing.mutate() : looking.mutate())} />
          </Alert>
        )}
      </div>
      <ReviewRows
        rows={rows}
        onCell={done || busy ? null : (line, field, text) => onRows((now) => withCell(now, line, field, text))}
      />
    </>
  );
}

type Counts = ReturnType<typeof countsOf>;

function readyText(file: string, all: number, counts: Counts): string {
  const known = counts.twin + counts.present + counts.forgotten;
  const parts = [
    t('{{file}}: {{count}} rows', { file, count: formatNumber(all) }),
    ...(counts.created > 0 ? [t('{{count}} imported', { count: formatNumber(counts.created) })] : []),
    t('{{count}} to import', { count: formatNumber(counts.ready) }),
    ...(counts.invalid > 0 ? [t('{{count}} with errors', { count: formatNumber(counts.invalid) })] : []),
    ...(known > 0 ? [t('{{count}} known already', { count: formatNumber(known) })] : []),
  ];
  return parts.join(' · ');
}

function doneText(counts: Counts): string {
  const known = counts.twin + counts.present + counts.forgotten;
  const parts = [
    t('{{count, number}} leads imported', { count: counts.created, defaultValue_one: '{{count}} lead imported' }),
    ...(counts.invalid > 0 ? [t('{{count}} left out', { count: formatNumber(counts.invalid) })] : []),
    ...(known > 0 ? [t('{{count}} known already', { count: formatNumber(known) })] : []),
  ];
  return parts.join(' · ');
}
