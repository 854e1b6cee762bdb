/**
 * What must be true of messages and hooks when no work is left, after chaos, load and a simulated month alike: the
 * invariants of src/testing/invariants.ts, the outbox, working hours, and acknowledged hooks.
 */
import { brokenInvariants, type InvariantsInput } from '../../testing/invariants.ts';
import type { StoredHooks } from './leads.ts';
import type { SentHooks } from './load.ts';

export interface MessageVerification {
  /** Messages that leads wrote, and our messages that reached a phone. */
  readonly written: number;
  readonly reached: number;
  /** Sentences by name of the fault, one for each message or dialogue. */
  readonly faults: Readonly<Record<string, readonly string[]>>;
  /** Messages that failed visibly for an operator: how many by status. */
  readonly listed: Readonly<Record<string, number>>;
}

/** Hours, in UTC, in which messages of a product may be claimed. */
interface Hours {
  readonly productId: number;
  readonly from: string;
  readonly to: string;
}

/** Names by the number at the start of an invariant's sentence. */
const NAMES: Readonly<Record<string, string>> = {
  '1': 'lost',
  '2': 'doubled',
  '3': 'out of order',
  '5': 'after an opt-out',
};
const LISTED = ['error', 'cancelled', 'unconfirmed'];

/** Return a sentence for each broken guarantee. */
export const faultSentences = (faults: MessageVerification['faults']): string[] =>
  Object.entries(faults).flatMap(([name, list]) => list.map((one) => `${name}: ${one}`));

/** Return the number of faults by name. */
export const faultCounts = (faults: MessageVerification['faults']): Record<string, number> =>
  Object.fromEntries(Object.entries(faults).map(([name, list]) => [name, list.length]));

/** Return the violations of what every vendor is promised: what is acknowledged is stored once, a refusal is temporary. */
export function hookViolations(sent: SentHooks, stored: StoredHooks): string[] {
  const counts: Readonly<Record<string, number>> = {
    'acknowledged hooks are not stored': stored.missing,
    'acknowledged hooks are stored more than once': stored.doubled,
    'stored hooks became no message': stored.withoutMessage,
    'hooks were never acknowledged': sent.abandoned,
    'answers 503 had no Retry-After': sent.withoutRetryAfter,
  };
  return Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []));
}

/**
 * Verify journal and database; call it when no work is left. `accepted`: client keys that were answered with 201, each
 * of which must be in the outbox. `hours`: of the product that has some.
 */
export async function verifyMessages(
  input: InvariantsInput,
  accepted: readonly string[],
  hours?: Hours,
): Promise<MessageVerification> {
  const faults: Record<string, string[]> = {
    lost: [],
    doubled: [],
    'out of order': [],
    ...(hours ? { 'out of window': [] } : {}),
    'after an opt-out': [],
    otherwise: [],
  };
  const report = (name: string, sentence: string) => faults[name]?.push(sentence);
  for (const sentence of await brokenInvariants(input)) report(NAMES[sentence[0] ?? ''] ?? 'otherwise', sentence);
  const { rows: typed } = await input.pool.query<{ client_key: string; count: number }>(
    'select client_key, count(*)::int from messages where client_key is not null group by client_key',
  );
  const stored = new Map(typed.map((row) => [row.client_key, row.count]));
  for (const key of accepted) {
    const count = stored.get(key) ?? 0;
    if (count === 0) report('lost', `"${key}" was accepted from the operator and is not stored`);
    if (count > 1) report('doubled', `"${key}" of the operator is stored ${count} times`);
  }
  const { rows: unfinished } = await input.pool.query<{ id: number; status: string }>(
    "select id::int, status from messages where status in ('scheduled', 'sending')",
  );
  for (const row of unfinished) report('lost', `message ${row.id} is still ${row.status} when all is quiet`);
  if (hours) for (const sentence of await outsideWorkingHours(input, hours)) report('out of window', sentence);
  for (const sentence of await unfinishedWork(input)) report('otherwise', sentence);
  const { rows: counted } = await input.pool.query<{ status: string; count: number }>(
    'select status, count(*)::int from messages group by status',
  );
  const counts = new Map(counted.map((row) => [row.status, row.count]));
  const [written, reached] = await Promise.all([
    input.control.entriesOf('inbound'),
    input.control.entriesOf('reached'),
  ]);
  return {
    written: written.length,
    reached: reached.length,
    faults,
    listed: Object.fromEntries(LISTED.map((status) => [status, counts.get(status) ?? 0])),
  };
}

/** Find messages claimed outside the hours although they had to keep them. */
async function outsideWorkingHours(input: InvariantsInput, { productId, from, to }: Hours): Promise<string[]> {
  const { pool, domainOf = (real: number) => real } = input;
  const { rows } = await pool.query<{ id: number; claimed: number }>(
    `select id::int, (extract(epoch from claimed_at) * 1000)::float8 as claimed from messages
      where product_id = $1 and side = 'bot' and author in ('bot', 'operator') and schedule_enabled and claimed_at is not null`,
    [productId],
  );
  return rows.flatMap(({ id, claimed }) => {
    const at = new Date(domainOf(claimed)).toISOString();
    const time = at.slice(11, 16);
    return time >= from && time < to ? [] : [`message ${id} was claimed at ${at}, outside ${from} to ${to}`];
  });
}

/** Find unfinished work: unprocessed hooks, due turns, and claims that were not released. */
async function unfinishedWork(input: InvariantsInput): Promise<string[]> {
  const { pool } = input;
  const { rows: leftovers } = await pool.query<{ what: string; count: number }>(`
    select 'hooks not taken in' as what, count(*)::int from inbox where state in ('new', 'failed') or (state = 'parked' and parked_until is not null)
     union all select 'first messages without a recipient not settled', count(*)::int from messages where recipient_not_found
     union all select 'opt-outs that other leads do not follow', count(*)::int from opt_out_propagations
     union all select 'turns still due', count(*)::int from dialogues where turn_due_at <= domain_now()
     union all select 'lines of products still held', count(*)::int from outreach_products where claimed_until > clock_timestamp()
     union all select 'leads still in hand for outreach', count(*)::int from outreach where claimed_until > clock_timestamp()`);
  return leftovers.filter(({ count }) => count > 0).map(({ what, count }) => `${count} ${what}`);
}
