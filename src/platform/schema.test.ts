import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ColumnFact, columnsOfTables, describeSchema } from '../testing/describeSchema.ts';
import { freshDatabase } from '../testing/postgres.ts';

const SRC = join(import.meta.dirname, '..');

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

/** Tables that only raw SQL uses: no query is built on them, so they have no row type. */
const WITHOUT_TYPE = [
  'first_message_quota',
  'first_messages',
  'installation',
  'llm_prices',
  'llm_spending',
  'migrations',
  'nodes',
  'outreach',
  'outreach_products',
  'rate_limits',
  'suppressed_addresses',
];

/** The hand-written row types: `interface XTable` blocks, and their tables from `interface Tables` entries. */
async function typedTables(): Promise<Record<string, ColumnFact[]>> {
  const files = (await readdir(SRC, { recursive: true })).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const types = new Map<string, ColumnFact[]>();
  const tables: [string, string][] = [];
  for (const file of files) {
    const text = await readFile(join(SRC, file), 'utf8');
    for (const [, name = '', body = ''] of text.matchAll(/interface (\w+Table) \{\n([\s\S]*?)\n\}/g)) {
      if (types.has(name)) throw new Error(`Two types are called ${name}`);
      types.set(name, columnsIn(file, body));
    }
    for (const [, body = ''] of text.matchAll(/interface Tables \{\n([\s\S]*?)\n {2}\}/g)) {
      for (const [, table = '', type = ''] of body.matchAll(/^\s*(\w+): (\w+);$/gm)) tables.push([table, type]);
    }
  }
  return Object.fromEntries(
    tables.map(([table, type]) => {
      const columns = types.get(type);
      if (!columns) throw new Error(`${table} has the type ${type}, which was not found`);
      return [table, columns];
    }),
  );
}

function columnsIn(file: string, body: string): ColumnFact[] {
  const columns: ColumnFact[] = [];
  const code = body.replace(/\/\*\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  for (const statement of code.split(';')) {
    if (statement.trim() === '') continue;
    const [, name, type] = /^\s*(\w+): ([\s\S]+)$/.exec(statement) ?? [];
    if (name === undefined || type === undefined) throw new Error(`Cannot read "${statement.trim()}" in ${file}`);
    columns.push({ name, nullable: /\|\s*null\b/.test(type) });
  }
  return columns.sort((a, b) => (a.name < b.name ? -1 : 1));
}

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
      if (columns.some(({ name }) => name.endsWith('_sealed') || name === 'password_hash' || name === 'token_hash'))
        expect([table, rows.find(([tables]) => tables?.includes(`\`${table}\``))?.[1]]).toEqual([
          table,
          expect.stringMatching(/secret/i),
        ]);
  });

  it('is the one in docs/schema.sql: npm run schema writes it anew', async () => {
    const written = await readFile(join(SRC, '../docs/schema.sql'), 'utf8');
    expect(await describeSchema(pool)).toBe(written);
    expect(written.match(/^create table /gm)?.length ?? 0).toBeGreaterThan(15);
  });

  it('is what the row types say: the same columns, null where the column may be', async () => {
    const stored = await columnsOfTables(pool);
    const typed = await typedTables();
    expect(Object.keys(typed).length).toBeGreaterThan(15);
    for (const [table, columns] of Object.entries(typed)) expect([table, columns]).toEqual([table, stored[table]]);
    const untyped = Object.keys(stored).filter((table) => !(table in typed));
    expect(untyped.sort()).toEqual(WITHOUT_TYPE);
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
