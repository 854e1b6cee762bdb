/** Texts for entries of the audit log. Pure. */

import type { AuditEntry } from '../../access/auditContract.ts';
import { fieldLabel } from '../../ui/fieldLabels.ts';
import { t } from '../../ui/i18n.ts';

/** Report whether one request changed several rows in the same way, of which this entry is one. */
export const isBulk = ({ same }: AuditEntry): boolean => (same ?? 1) > 1;

/** Describe the row: `Lead “Anna”`, `Lead 17`, or `Lead, 195 rows` for many. */
export function rowWords(entry: AuditEntry): string {
  const noun = fieldLabel(entry.noun);
  if (isBulk(entry)) return t('{{noun}}, {{count}} rows', { noun, count: entry.same ?? 1 });
  if (entry.row_name !== null) return t('{{noun}} “{{name}}”', { noun, name: entry.row_name });
  return entry.row_id === null ? noun : `${noun} ${entry.row_id}`;
}

/** Describe the entry: `Created · Lead “Anna”`. */
export const sentenceOf = (entry: AuditEntry): string => `${fieldLabel(entry.action)} · ${rowWords(entry)}`;
