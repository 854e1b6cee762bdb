/** The cost of the sweep, paid each second, as the history grows. */
import { findDueTurns } from '../../conversations/store/dialogues.ts';
import { findOpenItems } from '../../inbox/store/items.ts';
import { findOrphanedClaims } from '../../outbox/store/claims.ts';
import { findDueDialogues } from '../../outbox/store/queue.ts';
import type { Reader } from '../../platform/db.ts';
import { createLog } from '../../platform/log.ts';
import { openDb } from '../../platform/openDb.ts';
import type { BenchEnvironment } from './environment.ts';
import { median } from './median.ts';

export interface GrowthResult {
  readonly rows: number;
  /** Milliseconds of one query, median of twenty. */
  readonly queryMs: Readonly<Record<string, number>>;
}

const QUERIES: Readonly<Record<string, (reader: Reader) => Promise<unknown>>> = {
  'due turns': (reader) => findDueTurns(reader, 500),
  'due messages': (reader) => findDueDialogues(reader, 500),
  orphans: (reader) => findOrphanedClaims(reader, 500),
  'open hooks': (reader) => findOpenItems(reader, 500),
};

/** Fill messages and inbox with settled rows up to each size, and query what is due. */
export async function measureGrowth(environment: BenchEnvironment, sizes: readonly number[]): Promise<GrowthResult[]> {
  const lead = await environment.world.lead('Anna');
  const dialogue = await lead.dialogueId();
  const db = openDb(environment.world.databaseUrl, createLog('silent'), { max: 1 });
  const results: GrowthResult[] = [];
  let filled = 0;
  try {
    for (const size of sizes) {
      await environment.pool.query(
        `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, scheduled_at, ext_id)
         select $1, $2, $3, $4, 'Delivery takes six weeks.', 'bot', 'bot', 'read', now(), 'grown ' || n from generate_series($5::int + 1, $6::int) n`,
        [environment.world.productId, lead.contactId, dialogue, environment.world.whatsapp.id, filled, size],
      );
      await environment.pool.query(
        `insert into inbox (account_id, kind, ext_id, status, item, state)
         select account_id, 'status', 'grown ' || n, 'read', '{}', 'done' from channels, generate_series($2::int + 1, $3::int) n where id = $1`,
        [environment.world.whatsapp.id, filled, size],
      );
      filled = size;
      await environment.pool.query('vacuum analyze messages, inbox');
      const queryMs: Record<string, number> = {};
      for (const [name, query] of Object.entries(QUERIES)) queryMs[name] = await medianOf(20, () => query(db.reader));
      results.push({ rows: size, queryMs });
    }
  } finally {
    await db.close();
  }
  return results;
}

async function medianOf(count: number, work: () => Promise<unknown>): Promise<number> {
  const durations: number[] = [];
  for (let round = 0; round < count; round++) {
    const startedAt = performance.now();
    await work();
    durations.push(performance.now() - startedAt);
  }
  return median(durations);
}
