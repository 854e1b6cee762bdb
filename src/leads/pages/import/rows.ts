/** The rows of a file during the import: their status, their errors and the server's answers. Pure. */
import { t } from '../../../ui/i18n.ts';
import { type ImportedRow, type ImportField, type ImportRow, importFields, importRow } from '../../importContract.ts';
import { checkRow, identityKeysOf } from '../../importRowContract.ts';
import { UNREADABLE } from './encoding.ts';
import { addedColumns, type Mapping, mapRow } from './mapping.ts';
import type { Table, TableRow } from './table.ts';

export type RowStatus =
  /** Will be imported. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'invalid'; readonly errors: ImportedRow['errors'] }
  /** Duplicates another line of the file. */
  | { readonly kind: 'twin'; readonly of: number }
  | { readonly kind: 'present'; readonly leadId: number | null }
  | { readonly kind: 'forgotten' }
  | { readonly kind: 'created'; readonly leadId: number | null };

export interface FileRow extends Pick<TableRow, 'fileLine' | 'fault'> {
  readonly row: ImportRow;
  readonly status: RowStatus;
  /** The row was invalid when it was read, so it stays in view while it is corrected. */
  readonly wasInvalid: boolean;
  /** The keys that identify the lead; empty if the row is invalid. */
  readonly identityKeys: readonly string[];
}

/** Convert a file's rows under a mapping, each checked alone and for duplicates. */
export function toFileRows(table: Table, mapping: Mapping): FileRow[] {
  const rows = table.rows.map((one) => {
    const { fileLine, fault } = one;
    return checkFileRow({ row: mapRow(table, mapping, one), fileLine, fault });
  });
  return markDuplicates(rows.map((row) => ({ ...row, wasInvalid: row.status.kind === 'invalid' })));
}

function checkFileRow(read: Pick<FileRow, 'row' | 'fileLine' | 'fault'>): FileRow {
  const { row } = read;
  const invalid = (errors: ImportedRow['errors']): FileRow => ({
    ...read,
    status: { kind: 'invalid', errors },
    wasInvalid: true,
    identityKeys: [],
  });
  const faultsOfRow = [read.fault, importRow.safeParse(row).success ? null : t('A value is too long')];
  const fault = faultsOfRow.find((one) => one !== null);
  if (fault !== undefined) return invalid([{ field: 'row', msg: fault }]);
  const { lead, errors } = checkRow(row);
  const unreadable = findUnreadable(row);
  if (lead === null || unreadable.length > 0) return invalid([...unreadable, ...(errors ?? [])]);
  return { ...read, status: { kind: 'ready' }, wasInvalid: false, identityKeys: identityKeysOf(lead) };
}

/** Refuse letters that the file's encoding does not have: nobody can tell what they were. */
function findUnreadable({ line: _line, crm_fields, ...cells }: ImportRow): ImportedRow['errors'] {
  const msg = t('A letter of it cannot be read');
  const fields = importFields.filter((field) => field !== 'row' && cells[field].includes(UNREADABLE));
  const isInFields = JSON.stringify(crm_fields).includes(UNREADABLE);
  return [...fields, ...(isInFields ? (['row'] as const) : [])].map((field) => ({ field, msg }));
}

/** Mark rows that duplicate an earlier row; the first one is imported. */
function markDuplicates(rows: readonly FileRow[]): FileRow[] {
  const first = new Map<string, number>();
  return rows.map((one) => {
    if (one.status.kind === 'invalid') return one;
    const duplicateLine = one.identityKeys
      .map((identityKey) => first.get(identityKey))
      .find((line) => line !== undefined);
    const isDuplicate = one.status.kind === 'twin';
    if (duplicateLine !== undefined) {
      const isReplaceable = one.status.kind === 'ready' || isDuplicate;
      return isReplaceable ? { ...one, status: { kind: 'twin', of: duplicateLine } } : one;
    }
    for (const identityKey of one.identityKeys) first.set(identityKey, one.row.line);
    return isDuplicate ? { ...one, status: { kind: 'ready' } } : one;
  });
}

/** A field of a row that can be corrected. */
export type Cell = Exclude<ImportField, 'row'>;

export interface CellEdit {
  readonly line: number;
  readonly field: Cell;
  readonly text: string;
}

/** Return the rows after a cell was edited. */
export function updateCell(rows: readonly FileRow[], { line, field, text }: CellEdit): FileRow[] {
  return markDuplicates(
    rows.map((one) => {
      if (one.row.line !== line) return one;
      return { ...checkFileRow({ ...one, row: { ...one.row, [field]: text } }), wasInvalid: one.wasInvalid };
    }),
  );
}

/** Apply the server's answers to the rows. In a dry run, rows that would be created stay ready. */
export function applyAnswers(rows: readonly FileRow[], answers: readonly ImportedRow[], dryRun: boolean): FileRow[] {
  const byLine = new Map(answers.map((one) => [one.line, one]));
  return rows.map((one) => {
    const answer = byLine.get(one.row.line);
    if (!answer) return one;
    return { ...one, status: toRowStatus(answer, dryRun) };
  });
}

function toRowStatus(answer: ImportedRow, dryRun: boolean): RowStatus {
  switch (answer.outcome) {
    case 'created':
      return dryRun ? { kind: 'ready' } : { kind: 'created', leadId: answer.lead_id };
    case 'present':
      return { kind: 'present', leadId: answer.lead_id };
    case 'forgotten':
      return { kind: 'forgotten' };
    case 'invalid':
      return { kind: 'invalid', errors: answer.errors };
    default:
      return answer.outcome satisfies never;
  }
}

export type RowFilter = 'ready' | 'errors' | 'known' | 'all';

/** Check whether a row belongs to the selected part of the file. */
export function matchesFilter(part: RowFilter, { status, wasInvalid }: FileRow): boolean {
  switch (part) {
    case 'all':
      return true;
    case 'ready':
      return status.kind === 'ready' || status.kind === 'created';
    case 'errors':
      return wasInvalid || status.kind === 'invalid';
    case 'known':
      return status.kind === 'present' || status.kind === 'twin' || status.kind === 'forgotten';
    default:
      return part satisfies never;
  }
}

/** Describe why a row is not imported; null if it is. */
export function describeStatus({ status }: FileRow): string | null {
  switch (status.kind) {
    case 'ready':
    case 'created':
      return null;
    case 'invalid':
      return status.errors.map((one) => t(one.msg)).join('; ');
    case 'twin':
      return t('Duplicate of row {{row}}', { row: status.of });
    case 'present':
      return t('Already a lead of this product');
    case 'forgotten':
      return t('Was deleted from this product');
    default:
      return status satisfies never;
  }
}

/** Return the rejected rows as in the file, with reason and line, to be corrected and imported again. */
export function rejectedTable(table: Table, rows: readonly FileRow[]): string[][] {
  const wrong = new Map(
    rows
      .filter(({ status }) => status.kind === 'invalid' || status.kind === 'forgotten')
      .map((one) => [one.row.line, describeStatus(one) ?? '']),
  );
  const rejected = table.rows.filter(({ line }) => wrong.has(line));
  const width = rejected.reduce((most, { cells }) => Math.max(most, cells.length), table.header.length);
  const padded = (cells: readonly string[]) => Array.from({ length: width }, (_, column) => cells[column] ?? '');
  return [
    [...padded(table.header), ...addedColumns()],
    ...rejected.map(({ line, fileLine, cells }) => [...padded(cells), wrong.get(line) ?? '', String(fileLine)]),
  ];
}
