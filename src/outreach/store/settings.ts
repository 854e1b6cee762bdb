/** All SQL statements about schedules and follow-up settings. */
import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import type { PingConfig, ScheduleConfig } from '../contract.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    schedules: Row<'schedules', { config: ScheduleConfig }>;
    ping_configs: Row<'ping_configs', { config: PingConfig['config'] }>;
  }
}

/** Find the id of the product's row; a product has at most one. */
export async function findSettingId(
  reader: Reader,
  table: 'schedules' | 'ping_configs',
  productId: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from ${sql.table(table)} where product_id = ${productId}`.execute(reader);
  return rows[0]?.id;
}

/** Count the follow-up steps of the product that refer to a prompt or a prepared message. */
export async function countStepsUsing(
  tx: Tx,
  { field, id, productId }: { field: 'prompt_id' | 'prepared_message_id'; id: number; productId: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from ping_configs c cross join lateral jsonb_array_elements(c.config->'steps') as step
     where c.product_id = ${productId} and (step->>${field})::bigint = ${id}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Read the prompts of a product's follow-ups, and whether the follow-ups are enabled. */
export async function readStepPrompts(
  reader: Reader,
  productId: number,
): Promise<{ promptIds: number[]; isOn: boolean }> {
  const { rows } = await sql<{ prompt_id: number; is_enabled: boolean }>`
    select distinct (step->>'prompt_id')::bigint as prompt_id, c.is_enabled
      from ping_configs c cross join lateral jsonb_array_elements(c.config->'steps') as step
     where c.product_id = ${productId} and step->>'prompt_id' is not null`.execute(reader);
  return { promptIds: rows.map((row) => row.prompt_id), isOn: rows.some((row) => row.is_enabled) };
}
