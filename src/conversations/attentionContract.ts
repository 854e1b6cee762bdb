/** Contract of what a dialogue needs from people. */
import { z } from 'zod';
import { instant, nameShape } from '../platform/contract.ts';

/** What a dialogue may need from people, the most urgent first. */
export const attentionStates = [
  'says_deal',
  'asked_for_human',
  'may_opt_out',
  'no_answer',
  'waiting_for_human',
  'send_failed',
  'unconfirmed',
] as const;
export type AttentionState = (typeof attentionStates)[number];
/** Where the inbox shows a dialogue: people must act, it is snoozed or done, or a human or the bot talks there. */
export const inboxStates = ['needs_human', 'snoozed', 'done', 'human', 'bot'] as const;
export type InboxState = (typeof inboxStates)[number];

export const attention = z.object({
  state: z.enum(attentionStates),
  since: instant,
  /** When it should have been seen to, by the product's target. */
  due_at: instant,
});
export type Attention = z.output<typeof attention>;
nameShape('Attention', attention);
