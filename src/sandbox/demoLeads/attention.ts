/** Derives what a dialogue needs from people from its talk, as the product records it while it happens. Pure. */
import { handOverReasons } from '../../leads/lead.ts';
import type { DemoLead } from '../demoContent.ts';
import { type DemoMessage, type Instant, isWrittenByPerson } from './timeline.ts';

export interface Attention {
  /** Since when the lead waits for an answer. */
  readonly waitingSince: Instant | null;
  /** When a person wrote last, or got the dialogue. */
  readonly humanAt: Instant | null;
  /** Whether the dialogue was handed over, and nobody has written since. */
  readonly isHandOverOpen: boolean;
  readonly failedSince: Instant | null;
  readonly unconfirmedSince: Instant | null;
  /** Login of the operator who has written in a dialogue of people. */
  readonly writer: string | null;
}

/** Return whether the bot or stage detection has handed the dialogue over. */
export const wasHandedOver = ({ human }: DemoLead): boolean => handOverReasons.some((code) => code === human);

/** Return what a dialogue needs. `ownerSince`: since when people have it; null: the bot has it. */
export function attentionOf(lead: DemoLead, messages: readonly DemoMessage[], ownerSince: Instant | null): Attention {
  const byPeople = messages.filter((one) => isWrittenByPerson(one) && one.writtenAt >= (ownerSince ?? 0));
  const last = byPeople.at(-1);
  const isOpen = wasHandedOver(lead) && last === undefined;
  // A message that somebody asked for; failed first messages and follow-ups are a list of their own.
  const answer = messages.findLast((one, index) => one.who !== 'lead' && one.step === null && index > 0);
  const writer = byPeople.some(({ who }) => who === 'operator') ? lead.operator : null;
  return {
    waitingSince: lead.switchedOff === undefined ? waitingSince(messages) : null,
    humanAt: ownerSince === null ? null : Math.max(ownerSince, last?.writtenAt ?? 0),
    isHandOverOpen: isOpen,
    failedSince: answer?.status === 'error' ? answer.at : null,
    unconfirmedSince: answer?.status === 'unconfirmed' ? answer.at : null,
    writer: ownerSince === null ? null : writer,
  };
}

/** Return the time of the lead's first message that nobody has answered. An operator's message counts before it leaves. */
function waitingSince(messages: readonly DemoMessage[]): Instant | null {
  const answered = messages.findLastIndex(
    (one) =>
      one.who !== 'lead' && (isWrittenByPerson(one) || !['cancelled', 'error', 'unconfirmed'].includes(one.status)),
  );
  return messages.slice(answered + 1).find(({ who }) => who === 'lead')?.at ?? null;
}
