/** Links from entries of the audit log to the pages of their rows. Pure. */

import type { AuditEntry } from '../../access/auditContract.ts';
import type { PageParams } from '../../ui/page.ts';

const ROW_LINKS: Readonly<Record<string, (id: number) => { page: string; params: PageParams }>> = {
  lead: (id) => ({ page: 'lead-detail', params: { leadId: id } }),
  dialogue: (id) => ({ page: 'dialogue-chat', params: { dialogueId: id } }),
  prompt: (id) => ({ page: 'prompt-detail', params: { promptId: id } }),
  prepared_message: (id) => ({ page: 'prepared-message-detail', params: { messageId: id } }),
  crm_integration: (id) => ({ page: 'crm-integration', params: { integrationId: id } }),
  company: () => ({ page: 'crm-companies', params: {} }),
  product: () => ({ page: 'crm-products', params: {} }),
  channel: () => ({ page: 'channels', params: {} }),
  webhook: (id) => ({ page: 'webhook', params: { webhookId: id } }),
  company_llm: () => ({ page: 'crm-company-llms', params: {} }),
  operator: () => ({ page: 'system', params: { tab: 'operators' } }),
};

/** Return the page of an entry's row; null if it has none or was deleted. */
export function rowLinkOf({ noun, row_id, action }: AuditEntry): { page: string; params: PageParams } | null {
  if (row_id === null || action === 'deleted') return null;
  return ROW_LINKS[noun]?.(row_id) ?? null;
}
