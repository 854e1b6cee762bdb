/** Describes a database's schema as readable files: the result of all migrations. */
import type pg from 'pg';

interface Column {
  table: string;
  name: string;
  type: string;
  required: boolean;
  identity: string;
  /** `s`: computed from the row's other columns. */
  generated: string;
  fallback: string | null;
}
interface Part {
  table: string;
  definition: string;
}

const OURS = "n.nspname = 'public'";

async function readColumns(pool: pg.Pool | pg.Client): Promise<Column[]> {
  const { rows } = await pool.query<Column>(`
  select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
         a.attidentity as identity, a.attgenerated as generated, pg_get_expr(d.adbin, d.adrelid) as fallback
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where ${OURS} and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
   order by c.relname, a.attnum`);
  return rows;
}

/**
 * Describe each table with its columns, constraints, indexes and triggers; by file name, without `.sql`. An index has
 * the query that needs it above it, a trigger the file that it is in.
 */
export async function describeSchema(pool: pg.Pool | pg.Client): Promise<Record<string, string>> {
  const read = async <Row extends object>(text: string): Promise<Row[]> => (await pool.query<Row>(text)).rows;
  const columns = await readColumns(pool);
  // Since PostgreSQL 18 NOT NULL is a constraint too; it is shown with its column.
  const constraints = await read<Part>(`
    select c.relname as table, 'constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid, true) as definition
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
     where ${OURS} and k.contype in ('p', 'u', 'f', 'c', 'x')
     order by c.relname, array_position(array['p', 'u', 'f', 'c', 'x'], k.contype::text), k.conname`);
  const indexes = await read<Part>(`
    select c.relname as table,
           coalesce('-- ' || obj_description(i.indexrelid), '') || E'\\n' || pg_get_indexdef(i.indexrelid, 0, true) as definition
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
      join pg_namespace n on n.oid = c.relnamespace
     where ${OURS} and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
     order by c.relname, x.relname`);
  const triggers = await read<Part>(`
    select c.relname as table,
           '-- migrations/functions/' || p.proname || E'.sql\n' || pg_get_triggerdef(t.oid, true) as definition
      from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid join pg_namespace n on n.oid = c.relnamespace
     where ${OURS} and not t.tgisinternal and p.pronamespace = 'public'::regnamespace order by c.relname, t.tgname`);

  const files: Record<string, string> = {};
  for (const { table } of columns) {
    const of = <Row extends { table: string }>(parts: readonly Row[]) => parts.filter((one) => one.table === table);
    const lines = [...of(columns).map(columnLine), ...of(constraints).map(({ definition }) => definition)];
    files[table] ??= fileOf([
      [`create table ${table} (`, lines.map((line) => `  ${line}`).join(',\n'), ')'].join('\n'),
      ...[...of(indexes), ...of(triggers)].map(({ definition }) => definition.trim()),
    ]);
  }
  return files;
}

/** Return the definitions of all functions by name, as PostgreSQL stores them. */
export async function describeFunctions(pool: pg.Pool | pg.Client): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string; definition: string }>(
    `select p.proname as name, pg_get_functiondef(p.oid) as definition
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${OURS} order by p.proname`,
  );
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]));
}

/** Join statements to a file. The keywords that PostgreSQL writes in capitals stay so. */
const fileOf = (statements: readonly string[]): string =>
  statements
    .map((statement) => `${statement};\n`)
    .join('\n')
    .replaceAll('public.', '')
    .replaceAll('timestamp(3) with time zone', 'timestamptz(3)');

function columnLine(column: Column): string {
  const identity = column.identity === '' ? '' : ' generated always as identity';
  const expression = column.fallback?.replaceAll(/\s+/g, ' ').trim();
  const fallback =
    expression === undefined
      ? ''
      : column.generated === 's'
        ? ` generated always as (${expression}) stored`
        : ` default ${expression}`;
  return `${column.name} ${column.type}${column.required ? ' not null' : ''}${identity}${fallback}`;
}

/** TypeScript's types of PostgreSQL's, as the pools parse them. */
const TYPES: Readonly<Record<string, string>> = {
  bigint: 'number',
  integer: 'number',
  smallint: 'number',
  'double precision': 'number',
  numeric: 'number',
  text: 'string',
  uuid: 'string',
  date: 'string',
  interval: 'string',
  'timestamp with time zone': 'string',
  boolean: 'boolean',
  bytea: 'Buffer',
  json: 'unknown',
  jsonb: 'unknown',
};

/** Describe the rows of all tables as TypeScript. A column with a default may be omitted in an insert. */
export async function describeRows(pool: pg.Pool | pg.Client): Promise<string> {
  const columns = await readColumns(pool);
  const tables = [...new Set(columns.map(({ table }) => table))].map((table) =>
    [`  ${table}: {`, ...columns.filter((one) => one.table === table).map(fieldLine), '  };'].join('\n'),
  );
  return `/** The rows of all tables as PostgreSQL stores them, written by npm run schema. Each module narrows its own: \`Row\`. */
import type { Generated, GeneratedAlways } from 'kysely';

export interface Rows {
${tables.join('\n')}
}
`;
}

function fieldLine({ name, type, required, identity, generated, fallback }: Column): string {
  const list = type.endsWith('[]') ? '[]' : '';
  const plain = TYPES[type.replace(/\(.*?\)|\[\]/g, '')];
  if (plain === undefined) throw new Error(`The type ${type} of ${name} has no type of TypeScript`);
  const value = `${plain}${list}${required || plain === 'unknown' ? '' : ' | null'}`;
  if (generated === 's') return `    ${name}: GeneratedAlways<${value}>;`;
  return `    ${name}: ${identity !== '' || fallback !== null ? `Generated<${value}>` : value};`;
}

/** Return the names of every table's columns. */
export async function columnsOfTables(pool: pg.Pool): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {};
  for (const { table, name } of await readColumns(pool)) (tables[table] ??= []).push(name);
  return tables;
}
