/** Maps the columns of a file to the fields of a lead. Pure. */
import { parseNumericText } from '../../../platform/numericText.ts';
import { parseCrmList } from '../../../ui/crmFields.ts';
import { t } from '../../../ui/i18n.ts';
import { crmFields } from '../../contract.ts';
import type { ImportRow } from '../../importContract.ts';
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

const GUESSES: readonly (readonly [Target, RegExp])[] = [
  ['telegram', /telegram|телеграм|\btg\b|тг/i],
  [
    'whatsapp',
    /whats.?app|вотсап|ватсап|phone|телефон|telefon|t[eé]l[eé](?:ph|f)on|celular|handy|mobil|мобильн|\btel\b|номер/i,
  ],
  ['timezone', /time.?zone|часовой|таймзон/i],
  ['tags', /^(tags?|labels?|теги?|тэги?|метк[аи])$/i],
  ['crm_id', /^(crm.?id|id|(deal|lead|сделк\S*|лид\S*).?id|id.?(deal|lead|сделк\S*|лид\S*))$/i],
  [
    'name',
    /^(.*\bname|nombre|nome|nom|vorname|nachname|imię|nazwisko|имя|фамилия|отчество|фио|ф\.и\.о\.?|lead|client|клиент|лид|контакт|contact)$/i,
  ],
];

/** Columns that a download of skipped rows adds. */
export const addedColumns = () => [t('Why it was skipped'), t('Line of the file')];

/** Check whether a cell can be the name of a column of leads. */
export const isKnownName = (cell: string): boolean => GUESSES.some(([, words]) => words.test(cell.trim()));

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
  const { header, rows } = table;
  const added = addedColumns();
  const named = header.map((name) => GUESSES.find(([, words]) => words.test(name.trim()))?.[0]);
  return header.map((name, column) => {
    const target = named[column];
    if (target !== undefined && isGuessed(table, named, column)) return target;
    const isEmpty = rows.every((row) => (row.cells[column] ?? '') === '');
    return isEmpty || added.includes(name) || !namesField(name) ? 'skip' : 'field';
  });
}

/**
 * Whether a column of this name becomes what the name says. Of several with addresses, each in which some are found does
 * ('Phone 1 - Type' has none); of others, the first.
 */
function isGuessed({ rows }: Table, named: readonly (Target | undefined)[], column: number): boolean {
  const target = named[column];
  if (target === 'name') return true;
  const rivals = named.flatMap((one, at) => (one === target ? [at] : []));
  const isAddress = target === 'whatsapp' || target === 'telegram';
  const withAddresses = isAddress ? rivals.filter((at) => rows.some((row) => ADDRESS.test(row.cells[at] ?? ''))) : [];
  return withAddresses.length > 0 ? withAddresses.includes(column) : rivals[0] === column;
}

/** What may be an address: a name, a link, or digits enough for a number. */
const ADDRESS = /@|t\.me|(?:\d[\s().,E+-]*){7}/;

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
    if (target === 'field') fields[name] = valueOf(cell);
    else if (target === 'list') fields[name] = parseCrmList(cell);
    else {
      const former = cellsByTarget[target];
      cellsByTarget[target] = former === '' ? cell : `${former}${target === 'name' ? ' ' : '; '}${cell}`;
    }
  }
  return { ...cellsByTarget, crm_fields: fields };
}

/** Return the text of a cell, or the number that is written in the same way. */
function valueOf(cell: string): string | number {
  const number = parseNumericText(cell);
  return number !== null && String(number) === cell ? number : cell;
}
