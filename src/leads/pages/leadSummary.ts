/** The summary of a lead's page for the assistant. */
import { dialogues } from '../../conversations/contract.ts';
import { reasonText } from '../../outreach/reason.ts';
import { readLeadOutreach } from '../../outreach/rehearsalContract.ts';
import { rowsForAssistant, truncateTexts } from '../../ui/listTools.ts';
import { useEndpoint } from '../../ui/query.ts';
import { contacts, type Lead } from '../contract.ts';
import { leadDocuments } from '../documentContract.ts';
import { leadContactsArgs, leadDialoguesArgs, leadDocumentsArgs } from './leadQueries.ts';

/** Limits the documents in the assistant's context; each can be read on the page. */
const MAX_DOCUMENT_CHARS = 4000;

/** Return the summary as compact JSON; undefined while the lead loads. */
export function useLeadSummary(lead: Lead | undefined): string | undefined {
  const id = lead?.id ?? 0;
  const options = { enabled: lead !== undefined };
  const dialoguePage = useEndpoint(dialogues.list, leadDialoguesArgs(id), options).data;
  const contactPage = useEndpoint(contacts.list, leadContactsArgs(id), options).data;
  const documentPage = useEndpoint(leadDocuments.list, leadDocumentsArgs(id), options).data;
  const outreach = useEndpoint(readLeadOutreach, { params: { lead_id: id } }, options).data;
  if (lead === undefined) return undefined;
  const { recognized_deactivation_request: optedOut, crm_fields: fields, ...rest } = lead;
  return JSON.stringify({
    ...rest,
    asked_to_be_left_alone: optedOut,
    crm_fields: truncateTexts(fields),
    coming: outreach && {
      state: outreach.state,
      next: outreach.next,
      at: outreach.at,
      why: reasonText(outreach.why),
    },
    contacts: contactPage?.items.map(({ id: contact_id, contact, contact_type, is_main }) => ({
      contact_id,
      contact,
      contact_type,
      is_main,
    })),
    dialogues: dialoguePage?.items.map((one) => ({
      dialogue_id: one.id,
      channel: one.channel_name,
      answers: one.owner,
      last_message: truncateTexts(one.last_message),
      last_message_at: one.last_msg_created_at,
      no_answer: one.no_answer,
    })),
    documents:
      documentPage &&
      rowsForAssistant(
        documentPage.items.map((one) => ({ id: one.id, name: one.name, type: one.type, text: one.document.text_data })),
        MAX_DOCUMENT_CHARS,
      ),
  });
}
