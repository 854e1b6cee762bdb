/**
 * The domain clock of a sandbox. It moves from one due time to the next and waits at each until no work is left, so
 * that a skipped week has the same effects as a real one.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import type { AppContext } from '../platform/appContext.ts';
import type { clockState } from '../platform/installationContract.ts';
import { SWEEP_CHANNEL } from '../platform/notifications.ts';
import { prepared } from '../platform/statements.ts';
import type { ControlClient } from './emulators/control.ts';

/** Maximum number of stops of one move, and the maximum wait at each. */
const MAX_STOPS = 5000;
const TIMEOUT_MS = 20_000;

/** Access to the database, whose clock can be moved. */
type ClockDatabase = Pick<AppContext, 'pool'>;
type ClockState = z.output<typeof clockState>;

export async function readDomainClock(context: ClockDatabase): Promise<ClockState> {
  const { rows } = await context.pool.query<ClockState>(
    'select domain_now() as now, round(extract(epoch from clock_offset))::int as offset_seconds from installation',
  );
  const [row] = rows;
  if (!row) throw new Error('No installation row');
  return row;
}

/** Set the emulators' clock to the offset stored in the database. */
export async function followClock(context: ClockDatabase, control: ControlClient): Promise<void> {
  const { rows } = await context.pool.query<{ ms: number }>(
    'select extract(epoch from clock_offset) * 1000 as ms from installation',
  );
  await control.setClock(rows[0]?.ms ?? 0);
}

/** Move the clock forward by `seconds`, stopping at every due time. */
export async function moveDomainClock(context: ClockDatabase, control: ControlClient, seconds: number) {
  const { rows } = await context.pool.query<{ target: string }>(
    `select domain_now() + make_interval(secs => $1) as target`,
    [seconds],
  );
  const target = rows[0]?.target;
  if (target === undefined) throw new Error('No clock');
  let doneUntil = await waitForDueWork(context, control);
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    const next = await nextDue(context, { after: doneUntil, before: target });
    await jumpTo(context, control, next ?? target);
    doneUntil = await waitForDueWork(context, control);
    if (next === null) break;
  }
  return readDomainClock(context);
}

/**
 * Return the next due time between two instants, or null if there is none. It may have passed already: the clock does
 * not stand still while it is read.
 */
export async function nextDue(
  context: ClockDatabase,
  { after, before }: { readonly after: string; readonly before: string },
): Promise<string | null> {
  const { rows } = await context.pool.query<{ at: string | null }>({ ...NEXT_DUE_QUERY, values: [before, after] });
  return rows[0]?.at ?? null;
}

/** Move the clock to an instant in one step. */
export async function jumpTo(context: ClockDatabase, control: ControlClient, instant: string): Promise<void> {
  // Never move backwards: the instant may have passed while work from the last stop finished.
  await context.pool.query(
    `update installation set clock_offset = clock_offset + greatest($1::timestamptz - domain_now(), interval '0')`,
    [instant],
  );
  await followClock(context, control);
  await callSweeps(context);
}

/** Trigger the sweeps, so that due work need not wait for the next one. */
const callSweeps = (context: ClockDatabase) => context.pool.query(`select pg_notify('${SWEEP_CHANNEL}', '')`);

/**
 * Wait until nothing is due, claimed or in flight. Gives up after a while, as some work waits for the real clock. Returns
 * the instant of the last check: what is due later is still to be done.
 */
export async function waitForDueWork(context: ClockDatabase, control: ControlClient, pollMs = 25): Promise<string> {
  const end = performance.now() + TIMEOUT_MS;
  for (let idleChecks = 0; ; ) {
    const { rows } = await context.pool.query<{ at: string; due: boolean; in_hand: boolean }>(PENDING_WORK_QUERY);
    const [row] = rows;
    if (!row) throw new Error('No installation row');
    const { at, due, in_hand } = row;
    // Work is due but not claimed.
    if (due && !in_hand) await callSweeps(context);
    const quiet = !due && !in_hand && (await control.quiet()).quiet;
    idleChecks = quiet ? idleChecks + 1 : 0;
    if (idleChecks === 2 || performance.now() > end) return at;
    await pause(pollMs);
  }
}

// Named, so that these queries are planned once: moving by a week runs them thousands of times.
const NEXT_DUE_QUERY = prepared(
  `select min(at) as at from (
     select min(scheduled_at) as at from messages where status = 'scheduled' and scheduled_at > $2 and scheduled_at < $1
     union all
     select min(a.next_send_at) from vendor_accounts a
      where a.next_send_at > $2 and a.next_send_at < $1
        and exists (select 1 from messages m join channels c on c.id = m.channel_id
                     where c.account_id = a.id and m.status = 'scheduled' and m.scheduled_at <= a.next_send_at)
     union all
     select min(turn_due_at) from dialogues where turn_due_at > $2 and turn_due_at < $1
     union all
     select min(next_at) from outreach where next_at > $2 and next_at < $1
     union all
     select min(next_at) from outreach_products where next_at > $2 and next_at < $1
     union all
     select min(due_at) from classifications where state = 'open' and due_at > $2 and due_at < $1
     union all
     select min(decide_by) from opt_outs where ended_at is null and asked_at is null and decide_by > $2 and decide_by < $1
     union all
     select min(at) from classification_configs c
       cross join lateral (select make_interval(mins => (c.config->>'interval_minutes')::int) as pause) as i
       cross join lateral (
         select d.last_user_msg_at + i.pause as at from dialogues d
          where d.product_id = c.product_id and d.turn > d.classified_turn and d.last_user_msg_at > $2::timestamptz - i.pause
            and d.last_user_msg_at > c.created_at - i.pause and d.last_user_msg_at < $1::timestamptz - i.pause
          order by d.last_user_msg_at limit 1) as next) as due`,
);

const PENDING_WORK_QUERY = prepared(`
  select exists (select 1 from messages m join channels c on c.id = m.channel_id join vendor_accounts a on a.id = c.account_id
                  where m.status = 'scheduled' and m.scheduled_at <= domain_now() and (m.retry_at is null or m.retry_at <= clock_timestamp())
                    and c.is_active and (c.paused_until is null or c.paused_until <= clock_timestamp()) and a.key_rejected_reason is null
                    and (a.next_send_at is null or a.next_send_at <= domain_now()))
      or exists (select 1 from dialogues where turn_due_at <= domain_now() and (turn_retry_at is null or turn_retry_at <= clock_timestamp()))
      or exists (select 1 from outreach where next_at <= domain_now() and (retry_at is null or retry_at <= clock_timestamp()))
      or exists (select 1 from outreach_products where next_at <= domain_now() or replan)
      or exists (select 1 from classifications where state = 'open' and due_at <= domain_now() and (retry_at is null or retry_at <= clock_timestamp()))
      or exists (select 1 from opt_outs where ended_at is null and asked_at is null and decide_by <= domain_now())
      or exists (select 1 from classification_configs c
                  cross join lateral (select make_interval(mins => (c.config->>'interval_minutes')::int) as pause) as i
                   join dialogues d on d.product_id = c.product_id and d.turn > d.classified_turn
                    and d.last_user_msg_at <= domain_now() - i.pause and d.last_user_msg_at > c.created_at - i.pause)
      or exists (select 1 from crm_changes c join amocrm_accounts a on a.crm_integration_id = c.crm_integration_id
                  where a.state = 'connected' and (c.retry_at is null or c.retry_at <= clock_timestamp()))
      or exists (select 1 from crm_cards c join amocrm_accounts a on a.crm_integration_id = c.crm_integration_id
                  where a.state = 'connected' and c.pending_stage is not null and (c.retry_at is null or c.retry_at <= clock_timestamp())) as due,
         exists (select 1 from messages where status = 'sending')
      or exists (select 1 from outreach_products where claimed_until > clock_timestamp())
      or exists (select 1 from outreach where claimed_until > clock_timestamp())
      or exists (select 1 from inbox where state = 'new')
      or exists (select 1 from opt_out_propagations where retry_at is null or retry_at <= clock_timestamp())
      or exists (select 1 from messages where recipient_not_found) as in_hand, domain_now() as at`);
