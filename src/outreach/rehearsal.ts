/** Rehearse a product's stored settings and proposed ones, on the current facts. */
import { DAY_MS, formatDay } from '../platform/days.ts';
import type { Reader } from '../platform/db.ts';
import type { Hasher } from '../platform/secretCipher.ts';
import { previousLimitsAfter } from '../products/previousLimits.ts';
import { longDayAfter } from '../products/quotaDay.ts';
import type { Counters, LeadFacts, Settings } from './facts.ts';
import type { Consequences, Proposal } from './rehearsalContract.ts';
import { MAX_LEADS } from './rehearsalContract.ts';
import { type PlannedMessage, type Rehearsal, rehearse } from './rehearse.ts';
import { type StoredSettings, toSettings } from './settings.ts';
import { findOpenLeads, readCounters, readLeadFacts } from './store/facts.ts';
import { readStoredSettings } from './store/planSettings.ts';

const HOUR_MS = 3_600_000;
/** Milliseconds below which a shift does not count as a move. */
const MOVED_MS = 60_000;

export interface RehearsalInput {
  readonly stored: StoredSettings;
  readonly settings: Settings;
  readonly leads: readonly LeadFacts[];
  readonly counters: Counters;
  readonly from: number;
  /** True if there are more leads than one rehearsal takes. */
  readonly cut: boolean;
}

/** Read the input of a rehearsal; undefined if the product does not exist. */
export async function loadRehearsalInput(
  { reader, hasher }: { readonly reader: Reader; readonly hasher: Hasher },
  productId: number,
): Promise<RehearsalInput | undefined> {
  const stored = await readStoredSettings(reader, productId);
  if (!stored) return undefined;
  const ids = await findOpenLeads(reader, productId, MAX_LEADS + 1);
  const { now, ...counters } = await readCounters(reader, stored);
  const leads = await readLeadFacts(reader, hasher, ids.slice(0, MAX_LEADS));
  return { stored, settings: toSettings(stored), leads, counters, from: now, cut: ids.length > MAX_LEADS };
}

export function runRehearsal(input: RehearsalInput, settings: Settings, days: number): Rehearsal {
  return rehearse({ ...input, settings, to: input.from + days * DAY_MS });
}

/** Apply a proposal to the stored settings, as of `at`. */
export function applyProposal(stored: StoredSettings, proposal: Proposal, at: number): Settings {
  const {
    timezone: zone = stored.zone,
    lead_expires_in_hours: hours,
    messaging_config: messagingConfig,
    schedule,
    pings,
  } = proposal;
  const config = {
    ...stored.config,
    ...(hours === undefined ? {} : { lead_expires_in_hours: hours }),
    ...(messagingConfig === undefined ? {} : { messaging_config: messagingConfig }),
  };
  const before = {
    zone: stored.zone,
    messagingConfig: stored.config.messaging_config,
    previousLimits: stored.previousLimits,
  };
  return toSettings({
    ...stored,
    zone,
    longDay: longDayAfter(stored, zone, at),
    previousLimits: previousLimitsAfter(before, { zone, messagingConfig: config.messaging_config }, at),
    config,
    ...(schedule === undefined ? {} : { schedule }),
    ...(pings === undefined ? {} : { pings: pings && { id: stored.pings?.id ?? 0, ...pings } }),
  });
}

/** Compare two rehearsals of the same facts. */
export function compareRehearsals(before: Rehearsal, after: Rehearsal, from: number): Omit<Consequences, 'timezone'> {
  const timesBefore = new Map(before.messages.map((one) => [keyOf(one), one.at]));
  const timesAfter = new Map(after.messages.map((one) => [keyOf(one), one.at]));
  const expired = new Set(after.expired.map((one) => one.leadId));
  const dropped = before.messages.filter((one) => !timesAfter.has(keyOf(one)));
  const added = after.messages.filter((one) => !timesBefore.has(keyOf(one)));
  const moved = after.messages.filter((one) => Math.abs((timesBefore.get(keyOf(one)) ?? one.at) - one.at) >= MOVED_MS);
  const isSoon = (one: PlannedMessage) =>
    one.at <= from + HOUR_MS && (timesBefore.get(keyOf(one)) ?? Number.POSITIVE_INFINITY) > from + HOUR_MS;
  const expiredSoon = new Set(before.expired.filter((one) => one.at <= from + HOUR_MS).map((one) => one.leadId));
  const limitsBefore = new Set(before.limits.map((one) => `${one.day} ${one.type}`));
  return {
    before: before.messages.length,
    after: after.messages.length,
    moved: moved.length,
    added: added.length,
    dropped: dropped.length,
    dropped_by_expiry: dropped.filter((one) => expired.has(one.leadId)).length,
    limits: after.limits
      .filter((one) => !limitsBefore.has(`${one.day} ${one.type}`))
      .map(({ day, type }) => ({ day: formatDay(day), type })),
    after_hours: after.silent.filter(({ code }) => code === 'send_at_closed').length,
    at_once: after.messages.filter(isSoon).length,
    expired_before: before.expired.length,
    expired_after: after.expired.length,
    expired_at_once: after.expired.filter((one) => one.at <= from + HOUR_MS && !expiredSoon.has(one.leadId)).length,
  };
}

const keyOf = (one: PlannedMessage) => `${one.leadId} ${one.kind} ${one.step}`;
