import type pg from 'pg';

/** Have PostgreSQL read the statistics of tables that have doubled since it last did. */
export async function readGrownTables(pool: pg.Pool): Promise<void> {
  await pool.query('select analyze_grown_tables()');
}
