/** Maps the columns of a file to the fields of a lead. Pure. */
import { parsePrintedNumber } from '../../../platform/numericText.ts';
import { parseCrmList } from '../../../ui/crmFields.ts';
import { t } from '../../../ui/i18n.ts';
import { crmFields } from '../../contract.ts';
import type { ImportRow } from '../../importContract.ts';
import { isPlaceholder } from '../../placeholderContract.ts';
import { type ColumnName, type NamePart, readColumnName } from './columnNames.ts';
import type { Table, TableRow } from './table.ts';

export const targets = ['name', 'whatsapp', 'telegram', 'crm_id', 'timezone', 'tags', 'field', 'list', 'skip'] as const;
export type Target = (typeof targets)[number];
/** Targets in the order of the header's columns. */
export type Mapping = readonly Target[];

export function targetLabel(target: Target): string {
  const labels: Readonly<Record<Target, string>> = {
    name: t('Name'),
    whatsapp: t('WhatsApp'),
    telegram: t('Telegram'),
    crm_id: t('CRM id'),
    timezone: t('Time zone'),
    tags: t('Tags (with commas)'),
    field: t('CRM field with this name'),
    list: t('CRM field, a list with commas'),
    skip: t('Not imported'),
  };
  return labels[target];
}

/** Columns that a download of skipped rows adds. */
export const addedColumns = () => [t('Why it was skipped'), t('Line of the file')];

/** A cell with more digits is a value: `тел. 8 916 123-45-67`. */
const MAX_DIGITS = 6;

/** Check whether a cell can be the name of a column of leads. */
export const isKnownName = (cell: string): boolean =>
  readColumnName(cell) !== null && cell.replace(/\D/g, '').length <= MAX_DIGITS;

/** Check whether several columns may have this target: names and addresses are joined, fields keep their own names. */
export const mayRepeat = (target: Target): boolean => !['crm_id', 'timezone', 'tags'].includes(target);

/** Check whether a column's name can be the name of a CRM field. */
export function namesField(header: string): boolean {
  const parsed = crmFields.safeParse({ [header]: '' });
  // The schema drops a name that would reach an object's prototype instead of rejecting it.
  return parsed.success && Object.hasOwn(parsed.data, header);
}

/** Guess the targets from the headers; other columns become CRM fields of the same name. */
export function guessMapping(table: Table): Target[] {
  const columns = table.header.map((name, at) => ({ at, name: readColumnName(name) }));
  const chosen = new Set([
    ...chooseNames(table, columns),
    ...chooseAddresses(table, columns, 'whatsapp'),
    ...chooseAddresses(table, columns, 'telegram'),
    ...firstOnly(columns),
  ]);
  const added = addedColumns();
  return table.header.map((name, column) => {
    const target = columns[column]?.name?.target;
    if (target !== undefined && chosen.has(column)) return target;
    const isEmpty = countFilled(table, [column]) === 0;
    return isEmpty || added.includes(name) || !namesField(name) ? 'skip' : 'field';
  });
}

interface NamedColumn {
  readonly at: number;
  readonly name: ColumnName | null;
}

const cellOf = ({ cells }: TableRow, column: number): string => cells[column] ?? '';
const countFilled = ({ rows }: Table, columns: readonly number[]): number =>
  rows.filter((row) => columns.some((column) => cellOf(row, column) !== '')).length;

/** Of several columns with ids, time zones or tags, the first. */
const firstOnly = (columns: readonly NamedColumn[]): number[] =>
  (['crm_id', 'timezone', 'tags'] as const).flatMap(
    (target) => columns.find(({ name }) => name?.target === target)?.at ?? [],
  );

/**
 * Of several columns with addresses, each in which some are found ('Phone 1 - Value' has none beside 'Phone 2'), else the
 * first. A column that may be another person's is used only where no other is named, and if it has addresses.
 */
function chooseAddresses({ rows }: Table, columns: readonly NamedColumn[], target: 'whatsapp' | 'telegram'): number[] {
  const found = columns.flatMap(({ at, name }) => (name?.target === target ? [{ at, isCertain: name.isCertain }] : []));
  const certain = found.filter(({ isCertain }) => isCertain).map(({ at }) => at);
  const hasAddresses = (at: number) => rows.some((row) => mayBeAddress(cellOf(row, at)));
  if (certain.length === 0)
    return found
      .map(({ at }) => at)
      .filter(hasAddresses)
      .slice(0, 1);
  const withAddresses = certain.filter(hasAddresses);
  return withAddresses.length > 0 ? withAddresses : certain.slice(0, 1);
}

/** What may be an address: a name, a link, or digits enough for a number, which a date has too. */
const ADDRESS = /@|t\.me|(?:\d[\s().,E+-]*){7}/;
const DATE = /^\s*(?:\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{4})(?!\d)(?:[T\s,]+\d{1,2}:\d{2}.*)?$/;
const mayBeAddress = (cell: string): boolean => ADDRESS.test(cell) && !DATE.test(cell);

/** The columns that together have a lead's name: one with whole names, or those with its parts. */
function chooseNames(table: Table, columns: readonly NamedColumn[]): number[] {
  const all = columns.flatMap(({ at, name }) => (name?.target === 'name' ? [{ at, ...name }] : []));
  const certain = all.filter(({ isCertain }) => isCertain);
  const found = certain.length > 0 ? certain : all.slice(0, 1);
  const ofPart = (part: NamePart) => found.find((one) => one.part === part)?.at;
  const [first, last] = [ofPart('first'), ofPart('last')];
  const parts = [first, ofPart('middle'), last].filter((at) => at !== undefined);
  const isEmpty = (at: number) => Number(countFilled(table, [at]) === 0);
  const whole = found
    .filter(({ part }) => part === 'whole')
    .toSorted((one, other) => isEmpty(one.at) - isEmpty(other.at) || one.rank - other.rank)[0];
  if (whole === undefined) return parts;
  if (parts.length === 0) return [whole.at];
  const isComplete = first !== undefined && last !== undefined;
  if (covers(table, whole.at, parts))
    return countFilled(table, [whole.at]) < countFilled(table, parts) ? parts : [whole.at];
  // 'Name' beside 'Surname' is a part too.
  return isComplete ? parts : [whole.at, ...parts];
}

/** Whether whole names repeat their parts, in most rows that have both. */
function covers({ rows }: Table, whole: number, parts: readonly number[]): boolean {
  const repeats = rows
    .filter((row) => cellOf(row, whole) !== '' && parts.some((part) => cellOf(row, part) !== ''))
    .map((row) => parts.every((part) => cellOf(row, whole).includes(cellOf(row, part))));
  return repeats.filter(Boolean).length > repeats.length / 2;
}

/** Return why this mapping cannot be used, as a sentence; null if it can. */
export function mappingFault(mapping: Mapping): string | null {
  if (!mapping.includes('name')) return t('Choose the column with the names.');
  if (!mapping.some((target) => target === 'whatsapp' || target === 'telegram' || target === 'crm_id')) {
    return t('Choose a column with WhatsApp or Telegram addresses, or with CRM ids.');
  }
  return null;
}

/** Map a row of the file to a row of the import. */
export function mapRow({ header }: Pick<Table, 'header'>, mapping: Mapping, { line, cells }: TableRow): ImportRow {
  const cellsByTarget = { line, name: '', whatsapp: '', telegram: '', crm_id: '', timezone: '', tags: '' };
  const fields: Record<string, ImportRow['crm_fields'][string]> = {};
  for (const [column, target] of mapping.entries()) {
    const cell = cells[column] ?? '';
    const name = header[column] ?? '';
    if (cell === '' || target === 'skip') continue;
    if (target === 'field') fields[name] = parsePrintedNumber(cell) ?? cell;
    else if (target === 'list') fields[name] = parseCrmList(cell);
    else {
      // Joined to the address of another column, it would be read as a second one.
      if (target !== 'name' && target !== 'tags' && isPlaceholder(cell)) continue;
      const former = cellsByTarget[target];
      cellsByTarget[target] = former === '' ? cell : `${former}${target === 'name' ? ' ' : '; '}${cell}`;
    }
  }
  return { ...cellsByTarget, crm_fields: fields };
}
