import { z } from 'zod';

/**
 * Version of the backup format. A backup is gzipped JSON Lines: the head, then one line `[table's index in the head,
 * [row, ...]]` for each batch of rows, then the foot. A row is PostgreSQL's own text form of the record, so every type
 * is restored bit for bit.
 */
export const FORMAT = 1;

export const headSchema = z.strictObject({
  rapport: z.literal('backup'),
  format: z.int(),
  made_at: z.string(),
  postgres: z.string(),
  /** Names of the applied migrations, in order. */
  migrations: z.array(z.string()),
  tables: z.array(z.strictObject({ schema: z.string(), name: z.string(), columns: z.array(z.string()) })),
  /** `last_value` is text because it may exceed the range of a JSON number. */
  sequences: z.array(
    z.strictObject({ schema: z.string(), name: z.string(), last_value: z.string(), is_called: z.boolean() }),
  ),
});

export const batchSchema = z.tuple([z.int().nonnegative(), z.array(z.string())]);

/** Last line of a backup. A file without it was cut off. */
export const footSchema = z.strictObject({ end: z.literal(true), rows: z.int() });

export type Head = z.infer<typeof headSchema>;
export type Table = Head['tables'][number];

/**
 * Query for tables and columns with data of their own (no generated columns, no system tables; none of the job runner of
 * earlier versions, whose jobs only wake their processes).
 */
export const TABLES = `
  select n.nspname as schema, c.relname as name,
         coalesce(array_agg(a.attname::text order by a.attnum) filter (where a.attname is not null), '{}') as columns
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   where c.relkind = 'r' and c.relpersistence <> 't'
     and n.nspname not like 'pg\\_%' and n.nspname not in ('information_schema', 'graphile_worker')
   group by 1, 2
   order by 1, 2`;

/** Session settings for text forms that do not depend on the server or role, and without time limits. */
export const SESSION = `
  set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
  set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set timezone = 'UTC';
  set bytea_output = 'hex'; set extra_float_digits = 1; set xmloption = content`;

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Return the quoted full name of a table or sequence. */
export function nameOf({ schema, name }: { schema: string; name: string }): string {
  return `${quoteName(schema)}.${quoteName(name)}`;
}

export function columnsOf(table: Table): string {
  return table.columns.map(quoteName).join(', ');
}
