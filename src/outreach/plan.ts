/**
 * The core of outreach: decide what is due now, and for everything else why not and when it may be. Pure. The worker,
 * the simulated month and the rehearsal all call this one function. Instants are ms since 1970 UTC.
 */
import { type ChannelType, rampLimitOn } from '../channels/contract.ts';
import type { AddressRefusal } from '../leads/addressRefusal.ts';
import { leadBlockReason } from '../leads/lead.ts';
import { optOutReason } from '../leads/personOptOut.ts';
import { dayAt, instantAt, nextInstantAt } from '../platform/days.ts';
import { limitsAt } from '../products/previousLimits.ts';
import { quotaDay } from '../products/quotaDay.ts';
import type { ContactFacts, Counters, DialogueFacts, Facts, LeadFacts, LinkSettings, Settings } from './facts.ts';
import type { Reason } from './reason.ts';
import { firstMessageTime, sendAtOn, workingHoursAt } from './sendTimes.ts';
import { MIN_GAP_MINUTES, type SequenceStep } from './sequence.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

export type Decision =
  | {
      readonly kind: 'first';
      readonly leadId: number;
      readonly contactId: number;
      readonly channelId: number;
      readonly dueAt: number;
    }
  | {
      readonly kind: 'ping';
      readonly leadId: number;
      readonly dialogueId: number;
      readonly step: SequenceStep;
      readonly anchor: number;
    }
  | { readonly kind: 'expire'; readonly leadId: number; readonly at: number }
  | Wait;

export interface Wait {
  readonly kind: 'wait';
  readonly leadId: number;
  /** What the lead waits for; null if nothing will happen without a change. */
  readonly next: 'first' | 'ping' | 'expire' | null;
  /** The next instant at which it may be due; null if only a change of facts or settings can make it due. */
  readonly until: number | null;
  readonly reason: Reason;
  /** Set if the first message is due and within its hours, but the product's quotas or interval hold it back. */
  readonly queue: Place | null;
}

/** A lead's place in the queue of first messages. */
interface Place {
  readonly type: ChannelType;
  readonly dueAt: number;
  /**
   * When quotas and interval next allow somebody a first message; null: not without a change. Not later than `until`: the
   * lead's own clock may hold it back for longer, but nobody behind it.
   */
  readonly freeAt: number | null;
}

/** A lead that may get its first message as soon as the quotas and the interval allow. */
interface Candidate {
  readonly leadId: number;
  readonly zone: string | null;
  readonly contact: ContactFacts;
  readonly links: readonly LinkSettings[];
  readonly dueAt: number;
}

/** Decide for each lead given. First messages go in the order in which they fell due, whatever the order of `leads`. */
export function plan(facts: Facts, settings: Settings, now: number): Decision[] {
  const decisions: Decision[] = [];
  const candidates: Candidate[] = [];
  for (const lead of facts.leads) {
    const decision = planLead(lead, settings, now);
    if ('contact' in decision) candidates.push(decision);
    else decisions.push(decision);
  }
  if (candidates.length > 0 && settings.firstMessages)
    decisions.push(
      ...planQueue({ candidates, counters: facts.counters, settings, firstMessages: settings.firstMessages, now }),
    );
  return decisions;
}

function wait({
  leadId,
  reason,
  next = null,
  until = null,
}: {
  leadId: number;
  reason: Reason;
  next?: Wait['next'] | undefined;
  until?: number | null | undefined;
}): Wait {
  return { kind: 'wait', leadId, next, until, reason, queue: null };
}

function planLead(lead: LeadFacts, settings: Settings, now: number): Decision | Candidate {
  const state = { is_active: lead.isActive, recognized_deactivation_request: lead.optedOut, stage: lead.stage };
  const blockReason = leadBlockReason({ lead: state, isProductActive: settings.isActive }, 'initiative');
  if (blockReason !== null) return wait({ leadId: lead.id, reason: blockReason });
  if (lead.stage === 'initial') return planFirstMessage(lead, settings, now);
  const expiresAt = expiryTime(lead, settings);
  if (expiresAt !== null && expiresAt <= now) return { kind: 'expire', leadId: lead.id, at: expiresAt };
  const decision = planFollowUp(lead, settings, now);
  if (decision.kind !== 'wait' || expiresAt === null) return decision;
  // The earlier of the two sets the due time. A follow-up that would come after expiry is never sent.
  if (decision.until !== null && decision.until < expiresAt) return decision;
  return {
    ...decision,
    next: 'expire',
    until: expiresAt,
    reason: decision.until === null ? decision.reason : { code: 'expires_first' },
  };
}

/** Compute when a lead expires: its hours of silence count from our answer to its last words, while nothing is owed. */
function expiryTime(lead: LeadFacts, settings: Settings): number | null {
  if (settings.expiresHours === 0 || lead.answeredAt === null || lead.owesAnswer || lead.humanOwned) return null;
  return lead.answeredAt + settings.expiresHours * HOUR_MS;
}

// First messages

function planFirstMessage(lead: LeadFacts, settings: Settings, now: number): Wait | Candidate {
  const { firstMessages } = settings;
  if (lead.personOptOut) return wait({ leadId: lead.id, reason: optOutReason(lead.personOptOut) });
  if (!firstMessages) return wait({ leadId: lead.id, reason: { code: 'no_firsts' } });
  if (lead.hasConversation) return wait({ leadId: lead.id, reason: { code: 'talked' } });
  if (lead.humanOwned) return wait({ leadId: lead.id, reason: { code: 'human' } });
  if (lead.contacts.length === 0) return wait({ leadId: lead.id, reason: { code: 'no_contact' } });
  const contacted = lead.contacts.find((one) => one.contactedAsLeadId !== null && one.contactedAsLeadId !== lead.id);
  if (contacted)
    return wait({ leadId: lead.id, reason: { code: 'person_known', lead: contacted.contactedAsLeadId ?? 0 } });
  const remaining = lead.contacts.filter((one) => !one.refused);
  if (remaining.length < lead.contacts.length - 1 || remaining.length === 0)
    return wait({ leadId: lead.id, reason: { code: 'first_refused' } });
  const writable = remaining.filter((one) => !one.addressRefusal);
  const refusal = remaining.find((one) => one.addressRefusal)?.addressRefusal;
  if (writable.length === 0 && refusal) return wait({ leadId: lead.id, reason: invalidAddress(refusal) });
  const choice = chooseContact(writable, settings.links, firstMessages.limits);
  if ('code' in choice) return wait({ leadId: lead.id, reason: choice });
  if (settings.isPaused) return wait({ leadId: lead.id, reason: { code: 'paused' } });
  const { contact, links } = choice;
  const eligibleAt = Math.max(lead.eligibleSince, contact.since, Math.min(...links.map((link) => link.since)));
  const dueAt = nextInstantAt(settings.zone, firstMessages.sendAt, eligibleAt);
  const time = firstMessageTime(lead.zone, settings, Math.max(now, dueAt));
  if (time.at === null) return wait({ leadId: lead.id, reason: time.reason, next: 'first' });
  if (time.at > now) {
    const reason: Reason = time.reason ?? { code: 'send_at', minutes: firstMessages.sendAt, zone: settings.zone };
    return wait({ leadId: lead.id, reason, next: 'first', until: time.at });
  }
  return { leadId: lead.id, zone: lead.zone, contact, links, dueAt };
}

/** The reason why nothing unsolicited is sent to an address. */
const invalidAddress = ({ code: refusal, number, country }: AddressRefusal): Reason => ({
  code: 'invalid_address',
  refusal,
  number,
  country,
});

/**
 * Choose the contact to write to, main ones first, and the links that can reach it; otherwise return the reason why
 * not.
 */
function chooseContact(
  contacts: readonly ContactFacts[],
  links: readonly LinkSettings[],
  limits: Readonly<Record<ChannelType, number>>,
): { contact: ContactFacts; links: LinkSettings[] } | Reason {
  let reason: Reason | null = null;
  for (const contact of contacts) {
    const capable = links.filter((link) => link.type === contact.type && link.canWriteFirst);
    const free = capable.filter((link) => !contact.addressTakenOn.includes(link.channelId));
    if (capable.length === 0) reason ??= { code: 'no_link', type: contact.type };
    else if (limits[contact.type] === 0) reason ??= { code: 'limit_zero', type: contact.type };
    else if (free.length === 0) reason ??= { code: 'address_busy' };
    else return { contact, links: free };
  }
  return reason ?? { code: 'no_contact' };
}

/** Decide which candidates get their first message now and which wait in the queue. */
function planQueue({
  candidates,
  counters,
  settings,
  firstMessages,
  now,
}: {
  candidates: readonly Candidate[];
  counters: Counters;
  settings: Settings;
  firstMessages: NonNullable<Settings['firstMessages']>;
  now: number;
}): Decision[] {
  const { until: tomorrow } = quotaDay(settings, now);
  const today = dayAt(settings.zone, now);
  const sentByChannel = new Map(counters.sentTodayByChannel);
  const ofType = { ...counters.sentTodayByType };
  const spacing = firstMessages.intervalSeconds * 1000;
  let freeAt =
    counters.lastAt === null || spacing === 0
      ? now
      : counters.lastAt + spacing + jitter(firstMessages.jitterSeconds, counters.lastLeadId);
  if (counters.isSending && spacing > 0) freeAt = Math.max(freeAt, now + spacing);
  const decisions: Decision[] = [];
  let ahead = 0;
  for (const candidate of candidates.toSorted((a, b) => a.dueAt - b.dueAt || a.leadId - b.leadId)) {
    const { leadId, contact, links, dueAt } = candidate;
    const { type } = contact;
    /** The earliest instant at which the lead may be written to, not before the given one. */
    const timeFrom = (from: number) => firstMessageTime(candidate.zone, settings, from).at ?? from;
    const waitInQueue = (reason: Reason, from: number | null): Wait => {
      const until = from === null ? null : timeFrom(from);
      const freeAt = from === null ? null : Math.max(from, sendAtOn(settings, from));
      return { kind: 'wait', leadId, next: 'first', until, reason, queue: { type, dueAt, freeAt } };
    };
    const usedToday = ofType[type];
    const open = links.filter((link) => link.blockReason === null);
    const resumesAt = Math.min(...links.map((link) => link.resumesAt ?? Number.POSITIVE_INFINITY));
    if (open.length === 0) {
      const reason: Reason = { code: 'channel', reason: links[0]?.blockReason ?? '' };
      decisions.push(waitInQueue(reason, Number.isFinite(resumesAt) ? resumesAt : null));
      continue;
    }
    const limited = dailyLimitReason(settings, firstMessages, { type, usedToday, now });
    if (limited !== null) {
      decisions.push(waitInQueue(limited.reason, Math.min(tomorrow, limited.until)));
      continue;
    }
    const withQuota = open.filter(
      (link) => (sentByChannel.get(link.channelId) ?? 0) < rampLimit(link, settings.zone, today),
    );
    if (withQuota.length === 0) {
      // A paused channel may have quota left, and may resume before the day is over.
      const from = Math.min(tomorrow, instantAt(settings.zone, today + 1), resumesAt);
      decisions.push(waitInQueue({ code: 'ramp' }, from));
      continue;
    }
    if (freeAt > now) {
      const from = freeAt + ahead * spacing;
      const decision = waitInQueue(ahead === 0 ? { code: 'interval' } : { code: 'line', ahead }, from);
      decisions.push(decision);
      // One that the clock holds back at that moment delays nobody behind it.
      if (decision.until === from) ahead++;
      continue;
    }
    const channel = withQuota.toSorted(
      (a, b) =>
        (sentByChannel.get(a.channelId) ?? 0) - (sentByChannel.get(b.channelId) ?? 0) || a.channelId - b.channelId,
    )[0];
    if (!channel) continue;
    decisions.push({ kind: 'first', leadId, contactId: contact.id, channelId: channel.channelId, dueAt });
    sentByChannel.set(channel.channelId, (sentByChannel.get(channel.channelId) ?? 0) + 1);
    ofType[type] = usedToday + 1;
    if (spacing > 0) freeAt = now + spacing;
  }
  return decisions;
}

/** Return why a messenger may have no more first messages at `now`, and until when; null if it may. */
function dailyLimitReason(
  { zone }: Settings,
  { limits, previousLimits, sendAt }: NonNullable<Settings['firstMessages']>,
  { type, usedToday, now }: { type: ChannelType; usedToday: number; now: number },
): { reason: Reason; until: number } | null {
  const limit = limits[type];
  if (usedToday >= limit) return { reason: { code: 'limit', type, limit }, until: Number.POSITIVE_INFINITY };
  if (previousLimits === null || usedToday < limitsAt(limits, previousLimits, now)[type]) return null;
  return { reason: { code: 'limit_raised', type, limit, minutes: sendAt, zone }, until: previousLimits.until };
}

/** Compute how many first messages a channel may send on a day of the zone. */
function rampLimit(link: LinkSettings, zone: string, day: number): number {
  if (!link.ramp) return Number.POSITIVE_INFINITY;
  return rampLimitOn(link.ramp, link.firstSentAt === null ? 0 : Math.max(0, day - dayAt(zone, link.firstSentAt)));
}

/** Compute a delay between 0 and `seconds`, in ms: different for each lead, and always the same for one lead. */
function jitter(seconds: number, leadId: number | null): number {
  if (seconds === 0 || leadId === null) return 0;
  // Knuth's multiplicative hash spreads consecutive ids.
  const spread = ((leadId * 2_654_435_761) >>> 0) / 2 ** 32;
  return Math.round(spread * seconds * 1000);
}

// Follow-ups

function planFollowUp(lead: LeadFacts, settings: Settings, now: number): (Decision & { kind: 'ping' }) | Wait {
  const { dialogue } = lead;
  const { pings } = settings;
  const notDue = (reason: Reason) => wait({ leadId: lead.id, reason });
  if (lead.personOptOut) return notDue(optOutReason(lead.personOptOut));
  if (!dialogue) return notDue({ code: 'no_dialogue' });
  if (!pings) return notDue({ code: 'no_pings' });
  if (!pings.isEnabled) return notDue({ code: 'pings_off' });
  if (lead.humanOwned) return notDue({ code: 'human' });
  if (dialogue.anchor === 0 && !pings.onNoReply) return notDue({ code: 'never_wrote' });
  if (dialogue.outgoing) return notDue({ code: 'outgoing' });
  if (dialogue.last === null) return notDue({ code: 'no_dialogue' });
  if (!dialogue.last.ours) return notDue({ code: 'answer_first' });
  if (lead.lastUserAt !== null && lead.lastUserAt > dialogue.last.at) return notDue({ code: 'answered_elsewhere' });
  if (dialogue.last.failed) return notDue({ code: 'last_failed' });
  if (dialogue.skipFor === dialogue.last.id) return notDue({ code: 'skipped' });
  if (dialogue.anchor === 0 && dialogue.addressRefusal) return notDue(invalidAddress(dialogue.addressRefusal));
  const step = pings.steps[dialogue.stepsDone];
  if (!step) return notDue({ code: 'finished', steps: pings.steps.length });
  if (settings.isPaused) return notDue({ code: 'paused' });
  const dueAt = stepDueAt(dialogue, dialogue.last.at, step);
  const { open, opening, clock } = workingHoursAt(lead.zone, settings, Math.max(now, dueAt));
  if (dueAt > now || !open) {
    const { step_number: number } = step;
    const waits: Reason = open ? { code: 'step', step: number } : { code: 'step_hours', step: number, ...clock };
    const reason: Reason = opening === null ? { code: 'no_hours' } : waits;
    return wait({ leadId: lead.id, reason, next: 'ping', until: opening });
  }
  return { kind: 'ping', leadId: lead.id, dialogueId: dialogue.id, step, anchor: dialogue.anchor };
}

/**
 * Compute when a step is due. The first step counts from the lead's last message, or from the dialogue's creation if
 * the lead never wrote; each later step counts from when the previous step was sent. `lastAt` is when our last message
 * was sent. If less than the shortest gap would remain after it, the step waits for that gap.
 */
function stepDueAt(dialogue: DialogueFacts, lastAt: number, step: SequenceStep): number {
  const from = dialogue.stepsDone === 0 ? (dialogue.anchorAt ?? dialogue.createdAt) : (dialogue.stepAt ?? lastAt);
  const { after_minutes: after } = step;
  return Math.max(from + after * MINUTE_MS, lastAt + Math.min(after, MIN_GAP_MINUTES) * MINUTE_MS);
}
