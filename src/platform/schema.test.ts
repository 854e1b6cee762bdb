import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { columnsOfTables, describeRows, describeSchema } from '../testing/describeSchema.ts';
import { freshDatabase } from '../testing/postgres.ts';

const SRC = join(import.meta.dirname, '..');
const SCHEMA = join(SRC, '../docs/schema');

let pool: pg.Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
});
afterAll(async () => {
  await pool.end();
  await drop();
});

describe('the schema', () => {
  it("documents each table's class, retention and deletion in docs/data.md", async () => {
    const text = await readFile(join(SRC, '../docs/data.md'), 'utf8');
    const section = text.slice(text.indexOf('## Tables'), text.indexOf('## Outside'));
    const rows = [...section.matchAll(/^\| (`.*)\|$/gm)].map(([, row = '']) =>
      row.split('|').map((cell) => cell.trim()),
    );
    const named = rows.flatMap(([tables = '']) => [...tables.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(new Set(named)).toEqual(new Set(Object.keys(await columnsOfTables(pool))));
    expect(new Set(named).size).toBe(named.length);
    for (const [tables, sensitivity = '', ...rest] of rows) {
      expect([tables, sensitivity]).toEqual([tables, expect.stringMatching(/^(Secret|Personal|Internal|Operational)/)]);
      expect([tables, rest.filter((cell) => cell !== '').length]).toEqual([tables, 3]);
    }
    // Tables with encrypted or hashed columns must be classified as secret.
    for (const [table, columns] of Object.entries(await columnsOfTables(pool)))
      if (columns.some((name) => name.endsWith('_sealed') || name === 'password_hash' || name === 'token_hash'))
        expect([table, rows.find(([tables]) => tables?.includes(`\`${table}\``))?.[1]]).toEqual([
          table,
          expect.stringMatching(/secret/i),
        ]);
  });

  it('is the one in docs/schema/, which npm run schema writes', async () => {
    const files = await readdir(SCHEMA);
    const written = await Promise.all(
      files.map(async (file) => [file.replace('.sql', ''), await readFile(join(SCHEMA, file), 'utf8')]),
    );
    expect(await describeSchema(pool)).toEqual(Object.fromEntries(written));
    expect(files.length).toBeGreaterThan(15);
  });

  it('names the query or the rule that needs each index', async () => {
    const { rows } = await pool.query<{ name: string }>(
      `select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid
        where c.relnamespace = 'public'::regnamespace and obj_description(i.indexrelid) is null
          and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))`,
    );
    expect(rows).toEqual([]);
  });

  it('shows the query plan of each index of messages in docs/messages-indexes.md', async () => {
    const text = await readFile(join(SRC, '../docs/messages-indexes.md'), 'utf8');
    const table = text.slice(0, text.indexOf('## Dropped'));
    const { rows } = await pool.query<{ name: string }>(
      `select indexrelid::regclass::text as name from pg_index where indrelid = 'messages'::regclass`,
    );
    const named = new Set([...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name));
    expect(named).toEqual(new Set(rows.map(({ name }) => name)));
  });

  it('is what the row types say, which npm run schema writes', async () => {
    expect(await describeRows(pool)).toBe(await readFile(join(SRC, 'platform/postgres/rows.ts'), 'utf8'));
  });

  it("carries the product in every foreign key between a product's rows", async () => {
    const { rows } = await pool.query<{ table: string; definition: string }>(
      `select c.relname as table, pg_get_constraintdef(k.oid) as definition
         from pg_constraint k join pg_class c on c.oid = k.conrelid
        where k.contype = 'f' and c.relnamespace = 'public'::regnamespace
          and k.confrelid::regclass::text in ('leads', 'contacts', 'dialogues')`,
    );
    expect(rows.length).toBeGreaterThan(3);
    for (const row of rows)
      expect([row.table, row.definition]).toEqual([row.table, expect.stringContaining('product_id')]);
  });
});
