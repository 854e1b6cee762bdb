import { sql } from 'kysely';
import type { Reader } from './db.ts';

/** The domain time as a column's value. */
export const DOMAIN_NOW = sql<string>`domain_now()`;

export const clock = {
  /** Return the domain time as ISO-8601: the database's clock plus its one offset. */
  async now(reader: Reader): Promise<string> {
    const { rows } = await sql<{ now: string }>`select domain_now() as now`.execute(reader);
    const [row] = rows;
    if (!row) throw new Error('The database gave no time');
    return row.now;
  },
};
