import { z } from 'zod';

/**
 * A backup is gzipped JSON Lines: this head, then one line `[table's index in the head, [row, ...]]` for each batch of
 * rows, then this foot. A row is PostgreSQL's own text form of the record, so every type comes back bit for bit.
 */
export const FORMAT = 1;

export const headSchema = z.strictObject({
  rapport: z.literal('backup'),
  format: z.int(),
  made_at: z.string(),
  postgres: z.string(),
  /** Names of the migrations that had been applied, in order. */
  migrations: z.array(z.string()),
  tables: z.array(z.strictObject({ schema: z.string(), name: z.string(), columns: z.array(z.string()) })),
  /** `last_value` as text: it may pass what a JSON number holds. */
  sequences: z.array(
    z.strictObject({ schema: z.string(), name: z.string(), last_value: z.string(), is_called: z.boolean() }),
  ),
});

export const batchSchema = z.tuple([z.int().nonnegative(), z.array(z.string())]);

/** A file without it was cut off. */
export const footSchema = z.strictObject({ end: z.literal(true), rows: z.int() });

export type Head = z.infer<typeof headSchema>;
export type Table = Head['tables'][number];

/** Tables and columns that hold data of their own (no generated columns, nothing of the system). */
export const TABLES = `
  select n.nspname as schema, c.relname as name,
         coalesce(array_agg(a.attname::text order by a.attnum) filter (where a.attname is not null), '{}') as columns
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   where c.relkind = 'r' and c.relpersistence <> 't'
     and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
   group by 1, 2
   order by 1, 2`;

/** Text forms that do not depend on the settings of a server or role, and no limit on the time it takes. */
export const SESSION = `
  set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
  set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set timezone = 'UTC';
  set bytea_output = 'hex'; set extra_float_digits = 1; set xmloption = content`;

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The table's or sequence's full name, quoted. */
export function nameOf({ schema, name }: { schema: string; name: string }): string {
  return `${quoteName(schema)}.${quoteName(name)}`;
}

export function columnsOf(table: Table): string {
  return table.columns.map(quoteName).join(', ');
}
