import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { COMPILE_CACHE_DIR } from '../testing/compileCache.ts';
import { describeFunctions, describeSchema } from '../testing/describeSchema.ts';
import { cloneTemplate, type TestDatabase } from '../testing/testServer.ts';
import { migrate, migrationNames } from './migrate.ts';

let empty: TestDatabase;
let pool: pg.Pool;
beforeEach(async () => {
  empty = await cloneTemplate(inject('testServer').adminUrl, 'template0');
  pool = new pg.Pool({ connectionString: empty.url, max: 2 });
});
afterEach(async () => {
  await pool.end();
  await empty.drop();
});

/** How often migrations are killed. */
const KILLS = 12;
const UNDEFINED_TABLE = '42P01';

const applied = async (): Promise<string[]> =>
  (await pool.query<{ name: string }>('select name from migrations order by name')).rows.map((row) => row.name);

/** The schema of a database that was migrated in one run. */
async function whole(): Promise<Record<string, string>> {
  const { adminUrl, template } = inject('testServer');
  const database = await cloneTemplate(adminUrl, template);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const schema = { ...(await describeSchema(client)), ...(await describeFunctions(client)) };
  await client.end();
  await database.drop();
  return schema;
}

describe('migrations', () => {
  it('numbers migrations without gaps or duplicates', async () => {
    const numbers = (await migrationNames()).map((name) => Number(name.slice(0, 4)));
    expect(numbers.length).toBeGreaterThan(5);
    expect(numbers).toEqual(numbers.map((_one, index) => index + 1));
  });

  it('changes nothing when migrations run again', async () => {
    await migrate(empty.url);
    const { rows: before } = await pool.query('select name, applied_at from migrations order by name');
    await migrate(empty.url);
    const { rows: after } = await pool.query('select name, applied_at from migrations order by name');
    expect(after).toEqual(before);
    expect(await applied()).toEqual(await migrationNames());
  });

  it('runs migrations once when several processes start together', async () => {
    await Promise.all([migrate(empty.url), migrate(empty.url), migrate(empty.url)]);
    expect(await applied()).toEqual(await migrationNames());
    expect({ ...(await describeSchema(pool)), ...(await describeFunctions(pool)) }).toEqual(await whole());
  });

  it('refuses a database with newer migrations', async () => {
    await migrate(empty.url);
    await pool.query("insert into migrations (name) values ('9999_future.sql')");
    await expect(migrate(empty.url)).rejects.toThrow(
      'The database has migration 9999_future.sql, which this version does not know. Use a newer version.',
    );
    expect(await applied()).toHaveLength((await migrationNames()).length + 1);
  });

  it('resumes migrations that were killed anywhere', async () => {
    const script = `import { migrate } from ${JSON.stringify(join(import.meta.dirname, 'migrate.ts'))};
await migrate(process.env.DATABASE_URL); console.log('done');`;
    const names = await migrationNames();
    const applying = () =>
      applied().catch((error: { code?: string }) => {
        if (error.code === UNDEFINED_TABLE) return [];
        throw error;
      });
    // Kill the process as soon as the given number of migrations is applied: somewhere within the next one.
    for (let there = 0; there < names.length; there += Math.ceil(names.length / KILLS)) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE_DIR, DATABASE_URL: empty.url },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const removed = new Promise<void>((resolve) => child.once('close', () => resolve()));
      let running = true;
      void removed.then(() => (running = false));
      while (running) {
        if ((await applying()).length >= there) child.kill('SIGKILL');
      }
    }
    await migrate(empty.url);
    expect(await applied()).toEqual(names);
    expect({ ...(await describeSchema(pool)), ...(await describeFunctions(pool)) }).toEqual(await whole());
  });

  it('rolls a failed migration back and resumes there', async () => {
    // The table that the migration would create exists already.
    await pool.query('create table leads (id int)');
    await expect(migrate(empty.url)).rejects.toThrow(/leads/);
    const done = await applied();
    expect(done.at(-1)).toMatch(/^0004/);
    expect((await pool.query("select to_regclass('lead_events') as there")).rows).toEqual([{ there: null }]);
    await pool.query('drop table leads');
    await migrate(empty.url);
    expect(await applied()).toEqual(await migrationNames());
  });

  it('applies each function and its triggers from one file, again when the file has changed', async () => {
    await migrate(empty.url);
    const functions = await describeFunctions(pool);
    const files = await readdir(join(import.meta.dirname, '../../migrations/functions'));
    expect(files.sort()).toEqual(Object.keys(functions).map((name) => `${name}.sql`));
    await pool.query(`
      create or replace function set_login_key() returns trigger language plpgsql as 'begin return new; end';
      drop trigger set_login_key on operators`);
    await migrate(empty.url);
    expect((await describeFunctions(pool)).set_login_key).not.toBe(functions.set_login_key);
    await pool.query("comment on function set_login_key is 'the hash of a former text'");
    await migrate(empty.url);
    expect({ ...(await describeSchema(pool)), ...functions }).toEqual(await whole());
    expect(await describeFunctions(pool)).toEqual(functions);
  });
});
