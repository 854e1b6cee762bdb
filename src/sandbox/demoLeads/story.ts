/** Derives a lead's stages and the ownership of its dialogue from its talk. Pure. */
import type { Stage } from '../../leads/contract.ts';
import { botHandOverReasons } from '../../leads/lead.ts';
import type { DemoLead } from '../demoContent.ts';
import type { DemoMessage, Instant } from './timeline.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Classification moves a lead some minutes after its last message. */
const CLASSIFIED_AFTER = 10 * MINUTE;

export interface StoryEvent {
  readonly at: Instant;
  readonly type: 'stage_changed' | 'deactivated' | 'handed_over';
  readonly content: Readonly<Record<string, string>>;
}

/** Return the creation time of the lead: `age` days ago, but before the first message. */
export function leadCreatedAt(lead: DemoLead, messages: readonly DemoMessage[], now: Instant): Instant {
  const first = messages[0]?.writtenAt ?? now;
  return lead.wroteFirst ? first : Math.min(now - lead.age * 24 * HOUR, first - 20 * MINUTE);
}

/** Return the lead's events, in order. Throws if the talk does not lead to the lead's stage. */
export function eventsOf(lead: DemoLead, messages: readonly DemoMessage[], since: Instant, now: Instant): StoryEvent[] {
  const events: StoryEvent[] = [];
  let stage = beginning(lead);
  const move = (to: Stage, at: Instant, by: string, reason?: string) => {
    events.push({ at, type: 'stage_changed', content: { from: stage, to, by, ...(reason ? { reason } : {}) } });
    stage = to;
  };
  const opened = messages.find((one) => one.who !== 'lead' && one.status !== 'error');
  if (stage === 'initial' && opened) move('started', opened.at, 'first message');
  const answered = messages.find((one) => one.who === 'lead');
  if (stage === 'started' && answered) move('ongoing', answered.at, 'lead wrote');
  if (lead.moved) move(lead.stage, movedAt(lead, messages, now), lead.moved.by, lead.moved.reason);
  if (stage !== lead.stage) throw new Error(`${lead.name} is in stage ${stage}, not ${lead.stage}`);
  if (lead.switchedOff !== undefined) {
    const last = messages.findLast((one) => one.status !== 'scheduled')?.at ?? since;
    const at = lead.switchedOff === 'lead' ? last : last + 2 * HOUR;
    events.push({ at: Math.min(at, now), type: 'deactivated', content: { by: lead.switchedOff } });
  }
  return events.toSorted((a, b) => a.at - b.at);
}

const beginning = (lead: DemoLead): Stage => (lead.wroteFirst ? 'ongoing' : 'initial');

function movedAt(lead: DemoLead, messages: readonly DemoMessage[], now: Instant): Instant {
  const until = lead.moved?.after ?? Number.POSITIVE_INFINITY;
  const before = messages.filter((one) => one.sitting <= until);
  const word = before.findLast((one) => one.who === 'lead') ?? before.at(-1);
  const later = lead.moved?.hoursLater === undefined ? CLASSIFIED_AFTER : lead.moved.hoursLater * HOUR;
  return Math.min((word?.at ?? now) + later, now);
}

/** Return when an operator took the dialogue over; null if the bot owns it. */
export function humanOwnerSince(lead: DemoLead, messages: readonly DemoMessage[], events: readonly StoryEvent[]) {
  if (lead.human === undefined) return null;
  const lastBot = messages.findLastIndex((one) => one.who === 'bot' && one.status !== 'cancelled');
  const humanMessage = messages.slice(lastBot + 1).find((one) => one.who === 'operator' || one.who === 'phone');
  // The bot hands over instead of answering; what it sends then is the product's sentence.
  if (botHandOverReasons.some((code) => code === lead.human)) return messages[lastBot]?.writtenAt ?? null;
  if (lead.human === 'qualified') return events.find((one) => one.content['to'] === 'success')?.at ?? null;
  return (lead.human === 'writes_again' ? messages.findLast((one) => one.who === 'lead') : humanMessage)?.at ?? null;
}
