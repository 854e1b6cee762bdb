/** What a dialogue needs from people, in words: one table for pages, notifications and pushes. */
import type { AttentionState } from '../conversations/attentionContract.ts';

export const ATTENTION_LINES: Readonly<Record<AttentionState, string>> = {
  says_deal: 'Agrees to buy',
  asked_for_human: 'Asked for a person',
  may_opt_out: 'May want no more messages',
  no_answer: 'The bot could not answer',
  waiting_for_human: 'Waiting for a reply',
  send_failed: 'A message failed',
  unconfirmed: 'A message may not have arrived',
};
