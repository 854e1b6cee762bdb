/** The list of a lead's dialogues as its page reads it: asked once, shown in several places. */
export function dialoguesOfLead(leadId: number) {
  return { query: { lead_id: [leadId], limit: 10 } };
}
