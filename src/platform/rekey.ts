/** Encrypt every secret of the database under the current key, while servers run. */
import type pg from 'pg';
import type { SecretCipher } from './secretCipher.ts';

/** The number of values encrypted again, and the locations of values that no known key decrypts. */
export interface RekeyResult {
  readonly reencrypted: number;
  readonly unreadable: readonly string[];
}

interface EncryptedColumn {
  readonly table: string;
  readonly column: string;
  /** SQL expression for the row's part of a value's location: its primary key as text. */
  readonly key: string | null;
}

interface EncryptedRow {
  readonly key: string;
  readonly sealed: string;
}

/** Finds encrypted columns by their names, so that a new one is covered without a list. */
const COLUMNS = `
  select c.relname as "table", quote_ident(a.attname) as "column",
         (select case when k.atttypid = 'bytea'::regtype then format('encode(t.%I, ''hex'')', k.attname)
                      else format('t.%I::text', k.attname) end
            from pg_index i join pg_attribute k on k.attrelid = i.indrelid and k.attnum = i.indkey[0]
           where i.indrelid = c.oid and i.indisprimary and i.indnkeyatts = 1) as "key"
    from pg_attribute a join pg_class c on c.oid = a.attrelid
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not a.attisdropped and a.attnum > 0
     and (a.attname like '%\\_sealed' or (c.relname, a.attname) = ('installation', 'key_check'))
   order by 1, 2`;

/**
 * Encrypt all values under the current key, `batchSize` of a table in each transaction. A value that changes meanwhile
 * is left to the next pass. Passes end when nothing is left to do, so the command can be stopped and started again at
 * any point.
 */
export async function rekey(pool: pg.Pool, cipher: SecretCipher, batchSize = 200): Promise<RekeyResult> {
  const { rows: columns } = await pool.query<EncryptedColumn>(COLUMNS);
  let reencrypted = 0;
  for (;;) {
    let changed = 0;
    const unreadable: string[] = [];
    for (const column of columns) {
      if (column.key === null) throw new Error(`${column.table} has sealed values and no primary key of one column`);
      changed += await rekeyColumn(pool, { cipher, ...column, key: column.key, batchSize, unreadable });
    }
    reencrypted += changed;
    if (changed === 0) return { reencrypted, unreadable };
  }
}

async function rekeyColumn(
  pool: pg.Pool,
  {
    cipher,
    table,
    column,
    key,
    batchSize,
    unreadable,
  }: EncryptedColumn & { cipher: SecretCipher; key: string; batchSize: number; unreadable: string[] },
): Promise<number> {
  let changed = 0;
  for (let after = ''; ; ) {
    const { rows } = await pool.query<EncryptedRow>(
      `select ${key} as key, t.${column} as sealed from ${table} t
        where t.${column} is not null and not starts_with(t.${column}, $1) and ${key} collate "C" > $2
        order by ${key} collate "C" limit $3`,
      [cipher.currentPrefix, after, batchSize],
    );
    const last = rows.at(-1);
    if (last === undefined) return changed;
    after = last.key;
    const updates = rows.flatMap((row) =>
      reencrypt(cipher, { location: `${table}.${column}.${row.key}`, row, unreadable }),
    );
    changed += await writeUpdates(pool, { table, column, key }, updates);
  }
}

function reencrypt(
  cipher: SecretCipher,
  { location, row, unreadable }: { location: string; row: EncryptedRow; unreadable: string[] },
): (EncryptedRow & { next: string })[] {
  try {
    return [{ ...row, next: cipher.encryptSecret(cipher.decryptSecret(row.sealed, location), location) }];
  } catch {
    unreadable.push(location);
    return [];
  }
}

/** Update only rows that still hold the value that was read: a value written meanwhile is not overwritten. */
async function writeUpdates(
  pool: pg.Pool,
  { table, column, key }: EncryptedColumn & { key: string },
  updates: readonly (EncryptedRow & { next: string })[],
): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query("select set_config('rapport.rekeying', 'on', true)");
    const { rowCount } = await client.query(
      `update ${table} t set ${column} = n.next from unnest($1::text[], $2::text[], $3::text[]) as n (key, sealed, next)
        where ${key} = n.key and t.${column} = n.sealed`,
      [updates.map((one) => one.key), updates.map((one) => one.sealed), updates.map((one) => one.next)],
    );
    await client.query('commit');
    client.release();
    return rowCount ?? 0;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
