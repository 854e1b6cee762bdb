/** Which column of a file is what of a lead. Pure. */
import { parseCrmValue } from '../../../ui/crmFields.ts';
import { t } from '../../../ui/i18n.ts';
import { crmFields } from '../../contract.ts';
import { type ImportRow, importRow } from '../../importContract.ts';
import type { Table, TableRow } from './table.ts';

export const targets = ['name', 'whatsapp', 'telegram', 'crm_id', 'timezone', 'field', 'skip'] as const;
export type Target = (typeof targets)[number];
/** By column, in the order of the header. */
export type Mapping = readonly Target[];

export function targetLabel(target: Target): string {
  const labels: Readonly<Record<Target, string>> = {
    name: t('Name'),
    whatsapp: t('WhatsApp'),
    telegram: t('Telegram'),
    crm_id: t('CRM id'),
    timezone: t('Time zone'),
    field: t('CRM field of that name'),
    skip: t('Not imported'),
  };
  return labels[target];
}

const GUESSES: readonly (readonly [Target, RegExp])[] = [
  ['telegram', /telegram|телеграм|\btg\b|тг/i],
  ['whatsapp', /whats.?app|вотсап|ватсап|phone|телефон|mobile|мобильн|\btel\b|номер/i],
  ['timezone', /time.?zone|часовой|таймзон/i],
  ['crm_id', /^(crm.?id|id|(deal|lead|сделк\S*|лид\S*).?id|id.?(deal|lead|сделк\S*|лид\S*))$/i],
  ['name', /^(.*\bname|имя|фамилия|отчество|фио|ф\.и\.о\.?|lead|client|клиент|лид|контакт|contact)$/i],
];

/** Whether several columns may be this: names are put together, fields have names of their own. */
export const mayRepeat = (target: Target): boolean => ['name', 'field', 'skip'].includes(target);

/** Whether a column's name can name a CRM field. */
export function namesField(header: string): boolean {
  const parsed = crmFields.safeParse({ [header]: '' });
  // A name that would reach an object's prototype is passed over by the schema instead of being refused.
  return parsed.success && Object.hasOwn(parsed.data, header);
}

/** What the headers say by themselves; the rest become CRM fields of their names. */
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

/** What keeps this mapping from being used, in a sentence; null: nothing. */
export function mappingFault(mapping: Mapping): string | null {
  if (!mapping.includes('name')) return t('Choose the column with the names.');
  if (!mapping.some((target) => target === 'whatsapp' || target === 'telegram' || target === 'crm_id')) {
    return t('Choose a column with WhatsApp or Telegram addresses, or with CRM ids.');
  }
  return null;
}

export type MappedRow = { readonly row: ImportRow; readonly fault: string | null };

/** A row of the file as a row of the import; `fault`: why it cannot even be sent. */
export function mapRow({ header }: Table, mapping: Mapping, { line, cells }: TableRow): MappedRow {
  const cellsByTarget = { line, name: '', whatsapp: '', telegram: '', crm_id: '', timezone: '' };
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
