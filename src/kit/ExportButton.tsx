import { ActionIcon, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { csvOf } from '../platform/csv.ts';
import { call } from './api.ts';
import type { Column } from './columns.ts';
import { saveFile } from './csv.ts';
import type { Readable, Row } from './resource.ts';
import { t } from './t.ts';
import { toast } from './toast.ts';

interface ExportButtonProps<T extends Row> {
  crud: Pick<Readable<T>, 'list' | 'plural'>;
  /** The columns in view. */
  columns: readonly Column<T>[];
  /** Filters, search and order in view. */
  query: Readonly<Record<string, unknown>>;
}

const PER_CALL = 100;
/** More belongs into a report, not into a browser's memory. */
const MOST_ROWS = 50_000;

/** Saves every row that the present view finds, in its order and with its columns. */
export function ExportButton<T extends Row>({ crud, columns, query }: ExportButtonProps<T>) {
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const rows: T[] = [];
      for (let page = 1; rows.length < MOST_ROWS; page++) {
        const asked = { ...query, page, limit: PER_CALL, with_total: false };
        const { items } = await call(crud.list, { query: asked });
        rows.push(...items);
        if (items.length < PER_CALL) break;
      }
      const head = columns.map((column) => column.label);
      const cells = rows.map((row) => columns.map((column) => cellOf(column, row)));
      saveFile(`${crud.plural.replaceAll(' ', '-')}.csv`, csvOf([head, ...cells]));
      toast.success(t('{{count, number}} rows saved', { count: rows.length, defaultValue_one: '{{count}} row saved' }));
    } catch (error) {
      toast.failure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Tooltip label={t('Save as CSV')}>
      <ActionIcon
        variant="default"
        size="input-xs"
        aria-label={t('Save as CSV')}
        loading={busy}
        onClick={() => void save()}
      >
        <IconDownload size="1rem" />
      </ActionIcon>
    </Tooltip>
  );
}

/** What a column says of a row, in plain text. */
function cellOf<T extends Row>(column: Column<T>, row: T): string | number {
  const rendered = column.render(row);
  if (typeof rendered === 'string' || typeof rendered === 'number') return rendered;
  const raw: unknown = Object.getOwnPropertyDescriptor(row, column.key)?.value;
  if (typeof raw === 'string' || typeof raw === 'number') return raw;
  return raw === null || raw === undefined ? '' : JSON.stringify(raw);
}
