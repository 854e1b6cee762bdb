/** Inserts the demo's rows, many in one statement. */
import { sql } from 'kysely';
import type { Tx } from '../platform/db.ts';
import type { Instant } from './demoLeads/timeline.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Insert a row and return its id, which the table must have. */
export async function insertRow(tx: Tx, table: string, row: Row): Promise<number> {
  const { rows } = await sql<{ id: number }>`${insertion(table, [row])} returning id`.execute(tx);
  const [inserted] = rows;
  if (!inserted) throw new Error(`No row of ${table}`);
  return inserted.id;
}

/** Insert all rows, which must have the same columns, with their own ids; there may be none. */
export async function insertRows(tx: Tx, table: string, rows: readonly Row[]): Promise<void> {
  if (rows.length > 0) await insertion(table, rows).execute(tx);
}

function insertion(table: string, rows: readonly Row[]) {
  const columns = sql.join(Object.keys(rows[0] ?? {}).map((column) => sql.ref(column)));
  return sql`insert into ${sql.table(table)} (${columns}) overriding system value
             select ${columns} from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb)`;
}

/** Reserve the next ids of a table. */
export async function reserveIds(tx: Tx, table: string, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence(${table}, 'id')) as id from generate_series(1, ${count}::int)`.execute(tx);
  return rows.map((row) => row.id);
}

export const iso = (at: Instant): string => new Date(at).toISOString();
