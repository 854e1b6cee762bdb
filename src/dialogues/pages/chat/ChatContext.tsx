/** What the page of a dialogue tells the assistant, and what may be done on it. Draws nothing. */
import { z } from 'zod';
import { call } from '../../../kit/api.ts';
import { cut, rowsTold } from '../../../kit/listTools.ts';
import { usePage } from '../../../kit/page.ts';
import { usePageContext } from '../../../kit/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools, type ToolOfPage } from '../../../kit/pageTool.ts';
import { keyOf, queryClient, useEndpoint } from '../../../kit/query.ts';
import { t } from '../../../kit/t.ts';
import { changeDraft } from '../../../kit/undo.ts';
import { toolsOfLead } from '../../../leads/pages/leadTools.ts';
import { readLeadOutreach } from '../../../outreach/rehearsalContract.ts';
import { sentenceOf } from '../../../outreach/why.ts';
import { type DialogueView, type Message, messages, viewDialogue } from '../../contract.ts';
import { ownTools } from '../dialogueTools.ts';
import { cancelTool, messageTools } from '../messageTools.ts';
import { putMessage } from './thread.ts';
import { tellThread, useThread } from './threadQuery.ts';
import { draftView } from './useComposed.ts';

/** So many of the latest messages are told. */
const LATEST = 40;

const describe = () => t('The conversation with one lead: read it, write in it, hand it between the bot and a human.');

/** Of a dialogue that is not there (yet). */
export function NoChatContext({ state }: { state: string }) {
  usePageContext({ description: describe(), summary: JSON.stringify({ state }), tools: [] });
  return null;
}

export function ChatContext({ view }: { view: DialogueView }) {
  const page = usePage();
  const { dialogue, lead } = view;
  const thread = useThread(dialogue.id, false);
  const outreach = useEndpoint(
    readLeadOutreach,
    { params: { lead_id: lead.id } },
    { staleTime: Number.POSITIVE_INFINITY },
  );
  const coming = outreach.data;
  const items = thread.data?.items ?? [];
  usePageContext({
    description: describe(),
    summary: JSON.stringify({
      ...factsOf(view),
      coming: coming && { state: coming.state, next: coming.next, at: coming.at, why: sentenceOf(coming.why) },
      // The latest first, so that the oldest are left out where not all of them fit.
      messages: thread.data ? rowsTold(items.slice(-LATEST).reverse().map(messageTold)) : 'loading',
      more_before: (thread.data?.has_more ?? false) || items.length > LATEST,
    }),
    ...pageTools(
      ...writingTools(view),
      ...ownTools(dialogue.id),
      ...toolsOfLead(lead.id),
      ...messageTools(),
      cancelTool(),
      pageTool({
        name: 'open_lead',
        description: t('Opens the page of the lead of this dialogue.'),
        input: NO_ARGUMENTS,
        run: async () => {
          page.go('lead-detail', { leadId: lead.id });
          return { status: 'opened' };
        },
      }),
    ),
  });
  return null;
}

const TEXT = messages.create.body.shape.message.max(20_000);
const SAID = z.strictObject({ text: TEXT });

function writingTools({ dialogue }: DialogueView): ToolOfPage[] {
  return [
    pageTool({
      name: 'draft_message',
      description: t(
        'Puts a message to the lead into the composer, in place of what is there. It is not sent by that.',
      ),
      input: SAID,
      confirm: true,
      run: async ({ text }) => changeDraft(draftView(dialogue.id), text, { status: 'in the composer, not sent' }),
    }),
    pageTool({
      name: 'send_message',
      description: t('Sends a message to the lead at once, and hands the dialogue over to a human.'),
      input: SAID,
      confirm: true,
      irreversible: t('A message that is sent cannot be taken back.'),
      run: async ({ text }) => {
        const { id, product_id, contact_id } = dialogue;
        const answer = await call(messages.create, {
          body: {
            product_id,
            contact_id,
            dialogue_id: id,
            message: text,
            client_key: crypto.randomUUID(),
            // As what is typed here: at once, and in one piece.
            schedule_enabled: false,
            delay_enabled: false,
            split: false,
          },
        });
        for (const message of answer.messages) tellThread(id, (known) => putMessage(known, message));
        await queryClient.invalidateQueries({ queryKey: keyOf(viewDialogue, { params: { id } }) });
        return { status: 'on its way', ids: answer.messages.map((message) => message.id) };
      },
    }),
  ];
}

function factsOf({ dialogue, lead, contact, channel, lead_timezone }: DialogueView): object {
  return {
    dialogue_id: dialogue.id,
    answers: dialogue.owner,
    taken_over_by: dialogue.owner_reason,
    answer_due_at: dialogue.turn_due_at,
    no_answer: dialogue.no_answer,
    lead: {
      id: lead.id,
      name: lead.name,
      stage: lead.stage,
      is_active: lead.is_active,
      asked_to_be_left_alone: lead.recognized_deactivation_request,
      crm_fields: cut(lead.crm_fields),
    },
    lead_timezone,
    contact: contact.contact,
    channel: { name: channel.name, messenger: channel.channel_type, is_session_active: channel.is_session_active },
  };
}

const messageTold = (one: Message): object => ({
  id: one.id,
  from: one.operator ?? one.author,
  follow_up_step: one.ping_step_number,
  status: one.status,
  at: one.thread_at,
  scheduled_at: one.status === 'scheduled' ? one.scheduled_at : null,
  reason: one.reason,
  text: one.message,
});
