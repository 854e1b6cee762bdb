import type { BlockReason } from '../leads/lead.ts';

/**
 * Why the bot does not answer something that starts no turn, and a human has to: it came late, is a call, an order or a
 * payment, or cannot be shown here.
 */
export type SilentCode = 'late' | 'call' | 'order' | 'payment' | 'unreadable';

/**
 * Why the bot has not answered a lead. `detail`: the words of a vendor or an error, or the lead's stage.
 */
export type NoAnswer =
  | { readonly code: 'no_prompt' | 'inactive' | 'opted_out' | 'product_off' | SilentCode }
  | { readonly code: 'template' | 'budget' | 'model' | 'stage'; readonly detail: string };

/** The bot tried and failed, for dialogues `t`: it may be asked again. */
export const botFailed = (table: string): string =>
  `${table}.no_answer in ('no_prompt', 'template', 'budget', 'model')`;

/** Why nobody answers a lead whom the bot may not write to; null if a person has the dialogue, or a newer turn begins. */
export function noAnswerWhenBlocked(reason: BlockReason | null): NoAnswer | null {
  switch (reason?.code) {
    case 'inactive':
    case 'opted_out':
    case 'product_off':
      return { code: reason.code };
    case 'stage':
      return { code: 'stage', detail: reason.stage };
    case 'human':
    case 'newer_message':
    case undefined:
      return null;
    default:
      return reason satisfies never;
  }
}
