import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { startProduct } from '../../testing/product.ts';
import { cloneTemplate } from '../../testing/testServer.ts';
import { migrate, migrationNames } from '../migrate.ts';
import { batchSchema, type Head, headSchema, nameOf } from './archive.ts';
import { writeBackup } from './backup.ts';
import { restoreBackup } from './restore.ts';

const RELEASES = join(import.meta.dirname, '../../testing/releases');
const KEY = 'the secret key of the installation, for tests';
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A database without a single table. */
async function newDatabase(): Promise<string> {
  const { url, drop } = await cloneTemplate(inject('testServer').adminUrl, 'template0');
  undo.push(drop);
  return url;
}

async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** What a backup holds: its head, and how many rows of each table. */
function contentsOf(file: string): { head: Head; counts: Map<string, number> } {
  const [first = '', ...lines] = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
  const head = headSchema.parse(JSON.parse(first));
  const counts = new Map<string, number>();
  for (const line of lines) {
    const batch = batchSchema.safeParse(JSON.parse(line));
    const table = batch.success ? head.tables[batch.data[0]] : undefined;
    if (batch.success && table?.schema === 'public')
      counts.set(nameOf(table), (counts.get(nameOf(table)) ?? 0) + batch.data[1].length);
  }
  return { head, counts };
}

async function applied(url: string): Promise<string[]> {
  return (await query<{ name: string }>(url, 'select name from migrations order by name')).map(({ name }) => name);
}

describe.each(readdirSync(RELEASES).filter((file) => file.endsWith('.backup')))('what %s left', (release) => {
  const file = join(RELEASES, release);

  it('is small, and complete', () => {
    const bytes = readFileSync(file).length;
    expect(bytes).toBeLessThan(300_000);
    const { counts } = contentsOf(file);
    const filled = [
      'leads',
      'dialogues',
      'messages',
      'llm_runs',
      'inbox',
      'outreach',
      'prompts',
      'crm_cards',
      'channels',
    ];
    for (const table of filled) expect(counts.get(`"public"."${table}"`) ?? 0, table).toBeGreaterThan(0);
  });

  it('is brought to the present, whole, and a conversation in it goes on', async () => {
    const url = await newDatabase();
    await restoreBackup(url, file, { force: false, secretKeys: null });
    expect(await applied(url)).toEqual(await migrationNames());
    const { counts } = contentsOf(file);
    for (const [table, count] of counts) {
      if (table === '"public"."migrations"') continue;
      const [row] = await query<{ count: number }>(url, `select count(*)::int from ${table}`);
      // Migrations may add rows; none may go.
      expect(row?.count ?? 0, table).toBeGreaterThanOrEqual(count);
    }

    const product = await startProduct({}, { url, drop: async () => undefined });
    undo.push(() => product.close());
    const control = await product.emulators();
    await product.connected();
    const [talk] = await query<{ id: string; address: string; ref: string; last: string }>(
      url,
      `select d.id, d.address, h.vendor_ref as ref, d.last_bot_msg_id as last
         from dialogues d join channels h on h.id = d.channel_id
         join messages m on m.id = d.last_bot_msg_id and m.author = 'bot' and m.trace is not null
        where d.owner = 'bot' order by m.id desc limit 1`,
    );
    if (!talk) throw new Error('There is no conversation in it');
    await control.write(talk.address, { channelId: talk.ref, name: 'Lead', text: 'What does it cost?' });
    for (const end = performance.now() + 30_000; ; await pause(50)) {
      const [now] = await query<{ status: string }>(
        url,
        `select status from messages where dialogue_id = ${talk.id} and author = 'bot' and id > ${talk.last} order by id limit 1`,
      );
      if (now?.status === 'read') break;
      if (performance.now() > end) throw new Error(`It was not answered: ${JSON.stringify(now)}`);
    }
    const signedIn = await fetch(`${product.url}/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: product.url },
      body: JSON.stringify({ login: 'demo', password: 'demo' }),
    });
    expect(signedIn.status).toBe(200);
  });
});

describe('the backup of an older version', () => {
  it('of 1.0.0 is not signed, so it is restored only by whoever says that he trusts it', async () => {
    const url = await newDatabase();
    await expect(
      restoreBackup(url, join(RELEASES, '1.0.0.backup'), { force: false, secretKeys: [KEY] }),
    ).rejects.toThrow(
      'The backup is not signed: it is cut off, or was written by version 1.0.0. To restore it all the same',
    );
    expect(await query(url, "select 1 from pg_tables where schemaname = 'public'")).toEqual([]);
  });

  it('goes into a new database, which is then brought to the present; jobs are left out', async () => {
    const names = await migrationNames();
    const older = names.slice(0, -3);
    const from = await newDatabase();
    await migrate(from, older);
    await query(from, "insert into companies (name) values ('Alpha'), ('Beta')");
    await query(from, "select graphile_worker.add_job('reply', '{}')");
    const folder = mkdtempSync(join(tmpdir(), 'rapport-upgrade-'));
    undo.push(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'backup');
    await writeBackup(from, file, KEY);

    const used = await newDatabase();
    await migrate(used);
    const before = await query(used, 'select * from companies');
    await expect(restoreBackup(used, file, { force: true, secretKeys: [KEY] })).rejects.toThrow(
      'Restore it into a new database, in which no Rapport has been started yet',
    );
    expect(await query(used, 'select * from companies')).toEqual(before);

    const to = await newDatabase();
    await restoreBackup(to, file, { force: false, secretKeys: [KEY] });
    expect(await applied(to)).toEqual(names);
    expect(await query(to, 'select id::int, name from companies order by id')).toEqual([
      { id: 1, name: 'Alpha' },
      { id: 2, name: 'Beta' },
    ]);
    // A new row gets a new id, and the runner's own migrations are the present ones.
    await query(to, "insert into companies (name) values ('Gamma')");
    expect(await query(to, 'select max(id)::int as id from companies')).toEqual([{ id: 3 }]);
    expect(await query(to, 'select count(*)::int as jobs from graphile_worker._private_jobs')).toEqual([{ jobs: 0 }]);
    await migrate(to);
  });
});
