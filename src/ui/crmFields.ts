/** The rules of the editor for free maps of text to text, number or list of text. */
import { parseNumericText } from '../platform/numericText.ts';

export type CrmValue = string | number | readonly string[];
export type CrmFields = Readonly<Record<string, CrmValue>>;

/** One line of the editor. `stored` is what the line was read from: a line left as it was keeps its value to the letter. */
export interface CrmEntry {
  key: string;
  text: string;
  stored: CrmValue | null;
}

/** A value as the editor shows it: lists with `, ` between their items. */
export function formatCrmValue(value: CrmValue): string {
  return typeof value === 'object' ? value.join(', ') : String(value);
}

/**
 * What a typed text means. Commas make a list of its trimmed, non-empty items. A text that is a number becomes one;
 * codes and phones (`007`, `+371…`, twenty-digit ids) stay as they were typed.
 */
export function parseCrmValue(text: string): CrmValue {
  const trimmed = text.trim();
  if (trimmed.includes(',')) {
    return trimmed
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }
  return parseNumericText(trimmed) ?? trimmed;
}

/** An entry counts only when both key and value are non-blank. */
function isCompleteEntry(entry: CrmEntry): boolean {
  return entry.key.trim() !== '' && entry.text.trim() !== '';
}

/** The lines of the editor for a stored map. */
export function toCrmEntries(fields: CrmFields): CrmEntry[] {
  return Object.entries(fields).map(([key, value]) => ({ key, text: formatCrmValue(value), stored: value }));
}

/** The map that the lines stand for. */
export function parseCrmFields(entries: readonly CrmEntry[]): CrmFields {
  return Object.fromEntries(
    entries
      .filter((entry) => isCompleteEntry(entry) || isUnchangedBlank(entry))
      .map((entry) => [entry.key.trim(), parseEntry(entry)]),
  );
}

/** Keys that stand on more than one line; only the last would survive. */
export function duplicateCrmKeys(entries: readonly CrmEntry[]): string[] {
  const keys = entries.filter(isCompleteEntry).map((entry) => entry.key.trim());
  return [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))];
}

// A blank value that came from elsewhere (an import) is not dropped by an edit of another line.
function isUnchangedBlank(entry: CrmEntry): boolean {
  return entry.stored !== null && entry.key.trim() !== '' && formatCrmValue(entry.stored) === entry.text;
}

function parseEntry(entry: CrmEntry): CrmValue {
  if (entry.stored !== null && formatCrmValue(entry.stored) === entry.text) return entry.stored;
  return parseCrmValue(entry.text);
}
