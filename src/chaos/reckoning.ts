/** The reckoning after a storm: how many messages there were, and which promise about them does not hold. */
import { brokenInvariants, type Stage } from '../testing/invariants.ts';

export interface Reckoning {
  /** What leads wrote; what of ours reached a phone. */
  readonly written: number;
  readonly reached: number;
  /** Name of the fault → sentences, one for each message or dialogue. */
  readonly faults: Readonly<Record<string, readonly string[]>>;
  /** Ended where an operator sees it: status → how many. */
  readonly listed: Readonly<Record<string, number>>;
}

/** By the number that a sentence of the invariants begins with. */
const NAMES: Readonly<Record<string, string>> = { '1': 'lost', '2': 'doubled', '3': 'out of order' };
const LISTED = ['error', 'cancelled', 'unconfirmed'];

/**
 * Reads journal and database. To be called when nothing is under way. `accepted`: client keys that were answered with
 * 201, each of which has to stand in the outbox.
 */
export async function reckon(stage: Stage, accepted: readonly string[]): Promise<Reckoning> {
  const faults: Record<string, string[]> = { lost: [], doubled: [], 'out of order': [], otherwise: [] };
  for (const sentence of await brokenInvariants(stage)) faults[NAMES[sentence[0] ?? ''] ?? 'otherwise']?.push(sentence);
  const { rows: typed } = await stage.pool.query<{ client_key: string; count: number }>(
    'select client_key, count(*)::int from messages where client_key is not null group by client_key',
  );
  const stored = new Map(typed.map((row) => [row.client_key, row.count]));
  for (const key of accepted) {
    const count = stored.get(key) ?? 0;
    if (count === 0) faults['lost']?.push(`"${key}" was accepted from the operator and is not stored`);
    if (count > 1) faults['doubled']?.push(`"${key}" of the operator is stored ${count} times`);
  }
  const { rows: left } = await stage.pool.query<{ id: number; status: string }>(
    "select id::int, status from messages where status in ('scheduled', 'sending')",
  );
  for (const row of left) faults['lost']?.push(`message ${row.id} is still ${row.status} when all is quiet`);
  const { rows: counted } = await stage.pool.query<{ status: string; count: number }>(
    'select status, count(*)::int from messages group by status',
  );
  const counts = new Map(counted.map((row) => [row.status, row.count]));
  const [written, reached] = await Promise.all([
    stage.control.entriesOf('inbound'),
    stage.control.entriesOf('reached'),
  ]);
  return {
    written: written.length,
    reached: reached.length,
    faults,
    listed: Object.fromEntries(LISTED.map((status) => [status, counts.get(status) ?? 0])),
  };
}
