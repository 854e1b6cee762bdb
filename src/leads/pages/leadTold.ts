/** What the page of a lead shows, as the assistant is told. */
import { dialogues } from '../../dialogues/contract.ts';
import { cut, rowsTold } from '../../kit/listTools.ts';
import { useEndpoint } from '../../kit/query.ts';
import { readLeadOutreach } from '../../outreach/rehearsalContract.ts';
import { sentenceOf } from '../../outreach/why.ts';
import { contacts, type Lead } from '../contract.ts';
import { leadDocuments } from '../documentContract.ts';
import { contactsOfLead, dialoguesOfLead, documentsOfLead } from './talks.ts';

/** Many documents fill the assistant's view; each can be read on the page. */
const MOST_DOCUMENTS = 4000;

/** Compact JSON; undefined: the lead is not there yet. */
export function useLeadTold(lead: Lead | undefined): string | undefined {
  const id = lead?.id ?? 0;
  const known = { enabled: lead !== undefined };
  const talks = useEndpoint(dialogues.list, dialoguesOfLead(id), known).data;
  const reach = useEndpoint(contacts.list, contactsOfLead(id), known).data;
  const papers = useEndpoint(leadDocuments.list, documentsOfLead(id), known).data;
  const outreach = useEndpoint(readLeadOutreach, { params: { lead_id: id } }, known).data;
  if (lead === undefined) return undefined;
  const { recognized_deactivation_request: asked, crm_fields: fields, ...rest } = lead;
  return JSON.stringify({
    ...rest,
    asked_to_be_left_alone: asked,
    crm_fields: cut(fields),
    coming: outreach && {
      state: outreach.state,
      next: outreach.next,
      at: outreach.at,
      why: sentenceOf(outreach.why),
    },
    contacts: reach?.items.map(({ id: contact_id, contact, contact_type, is_main }) => ({
      contact_id,
      contact,
      contact_type,
      is_main,
    })),
    dialogues: talks?.items.map((one) => ({
      dialogue_id: one.id,
      channel: one.channel_name,
      answers: one.owner,
      last_message: cut(one.last_message),
      last_message_at: one.last_msg_created_at,
      no_answer: one.no_answer,
    })),
    documents:
      papers &&
      rowsTold(
        papers.items.map((one) => ({ id: one.id, name: one.name, type: one.type, text: one.document.text_data })),
        MOST_DOCUMENTS,
      ),
  });
}
