/** Why people own a dialogue, in the console's words: one table for dialogues and lead events. */
import { t } from '../../../ui/i18n.ts';
import type { OwnerReasonCode } from '../../lead.ts';

/** Labels of reasons that no operator chose. A change of the CRM card has the API's own sentence. */
const REASONS: Readonly<Partial<Record<OwnerReasonCode, string>>> = {
  phone: 'replied from our phone',
  qualified: 'the lead is qualified',
  writes_again: 'the lead writes again',
  asked_for_human: 'the lead asked for a person',
  agrees_to_buy: 'the lead agrees to buy',
  cannot_answer: 'the lead asked something the bot does not know',
  threatens: 'the lead complains',
  robot: 'probably an automatic reply',
};

/** Return the label of a reason, in lower case; null if it has none. */
export function ownerReasonLabel(code: string): string | null {
  const label = Object.entries(REASONS).find(([key]) => key === code)?.[1];
  return label === undefined ? null : t(label);
}
