/** The lists of a lead's page as it reads them: asked once, shown in several places. */
export function dialoguesOfLead(leadId: number) {
  return { query: { lead_id: [leadId], limit: 10 } };
}

export function contactsOfLead(leadId: number) {
  return { query: { lead_id: [leadId], limit: 10, order_by: 'is_main' } };
}

export function documentsOfLead(leadId: number) {
  return { query: { lead_id: [leadId], limit: 50 } };
}
