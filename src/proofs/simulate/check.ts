/**
 * Checks every message of a simulated month against the rules, with calculations that share nothing with the engine:
 * hours by the platform's own calendar minute by minute, delays and limits by the rows and the phones.
 */
import type { Rehearsal } from '../../outreach/rehearse.ts';
import type { Actor, Actors } from './actors.ts';
import type { Era } from './product.ts';
import { formatTime, HOUR, MINUTE, type Row, type Simulation, type ThreadRow } from './simulation.ts';
import { dateIn, isAtOrAfter, isWorkingTime } from './workingHours.ts';

/** The clock moves in steps, and the engine takes a moment for each. */
const SLACK = 3 * MINUTE;
/** Between the commit that silences the bot and the last claim before it. */
const MUTE_SLACK = 90_000;

export interface Forecast {
  readonly from: number;
  readonly until: number;
  readonly rehearsal: Rehearsal;
}

/** Return the settings in force at an instant; shortly after a change, the previous ones count too. */
function settingsAt(simulation: Simulation, at: number): Era[] {
  const inForce = simulation.eras.filter((era) => era.from <= at);
  const last = inForce.at(-1);
  const before = inForce.at(-2);
  return [last, before && last && at - last.whole < SLACK ? before : undefined].filter((era) => era !== undefined);
}

/** Check the whole month against the rules. */
export async function checkMonth(
  simulation: Simulation,
  actors: Actors,
  { rows, forecast }: { rows: readonly Row[]; forecast: Forecast },
) {
  const { world } = simulation;
  const [thread, expired] = [await world.thread(), await world.expired()];
  const compared = differsFromRehearsal(actors, rows, forecast);
  const violations = [
    ...outsideHours(simulation, actors, rows),
    ...beforeSendAt(simulation, rows),
    ...duringMutedPeriod(actors, rows),
    ...sentTwice(rows),
    ...overLimit(simulation, rows),
    ...closerThanInterval(simulation, rows),
    ...earlyFollowUps(simulation, rows, thread),
    ...expiredTooEarly(simulation, expired, thread),
    ...onPhones(await world.phones()),
    ...compared.violations,
  ];
  const counts = {
    messages: rows.length,
    firsts: rows.filter((row) => row.origin === 'first').length,
    pings: rows.filter((row) => row.origin === 'ping').length,
    replies: rows.filter((row) => row.origin === null).length,
    expired: expired.length,
    forecast: compared.compared,
  };
  return { counts, violations };
}

/** Find messages outside their lead's working hours, by the time of the claim, which is shortly before the sending. */
function outsideHours(simulation: Simulation, actors: Actors, rows: readonly Row[]): string[] {
  return rows.flatMap((row) => {
    const own = actors.all.get(row.lead)?.zone;
    const inside = settingsAt(simulation, row.at).some((era) => {
      const zone = own ?? era.zone;
      return isWorkingTime(era, zone, row.at) || isWorkingTime(era, zone, row.at - MINUTE);
    });
    return inside
      ? []
      : [`outside hours: message ${row.id} to lead ${row.lead} (${own ?? 'no zone'}) at ${formatTime(row.at)}`];
  });
}

/** Find first messages before their day's 'Send at', on the product's own clock. */
function beforeSendAt(simulation: Simulation, rows: readonly Row[]): string[] {
  return rows.flatMap((row) => {
    if (row.origin !== 'first') return [];
    const eras = settingsAt(simulation, row.at);
    return eras.some(({ sendAt }) => isAtOrAfter(simulation.zone, sendAt, row.at))
      ? []
      : [`before Send at: first message ${row.id} to lead ${row.lead} at ${formatTime(row.at)} (${simulation.zone})`];
  });
}

/** Find leads that expired while an answer was owed, or before their hours of silence after it were over. */
function expiredTooEarly(
  simulation: Simulation,
  expired: Awaited<ReturnType<Simulation['world']['expired']>>,
  thread: readonly ThreadRow[],
): string[] {
  const byLead = Map.groupBy(thread, ({ lead }) => lead);
  return expired.flatMap(({ lead, at }) => {
    // What is due is done first: a lead that writes in the instant of its expiry has expired before.
    const before = (byLead.get(lead) ?? []).filter((one) => one.at < at);
    const asked = before.findLast(({ side }) => side === 'user');
    const answer = asked && before.find((one) => one.side === 'bot' && !one.isFollowUp && one.at > asked.at);
    if (!asked || !answer) return [`expired without an answer: lead ${lead} at ${formatTime(at)}`];
    const hours = Math.min(...settingsAt(simulation, at).map(({ expiresHours }) => expiresHours));
    return at - answer.at < hours * HOUR - 1000
      ? [`expired too early: lead ${lead} at ${formatTime(at)}, answered at ${formatTime(answer.at)}`]
      : [];
  });
}

/** Return, by lead, the time of the first message so shortly before its working hours end that it could miss them. */
export function findLastMinutes(simulation: Simulation, actors: Actors, rows: readonly Row[]): Map<number, number> {
  const last = rows.filter(({ lead, at }) =>
    settingsAt(simulation, at).some((era) => {
      const zone = actors.all.get(lead)?.zone ?? era.zone;
      return isWorkingTime(era, zone, at) && !isWorkingTime(era, zone, at + SLACK);
    }),
  );
  return new Map(last.map(({ lead, at }) => [lead, at] as const).reverse());
}

function duringMutedPeriod(actors: Actors, rows: readonly Row[]): string[] {
  return rows.flatMap((row) => {
    const mutedPeriod = actors.all
      .get(row.lead)
      ?.mutedPeriods.find((one) => row.at > one.from + MUTE_SLACK && row.at < one.until - 1000);
    return mutedPeriod
      ? [
          `after ${mutedPeriod.reason}: message ${row.id} to lead ${row.lead} at ${formatTime(row.at)}, silent since ${formatTime(mutedPeriod.from)}`,
        ]
      : [];
  });
}

/** Find first messages sent twice to a person, and steps sent twice for an anchor. */
function sentTwice(rows: readonly Row[]): string[] {
  const seen = new Map<string, number>();
  return rows.flatMap((row) => {
    let key: string | null = null;
    if (row.origin === 'first') key = `first ${row.address}`;
    if (row.origin === 'ping' && row.anchor !== null)
      key = `step ${row.step} of dialogue ${row.dialogue}, anchor ${row.anchor}`;
    if (key === null) return [];
    const before = seen.get(key);
    seen.set(key, row.id);
    return before === undefined ? [] : [`twice: ${key}: messages ${before} and ${row.id}`];
  });
}

/** Find days over the limit, in the product's own time zone. */
function overLimit(simulation: Simulation, rows: readonly Row[]): string[] {
  const dayOf = (at: number) => dateIn(simulation.zone, at);
  const counts = new Map<string, { count: number; type: 'whatsapp' | 'telegram'; day: string }>();
  for (const row of rows) {
    if (row.origin !== 'first') continue;
    const day = dayOf(row.at);
    const key = `${day} ${row.type}`;
    counts.set(key, { count: (counts.get(key)?.count ?? 0) + 1, type: row.type, day });
  }
  return [...counts.values()].flatMap(({ count, type, day }) => {
    const limits = simulation.eras.filter((era) => dayOf(era.from) <= day).map((era) => era.limit[type]);
    const lately = simulation.eras.filter((era) => dayOf(era.from) === day).length;
    const allowed = Math.max(...limits.slice(-1 - lately));
    return count > allowed ? [`over the limit: ${count} of ${allowed} on ${type} on ${day}`] : [];
  });
}

/** Find first messages closer together than the interval. */
function closerThanInterval(simulation: Simulation, rows: readonly Row[]): string[] {
  const firsts = rows.filter((row) => row.origin === 'first');
  return firsts.flatMap((row, index) => {
    const before = firsts[index - 1];
    if (!before) return [];
    const spacing = Math.min(...settingsAt(simulation, row.at).map((era) => era.intervalSeconds)) * 1000;
    return row.at - before.at < spacing
      ? [`too near: first messages ${before.id} and ${row.id}, ${row.at - before.at} ms`]
      : [];
  });
}

/**
 * Find follow-ups sent too early. The delay of the first step counts from the lead's last message or the dialogue's
 * beginning, that of the others from the step before. None may follow our last message within a quarter of an hour,
 * unless its delay is shorter.
 */
function earlyFollowUps(simulation: Simulation, rows: readonly Row[], messages: readonly ThreadRow[]): string[] {
  const byDialogue = Map.groupBy(messages, (one) => one.dialogue);
  const rowsByDialogue = Map.groupBy(rows, (one) => one.dialogue);
  return rows.flatMap((row) => {
    if (row.origin !== 'ping' || row.step === null) return [];
    const thread = byDialogue.get(row.dialogue) ?? [];
    const before = thread.filter((one) => one.at < row.at).at(-1);
    if (!before) return [`follow-up ${row.id} stands alone`];
    if (before.side === 'user')
      return [`over the lead's word: follow-up ${row.id} to lead ${row.lead} at ${formatTime(row.at)}`];
    const step = row.step - 1;
    const minutes = Math.min(...settingsAt(simulation, row.at).map((era) => era.stepMinutes[step] ?? 0));
    const former = rowsByDialogue
      .get(row.dialogue)
      ?.findLast((one) => one.origin === 'ping' && one.anchor === row.anchor && (one.step ?? 0) < (row.step ?? 0));
    const since = row.at - (former?.at ?? row.anchor_at ?? row.begun_at);
    const gap = row.at - before.at;
    const wrong: string[] = [];
    if (since < minutes * MINUTE - 1000)
      wrong.push(
        `too early: follow-up ${row.id}, step ${row.step}, ${Math.round(since / MINUTE)} of ${minutes} minutes`,
      );
    if (gap < Math.min(minutes, 15) * MINUTE - 1000)
      wrong.push(
        `too close: follow-up ${row.id}, step ${row.step}, ${Math.round(gap / MINUTE)} minutes after our last message`,
      );
    return wrong;
  });
}

/** Check the phones: no message that we do not know of. */
function onPhones(phones: Awaited<ReturnType<Simulation['world']['phones']>>): string[] {
  return [...phones].flatMap(([address, { onPhone, stored }]) =>
    onPhone > stored ? [`on the phone ${address}: ${onPhone} messages of ours, ${stored} known`] : [],
  );
}

/** Find differences from the first day's rehearsal, up to the first event that it could not know of. */
function differsFromRehearsal(
  actors: Actors,
  rows: readonly Row[],
  forecast: Forecast,
): { compared: number; violations: string[] } {
  const firstDisturbance = Math.min(Number.POSITIVE_INFINITY, ...actors.disturbances);
  const until = (actor: Actor | undefined) =>
    Math.min(forecast.until, firstDisturbance, actor?.firstEvent ?? 0) - 30 * MINUTE;
  const key = (lead: number, origin: string, step: number) => `${lead} ${origin} ${step}`;
  const sent = new Map<string, Row>();
  for (const row of rows) {
    const name = key(row.lead, row.origin ?? '', row.step ?? 0);
    if (row.origin !== null && !sent.has(name)) sent.set(name, row);
  }
  const predicted = new Map(forecast.rehearsal.messages.map((one) => [key(one.leadId, one.kind, one.step), one]));
  const violations: string[] = [];
  let compared = 0;
  for (const [name, one] of predicted) {
    if (one.at > until(actors.all.get(one.leadId))) continue;
    compared++;
    const row = sent.get(name);
    if (!row) violations.push(`foretold and not sent: ${name} at ${formatTime(one.at)}`);
    else if (Math.abs(row.at - one.at) > 15 * MINUTE)
      violations.push(`foretold for ${formatTime(one.at)}, sent at ${formatTime(row.at)}: ${name}`);
  }
  for (const [name, row] of sent) {
    const isEarly = row.at <= until(actors.all.get(row.lead));
    if (isEarly && row.anchor === (row.origin === 'ping' ? 0 : row.anchor) && !predicted.has(name))
      violations.push(`sent and not foretold: ${name} at ${formatTime(row.at)}`);
  }
  return { compared, violations };
}
