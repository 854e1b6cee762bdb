/** Assistant tools that explain from the plan's reasons why a lead gets a message or not, and what comes next. */
import { z } from 'zod';
import { dialogues, messages } from '../../../conversations/contract.ts';
import { leads } from '../../../leads/contract.ts';
import { reference } from '../../../platform/contract.ts';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { NO_ARGUMENTS, pageTool, type ToolWithHandler } from '../../../ui/pageTool.ts';
import { reasonText } from '../../reason.ts';
import { readLeadOutreach } from '../../rehearsalContract.ts';

const LEAD_INPUT = z.strictObject({ lead_id: reference('lead') });
const MAX_DIALOGUES = 20;
const MAX_MESSAGES = 10;

/** @param leadId the lead in view; null: the assistant names one. */
export function explainLeadTool(leadId: number | null): ToolWithHandler {
  const declaration = {
    name: 'why_no_message',
    description: t(
      'Explains why a lead got or did not get a message, what comes next automatically and when, what waits, and who answers.',
    ),
  };
  return leadId === null
    ? pageTool({ ...declaration, input: LEAD_INPUT, run: ({ lead_id }) => explainLead(lead_id) })
    : pageTool({ ...declaration, input: NO_ARGUMENTS, run: () => explainLead(leadId) });
}

/** Collect what the plan decides about a lead, and the latest messages. */
export async function explainLead(leadId: number): Promise<Record<string, unknown>> {
  const [lead, outreach, dialoguePage] = await Promise.all([
    call(leads.get, { params: { id: leadId } }),
    call(readLeadOutreach, { params: { lead_id: leadId } }),
    call(dialogues.list, { query: { lead_id: [leadId], limit: MAX_DIALOGUES } }),
  ]);
  const messageRows = await latestMessages(dialoguePage.items.map(({ id }) => id));
  return {
    lead: { id: lead.id, name: lead.name, stage: lead.stage, is_active: lead.is_active },
    state: outreach.state,
    next: outreach.next ?? 'no automatic message',
    at: outreach.at,
    why: reasonText(outreach.why),
    zone: outreach.zone,
    dialogues: dialoguePage.items.map((one) => ({
      dialogue_id: one.id,
      channel: one.channel_name,
      answers: one.owner,
      taken_over_by: one.owner_reason,
      no_answer: one.no_answer,
      answer_due_at: one.turn_due_at,
    })),
    latest_messages: messageRows,
  };
}

/** Read the latest messages, newest first: sent, waiting and failed ones, with reasons. */
async function latestMessages(dialogueIds: readonly number[]): Promise<unknown[]> {
  if (dialogueIds.length === 0) return [];
  const { items } = await call(messages.list, {
    query: { dialogue_id: [...dialogueIds], order_by: 'id', order: 'desc', limit: MAX_MESSAGES, with_total: false },
  });
  return items.map((one) => ({
    from: one.author,
    follow_up_step: one.ping_step_number,
    status: one.status,
    created_at: one.created_at,
    scheduled_at: one.scheduled_at,
    reason: one.reason,
    text: one.message.slice(0, 200),
  }));
}
