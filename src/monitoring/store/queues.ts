/**
 * Counts of waiting work, for `/metrics` and for the System page. One statement reads all figures. Each uses an index
 * of just the rows it counts, so its cost depends on what waits and not on what exists.
 */
import type pg from 'pg';
import { botFailed } from '../../conversations/noAnswer.ts';
import { prepared } from '../../platform/statements.ts';

/** Limit of each count: beyond it the exact number is of no use. */
export const MAX_COUNTED = 100_000;

/** Figures of the queues. Counts stop at `MAX_COUNTED`; ages are seconds of the oldest due row, 0 if nothing is due. */
export interface Queues {
  messages_due: number;
  messages_due_seconds: number;
  messages_sending: number;
  messages_failed: number;
  messages_unconfirmed: number;
  /** Messages that a vendor refused and that are retried automatically. */
  messages_refused: number;
  inbox_open: number;
  inbox_open_seconds: number;
  /** Statuses of messages that are not known yet. */
  inbox_held: number;
  turns_due: number;
  turns_due_seconds: number;
  /** Dialogues without an answer, which an operator can retry. */
  turns_failed: number;
  classifications_due: number;
  classifications_failed: number;
  outreach_due: number;
  outreach_due_seconds: number;
  /** Leads that are queued for their first message. */
  outreach_line: number;
  crm_wishes: number;
  crm_wishes_seconds: number;
  /** Stages that the CRM refused, to be retried by hand. */
  crm_refused: number;
  crm_changes: number;
  crm_changes_seconds: number;
  /** Opt-outs that the other leads of their person still have to follow. */
  opt_outs_due: number;
  opt_outs_due_seconds: number;
}

const count = (rows: string) => `(select count(*) from (select 1 from ${rows} limit ${MAX_COUNTED}) x)`;

/** Build the SQL for the age of the first row of `rows`, in seconds of a clock. */
const age = (at: string, rows: string, now = 'domain_now()') =>
  `coalesce((select greatest(0, extract(epoch from ${now} - ${at})) from ${rows} order by ${at} limit 1), 0)::float8`;

/** The condition of the indexes `messages_failures` and `messages_failures_channel`. With any other they are not used. */
export const DELIVERY_FAILURE = `m.removed_at is null
  and (m.status in ('error', 'unconfirmed') or (m.status = 'scheduled' and m.retry_at is not null))`;

const countFailures = (status: string) => count(`messages m where ${DELIVERY_FAILURE} and m.status = '${status}'`);

const DUE_MESSAGES = "messages where status = 'scheduled' and scheduled_at <= domain_now()";
// Includes items that were parked because they cannot be processed: they still wait to be read.
const OPEN_INBOX = "inbox where state in ('new', 'failed')";
const firstOf = (state: string) => `(select id, received_at from inbox where state = '${state}' order by id limit 1)`;
const OLDEST_INBOX = `(${firstOf('new')} union all ${firstOf('failed')}) i`;
const DUE_TURNS = 'dialogues where turn_due_at <= domain_now()';
const DUE_OUTREACH = 'outreach where next_at <= domain_now() and claimed_by is null';
const PENDING_STAGES =
  'crm_cards where pending_stage is not null and (retry_at is null or retry_at <= clock_timestamp())';

const FIGURES: Readonly<Record<keyof Queues, string>> = {
  messages_due: count(DUE_MESSAGES),
  messages_due_seconds: age('scheduled_at', DUE_MESSAGES),
  messages_sending: count("messages where status = 'sending'"),
  messages_failed: countFailures('error'),
  messages_unconfirmed: countFailures('unconfirmed'),
  messages_refused: countFailures('scheduled'),
  inbox_open: count(OPEN_INBOX),
  // In order of arrival, which the index provides.
  inbox_open_seconds: `coalesce((select greatest(0, extract(epoch from domain_now() - min(received_at))) from ${OLDEST_INBOX}), 0)::float8`,
  inbox_held: count("inbox where state = 'parked'"),
  turns_due: count(DUE_TURNS),
  turns_due_seconds: age('turn_due_at', DUE_TURNS),
  turns_failed: count(`dialogues d where ${botFailed('d')}`),
  classifications_due: count("classifications where state = 'open' and due_at <= domain_now()"),
  classifications_failed: count("classifications where state = 'failed'"),
  outreach_due: count(DUE_OUTREACH),
  outreach_due_seconds: age('next_at', DUE_OUTREACH),
  outreach_line: count('outreach where queued_at is not null'),
  crm_wishes: count(PENDING_STAGES),
  crm_wishes_seconds: age('pending_stage_since', PENDING_STAGES),
  crm_refused: count("crm_cards where pending_stage is not null and retry_at = 'infinity'"),
  crm_changes: count('crm_changes'),
  crm_changes_seconds: age('reported_at', 'crm_changes', 'clock_timestamp()'),
  opt_outs_due: count('opt_out_propagations'),
  opt_outs_due_seconds: age('requested_at', 'opt_out_propagations', 'clock_timestamp()'),
};

export const QUEUES = `select ${Object.entries(FIGURES)
  .map(([name, expression]) => `${expression} as ${name}`)
  .join(', ')}`;

/** Count the waiting work. */
export async function readQueues(pool: pg.Pool): Promise<Queues> {
  const { rows } = await pool.query<Queues>(prepared(QUEUES));
  const [row] = rows;
  if (!row) throw new Error('No figures');
  return row;
}
