/** Outreach's rules for a message that is about to leave: a pause, working hours, obsolete follow-ups, the daily quota. Pure. */

import type { SendBlock, SendFacts } from '../conversations/sendPolicy.ts';
import type { Stage } from '../leads/contract.ts';
import { blockReasonText, isFinalStage } from '../leads/lead.ts';
import type { Counters, LeadFacts, Settings } from './facts.ts';
import { plan } from './plan.ts';
import { reasonText } from './reason.ts';
import { firstMessageTime, workingHoursAt } from './sendTimes.ts';

/**
 * Milliseconds until a check that only a change of settings can resolve; the change itself makes the message due at
 * once.
 */
export const RECHECK_MS = 3_600_000;

/** Why the remaining parts of a first message are not sent. */
export const PREVIOUS_PART_REFUSED = 'The part before it was refused';

export const iso = (ms: number) => new Date(ms).toISOString();

/** Return why a message must not leave now; null lets it leave, `quota` if it first needs a place in the day's quota. */
export function checkSend({ message, lead, now }: SendFacts, settings: Settings): SendBlock | 'quota' | null {
  const isOutreach = message.origin === 'first' || message.origin === 'ping';
  if (isOutreach && settings.isPaused)
    return { kind: 'wait', until: iso(now + RECHECK_MS), reason: reasonText({ code: 'paused' }) };
  const tooEarly = message.origin === 'first' ? checkFirstMessageTime(settings, lead.timezone, now) : null;
  if (tooEarly !== null) return tooEarly;
  const closed = followsWorkingHours(message, settings) ? checkWorkingHours(settings, lead.timezone, now) : null;
  if (closed !== null) return closed;
  if (message.origin === 'ping') return checkFollowUp(message, settings, lead);
  return message.origin === 'first' ? 'quota' : null;
}

/** Check whether a message waits for working hours. A reply of the bot does not if the product replies at any hour. */
function followsWorkingHours(message: SendFacts['message'], { replyHours }: Settings): boolean {
  const isReply = message.author === 'bot' && message.reply_on_msg_id !== null;
  return message.schedule_enabled && !(isReply && replyHours === 'any');
}

/** Return until when a first message that is sent again waits for its day's 'Send at' and for working hours. */
function checkFirstMessageTime(settings: Settings, timezone: string | null, now: number): SendBlock | null {
  const { at, reason } = firstMessageTime(timezone, settings, now);
  if (reason === null) return null;
  return { kind: 'wait', until: iso(at ?? now + RECHECK_MS), reason: reasonText(reason) };
}

/** Return until when working hours are closed; null if they are open or there is no schedule. `now`: ms since 1970. */
function checkWorkingHours(settings: Settings, timezone: string | null, now: number): SendBlock | null {
  if (!settings.hours) return null;
  const { open, opening, clock } = workingHoursAt(timezone, settings, now);
  if (open) return null;
  if (opening === null) return { kind: 'wait', until: iso(now + RECHECK_MS), reason: reasonText({ code: 'no_hours' }) };
  return { kind: 'wait', until: iso(opening), reason: reasonText({ code: 'hours', ...clock }) };
}

/** Check a follow-up against settings and a lead that may have changed since it was made. */
function checkFollowUp(
  message: SendFacts['message'],
  { pings }: Settings,
  { stage }: { stage: Stage },
): SendBlock | null {
  if (stage === 'initial' || isFinalStage(stage))
    return { kind: 'cancel', reason: blockReasonText({ code: 'stage', stage }) };
  if (!pings?.isEnabled) return { kind: 'cancel', reason: reasonText({ code: pings ? 'pings_off' : 'no_pings' }) };
  if ((message.ping_step_number ?? 0) > pings.steps.length)
    return { kind: 'cancel', reason: 'This step was taken out of the follow-ups' };
  return null;
}

/**
 * Return why a first message that was refused temporarily gets no place in the day's quota now; null if it gets one.
 * `settings` has the message's channel as its only link, and `counters` leave out a place that the message still has.
 */
export function checkQuota(
  lead: LeadFacts,
  contactId: number,
  { counters, settings, now }: { counters: Counters; settings: Settings; now: number },
): Extract<SendBlock, { kind: 'wait' }> | null {
  // Plan as if nothing had been sent yet, and by no other channel: this very message is the first one.
  const facts: LeadFacts = {
    ...lead,
    hasConversation: false,
    stage: 'initial',
    contacts: lead.contacts
      .map((one) => ({ ...one, contactedAsLeadId: null, addressTakenOn: [], refused: false }))
      .filter((one) => one.id === contactId),
  };
  const [decision] = plan({ leads: [facts], counters }, settings, now);
  if (decision?.kind !== 'wait') return null;
  return { kind: 'wait', until: iso(decision.until ?? now + RECHECK_MS), reason: reasonText(decision.reason) };
}
