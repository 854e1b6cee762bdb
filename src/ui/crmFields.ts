/** Rules of the CRM field editor, which edits a map from text to text, number or list of text. */
import { parseNumericText } from '../platform/numericText.ts';

export type CrmValue = string | number | readonly string[];
export type CrmFields = Readonly<Record<string, CrmValue>>;

/** One line of the editor. `stored` is the value the line was read from, which an unchanged line keeps exactly. */
export interface CrmEntry {
  key: string;
  text: string;
  stored: CrmValue | null;
}

/** Format a value for the editor. List items are joined with `, `. */
export function formatCrmValue(value: CrmValue): string {
  return typeof value === 'object' ? value.join(', ') : String(value);
}

/**
 * Parse a typed value. Text with commas becomes a list of its trimmed, non-empty items. Text that is a number becomes a
 * number; codes and phone numbers (`007`, `+371…`, twenty-digit ids) stay text.
 */
export function parseCrmValue(text: string): CrmValue {
  const trimmed = text.trim();
  if (trimmed.includes(',')) return parseCrmList(trimmed);
  return parseNumericText(trimmed) ?? trimmed;
}

/** Split a text at its commas into trimmed, non-empty items. */
export const parseCrmList = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** An entry counts only when both key and value are non-blank. */
function isCompleteEntry(entry: CrmEntry): boolean {
  return entry.key.trim() !== '' && entry.text.trim() !== '';
}

/** Convert a stored map to editor lines. */
export function toCrmEntries(fields: CrmFields): CrmEntry[] {
  return Object.entries(fields).map(([key, value]) => ({ key, text: formatCrmValue(value), stored: value }));
}

/** Convert editor lines to a map. */
export function parseCrmFields(entries: readonly CrmEntry[]): CrmFields {
  return Object.fromEntries(
    entries
      .filter((entry) => isCompleteEntry(entry) || isUnchangedBlank(entry))
      .map((entry) => [entry.key.trim(), parseEntry(entry)]),
  );
}

/** Return the keys used on more than one line, because only the last of them would be kept. */
export function duplicateCrmKeys(entries: readonly CrmEntry[]): string[] {
  const keys = entries.filter(isCompleteEntry).map((entry) => entry.key.trim());
  return [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))];
}

// A blank value from elsewhere, such as an import, survives an edit of another line.
function isUnchangedBlank(entry: CrmEntry): boolean {
  return entry.stored !== null && entry.key.trim() !== '' && formatCrmValue(entry.stored) === entry.text;
}

function parseEntry(entry: CrmEntry): CrmValue {
  if (entry.stored !== null && formatCrmValue(entry.stored) === entry.text) return entry.stored;
  return parseCrmValue(entry.text);
}
