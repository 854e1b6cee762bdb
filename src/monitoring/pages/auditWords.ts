/** What an entry of the audit log says, in words. Pure. */

import type { AuditEntry } from '../../access/auditContract.ts';
import { fieldLabel } from '../../ui/fieldLabels.ts';
import { t } from '../../ui/i18n.ts';

/** Whether one request did the same to several rows, of which this entry is one. */
export const isBulk = ({ same }: AuditEntry): boolean => (same ?? 1) > 1;

/** `Lead “Anna”`, `Lead 17`, of many `Lead, 195 rows`. */
export function rowWords(entry: AuditEntry): string {
  const noun = fieldLabel(entry.noun);
  if (isBulk(entry)) return t('{{noun}}, {{count}} rows', { noun, count: entry.same ?? 1 });
  if (entry.row_name !== null) return t('{{noun}} “{{name}}”', { noun, name: entry.row_name });
  return entry.row_id === null ? noun : `${noun} ${entry.row_id}`;
}

/** `Created · Lead “Anna”`. */
export const sentenceOf = (entry: AuditEntry): string => `${fieldLabel(entry.action)} · ${rowWords(entry)}`;
