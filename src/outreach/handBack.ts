/** Decides what the bot does with a dialogue that it gets back, for the operator who is about to hand it back. Pure. */
import type { HandBackFacts } from '../conversations/store/handBack.ts';
import { leadBlockReason } from '../leads/lead.ts';
import { isZone } from '../platform/zones.ts';
import type { Settings } from './facts.ts';
import type { HandBack } from './handBackContract.ts';
import { workingHoursAt } from './sendTimes.ts';

/** Longest part of the lead's words that is sent to the console. */
const MAX_CHARS = 300;

const iso = (ms: number) => new Date(ms).toISOString();

/** Decide what follows: the bot answers now, when working hours open, or not at all. */
export function decideHandBack({ unanswered, silent, lead, now }: HandBackFacts, settings: Settings): HandBack {
  const message = unanswered ?? silent?.message ?? null;
  const own = lead.timezone !== null && isZone(lead.timezone) ? lead.timezone : null;
  const preview = {
    message: message === null ? null : message.slice(0, MAX_CHARS).toWellFormed(),
    now: iso(now),
    zone: own ?? settings.hours?.zone ?? settings.zone,
    own_zone: own !== null,
  };
  const none = (why: HandBack['why']): HandBack => ({ answer: 'none', at: null, why, ...preview });
  if (message === null) return none('nothing');
  const blocked = leadBlockReason({ lead, isProductActive: settings.isActive }, 'answer');
  if (blocked !== null) return none(blocked.code);
  if (unanswered === null) return none(silent?.why ?? 'nothing');
  if (settings.replyHours === 'any') return { answer: 'now', at: iso(now), why: null, ...preview };
  const { open, opening } = workingHoursAt(lead.timezone, settings, now);
  if (opening === null) return none('no_hours');
  return { answer: open ? 'now' : 'later', at: iso(opening), why: null, ...preview };
}
