/** Finds messages that were due in a simulated month and were not sent. */
import type { Actor, Actors } from './actors.ts';
import type { Era } from './product.ts';
import { DAY, formatTime, HOUR, type LeadState, MINUTE, type Simulation } from './simulation.ts';
import { isAtOrAfter, isWorkingTime } from './workingHours.ts';

/** The limits leave room for every lead within this time. */
const MAX_WAIT = 14 * DAY;

/** Find messages that were due and not sent, by the present state. */
export async function findMissingMessages(simulation: Simulation, actors: Actors): Promise<string[]> {
  const now = await simulation.world.now();
  const rows = await simulation.world.leadStates();
  const era = simulation.eras.at(-1);
  if (!era) return [];
  return rows.flatMap((row) => {
    const actor = actors.all.get(row.lead);
    if (!actor) return [];
    const what = missedAction({ era, productZone: simulation.zone, actor }, row, now);
    return what === null ? [] : [`missing on ${formatTime(now)}: ${what} (lead ${row.lead}, ${row.why})`];
  });
}

interface Expected {
  readonly era: Era;
  readonly productZone: string;
  readonly actor: Actor;
}

function missedAction({ era, productZone, actor }: Expected, row: LeadState, now: number): string | null {
  const zone = actor.zone ?? era.zone;
  // What a change of settings made due is due from then on; so is what fell due while an operator led the dialogue.
  const over = actor.mutedPeriods.filter(({ until }) => until <= now).map(({ until }) => until);
  const since = (at: number) => Math.max(at, era.whole, ...over);
  if (row.stage === 'initial') {
    const isLate = !row.written && !row.other && now - row.eligible > MAX_WAIT;
    return isLate && isEverPossible(era, { zone, productZone }, now) ? 'the first message' : null;
  }
  if (row.human || row.waiting) return null;
  const expires =
    row.answered_at === null ? Number.POSITIVE_INFINITY : since(row.answered_at + era.expiresHours * HOUR);
  if (now > expires + 10 * MINUTE) return `expiry since ${formatTime(expires)}`;
  const minutes = era.stepMinutes[row.steps];
  if (minutes === undefined || row.last_ours !== true || row.last_at === null || row.last_status === 'error')
    return null;
  const from = row.steps > 0 ? (row.step_at ?? row.last_at) : (row.user_at ?? row.begun_at ?? row.last_at);
  const due = since(Math.max(from + minutes * MINUTE, row.last_at + Math.min(minutes, 15) * MINUTE));
  for (let at = due; at < now - 15 * MINUTE; at += MINUTE)
    if (isWorkingTime(era, zone, at))
      return at + 15 * MINUTE < expires
        ? `follow-up ${row.steps + 1}, due ${formatTime(due)}, open ${formatTime(at)}`
        : null;
  return null;
}

/** Whether a lead's working hours had any time after 'Send at' lately: with clocks far apart, they may have none. */
function isEverPossible(era: Era, { zone, productZone }: { zone: string; productZone: string }, now: number): boolean {
  for (let at = now - MAX_WAIT; at < now; at += 15 * MINUTE)
    if (isWorkingTime(era, zone, at) && isAtOrAfter(productZone, era.sendAt, at)) return true;
  return false;
}
