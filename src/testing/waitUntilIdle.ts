/** Waits until there is no work left, so that tests need not sleep. */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { App } from '../app.ts';
import type { ControlClient } from '../sandbox/emulators/control.ts';

const MIN_PAUSE_MS = 15;
const MAX_PAUSE_MS = 60;

/** Resolve after three idle checks in a row. Throws with the remaining work after `timeoutMs`. */
export async function waitUntilIdle(
  { pool, control, app }: { pool: pg.Pool; control: ControlClient; app: App },
  timeoutMs = 150_000,
): Promise<void> {
  let last = '';
  let idleChecks = 0;
  let pauseMs = MIN_PAUSE_MS;
  const end = performance.now() + timeoutMs;
  while (idleChecks < 3) {
    if (performance.now() > end) throw new Error(`Not drained: ${last}`);
    const { rows } = await pool.query<Record<string, string>>(BUSY_QUERY);
    const busy = { ...rows[0], tasks: await countRunningTasks(app) };
    const isBusy = Object.values(busy).some((count) => Number(count) !== 0);
    const emulators = isBusy ? null : await control.quiet();
    last = JSON.stringify({ ...busy, emulators });
    idleChecks = emulators?.quiet ? idleChecks + 1 : 0;
    // What takes long is asked less often: asking was a tenth of all that the database did for the tests.
    pauseMs = isBusy ? Math.min(pauseMs * 1.1, MAX_PAUSE_MS) : MIN_PAUSE_MS;
    await pause(pauseMs);
  }
}

/** Count the work of a server in this process that its sweeps have started. */
async function countRunningTasks({ context }: App): Promise<string> {
  const { values } = await context.metrics.keyedWork.get();
  return String(values[0]?.value ?? 0);
}

/**
 * Counts remaining work. Scheduled messages and turns also count if they fall due within a minute, a parked report if its
 * message was stored after its last look. The statement has a name so that it is planned once: planning was a third of
 * all that the database did for a test.
 */
const BUSY_QUERY = {
  name: 'busy',
  text: `
  select (select count(*) from inbox where state = 'new' or (state = 'parked' and (parked_until is not null or retry_at < clock_timestamp() + interval '0.3 seconds'
                     or (retry_at is not null and exists (select 1 from messages m join channels c on c.id = m.channel_id
                                                              where m.ext_id = inbox.ext_id and c.account_id = inbox.account_id))))) as inbox,
         (select count(*) from messages where status = 'sending' or recipient_not_found) as sending,
         (select count(*) from messages m join channels c on c.id = m.channel_id join vendor_accounts a on a.id = c.account_id
           where m.status = 'scheduled' and m.scheduled_at <= domain_now() + interval '1 minute' and (m.retry_at is null or m.retry_at < clock_timestamp() + interval '1 minute')
             and c.is_active and (c.paused_until is null or c.paused_until < clock_timestamp()) and a.key_rejected_reason is null and coalesce(a.next_send_at, '-infinity') < domain_now() + interval '1 second') as due,
         (select count(*) from dialogues where turn_due_at <= domain_now() + interval '1 minute' and (turn_retry_at is null or turn_retry_at < clock_timestamp() + interval '1 minute')) as turns,
         (select count(*) from outreach where next_at <= domain_now() and (retry_at is null or retry_at < clock_timestamp() + interval '1 minute')) as plans,
         (select count(*) from outreach_products where next_at <= domain_now() or replan or claimed_until > clock_timestamp()) as lines,
         (select count(*) from outreach where claimed_until > clock_timestamp()) as follow_ups,
         (select count(*) from classifications where state = 'open' and due_at <= domain_now() and (retry_at is null or retry_at < clock_timestamp() + interval '1 minute')) as classifications,
         (select count(*) from dialogues d join classification_configs c on c.product_id = d.product_id
           where d.turn > d.classified_turn and d.last_user_msg_at + make_interval(mins => (c.config->>'interval_minutes')::int) <= domain_now()
             and d.last_user_msg_at + make_interval(mins => (c.config->>'interval_minutes')::int) > c.created_at) as unclassified,
         (select count(*) from crm_changes c join amocrm_accounts a on a.crm_integration_id = c.crm_integration_id and a.state = 'connected'
           where c.retry_at is null or c.retry_at < clock_timestamp() + interval '1 minute') as crm_reads,
         (select count(*) from crm_cards c join amocrm_accounts a on a.crm_integration_id = c.crm_integration_id and a.state = 'connected'
           where c.pending_stage is not null and (c.retry_at is null or c.retry_at < clock_timestamp() + interval '1 minute')) as crm_writes,
         (select count(*) from opt_outs where ended_at is null and asked_at is null and decide_by <= domain_now()) as doubts,
         (select count(*) from hand_overs where summary_state = 'pending' and (summary_retry_at is null or summary_retry_at < clock_timestamp() + interval '1 minute')) as summaries,
         (select count(*) from hand_overs h where crm_state = 'pending' and (retry_at is null or retry_at < clock_timestamp() + interval '1 minute')
             and not exists (select 1 from crm_cards c join amocrm_accounts a using (crm_integration_id) where c.lead_id = h.lead_id and a.state = 'reconnect')) as hand_overs,
         (select count(*) from amocrm_accounts where state = 'connected' and full_sync_requested > full_sync_done) as crm_looks,
         (select count(*) from opt_out_propagations where retry_at is null or retry_at < clock_timestamp() + interval '1 minute') as opt_outs`,
};
