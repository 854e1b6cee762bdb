/** Maps the columns of a file to the fields of a lead. Pure. */
import { parseCrmValue } from '../../../ui/crmFields.ts';
import { t } from '../../../ui/i18n.ts';
import { crmFields } from '../../contract.ts';
import { type ImportRow, importRow } from '../../importContract.ts';
import type { Table, TableRow } from './table.ts';

export const targets = ['name', 'whatsapp', 'telegram', 'crm_id', 'timezone', 'tags', 'field', 'skip'] as const;
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
    skip: t('Not imported'),
  };
  return labels[target];
}

const GUESSES: readonly (readonly [Target, RegExp])[] = [
  ['telegram', /telegram|телеграм|\btg\b|тг/i],
  ['whatsapp', /whats.?app|вотсап|ватсап|phone|телефон|mobile|мобильн|\btel\b|номер/i],
  ['timezone', /time.?zone|часовой|таймзон/i],
  ['tags', /^(tags?|labels?|теги?|тэги?|метк[аи])$/i],
  ['crm_id', /^(crm.?id|id|(deal|lead|сделк\S*|лид\S*).?id|id.?(deal|lead|сделк\S*|лид\S*))$/i],
  ['name', /^(.*\bname|имя|фамилия|отчество|фио|ф\.и\.о\.?|lead|client|клиент|лид|контакт|contact)$/i],
];

/** Check whether several columns may have this target: names are joined, fields keep their own names. */
export const mayRepeat = (target: Target): boolean => ['name', 'field', 'skip'].includes(target);

/** Check whether a column's name can be the name of a CRM field. */
export function namesField(header: string): boolean {
  const parsed = crmFields.safeParse({ [header]: '' });
  // The schema drops a name that would reach an object's prototype instead of rejecting it.
  return parsed.success && Object.hasOwn(parsed.data, header);
}

/** Guess the targets from the headers; other columns become CRM fields of the same name. */
export function guessMapping({ header, rows }: Table): Target[] {
  const usedTargets = new Set<Target>();
  return header.map((name, column) => {
    const guess = GUESSES.find(
      ([target, words]) => words.test(name.trim()) && (mayRepeat(target) || !usedTargets.has(target)),
    );
    if (guess) {
      usedTargets.add(guess[0]);
      return guess[0];
    }
    const isEmpty = rows.every((row) => (row.cells[column] ?? '') === '');
    return isEmpty || !namesField(name) ? 'skip' : 'field';
  });
}

/** Return why this mapping cannot be used, as a sentence; null if it can. */
export function mappingFault(mapping: Mapping): string | null {
  if (!mapping.includes('name')) return t('Choose the column with the names.');
  if (!mapping.some((target) => target === 'whatsapp' || target === 'telegram' || target === 'crm_id')) {
    return t('Choose a column with WhatsApp or Telegram addresses, or with CRM ids.');
  }
  return null;
}

export type MappedRow = { readonly row: ImportRow; readonly fault: string | null };

/** Map a row of the file to a row of the import; `fault`: why the row cannot be sent. */
export function mapRow({ header }: Table, mapping: Mapping, { line, cells }: TableRow): MappedRow {
  const cellsByTarget = { line, name: '', whatsapp: '', telegram: '', crm_id: '', timezone: '', tags: '' };
  const fields: Record<string, ImportRow['crm_fields'][string]> = {};
  for (const [column, target] of mapping.entries()) {
    const cell = cells[column] ?? '';
    const name = header[column] ?? '';
    if (cell === '' || target === 'skip') continue;
    if (target === 'field') fields[name] = copyValue(parseCrmValue(cell));
    else if (target === 'name') cellsByTarget.name = cellsByTarget.name === '' ? cell : `${cellsByTarget.name} ${cell}`;
    else cellsByTarget[target] = cell;
  }
  const row = { ...cellsByTarget, crm_fields: fields };
  return { row, fault: importRow.safeParse(row).success ? null : t('A value is too long') };
}

const copyValue = (value: ReturnType<typeof parseCrmValue>) => (typeof value === 'object' ? [...value] : value);
