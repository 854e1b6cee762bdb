/** The lists of a lead's page as it reads them: asked once, shown in several places. */
export function leadDialoguesArgs(leadId: number) {
  return { query: { lead_id: [leadId], limit: 10 } };
}

export function leadContactsArgs(leadId: number) {
  return { query: { lead_id: [leadId], limit: 10, order_by: 'is_main' } };
}

export function leadDocumentsArgs(leadId: number) {
  return { query: { lead_id: [leadId], limit: 50 } };
}
