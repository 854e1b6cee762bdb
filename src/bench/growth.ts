/** What the sweep pays each second for a history that only grows. */
import { dueTurns } from '../dialogues/store/dialogues.ts';
import { openItems } from '../dialogues/store/inbox.ts';
import { orphans } from '../dialogues/store/lost.ts';
import { dueDialogues } from '../dialogues/store/queue.ts';
import { openDb, type Reader } from '../platform/db.ts';
import { createLog } from '../platform/log.ts';
import { median } from './median.ts';
import type { Setting } from './setting.ts';

export interface Grown {
  readonly rows: number;
  /** Milliseconds of one look, median of twenty. */
  readonly looks: Readonly<Record<string, number>>;
}

const LOOKS: Readonly<Record<string, (reader: Reader) => Promise<unknown>>> = {
  'due turns': (reader) => dueTurns(reader, 500),
  'due messages': (reader) => dueDialogues(reader, 500),
  orphans: (reader) => orphans(reader, 500),
  'open hooks': (reader) => openItems(reader, 500),
};

/** Fills messages and inbox up to each size with what is settled, and looks for what is due. */
export async function measureGrowth(setting: Setting, sizes: readonly number[]): Promise<Grown[]> {
  const person = await setting.world.lead('Anna');
  const dialogue = await person.dialogueId();
  const db = openDb(setting.world.databaseUrl, createLog('silent'), { max: 1 });
  const grown: Grown[] = [];
  let filled = 0;
  try {
    for (const size of sizes) {
      await setting.pool.query(
        `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, scheduled_at, ext_id)
         select $1, $2, $3, $4, 'Delivery takes six weeks.', 'bot', 'bot', 'read', now(), 'grown ' || n from generate_series($5::int + 1, $6::int) n`,
        [setting.world.productId, person.contactId, dialogue, setting.world.whatsapp.id, filled, size],
      );
      await setting.pool.query(
        `insert into inbox (account_id, kind, ext_id, status, item, state)
         select account_id, 'status', 'grown ' || n, 'read', '{}', 'done' from channels, generate_series($2::int + 1, $3::int) n where id = $1`,
        [setting.world.whatsapp.id, filled, size],
      );
      filled = size;
      await setting.pool.query('vacuum analyze messages, inbox');
      const looks: Record<string, number> = {};
      for (const [name, look] of Object.entries(LOOKS)) looks[name] = await medianOf(20, () => look(db.reader));
      grown.push({ rows: size, looks });
    }
  } finally {
    await db.close();
  }
  return grown;
}

async function medianOf(count: number, work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < count; round++) {
    const begun = performance.now();
    await work();
    taken.push(performance.now() - begun);
  }
  return median(taken);
}
