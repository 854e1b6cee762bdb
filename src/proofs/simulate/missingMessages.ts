/** Finds messages that were due in a simulated month and were not sent. */
import type { Actor, Actors } from './actors.ts';
import type { Era } from './product.ts';
import { DAY, formatTime, HOUR, MINUTE, type Simulation } from './simulation.ts';
import { isWorkingTime } from './workingHours.ts';

/** The limits leave room for every lead within this time. */
const MAX_WAIT = 14 * DAY;

interface LeadState {
  lead: number;
  stage: string;
  talked: boolean;
  /** Whether the same person was written to as another lead. */
  known: boolean;
  eligible: number;
  last_ours: boolean | null;
  last_at: number | null;
  last_status: string | null;
  waiting: boolean;
  human: boolean;
  user_at: number | null;
  begun_at: number | null;
  steps: number;
  /** When the last of these steps was sent. */
  step_at: number | null;
  why: string | null;
}

/** Find messages that were due and not sent, by the present state. */
export async function findMissingMessages(simulation: Simulation, actors: Actors): Promise<string[]> {
  const now = await simulation.now();
  const { rows } = await simulation.world.pool.query<LeadState>(
    `select l.id::int as lead, l.stage, (extract(epoch from l.created_at) * 1000)::float8 as eligible,
            exists (select 1 from contacts k join messages m on m.contact_id = k.id where k.lead_id = l.id) as talked,
            exists (select 1 from contacts k
                      join contacts o on o.product_id = k.product_id and o.address = k.address and o.lead_id <> k.lead_id
                      join messages m on m.contact_id = o.id where k.lead_id = l.id) as known,
            last.side = 'bot' as last_ours, (extract(epoch from last.thread_at) * 1000)::float8 as last_at, last.status as last_status,
            exists (select 1 from messages w where w.dialogue_id = d.id and w.status in ('scheduled', 'sending')) as waiting,
            coalesce(d.owner = 'human', false) as human, (extract(epoch from d.last_user_msg_at) * 1000)::float8 as user_at,
            (extract(epoch from d.created_at) * 1000)::float8 as begun_at,
            (select (extract(epoch from max(p.thread_at)) * 1000)::float8 from messages p where p.dialogue_id = d.id and p.origin = 'ping'
                and p.status <> 'cancelled' and p.follow_up_anchor_id = coalesce(d.last_user_msg_id, 0)) as step_at,
            (select count(*)::int from messages p where p.dialogue_id = d.id and p.origin = 'ping' and p.status <> 'cancelled'
                and p.follow_up_anchor_id = coalesce(d.last_user_msg_id, 0)) as steps,
            o.reason::text as why
       from leads l join outreach o on o.lead_id = l.id
       left join contacts c on c.lead_id = l.id left join dialogues d on d.contact_id = c.id
       left join lateral (select m.side, m.thread_at, m.status from messages m
                           where m.dialogue_id = d.id and m.status not in ('cancelled', 'scheduled', 'sending')
                           order by m.thread_at desc, m.id desc limit 1) last on true
      where l.is_active and l.stage in ('initial', 'started', 'ongoing', 'pending')`,
  );
  const era = simulation.eras.at(-1);
  if (!era) return [];
  return rows.flatMap((row) => {
    const actor = actors.all.get(row.lead);
    if (!actor) return [];
    const what = missedAction(era, actor, row, now);
    return what === null ? [] : [`missing on ${formatTime(now)}: ${what} (lead ${row.lead}, ${row.why})`];
  });
}

function missedAction(era: Era, actor: Actor, row: LeadState, now: number): string | null {
  const zone = actor.zone ?? era.zone;
  // What a change of settings made due is due from then on; so is what fell due while an operator led the dialogue.
  const over = actor.mutedPeriods.filter(({ until }) => until <= now).map(({ until }) => until);
  const since = (at: number) => Math.max(at, era.whole, ...over);
  if (row.stage === 'initial') {
    return !row.talked && !row.known && now - row.eligible > MAX_WAIT ? 'the first message' : null;
  }
  if (row.human || row.waiting) return null;
  const expires = row.user_at === null ? Number.POSITIVE_INFINITY : since(row.user_at + era.expiresHours * HOUR);
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
