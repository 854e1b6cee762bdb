/** The rows of a file on their way: what each is, what is wrong with it, what the server knows of it. Pure. */
import { t } from '../../../kit/t.ts';
import type { ImportedRow, ImportField, ImportRow } from '../../importContract.ts';
import { checkRow, marksOf } from '../../importRowContract.ts';
import { type Mapping, mapRow } from './mapping.ts';
import type { Table } from './table.ts';

export type Verdict =
  /** Will be imported. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'invalid'; readonly errors: ImportedRow['errors'] }
  /** The same person as on another line of the file. */
  | { readonly kind: 'twin'; readonly of: number }
  | { readonly kind: 'present'; readonly leadId: number | null }
  | { readonly kind: 'forgotten' }
  | { readonly kind: 'created'; readonly leadId: number | null };

export interface FileRow {
  readonly row: ImportRow;
  readonly verdict: Verdict;
  /** It was wrong when it was read: it stays in view while it is mended. */
  readonly wasInvalid: boolean;
  /** What makes the person known again; empty where the row is wrong. */
  readonly marks: readonly string[];
}

/** The rows of a file under a mapping, each judged by itself and among the others. */
export function rowsOf(table: Table, mapping: Mapping): FileRow[] {
  const rows = table.rows.map((one) => {
    const { row, fault } = mapRow(table, mapping, one);
    return judged(row, fault);
  });
  return withTwins(rows.map((row) => ({ ...row, wasInvalid: row.verdict.kind === 'invalid' })));
}

function judged(row: ImportRow, fault: string | null): FileRow {
  if (fault !== null) {
    return { row, verdict: { kind: 'invalid', errors: [{ field: 'row', msg: fault }] }, wasInvalid: true, marks: [] };
  }
  const { lead, errors } = checkRow(row);
  if (lead === null) return { row, verdict: { kind: 'invalid', errors }, wasInvalid: true, marks: [] };
  return { row, verdict: { kind: 'ready' }, wasInvalid: false, marks: marksOf(lead) };
}

/** Finds those who stand in the file twice: the first is taken. */
function withTwins(rows: readonly FileRow[]): FileRow[] {
  const first = new Map<string, number>();
  return rows.map((one) => {
    if (one.verdict.kind === 'invalid') return one;
    const twin = one.marks.map((mark) => first.get(mark)).find((line) => line !== undefined);
    const isTwin = one.verdict.kind === 'twin';
    if (twin !== undefined) {
      const known = one.verdict.kind === 'ready' || isTwin;
      return known ? { ...one, verdict: { kind: 'twin', of: twin } } : one;
    }
    for (const mark of one.marks) first.set(mark, one.row.line);
    return isTwin ? { ...one, verdict: { kind: 'ready' } } : one;
  });
}

/** The rows after a cell was mended. */
export function withCell(
  rows: readonly FileRow[],
  line: number,
  field: Exclude<ImportField, 'row'>,
  text: string,
): FileRow[] {
  return withTwins(
    rows.map((one) => {
      if (one.row.line !== line) return one;
      return { ...judged({ ...one.row, [field]: text }, null), wasInvalid: one.wasInvalid };
    }),
  );
}

/** The rows after the server has spoken of some of them. In a dry run what it would make stays ready. */
export function withAnswers(rows: readonly FileRow[], answers: readonly ImportedRow[], dryRun: boolean): FileRow[] {
  const byLine = new Map(answers.map((one) => [one.line, one]));
  return rows.map((one) => {
    const answer = byLine.get(one.row.line);
    if (!answer) return one;
    return { ...one, verdict: verdictOf(answer, dryRun) };
  });
}

function verdictOf(answer: ImportedRow, dryRun: boolean): Verdict {
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

export type Part = 'ready' | 'errors' | 'known' | 'all';

/** The part of the file in which a row is looked for. */
export function isIn(part: Part, { verdict, wasInvalid }: FileRow): boolean {
  switch (part) {
    case 'all':
      return true;
    case 'ready':
      return verdict.kind === 'ready' || verdict.kind === 'created';
    case 'errors':
      return wasInvalid || verdict.kind === 'invalid';
    case 'known':
      return verdict.kind === 'present' || verdict.kind === 'twin' || verdict.kind === 'forgotten';
    default:
      return part satisfies never;
  }
}

/** Why a row is not imported, in words; null: it is. */
export function reasonOf({ verdict }: FileRow): string | null {
  switch (verdict.kind) {
    case 'ready':
    case 'created':
      return null;
    case 'invalid':
      return verdict.errors.map((one) => t(one.msg)).join('; ');
    case 'twin':
      return t('The same person as in row {{row}}', { row: verdict.of });
    case 'present':
      return t('A lead of this product already');
    case 'forgotten':
      return t('Was deleted from this product');
    default:
      return verdict satisfies never;
  }
}

/** The rows that were not taken, as they stood in the file, with the reason: to be mended and brought again. */
export function rejectedTable(table: Table, rows: readonly FileRow[]): string[][] {
  const wrong = new Map(
    rows
      .filter(({ verdict }) => verdict.kind === 'invalid' || verdict.kind === 'forgotten')
      .map((one) => [one.row.line, reasonOf(one) ?? '']),
  );
  const body = table.rows.flatMap(({ line, cells }) => {
    const reason = wrong.get(line);
    return reason === undefined ? [] : [[...table.header.map((_name, column) => cells[column] ?? ''), reason]];
  });
  return [[...table.header, t('Why it was left out')], ...body];
}
