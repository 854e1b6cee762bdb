import { Logger, runMigrations } from 'graphile-worker';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase } from '../../testing/postgres.ts';
import { appUrlOf, type TestDatabase } from '../../testing/testServer.ts';
import { migrate } from '../migrate.ts';

let database: TestDatabase;
let app: pg.Pool;
let owner: pg.Pool;

beforeAll(async () => {
  database = await freshDatabase();
  // Cloning a database does not clone the rights of the database itself.
  await migrate(database.url);
  app = new pg.Pool({ connectionString: appUrlOf(database.url), max: 1 });
  owner = new pg.Pool({ connectionString: database.url, max: 1 });
  await app.query("insert into audit (action, noun, after) values ('created', 'lead', '{}')");
});
afterAll(async () => {
  await Promise.all([app.end(), owner.end()]);
  await database.drop();
});

async function insertLead(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `with company as (insert into companies (name) values ('Of ' || gen_random_uuid()) returning id),
          product as (insert into products (company_id, name) select id, 'One' from company returning id)
     insert into leads (product_id, name) select id, 'Anna' from product returning id::int`,
  );
  return rows[0]?.id ?? 0;
}

describe('the role of the app', () => {
  it.each([
    'create table stolen (id int)',
    'create temporary table stolen (id int)',
    'create schema stolen',
    'create function f() returns int language sql as $$ select 1 $$',
    'create role friend superuser',
    'alter role rapport_app superuser',
    'set role rapport_migrations',
    'set session authorization rapport',
    'alter table audit disable trigger user',
    'drop table leads',
    'truncate leads',
    'select rolpassword from pg_authid',
    'select pg_read_file($$/etc/passwd$$)',
    'select lo_import($$/etc/passwd$$)',
    'copy leads to program $$cat$$',
    'copy leads from program $$echo$$',
    'copy (select 1) to $$/tmp/stolen$$',
    'create extension dblink',
    'set session_replication_role = replica',
    "alter system set log_statement = 'all'",
    'create event trigger stolen on ddl_command_start execute function notify_access_changed()',
    'create or replace function redact_audit(a bigint[], b bigint[]) returns void language sql as $$ select 1 $$',
    'alter role rapport_app bypassrls',
    'grant rapport_migrations to rapport_app',
    'select pg_ls_dir($$.$$)',
    'select pg_reload_conf()',
    'select pg_terminate_backend(pid) from pg_stat_activity where usename = $$rapport$$ or usesysid = 10',
    'create publication stolen for all tables',
    "insert into migrations (name) values ('9999_future.sql')",
    'delete from migrations',
  ])("refuses the app's role: %s", async (statement) => {
    await expect(app.query(statement)).rejects.toThrow(/permission denied|must be owner|must have|only roles with/i);
  });

  it('runs no function with the rights of its owner under a search path of the caller', async () => {
    const { rows } = await owner.query<{ name: string; settings: string[] | null }>(
      `select p.oid::regprocedure::text as name, proconfig as settings from pg_proc p
        where prosecdef and pronamespace = 'public'::regnamespace`,
    );
    expect(rows.map(({ name }) => name)).toContain('redact_audit(bigint[],bigint[])');
    for (const { name, settings } of rows)
      expect([name, (settings ?? []).some((one) => one.startsWith('search_path='))]).toEqual([name, true]);
    // Nobody but the app's role was given them.
    const { rows: open } = await owner.query(
      `select proname from pg_proc where prosecdef and pronamespace = 'public'::regnamespace
          and has_function_privilege('public', oid, 'execute')`,
    );
    expect(open).toEqual([]);
  });

  it.each([
    "update audit set operator = 'somebody else'",
    'update audit set before = null, after = null',
    'delete from audit',
    'truncate audit',
    'select * from audit for update',
  ])("lets the app's role append to and read the audit log only, not: %s", async (statement) => {
    await expect(app.query(statement)).rejects.toThrow('permission denied for table audit');
    // No setting lets the role do it either.
    await expect(app.query(`set rapport.erasing = 'on'; ${statement}`)).rejects.toThrow('permission denied');
    await app.query('reset rapport.erasing');
    expect((await app.query('select after from audit')).rows).toEqual([{ after: {} }]);
  });

  it("lets the app's role read every table", async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'public'`,
    );
    expect(rows.length).toBeGreaterThan(3);
    for (const { name } of rows) await app.query(`select count(*) from ${name}`);
  });

  it('lets a process of an earlier version go on with its jobs, and stores what they are for', async () => {
    await runMigrations({ connectionString: database.url, logger: new Logger(() => () => {}) });
    await owner.query("comment on function adopt_queued_job is 'of an earlier version'");
    await migrate(database.url);
    await expect(app.query('delete from graphile_worker.migrations')).rejects.toThrow('permission denied');
    const lead = await insertLead(owner);
    const other = await insertLead(owner);
    const add = (task: string, leadId: number) =>
      app.query('select graphile_worker.add_job($1, $2)', [task, { lead: leadId }]);
    await add('opt_out.others', lead);
    await add('reply', other);
    const adopted = 'select lead_id::int as lead, request_count as requests from opt_out_propagations';
    expect((await app.query(adopted)).rows).toEqual([{ lead, requests: 1 }]);
    await add('opt_out.others', lead);
    expect((await app.query(adopted)).rows).toEqual([{ lead, requests: 2 }]);
    expect((await app.query('delete from graphile_worker._private_jobs')).rowCount).toBe(3);
  });

  it('starts on an up-to-date database and asks for the migrations role otherwise', async () => {
    await migrate(appUrlOf(database.url));
    const { rows } = await owner.query<{ name: string }>(
      'delete from migrations where name = (select max(name) from migrations) returning name',
    );
    const [last] = rows;
    await expect(migrate(appUrlOf(database.url))).rejects.toThrow(
      `The database needs the migrations ${last?.name}, and the role of DATABASE_URL may not make tables. Run npm run migrate`,
    );
    await owner.query('insert into migrations (name) values ($1)', [last?.name]);
  });
});

describe('the audit log', () => {
  it.each(["update audit set operator = 'x'", 'update audit set before = null', 'delete from audit', 'truncate audit'])(
    'keeps the audit log append-only for its owner too: %s',
    async (statement) => {
      await expect(owner.query(statement)).rejects.toThrow('the audit log is append-only');
    },
  );

  it("erases only a deleted person's data from the audit log", async () => {
    const { rows } = await app.query<{ id: string }>(
      `insert into audit (operator, action, noun, row_id, before, after)
       values ('ann', 'changed', 'lead', 901, '{"name": "Vera"}', '{"name": "Vera B."}'),
              ('ann', 'sent', 'message', 77, null, '{"lead_id": 901}'), ('ann', 'changed', 'lead', 902, null, '{"name": "Igor"}')
       returning id`,
    );
    await app.query('select redact_audit($1, $2)', [[901], []]);
    const ids = rows.map(({ id }) => id);
    const remaining = await app.query(
      'select operator, action, before, after from audit where id = any($1) order by id',
      [ids],
    );
    expect(remaining.rows).toEqual([
      { operator: 'ann', action: 'changed', before: null, after: null },
      { operator: 'ann', action: 'sent', before: null, after: null },
      { operator: 'ann', action: 'changed', before: null, after: { name: 'Igor' } },
    ]);
    await expect(owner.query('delete from audit')).rejects.toThrow('append-only');
  });
});
