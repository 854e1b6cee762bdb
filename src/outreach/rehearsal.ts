/** Rehearsals of a product's stored settings and of proposed ones, on the facts as they are now. */
import { DAY_MS, dayText } from '../platform/days.ts';
import type { Reader } from '../platform/db.ts';
import { longDayAfter } from '../products/quotaDay.ts';
import type { Counters, LeadFacts, Settings } from './facts.ts';
import type { Consequences, Proposal } from './rehearsalContract.ts';
import { MOST_LEADS } from './rehearsalContract.ts';
import { type Rehearsal, type Rehearsed, rehearse } from './rehearse.ts';
import { type Stored, settingsFrom } from './settings.ts';
import { countersOf, leadFacts, openLeads, storedSettings } from './store/facts.ts';

const HOUR_MS = 3_600_000;
/** A message that shifts by less stays where it is. */
const MOVED_MS = 60_000;

export interface Stage {
  readonly stored: Stored;
  readonly settings: Settings;
  readonly leads: readonly LeadFacts[];
  readonly counters: Counters;
  readonly from: number;
  /** There are more leads than one rehearsal takes. */
  readonly cut: boolean;
}

/** Reads what a rehearsal needs; undefined: there is no such product. */
export async function setStage(reader: Reader, productId: number): Promise<Stage | undefined> {
  const stored = await storedSettings(reader, productId);
  if (!stored) return undefined;
  const ids = await openLeads(reader, productId, MOST_LEADS + 1);
  const { now, ...counters } = await countersOf(reader, stored);
  const leads = await leadFacts(reader, ids.slice(0, MOST_LEADS));
  return { stored, settings: settingsFrom(stored), leads, counters, from: now, cut: ids.length > MOST_LEADS };
}

export function play(stage: Stage, settings: Settings, days: number): Rehearsal {
  return rehearse(stage.leads, stage.counters, settings, stage.from, stage.from + days * DAY_MS);
}

/** The stored settings with the proposal in their place, as of `at`. */
export function proposed(stored: Stored, proposal: Proposal, at: number): Settings {
  const {
    timezone: zone = stored.zone,
    lead_expires_in_hours: hours,
    messaging_config: firsts,
    schedule,
    pings,
  } = proposal;
  return settingsFrom({
    ...stored,
    zone,
    longDay: longDayAfter(stored, zone, at),
    config: {
      ...stored.config,
      ...(hours === undefined ? {} : { lead_expires_in_hours: hours }),
      ...(firsts === undefined ? {} : { messaging_config: firsts }),
    },
    ...(schedule === undefined ? {} : { schedule }),
    ...(pings === undefined ? {} : { pings: pings && { id: stored.pings?.id ?? 0, ...pings } }),
  });
}

/** Compares two rehearsals of the same facts. */
export function compare(before: Rehearsal, after: Rehearsal, from: number): Omit<Consequences, 'timezone'> {
  const was = new Map(before.messages.map((one) => [keyOf(one), one.at]));
  const is = new Map(after.messages.map((one) => [keyOf(one), one.at]));
  const expired = new Set(after.expired.map((one) => one.leadId));
  const dropped = before.messages.filter((one) => !is.has(keyOf(one)));
  const added = after.messages.filter((one) => !was.has(keyOf(one)));
  const moved = after.messages.filter((one) => Math.abs((was.get(keyOf(one)) ?? one.at) - one.at) >= MOVED_MS);
  const soon = (one: Rehearsed) =>
    one.at <= from + HOUR_MS && (was.get(keyOf(one)) ?? Number.POSITIVE_INFINITY) > from + HOUR_MS;
  const expiredSoon = new Set(before.expired.filter((one) => one.at <= from + HOUR_MS).map((one) => one.leadId));
  const known = new Set(before.limits.map((one) => `${one.day} ${one.type}`));
  return {
    before: before.messages.length,
    after: after.messages.length,
    moved: moved.length,
    added: added.length,
    dropped: dropped.length,
    dropped_by_expiry: dropped.filter((one) => expired.has(one.leadId)).length,
    limits: after.limits
      .filter((one) => !known.has(`${one.day} ${one.type}`))
      .map(({ day, type }) => ({ day: dayText(day), type })),
    at_once: after.messages.filter(soon).length,
    expired_before: before.expired.length,
    expired_after: after.expired.length,
    expired_at_once: after.expired.filter((one) => one.at <= from + HOUR_MS && !expiredSoon.has(one.leadId)).length,
  };
}

const keyOf = (one: Rehearsed) => `${one.leadId} ${one.kind} ${one.step}`;
