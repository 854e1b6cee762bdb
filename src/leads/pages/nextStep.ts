/** Determines the next message to a lead, or why there is none. Pure. */
import type { Dialogue, Message } from '../../conversations/contract.ts';
import { reasonText } from '../../outreach/reason.ts';
import type { LeadOutreach } from '../../outreach/rehearsalContract.ts';
import { t } from '../../ui/i18n.ts';
import type { Lead } from '../contract.ts';
import { botStopReason } from './shared/stage.tsx';

export type Next =
  | { readonly kind: 'message'; readonly message: Message }
  /** The bot replies to the lead's message; `at` is ISO-8601. */
  | { readonly kind: 'answer'; readonly dialogueId: number; readonly at: string }
  /** Outreach continues: a first message, a follow-up, or the lead expires. */
  | { readonly kind: 'outreach'; readonly outreach: LeadOutreach; readonly dialogueId: number | null }
  /** `sentence` gives the reason; `dialogueId` where the operator can change it. */
  | { readonly kind: 'nothing'; readonly sentence: string; readonly dialogueId: number | null };

type DialogueState = Pick<Dialogue, 'id' | 'owner' | 'owner_reason' | 'turn_due_at' | 'no_answer'>;

/**
 * Describe the next step for a lead. `dialogues` are ordered by most recent message; `scheduled` is their next
 * scheduled message, null if there is none.
 */
export function describeNext({
  lead,
  dialogues,
  scheduled,
  outreach,
}: {
  lead: Pick<Lead, 'recognized_deactivation_request' | 'is_active' | 'stage'>;
  dialogues: readonly DialogueState[];
  scheduled: Message | null;
  outreach: LeadOutreach;
}): Next {
  if (scheduled !== null) return { kind: 'message', message: scheduled };
  const stopReason = botStopReason(lead);
  if (stopReason !== null) return nothing(t('The bot is off: {{reason}}.', { reason: stopReason }));
  const needsReply = dialogues.find((dialogue) => dialogue.turn_due_at !== null && dialogue.owner === 'bot');
  if (needsReply && needsReply.turn_due_at !== null)
    return { kind: 'answer', dialogueId: needsReply.id, at: needsReply.turn_due_at };
  const unanswered = dialogues.find((dialogue) => dialogue.no_answer !== null);
  if (unanswered?.no_answer) return nothing(unanswered.no_answer, unanswered.id);
  const dialogueId = outreach.dialogue_id ?? dialogues[0]?.id ?? null;
  if (outreach.next !== null) return { kind: 'outreach', outreach, dialogueId };
  const sentence = reasonText(outreach.why);
  const reason = sentence.charAt(0).toLowerCase() + sentence.slice(1);
  if (dialogues.length === 0) return nothing(t('No messages yet. {{reason}}.', { reason: sentence }));
  return nothing(t('No automatic message: {{reason}}.', { reason }), dialogueId);
}

function nothing(sentence: string, dialogueId: number | null = null): Next {
  return { kind: 'nothing', sentence, dialogueId };
}
