/**
 * What waits, counted: for `/metrics` and for the page of the system. One statement; each figure by an index of what it
 * counts, so that its cost follows what waits and not what exists.
 */
import type pg from 'pg';
import { prepared } from '../platform/statements.ts';

/** What a count stops at: beyond it the exact number helps nobody. */
export const MAX_COUNTED = 100_000;

/** Counts stop at `MAX_COUNTED`; ages are seconds of the oldest that is due, 0 when nothing is. */
export interface Queues {
  messages_due: number;
  messages_due_seconds: number;
  messages_sending: number;
  messages_failed: number;
  messages_unconfirmed: number;
  /** Refused by a vendor, tried again by themselves. */
  messages_refused: number;
  inbox_open: number;
  inbox_open_seconds: number;
  /** Statuses whose message is not known yet. */
  inbox_held: number;
  turns_due: number;
  turns_due_seconds: number;
  /** Dialogues without an answer, for an operator to try again. */
  turns_failed: number;
  classifications_due: number;
  classifications_failed: number;
  outreach_due: number;
  outreach_due_seconds: number;
  /** Leads that stand in line for their first message. */
  outreach_line: number;
  crm_wishes: number;
  crm_wishes_seconds: number;
  /** Refused by the CRM, tried again by hand. */
  crm_refused: number;
  crm_changes: number;
  crm_changes_seconds: number;
  jobs_ready: number;
  jobs_ready_seconds: number;
  jobs_later: number;
  jobs_locked: number;
  jobs_failed: number;
}

const count = (rows: string) => `(select count(*) from (select 1 from ${rows} limit ${MAX_COUNTED}) x)`;

/** Age of the first row of `rows`, in seconds of a clock. */
const age = (at: string, rows: string, now = 'domain_now()') =>
  `coalesce((select greatest(0, extract(epoch from ${now} - ${at})) from ${rows} order by ${at} limit 1), 0)::float8`;

/** The words of the indices `messages_trouble` and `messages_trouble_channel`; with others they no longer serve. */
export const DELIVERY_FAILURE = `m.removed_at is null
  and (m.status in ('error', 'unconfirmed') or (m.status = 'scheduled' and m.retry_at is not null))`;

const countFailures = (status: string) => count(`messages m where ${DELIVERY_FAILURE} and m.status = '${status}'`);

const DUE_MESSAGES = "messages where status = 'scheduled' and scheduled_at <= domain_now()";
// Those that were set aside, since they cannot be worked on, are still to be read.
const OPEN_INBOX = "inbox where state in ('new', 'failed')";
const firstOf = (state: string) => `(select id, received_at from inbox where state = '${state}' order by id limit 1)`;
const OLDEST_INBOX = `(${firstOf('new')} union all ${firstOf('failed')}) i`;
const DUE_TURNS = 'dialogues where turn_due_at <= domain_now()';
const DUE_OUTREACH = 'outreach where next_at <= domain_now()';
const PENDING_STAGES = 'crm_cards where wish is not null and (retry_at is null or retry_at <= clock_timestamp())';

/** The runner keeps few rows, since a job of a key waits once; its table has no index for what is locked or spent. */
const JOBS = `(select * from graphile_worker._private_jobs limit ${MAX_COUNTED}) j`;
const jobs = (condition: string) => `(select count(*) from ${JOBS} where ${condition})`;
const READY = 'j.locked_at is null and j.attempts < j.max_attempts and j.run_at <= clock_timestamp()';

const FIGURES: Readonly<Record<keyof Queues, string>> = {
  messages_due: count(DUE_MESSAGES),
  messages_due_seconds: age('scheduled_at', DUE_MESSAGES),
  messages_sending: count("messages where status = 'sending'"),
  messages_failed: countFailures('error'),
  messages_unconfirmed: countFailures('unconfirmed'),
  messages_refused: countFailures('scheduled'),
  inbox_open: count(OPEN_INBOX),
  // In the order of arrival, which the index has.
  inbox_open_seconds: `coalesce((select greatest(0, extract(epoch from domain_now() - min(received_at))) from ${OLDEST_INBOX}), 0)::float8`,
  inbox_held: count("inbox where state = 'held'"),
  turns_due: count(DUE_TURNS),
  turns_due_seconds: age('turn_due_at', DUE_TURNS),
  turns_failed: count('dialogues where no_answer is not null'),
  classifications_due: count("classifications where state = 'open' and due_at <= domain_now()"),
  classifications_failed: count("classifications where state = 'failed'"),
  outreach_due: count(DUE_OUTREACH),
  outreach_due_seconds: age('next_at', DUE_OUTREACH),
  outreach_line: count('outreach where line_at is not null'),
  crm_wishes: count(PENDING_STAGES),
  crm_wishes_seconds: age('wish_at', PENDING_STAGES),
  crm_refused: count("crm_cards where wish is not null and retry_at = 'infinity'"),
  crm_changes: count('crm_changes'),
  crm_changes_seconds: age('told_at', 'crm_changes', 'clock_timestamp()'),
  jobs_ready: jobs(READY),
  jobs_ready_seconds: `coalesce((select greatest(0, extract(epoch from clock_timestamp() - min(run_at))) from ${JOBS} where ${READY}), 0)::float8`,
  jobs_later: jobs('j.locked_at is null and j.attempts < j.max_attempts and j.run_at > clock_timestamp()'),
  jobs_locked: jobs('j.locked_at is not null'),
  jobs_failed: jobs('j.locked_at is null and j.attempts >= j.max_attempts'),
};

export const QUEUES = `select ${Object.entries(FIGURES)
  .map(([name, expression]) => `${expression} as ${name}`)
  .join(', ')}`;

/** Counts what waits now. */
export async function readQueues(pool: pg.Pool): Promise<Queues> {
  const { rows } = await pool.query<Queues>(prepared(QUEUES));
  const [row] = rows;
  if (!row) throw new Error('No figures');
  return row;
}
