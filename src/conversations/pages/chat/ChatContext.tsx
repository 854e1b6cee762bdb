/** Describes the dialogue page to the assistant, with its tools. Renders nothing. */
import type { RefObject } from 'react';
import { z } from 'zod';
import { openDeskTools } from '../../../desk/pages/shared/deskTools.ts';
import { leadPageTools } from '../../../leads/pages/shared/leadTools.ts';
import { reasonText } from '../../../outreach/reason.ts';
import { readLeadOutreach } from '../../../outreach/rehearsalContract.ts';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { rowsForAssistant, truncateTexts } from '../../../ui/listTools.ts';
import { parseId, usePage } from '../../../ui/page.ts';
import { usePageContext } from '../../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools, type ToolWithHandler } from '../../../ui/pageTool.ts';
import { keyOf, queryClient, useEndpoint } from '../../../ui/query.ts';
import { changeDraft } from '../../../ui/undo.ts';
import { type DialogueView, type Message, messages, viewDialogue } from '../../contract.ts';
import { openDialogueTools } from '../dialogueTools.ts';
import { handOverTools } from '../handOverTools.ts';
import { cancelTool, messageTools } from '../messageTools.ts';
import { describeChat } from './NoChatContext.tsx';
import { upsertMessage } from './thread.ts';
import { updateThread, useThread } from './threadQuery.ts';
import { composerDraftView } from './useComposerDraft.ts';
import { useSeenMessage } from './useSeenMessage.ts';

/** How many of the latest messages the assistant gets. */
const MAX_MESSAGES = 40;

export default function ChatContext({ view, onNext }: { view: DialogueView; onNext?: () => void }) {
  const page = usePage();
  const { dialogue, lead } = view;
  const thread = useThread(dialogue.id, parseId(page.params.messageId), false);
  const outreach = useEndpoint(
    readLeadOutreach,
    { params: { lead_id: lead.id } },
    { staleTime: Number.POSITIVE_INFINITY },
  );
  const coming = outreach.data;
  const items = thread.data?.items ?? [];
  const seenMessageId = useSeenMessage(items);
  usePageContext({
    description: describeChat(),
    summary: JSON.stringify({
      ...describeDialogue(view),
      coming: coming && { state: coming.state, next: coming.next, at: coming.at, why: reasonText(coming.why) },
      // Newest first, so that the oldest are dropped if not all fit.
      messages: thread.data ? rowsForAssistant(items.slice(-MAX_MESSAGES).reverse().map(describeMessage)) : 'loading',
      more_before: (thread.data?.has_more ?? false) || items.length > MAX_MESSAGES,
      more_after: thread.data?.has_newer ?? false,
    }),
    ...pageTools(
      ...writingTools(view, seenMessageId),
      ...openDialogueTools(dialogue.id),
      ...openDeskTools(dialogue.id),
      ...handOverTools(dialogue.id),
      ...leadPageTools(lead.id),
      ...messageTools(),
      cancelTool(),
      ...(onNext
        ? [
            pageTool({
              name: 'open_next',
              description: t('Opens the next dialogue that waits for a person, the longest wait first.'),
              input: NO_ARGUMENTS,
              run: async () => {
                onNext();
                return { status: 'opening' };
              },
            }),
          ]
        : []),
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
const MESSAGE_INPUT = z.strictObject({ text: TEXT });
const SEND_INPUT = MESSAGE_INPUT.extend({
  keep_bot: z.boolean().default(false).describe(t('Whether the bot keeps a dialogue that it owns')),
});

function writingTools({ dialogue }: DialogueView, seenMessageId: RefObject<number | null>): ToolWithHandler[] {
  return [
    pageTool({
      name: 'draft_message',
      description: t('Replaces the text in the composer. Does not send it.'),
      input: MESSAGE_INPUT,
      confirm: true,
      run: async ({ text }) =>
        changeDraft(composerDraftView(dialogue.id), text, { status: 'in the composer, not sent' }),
    }),
    pageTool({
      name: 'send_message',
      description: t(
        'Sends a message to the lead at once, and hands the dialogue to a human unless the bot is to keep it.',
      ),
      input: SEND_INPUT,
      confirm: true,
      irreversible: t('A sent message cannot be taken back.'),
      run: async ({ text, keep_bot }) => {
        const { id, product_id, contact_id } = dialogue;
        const answer = await call(messages.create, {
          body: {
            product_id,
            contact_id,
            dialogue_id: id,
            message: text,
            keep_bot,
            // Refused if a colleague has answered since: the assistant says so, and may propose it again.
            seen_message_id: seenMessageId.current,
            client_key: crypto.randomUUID(),
            // Like a message typed here: at once, and in one piece.
            schedule_enabled: false,
            delay_enabled: false,
            split: false,
          },
        });
        for (const message of answer.messages) updateThread(id, (current) => upsertMessage(current, message));
        await queryClient.invalidateQueries({ queryKey: keyOf(viewDialogue, { params: { id } }) });
        return { status: 'on its way', ids: answer.messages.map((message) => message.id) };
      },
    }),
  ];
}

function describeDialogue({ dialogue, lead, contact, channel, lead_timezone }: DialogueView): object {
  return {
    dialogue_id: dialogue.id,
    answers: dialogue.owner,
    taken_over_by: dialogue.owner_reason,
    answer_due_at: dialogue.turn_due_at,
    no_answer: dialogue.no_answer,
    needs: dialogue.attention,
    assignee: dialogue.assignee,
    snoozed_until: dialogue.snoozed_until,
    lead: {
      id: lead.id,
      name: lead.name,
      stage: lead.stage,
      is_active: lead.is_active,
      asked_to_be_left_alone: lead.recognized_deactivation_request,
      crm_fields: truncateTexts(lead.crm_fields),
    },
    lead_timezone,
    contact: contact.contact,
    channel: { name: channel.name, messenger: channel.channel_type, is_session_active: channel.is_session_active },
  };
}

const describeMessage = (message: Message): object => ({
  id: message.id,
  from: message.operator ?? message.author,
  follow_up_step: message.ping_step_number,
  status: message.status,
  at: message.thread_at,
  scheduled_at: message.status === 'scheduled' ? message.scheduled_at : null,
  reason: message.reason,
  text: message.message,
});
