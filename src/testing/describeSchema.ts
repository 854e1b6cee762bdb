/** Describes a database's schema as one readable text: the result of all migrations. */
import type pg from 'pg';

interface Column {
  table: string;
  name: string;
  type: string;
  required: boolean;
  identity: string;
  fallback: string | null;
}
interface Part {
  table: string;
  definition: string;
}

const OURS = "n.nspname = 'public'";

/** Describe tables with their columns, constraints and indexes, then functions and triggers, in alphabetical order. */
export async function describeSchema(pool: pg.Pool | pg.Client): Promise<string> {
  const read = async <Row extends object>(text: string): Promise<Row[]> => (await pool.query<Row>(text)).rows;
  const columns = await read<Column>(`
    select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
           a.attidentity as identity, pg_get_expr(d.adbin, d.adrelid) as fallback
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where ${OURS} and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
     order by c.relname, a.attnum`);
  // Since PostgreSQL 18 NOT NULL is a constraint too; it is shown with its column.
  const constraints = await read<Part>(`
    select c.relname as table, 'constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid) as definition
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
     where ${OURS} and k.contype in ('p', 'u', 'f', 'c', 'x')
     order by c.relname, array_position(array['p', 'u', 'f', 'c', 'x'], k.contype::text), k.conname`);
  const indexes = await read<Part>(`
    select c.relname as table, pg_get_indexdef(i.indexrelid) as definition
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
      join pg_namespace n on n.oid = c.relnamespace
     where ${OURS} and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
     order by c.relname, x.relname`);
  const functions = await read<Part>(`
    select p.proname as table, pg_get_functiondef(p.oid) as definition
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where ${OURS} order by p.proname, pg_get_function_identity_arguments(p.oid)`);
  const triggers = await read<Part>(`
    select c.relname as table, pg_get_triggerdef(t.oid) as definition
      from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
     where ${OURS} and not t.tgisinternal order by c.relname, t.tgname`);

  const tables = [...new Set(columns.map((one) => one.table))].map((table) => {
    const lines = [
      ...columns.filter((one) => one.table === table).map(columnLine),
      ...constraints.filter((one) => one.table === table).map((one) => one.definition),
    ];
    const own = indexes.filter((one) => one.table === table).map((one) => `${one.definition};`);
    return [`create table ${table} (`, lines.map((line) => `  ${line}`).join(',\n'), ');', ...own].join('\n');
  });
  return [
    '-- The schema that the migrations come to. Generated: npm run schema. Nothing reads it but people; a test compares.',
    ...tables,
    ...functions.map((one) => `${one.definition.trim()};`),
    triggers.map((one) => `${one.definition};`).join('\n'),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n')
    .replaceAll('public.', '');
}

function columnLine(column: Column): string {
  const identity = column.identity === '' ? '' : ' generated always as identity';
  const fallback = column.fallback === null ? '' : ` default ${column.fallback}`;
  return `${column.name} ${column.type}${column.required ? ' not null' : ''}${identity}${fallback}`;
}

export interface ColumnFact {
  readonly name: string;
  readonly nullable: boolean;
}

/** Return the columns of every table, sorted by name. */
export async function columnsOfTables(pool: pg.Pool): Promise<Record<string, ColumnFact[]>> {
  const { rows } = await pool.query<ColumnFact & { table: string }>(
    `select c.relname as table, a.attname as name, not a.attnotnull as nullable
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where ${OURS} and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped order by a.attname`,
  );
  const tables: Record<string, ColumnFact[]> = {};
  for (const { table, name, nullable } of rows) (tables[table] ??= []).push({ name, nullable });
  return tables;
}
