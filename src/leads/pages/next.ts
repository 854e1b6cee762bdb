/** What a lead hears next from us, or why nothing. Pure. */
import type { Dialogue, Message } from '../../dialogues/contract.ts';
import { t } from '../../kit/t.ts';
import type { LeadOutreach } from '../../outreach/rehearsalContract.ts';
import { sentenceOf } from '../../outreach/why.ts';
import type { Lead } from '../contract.ts';
import { silenceOf } from './stage.tsx';

export type Next =
  | { readonly kind: 'message'; readonly message: Message }
  /** The bot answers what the lead wrote; `at` ISO-8601. */
  | { readonly kind: 'answer'; readonly dialogueId: number; readonly at: string }
  /** Outreach goes on by itself: a first message, a follow-up, the lead expires. */
  | { readonly kind: 'outreach'; readonly outreach: LeadOutreach; readonly dialogueId: number | null }
  /** `why` is a sentence; `dialogueId` where that can be changed. */
  | { readonly kind: 'nothing'; readonly why: string; readonly dialogueId: number | null };

type Talk = Pick<Dialogue, 'id' | 'owner' | 'owner_reason' | 'turn_due_at' | 'no_answer'>;

/**
 * @param talks the lead's dialogues, the one that spoke last first.
 * @param scheduled the message of theirs that is due first; null: none is scheduled.
 */
export function nextOf(
  lead: Pick<Lead, 'recognized_deactivation_request' | 'is_active' | 'stage'>,
  talks: readonly Talk[],
  scheduled: Message | null,
  outreach: LeadOutreach,
): Next {
  if (scheduled !== null) return { kind: 'message', message: scheduled };
  const silence = silenceOf(lead);
  if (silence !== null) return nothing(t('The bot stays silent: {{reason}}.', { reason: silence }));
  const owed = talks.find((talk) => talk.turn_due_at !== null && talk.owner === 'bot');
  if (owed && owed.turn_due_at !== null) return { kind: 'answer', dialogueId: owed.id, at: owed.turn_due_at };
  const unanswered = talks.find((talk) => talk.no_answer !== null);
  if (unanswered?.no_answer) return nothing(noAnswerWords(unanswered.no_answer), unanswered.id);
  const dialogueId = outreach.dialogue_id ?? talks[0]?.id ?? null;
  if (outreach.next !== null) return { kind: 'outreach', outreach, dialogueId };
  const reason = sentenceOf(outreach.why);
  if (talks.length === 0) return nothing(t('Nobody has written to this lead yet. {{reason}}.', { reason }));
  return nothing(t('Nothing by itself: {{reason}}.', { reason }), dialogueId);
}

function nothing(why: string, dialogueId: number | null = null): Next {
  return { kind: 'nothing', why, dialogueId };
}

function noAnswerWords(reason: string): string {
  return reason.startsWith('No answer') ? reason : t('No answer: {{reason}}', { reason });
}
