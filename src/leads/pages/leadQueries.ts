/** Query arguments of a lead page's lists, shared so that each list is fetched once. */
export function leadDialoguesArgs(leadId: number) {
  return { query: { lead_id: [leadId], limit: 10 } };
}

export function leadContactsArgs(leadId: number) {
  return { query: { lead_id: [leadId], limit: 10, order_by: 'is_main' } };
}

export function leadDocumentsArgs(leadId: number) {
  return { query: { lead_id: [leadId], limit: 50 } };
}
