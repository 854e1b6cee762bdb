import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { freshDatabase } from '../../testing/postgres.ts';
import { type Head, nameOf, TABLES, type Table } from './archive.ts';
import { writeBackup } from './backup.ts';
import { RestoreRefused, restoreBackup } from './restore.ts';

const KEY = 'the secret key of the installation, for tests';
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function database(...statements: string[]): Promise<string> {
  const { url, drop } = await freshDatabase();
  undo.push(drop);
  for (const statement of statements) await query(url, statement);
  return url;
}

function backupFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rapport-backup-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'backup');
}

async function query<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Return every row of every table and the state of every sequence, as text. */
async function contents(url: string): Promise<Record<string, unknown>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const everything: Record<string, unknown> = {};
    for (const table of (await client.query<Table>(TABLES)).rows) {
      const { rows } = await client.query(`select t::text as row from ${nameOf(table)} t order by 1`);
      everything[nameOf(table)] = rows;
    }
    const sequences = await client.query<{ schema: string; name: string }>(
      "select schemaname as schema, sequencename as name from pg_sequences where schemaname not like 'pg\\_%'",
    );
    for (const sequence of sequences.rows) {
      const { rows } = await client.query(`select last_value, is_called from ${nameOf(sequence)}`);
      everything[nameOf(sequence)] = rows;
    }
    return everything;
  } finally {
    await client.end();
  }
}

// Added to the product's own tables: types with delicate text forms, generated columns, circular keys.
const ODD_TABLES = `
  create table odd (
    id bigint generated always as identity primary key,
    "Strange ""name"", indeed" text, words text[], bytes bytea, exact numeric, rough float8, at timestamptz,
    span interval, doc jsonb, plain json, doubled numeric generated always as (exact * 2) stored, best bigint
  );
  alter table odd drop column rough;
  alter table odd add column rough float8;
  alter table odd add constraint odd_best foreign key (best) references odd deferrable initially deferred;
  create table told (n int);
  create function tell() returns trigger language plpgsql as $$ begin insert into told values (1); return null; end $$;
  create trigger tell after insert on odd for each row execute function tell()`;

const ODD_ROWS = `
  insert into odd ("Strange ""name"", indeed", words, bytes, exact, rough, at, span, doc, plain, best) values
    (E'back\\\\slash, "quote" (bracket) \\n line \\u2028 ünï 😀', array['a,b', null, '{}', ''], '\\x00ff', 12345678901234567890.123456789,
     0.1 + 0.2, '2026-03-29 01:30:00.123456+03', '1 month -2 days 03:04:05.678', 'null', '{"b": 1,  "a": 1}', 2),
    ('', '{}', '', 'NaN', '-Infinity', 'infinity', null, null, null, 1)`;

test('restores every row, key and sequence of a backup elsewhere', async () => {
  const from = await database(ODD_TABLES, ODD_ROWS);
  await query(from, "insert into companies (name) values ('Alpha'), ('Beta')");
  await query(from, "insert into products (company_id, name) select id, name || ' One' from companies");
  await query(from, 'delete from told');
  const file = backupFile();
  const size = await writeBackup(from, file, KEY);
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const to = await database(ODD_TABLES);
  expect(await restoreBackup(to, file, { force: false, secretKeys: [KEY] })).toEqual(size);
  expect(await contents(to)).toEqual(await contents(from));

  // The triggers are active again, and new rows get new ids.
  await query(to, "insert into odd (best) values (1); insert into companies (name) values ('Gamma')");
  expect(await query(to, 'select max(id)::int as id from odd union select count(*)::int from told order by 1')).toEqual(
    [{ id: 1 }, { id: 3 }],
  );
  await expect(query(to, 'insert into odd (best) values (99)')).rejects.toThrow('odd_best');
  await expect(query(to, "insert into products (company_id, name) values (99, 'x')")).rejects.toThrow('foreign key');
});

test('holds concurrent transactions wholly or not at all in a backup', async () => {
  const setUp = `
    create table accounts (id int primary key, amount int not null);
    create table entries (id bigint generated always as identity primary key, account int references accounts);
    insert into accounts select n, 100 from generate_series(1, 2000) n`;
  const from = await database(setUp);
  let going = true;
  let startedAt = 0;
  const underWay = Promise.withResolvers<void>();
  const load = Promise.all(
    [1, 2, 3].map(async () => {
      const client = new pg.Client({ connectionString: from });
      await client.connect();
      let moves = 0;
      for (; going; moves += 1) {
        // The first and the last table change in one transaction.
        await client.query(`
          begin;
          with pair as (select (random() * 900)::int + 1 as low, (random() * 900)::int + 1001 as high),
               taken as (update accounts set amount = amount - 1 where id = (select low from pair) returning id)
          insert into entries (account) select id from taken;
          update accounts set amount = amount + 1 where id = (select max(account) + 1000 from entries where id = lastval());
          commit`);
        if (moves === 0) startedAt += 1;
        if (startedAt === 3) underWay.resolve();
      }
      await client.end();
      return moves;
    }),
  );
  await underWay.promise;
  const file = backupFile();
  for (const attempt of [1, 2, 3]) {
    await writeBackup(from, `${file}${attempt}`, KEY);
  }
  going = false;
  expect(Math.min(...(await load))).toBeGreaterThan(0);

  const to = await database(setUp);
  for (const attempt of [1, 2, 3]) {
    await restoreBackup(to, `${file}${attempt}`, { force: true, secretKeys: [KEY] });
    const sums = await query(
      to,
      `select (select sum(amount)::int from accounts) as total,
              (select sum(100 - amount)::int from accounts where amount < 100) - (select count(*)::int from entries) as off,
              (select last_value >= coalesce((select max(id) from entries), 1) from entries_id_seq) as ahead`,
    );
    expect(sums).toEqual([{ total: 200_000, off: 0, ahead: true }]);
  }
});

test('replaces a used database only when forced', async () => {
  const from = await database("insert into companies (name) values ('Alpha')");
  const to = await database("insert into companies (name) values ('Beta'), ('Gamma')");
  const file = backupFile();
  await writeBackup(from, file, KEY);
  await expect(restoreBackup(to, file, { force: false, secretKeys: [KEY] })).rejects.toThrow(
    'not empty (companies has rows)',
  );
  expect(await query(to, 'select count(*)::int as n from companies')).toEqual([{ n: 2 }]);
  await restoreBackup(to, file, { force: true, secretKeys: [KEY] });
  expect(await contents(to)).toEqual(await contents(from));
});

test('refuses to restore into a database with connected servers, forced or not', async () => {
  const from = await database();
  const to = await database();
  const file = backupFile();
  await writeBackup(from, file, KEY);
  const server = new pg.Client({ connectionString: to });
  await server.connect();
  await expect(restoreBackup(to, file, { force: true, secretKeys: [KEY] })).rejects.toThrow('1 other connections');
  await server.end();
});

test('changes nothing when a backup file is truncated, altered or not a backup', async () => {
  const from = await database("insert into companies (name) select 'Alpha ' || n from generate_series(1, 3000) n");
  const to = await database("insert into companies (name) values ('Beta')");
  const before = await contents(to);
  const file = backupFile();
  await writeBackup(from, file, KEY);
  const whole = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
  const cases: [string, () => void][] = [
    ['cut in the middle', () => truncateSync(file, Math.floor(statSync(file).size / 2))],
    ['its end is missing', () => writeFileSync(file, gzipSync(`${whole.slice(0, -1).join('\n')}\n`))],
    ['a batch is missing', () => writeFileSync(file, gzipSync(`${whole.filter((_, n) => n !== 1).join('\n')}\n`))],
    ['not packed', () => writeFileSync(file, whole.join('\n'))],
    ['of another kind', () => writeFileSync(file, gzipSync('{"a": 1}\n'))],
    ['of a later format', () => writeFileSync(file, gzipSync(edit(whole, (head) => ({ ...head, format: 2 }))))],
    ['of a newer version', () => writeFileSync(file, gzipSync(edit(whole, newer)))],
    ['of an older version', () => writeFileSync(file, gzipSync(edit(whole, (head) => ({ ...head, migrations: [] }))))],
    ['of other tables', () => writeFileSync(file, gzipSync(edit(whole, (head) => ({ ...head, tables: [] }))))],
    ['gone', () => rmSync(file)],
  ];
  for (const [what, damage] of cases) {
    damage();
    const refusal = await restoreBackup(to, file, { force: true, secretKeys: null }).catch((error: unknown) => error);
    expect(refusal, what).toBeInstanceOf(RestoreRefused);
    expect(await contents(to), what).toEqual(before);
  }
});

test('refuses a backup file with a wrong signature before changing anything', async () => {
  const from = await database("insert into companies (name) values ('Alpha')");
  const to = await database("insert into companies (name) values ('Beta')");
  const before = await contents(to);
  const file = backupFile();
  await writeBackup(from, file, KEY);
  const whole = readFileSync(file);
  const at = (index: number, byte: number) => Buffer.from(whole).fill(byte, index, index + 1);
  // A person with the file can add an admin to it, but has no key to sign it.
  const forged = gzipSync(gunzipSync(whole).toString().replace('Alpha', 'Gamma'));
  const mac = whole.subarray(whole.lastIndexOf('rapport-backup-mac') - 10);
  const cases: [string, Buffer, string][] = [
    ['its head', at(9, 7), 'was changed'],
    ['its middle', at(whole.length >> 1, 0), 'was changed'],
    ['its hash', at(whole.length - 20, 33), 'was changed'],
    ['its contents', Buffer.concat([forged, mac]), 'was changed'],
    ['without its hash', forged, 'is not signed'],
    ['with something behind', Buffer.concat([whole, Buffer.from('x')]), 'is not signed'],
    ['empty', Buffer.alloc(0), 'is not signed'],
  ];
  for (const [what, bytes, output] of cases) {
    writeFileSync(file, bytes);
    await expect(restoreBackup(to, file, { force: true, secretKeys: [KEY] }), what).rejects.toThrow(output);
    expect(await contents(to), what).toEqual(before);
  }
  writeFileSync(file, whole);
  await expect(restoreBackup(to, file, { force: true, secretKeys: [`${KEY}!`] })).rejects.toThrow('another secret key');
  expect(await contents(to)).toEqual(before);
  await restoreBackup(to, file, { force: true, secretKeys: [`${KEY}!`, KEY] });
  expect(await contents(to)).toEqual(await contents(from));
});

test('does not write a backup into an existing file or link', async () => {
  const from = await database("insert into companies (name) values ('Alpha')");
  const file = backupFile();
  const trap = join(file, '../trap');
  writeFileSync(trap, 'kept', { mode: 0o666 });
  for (const name of [file, `${file}.unfinished`]) symlinkSync(trap, name);
  await writeBackup(from, file, KEY);
  expect(readFileSync(trap, 'utf8')).toBe('kept');
  expect(lstatSync(file).isFile()).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);

  // A file created by another user keeps its owner's rights: it is replaced, not filled.
  writeFileSync(`${file}.unfinished`, '', { mode: 0o666 });
  const his = openSync(`${file}.unfinished`, 'r');
  await writeBackup(from, file, KEY);
  expect(fstatSync(his).size).toBe(0);
  closeSync(his);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('leaves no file when a backup is interrupted', async () => {
  const from = await database(
    'create table many as select n, repeat(md5(n::text), 20) from generate_series(1, 50000) n',
  );
  const file = backupFile();
  const outcome = writeBackup(from, file, KEY).catch((error: unknown) => error);
  await vi.waitUntil(() => existsSync(`${file}.unfinished`), { timeout: 300_000, interval: 1 });
  await query(
    from,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'rapport backup' and datname = current_database()`,
  );
  expect(await outcome).toBeInstanceOf(Error);
  expect(readdirSync(join(file, '..'))).toEqual([]);
});

function newer(head: Head): Head {
  return { ...head, migrations: [...head.migrations, '9999_later.sql'] };
}

function edit([first, ...rest]: string[], change: (head: Head) => Head): string {
  const head: Head = JSON.parse(first ?? '');
  return `${[JSON.stringify(change(head)), ...rest].join('\n')}\n`;
}
