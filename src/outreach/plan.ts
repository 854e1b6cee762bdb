/**
 * The heart of outreach: what is due now, and for what is not, why, and when it might be. Pure: the worker, the simulated
 * month and the rehearsal ask this one function. Instants are ms since 1970 UTC.
 */
import { type ChannelType, rampOn } from '../channels/contract.ts';
import { dayAt, instantOn } from '../platform/days.ts';
import { isZone } from '../platform/zones.ts';
import { quotaDay } from '../products/quotaDay.ts';
import type { ContactFacts, Counters, DialogueFacts, Facts, LeadFacts, LinkSettings, Settings } from './facts.ts';
import { type PingStep, SHORTEST_GAP_MINUTES } from './pingSteps.ts';
import type { Why } from './why.ts';
import { isOpen, nextOpening } from './window.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Stages in which a lead is followed up and may expire. */
const FOLLOWED = ['started', 'ongoing', 'pending'];

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
      readonly step: PingStep;
      readonly anchor: number;
    }
  | { readonly kind: 'expire'; readonly leadId: number; readonly at: number }
  | Wait;

export interface Wait {
  readonly kind: 'wait';
  readonly leadId: number;
  /** What it waits for; null: nothing will come of itself. */
  readonly next: 'first' | 'ping' | 'expire' | null;
  /** The next instant at which it might be; null: only a change of facts or settings can bring it about. */
  readonly until: number | null;
  readonly why: Why;
  /** Due and within its hours, but the product's limits let others go before. */
  readonly line: { readonly type: ChannelType; readonly dueAt: number } | null;
}

/** A lead that may get its first message as soon as there is room. */
interface Candidate {
  readonly leadId: number;
  readonly contact: ContactFacts;
  readonly links: readonly LinkSettings[];
  readonly dueAt: number;
}

/** Decides for each lead given. First messages go in the order in which they fell due, whatever the order of `leads`. */
export function plan(facts: Facts, settings: Settings, now: number): Decision[] {
  const decisions: Decision[] = [];
  const candidates: Candidate[] = [];
  for (const lead of facts.leads) {
    const made = ofLead(lead, settings, now);
    if ('contact' in made) candidates.push(made);
    else decisions.push(made);
  }
  if (candidates.length > 0 && settings.firsts)
    decisions.push(...line(candidates, facts.counters, settings, settings.firsts, now));
  return decisions;
}

function wait(leadId: number, why: Why, next: Wait['next'] = null, until: number | null = null): Wait {
  return { kind: 'wait', leadId, next, until, why, line: null };
}

function ofLead(lead: LeadFacts, settings: Settings, now: number): Decision | Candidate {
  if (!lead.isActive) return wait(lead.id, lead.optedOut ? { code: 'opted_out' } : { code: 'inactive' });
  if (lead.stage !== 'initial' && !FOLLOWED.includes(lead.stage))
    return wait(lead.id, { code: 'stage', stage: lead.stage });
  if (!settings.isActive) return wait(lead.id, { code: 'product_off' });
  if (lead.stage === 'initial') return first(lead, settings, now);
  const expiresAt = expiry(lead, settings);
  if (expiresAt !== null && expiresAt <= now) return { kind: 'expire', leadId: lead.id, at: expiresAt };
  const made = ping(lead, settings, now);
  if (made.kind !== 'wait' || expiresAt === null) return made;
  // Whichever comes first wakes it; where the follow-up would come too late there is none.
  if (made.until !== null && made.until < expiresAt) return made;
  return { ...made, next: 'expire', until: expiresAt, why: made.until === null ? made.why : { code: 'expires_first' } };
}

function expiry(lead: LeadFacts, settings: Settings): number | null {
  if (settings.expiresHours === 0 || lead.lastUserAt === null || lead.humanOwned) return null;
  return lead.lastUserAt + settings.expiresHours * HOUR_MS;
}

/** Working hours at `at`, in the lead's own zone where it has one: open, or the next opening; null: there is none. */
export function hoursOf(
  leadZone: string | null,
  settings: Settings,
  at: number,
): { open: boolean; opening: number | null } {
  if (!settings.hours) return { open: true, opening: at };
  const { week, zone } = settings.hours;
  const own = leadZone !== null && isZone(leadZone) ? leadZone : zone;
  return isOpen(week, own, at) ? { open: true, opening: at } : { open: false, opening: nextOpening(week, own, at) };
}

// First messages

function first(lead: LeadFacts, settings: Settings, now: number): Wait | Candidate {
  const { firsts } = settings;
  if (!firsts) return wait(lead.id, { code: 'no_firsts' });
  if (lead.talked) return wait(lead.id, { code: 'talked' });
  if (lead.humanOwned) return wait(lead.id, { code: 'human' });
  if (lead.contacts.length === 0) return wait(lead.id, { code: 'no_contact' });
  const known = lead.contacts.find((one) => one.knownAs !== null && one.knownAs !== lead.id);
  if (known) return wait(lead.id, { code: 'person_known', lead: known.knownAs ?? 0 });
  const left = lead.contacts.filter((one) => !one.refused);
  if (left.length < lead.contacts.length - 1 || left.length === 0) return wait(lead.id, { code: 'first_refused' });
  const reach = reachOf(left, settings.links, firsts.limits);
  if ('code' in reach) return wait(lead.id, reach);
  const { contact, links } = reach;
  const eligibleAt = Math.max(lead.eligibleSince, contact.since, Math.min(...links.map((link) => link.since)));
  const dueAt = firstSendAt(settings.zone, firsts.sendAt, eligibleAt);
  if (dueAt > now)
    return wait(lead.id, { code: 'send_at' }, 'first', hoursOf(lead.zone, settings, dueAt).opening ?? dueAt);
  const { open, opening } = hoursOf(lead.zone, settings, now);
  if (!open) return wait(lead.id, { code: opening === null ? 'no_hours' : 'hours' }, 'first', opening);
  return { leadId: lead.id, contact, links, dueAt };
}

/** The first instant not before `at` at which clocks of the zone show a day's time, minutes after midnight. */
function firstSendAt(zone: string, minutes: number, at: number): number {
  for (let day = dayAt(zone, at); ; day++) {
    const sendAt = instantOn(zone, day, minutes);
    if (sendAt >= at) return sendAt;
  }
}

/** The contact to write to, main ones first, with the links that can; else why there is none. */
function reachOf(
  contacts: readonly ContactFacts[],
  links: readonly LinkSettings[],
  limits: Readonly<Record<ChannelType, number>>,
): { contact: ContactFacts; links: LinkSettings[] } | Why {
  let why: Why | null = null;
  for (const contact of contacts) {
    const able = links.filter((link) => link.type === contact.type && link.canWriteFirst);
    const free = able.filter((link) => !contact.busyOn.includes(link.channelId));
    if (able.length === 0) why ??= { code: 'no_link', type: contact.type };
    else if (limits[contact.type] === 0) why ??= { code: 'limit_zero', type: contact.type };
    else if (free.length === 0) why ??= { code: 'address_busy' };
    else return { contact, links: free };
  }
  return why ?? { code: 'no_contact' };
}

/** Who goes now and who waits in line. */
function line(
  candidates: readonly Candidate[],
  counters: Counters,
  settings: Settings,
  firsts: NonNullable<Settings['firsts']>,
  now: number,
): Decision[] {
  const { until: tomorrow } = quotaDay(settings, now);
  const today = dayAt(settings.zone, now);
  const sent = new Map(counters.today);
  const ofType = { ...counters.ofType };
  const spacing = firsts.intervalSeconds * 1000;
  let freeAt =
    counters.lastAt === null || spacing === 0
      ? now
      : counters.lastAt + spacing + jitter(firsts.jitterSeconds, counters.lastLeadId);
  if (counters.inHand && spacing > 0) freeAt = Math.max(freeAt, now + spacing);
  const decisions: Decision[] = [];
  let ahead = 0;
  for (const candidate of candidates.toSorted((a, b) => a.dueAt - b.dueAt || a.leadId - b.leadId)) {
    const { leadId, contact, links, dueAt } = candidate;
    const { type } = contact;
    const inLine = (why: Why, until: number | null): Wait => ({
      kind: 'wait',
      leadId,
      next: 'first',
      until,
      why,
      line: { type, dueAt },
    });
    const taken = ofType[type];
    const open = links.filter((link) => link.stopped === null);
    const until = Math.min(...links.map((link) => link.resumesAt ?? Number.POSITIVE_INFINITY));
    if (open.length === 0) {
      decisions.push(
        inLine({ code: 'channel', reason: links[0]?.stopped ?? '' }, Number.isFinite(until) ? until : null),
      );
      continue;
    }
    if (taken >= firsts.limits[type]) {
      decisions.push(inLine({ code: 'limit', type, limit: firsts.limits[type] }, tomorrow));
      continue;
    }
    const roomy = open.filter((link) => (sent.get(link.channelId) ?? 0) < rampOf(link, settings.zone, today));
    if (roomy.length === 0) {
      // A channel that rests may have room, and be back before the day is over.
      decisions.push(inLine({ code: 'ramp' }, Math.min(tomorrow, instantOn(settings.zone, today + 1), until)));
      continue;
    }
    if (freeAt > now) {
      decisions.push(inLine(ahead === 0 ? { code: 'interval' } : { code: 'line', ahead }, freeAt + ahead * spacing));
      ahead++;
      continue;
    }
    const channel = roomy.toSorted(
      (a, b) => (sent.get(a.channelId) ?? 0) - (sent.get(b.channelId) ?? 0) || a.channelId - b.channelId,
    )[0];
    if (!channel) continue;
    decisions.push({ kind: 'first', leadId, contactId: contact.id, channelId: channel.channelId, dueAt });
    sent.set(channel.channelId, (sent.get(channel.channelId) ?? 0) + 1);
    ofType[type] = taken + 1;
    if (spacing > 0) freeAt = now + spacing;
  }
  return decisions;
}

/** How many first messages a number may send on a day of the zone. */
function rampOf(link: LinkSettings, zone: string, day: number): number {
  if (!link.ramp) return Number.POSITIVE_INFINITY;
  return rampOn(link.ramp, link.firstAt === null ? 0 : Math.max(0, day - dayAt(zone, link.firstAt)));
}

/** Between 0 and `seconds`, in ms: different for each lead, and the same whenever asked. */
function jitter(seconds: number, leadId: number | null): number {
  if (seconds === 0 || leadId === null) return 0;
  // Knuth's multiplicative hash spreads consecutive ids.
  const spread = ((leadId * 2_654_435_761) >>> 0) / 2 ** 32;
  return Math.round(spread * seconds * 1000);
}

// Follow-ups

function ping(lead: LeadFacts, settings: Settings, now: number): (Decision & { kind: 'ping' }) | Wait {
  const { dialogue } = lead;
  const { pings } = settings;
  const no = (why: Why) => wait(lead.id, why);
  if (!dialogue) return no({ code: 'no_dialogue' });
  if (!pings) return no({ code: 'no_pings' });
  if (!pings.isEnabled) return no({ code: 'pings_off' });
  if (lead.humanOwned) return no({ code: 'human' });
  if (dialogue.anchor === 0 && !pings.onNoReply) return no({ code: 'never_wrote' });
  if (dialogue.outgoing) return no({ code: 'outgoing' });
  if (dialogue.last === null) return no({ code: 'no_dialogue' });
  if (!dialogue.last.ours) return no({ code: 'answer_first' });
  if (dialogue.last.failed) return no({ code: 'last_failed' });
  if (dialogue.skipFor === dialogue.last.id) return no({ code: 'skipped' });
  const step = pings.steps[dialogue.stepsDone];
  if (!step) return no({ code: 'finished', steps: pings.steps.length });
  const dueAt = pingDueAt(dialogue, dialogue.last.at, step);
  const { open, opening } = hoursOf(lead.zone, settings, Math.max(now, dueAt));
  if (dueAt > now || !open) {
    const why: Why =
      opening === null ? { code: 'no_hours' } : { code: open ? 'step' : 'step_hours', step: step.step_number };
    return wait(lead.id, why, 'ping', opening);
  }
  return { kind: 'ping', leadId: lead.id, dialogueId: dialogue.id, step, anchor: dialogue.anchor };
}

/**
 * When a step is due. The first step counts from the lead's last message, or from the dialogue's creation where the lead
 * never wrote; each later step counts from when the step before it was sent. `lastAt`: when our last message was sent.
 * Where that was so late that less than the shortest gap would lie between, the step waits for that gap after it.
 */
function pingDueAt(dialogue: DialogueFacts, lastAt: number, step: PingStep): number {
  const from = dialogue.stepsDone === 0 ? (dialogue.anchorAt ?? dialogue.createdAt) : (dialogue.stepAt ?? lastAt);
  const { after_minutes: after } = step;
  return Math.max(from + after * MINUTE_MS, lastAt + Math.min(after, SHORTEST_GAP_MINUTES) * MINUTE_MS);
}
