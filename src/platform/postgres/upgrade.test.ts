import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Logger, runMigrations } from 'graphile-worker';
import pg from 'pg';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { findLedgerDifferences } from '../../outcomes/store/ledger.ts';
import { startProduct } from '../../testing/productProcess.ts';
import { cloneTemplate } from '../../testing/testServer.ts';
import { migrate, migrationNames } from '../migrate.ts';
import { batchSchema, columnsOf, footSchema, type Head, headSchema, nameOf, type Table } from './archive.ts';
import { writeBackup } from './backup.ts';
import { restoreBackup } from './restore.ts';

const RELEASES = join(import.meta.dirname, '../../testing/releases');
const KEY = 'the secret key of the installation, for tests';
/** Tables of 1.0.0 that have another name now. */
const RENAMED: Readonly<Record<string, string>> = {
  '"public"."first_slots"': 'first_message_quota',
  '"public"."forgotten_addresses"': 'suppressed_addresses',
  '"public"."paces"': 'rate_limits',
};
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Create a database without any table. */
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

function linesOf(file: string): { head: Head; lines: string[] } {
  const [first = '', ...lines] = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
  return { head: headSchema.parse(JSON.parse(first)), lines };
}

/** Return the rows of a backup, as stored in it. */
function batchesOf(file: string): { table: Table; rows: string[] }[] {
  const { head, lines } = linesOf(file);
  return lines.flatMap((line) => {
    const batch = batchSchema.safeParse(JSON.parse(line));
    const table = batch.success ? head.tables[batch.data[0]] : undefined;
    return batch.success && table ? [{ table, rows: batch.data[1] }] : [];
  });
}

/** Return the contents of a backup: its head, and the number of rows of each table. */
function contentsOf(file: string): { head: Head; counts: Map<string, number> } {
  const counts = new Map<string, number>();
  for (const { table, rows } of batchesOf(file))
    if (table.schema === 'public') counts.set(nameOf(table), (counts.get(nameOf(table)) ?? 0) + rows.length);
  return { head: linesOf(file).head, counts };
}

/** Create the tables of the job runner that earlier versions had. */
const addRunner = (url: string) => runMigrations({ connectionString: url, logger: new Logger(() => () => {}) });

/** Load the data of a release into the tables of that release, without migrating further. */
async function fillAsReleased(url: string, file: string): Promise<void> {
  const { head } = contentsOf(file);
  await migrate(url, head.migrations);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Tables reference each other in circles, so neither keys nor triggers are checked.
    await client.query('set session_replication_role = replica');
    await client.query('set datestyle to ISO, YMD');
    for (const { table, rows } of batchesOf(file)) {
      if (table.schema !== 'public' || table.name === 'migrations') continue;
      const columns = columnsOf(table);
      const values = `(select (unnest($1::text[])::${nameOf(table)}).*) r`;
      await client.query(
        `insert into ${nameOf(table)} (${columns}) overriding system value select ${columns} from ${values} on conflict do nothing`,
        [rows],
      );
    }
  } finally {
    await client.end();
  }
}

interface Exchanges {
  readonly lead: string;
  readonly sent: number;
  readonly received: number;
  readonly first: string;
  readonly cost: number;
}

/** Count what each lead exchanged from the messages and runs alone. */
async function exchangesOf(client: pg.Client): Promise<Exchanges[]> {
  const { rows: messages } = await client.query<{ lead: string; side: string; kind: string; status: string; at: Date }>(
    `select c.lead_id as lead, m.side, m.kind, m.status, coalesce(m.sent_at, m.created_at) as at
       from messages m join contacts c on c.id = m.contact_id`,
  );
  const { rows: runs } = await client.query<{ lead: string; cost: number }>(
    'select lead_id as lead, cost::float8 from llm_runs where lead_id is not null and cost is not null',
  );
  const isOurs = (one: { side: string; status: string }) =>
    one.side === 'bot' && ['sent', 'delivered', 'read'].includes(one.status);
  const isTheirs = (one: { side: string; kind: string }) => one.side === 'user' && one.kind !== 'system';
  const exchanged = messages.filter((one) => isOurs(one) || isTheirs(one));
  return [...Map.groupBy(exchanged, ({ lead }) => lead)]
    .map(([lead, all]) => ({
      lead,
      sent: all.filter(isOurs).length,
      received: all.filter(isTheirs).length,
      first: new Date(Math.min(...all.map(({ at }) => at.getTime()))).toISOString(),
      cost: roundCost(runs.filter((run) => run.lead === lead).reduce((sum, { cost }) => sum + cost, 0)),
    }))
    .toSorted((a, b) => Number(a.lead) - Number(b.lead));
}

const roundCost = (cost: number): number => Math.round(cost * 1e8) / 1e8;

/** Add up the ledger's attempts of each lead. */
async function ledgerOf(client: pg.Client): Promise<Exchanges[]> {
  const { rows } = await client.query<Omit<Exchanges, 'first'> & { first: Date }>(
    `select lead_id as lead, sum(sent)::int as sent, sum(received)::int as received, min(started_at) as first, sum(cost)::float8 as cost
       from outcomes group by lead_id having min(started_at) is not null order by lead_id`,
  );
  return rows.map((row) => ({ ...row, first: row.first.toISOString(), cost: roundCost(row.cost) }));
}

async function applied(url: string): Promise<string[]> {
  return (await query<{ name: string }>(url, 'select name from migrations order by name')).map(({ name }) => name);
}

describe.each(readdirSync(RELEASES).filter((file) => file.endsWith('.backup')))('the data of %s', (release) => {
  const file = join(RELEASES, release);

  it('covers every table in a small data set', () => {
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

  it('upgrades without loss, and continues a conversation', async () => {
    const url = await newDatabase();
    await restoreBackup(url, file, { force: false, secretKeys: null });
    expect(await applied(url)).toEqual(await migrationNames());
    const { counts } = contentsOf(file);
    for (const [table, count] of counts) {
      if (table === '"public"."migrations"') continue;
      const [row] = await query<{ count: number }>(url, `select count(*)::int from ${RENAMED[table] ?? table}`);
      // Migrations may add rows; none may disappear.
      expect(row?.count ?? 0, table).toBeGreaterThanOrEqual(count);
    }

    const product = await startProduct({}, { url, drop: async () => undefined });
    undo.push(() => product.close());
    const control = await product.emulators();
    // The history is counted in the background while the product goes on: both are read at one instant.
    const snapshot = new pg.Client({ connectionString: url });
    await snapshot.connect();
    undo.push(() => snapshot.end());
    for (const end = performance.now() + 300_000; ; await pause(50)) {
      await snapshot.query('begin isolation level repeatable read');
      const [ledger, expected] = [await ledgerOf(snapshot), await exchangesOf(snapshot)];
      await snapshot.query('commit');
      if (isDeepStrictEqual(ledger, expected) && expected.length > 0) break;
      if (performance.now() > end) expect(ledger).toEqual(expected);
    }
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    undo.push(() => pool.end());
    expect((await findLedgerDifferences(pool)).differences).toEqual([]);
    await product.waitForHooks();
    const [talk] = await query<{ id: string; address: string; ref: string; last: string }>(
      url,
      `select d.id, d.address, h.vendor_ref as ref, d.last_bot_msg_id as last
         from dialogues d join channels h on h.id = d.channel_id
         join messages m on m.id = d.last_bot_msg_id and m.author = 'bot' and m.trace is not null
        where d.owner = 'bot' order by m.id desc limit 1`,
    );
    if (!talk) throw new Error('There is no conversation in it');
    await control.write(talk.address, { channelId: talk.ref, name: 'Lead', text: 'What does it cost?' });
    for (const end = performance.now() + 300_000; ; await pause(50)) {
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

it('assigns channels of 1.0.0 to the company of their links and dialogues, and asks an admin where they disagree', async () => {
  const url = await newDatabase();
  await fillAsReleased(url, join(RELEASES, '1.0.0.backup'));
  const named = "(select id from channels where vendor = 'VENDOR' and channel_type = 'TYPE')";
  const channel = (vendor: string, type: string) => named.replace('VENDOR', vendor).replace('TYPE', type);
  await query(url, "insert into companies (id, name) overriding system value values (1000, 'Boats Ltd')");
  await query(url, "insert into products (id, company_id, name) overriding system value values (1000, 1000, 'Boats')");
  // Unlinked, with dialogues; linked by two companies; unlinked, and then linked by a company that has no dialogue on
  // it.
  const [unlinked, shared, claimed] = [
    channel('wazzup24', 'telegram'),
    channel('chatpush', 'whatsapp'),
    channel('chatpush', 'telegram'),
  ];
  for (const one of [unlinked, claimed]) await query(url, `delete from product_channels where channel_id = ${one}`);
  for (const one of [shared, claimed])
    await query(url, `insert into product_channels (product_id, channel_id) values (1000, ${one})`);
  await query(
    url,
    `insert into channels (id, account_id, name, vendor, channel_type, vendor_ref) overriding system value
     select 1000, account_id, 'Spare', vendor, 'whatsapp', 'spare' from channels where id = ${unlinked}`,
  );
  const links = await query(url, 'select product_id, channel_id from product_channels order by 1, 2');

  await migrate(url);
  const demo = (await query<{ name: string }>(url, 'select name from companies order by id limit 1'))[0]?.name;
  const owners = await query(
    url,
    `select c.vendor, c.channel_type as type, c.name = 'Spare' as spare, k.name as owner,
            array(select o.name from channel_companies s join companies o on o.id = s.company_id
                   where s.channel_id = c.id order by o.id) as used_by
       from channels c left join companies k on k.id = c.company_id order by c.vendor_ref = 'spare', c.vendor desc, 2 desc`,
  );
  const row = (vendor: string, type: string, owner: unknown, used_by: unknown, spare = false) => ({
    vendor,
    type,
    spare,
    owner,
    used_by,
  });
  expect(owners).toEqual([
    row('wazzup24', 'whatsapp', demo, [demo]),
    row('wazzup24', 'telegram', demo, [demo]),
    row('chatpush', 'whatsapp', null, [demo, 'Boats Ltd']),
    row('chatpush', 'telegram', null, ['Boats Ltd']),
    row('wazzup24', 'whatsapp', null, [], true),
  ]);
  expect(
    await query(
      url,
      `select a.vendor, a.company_id, array(select o.name from vendor_account_companies s
         join companies o on o.id = s.company_id where s.account_id = a.id) as used_by from vendor_accounts a order by 1`,
    ),
  ).toEqual([
    { vendor: 'chatpush', company_id: null, used_by: [] },
    { vendor: 'wazzup24', company_id: null, used_by: [demo] },
  ]);
  // No link is lost, and none is added that the company may not have.
  expect(await query(url, 'select product_id, channel_id from product_channels order by 1, 2')).toEqual(links);
  await expect(
    query(url, `insert into product_channels (product_id, company_id, channel_id) values (1000, 1000, ${unlinked})`),
  ).rejects.toThrow('product_channels_channel_id_company_id_fkey');
});

it('leaves the jobs of 1.0.0 to its processes, but for those that only woke workers', async () => {
  const url = await newDatabase();
  await addRunner(url);
  await fillAsReleased(url, join(RELEASES, '1.0.0.backup'));
  const former = ['inherit', 'ask.fates', 'ask.sessions', 'found.nobody', 'crm.look', 'reply', 'receive', 'deliver'];
  for (const name of former) await query(url, `select graphile_worker.add_job('${name}', '{"message": 1}')`);
  await migrate(url);
  const queued = await query<{ task: string }>(
    url,
    'select task_identifier as task from graphile_worker.jobs order by id',
  );
  expect(queued.map(({ task }) => task)).toEqual(['delivery.poll', 'sessions.poll', 'recipient.not_found', 'crm.sync']);
});

/** Fill a database of the version before jobs became rows, with a job for each of two leads. */
async function fillWithOptOutJobs(url: string): Promise<{ leads: number[] }> {
  await addRunner(url);
  await migrate(url, await namesBefore('0086_opt_out_propagations.sql'));
  const rows = await query<{ id: number }>(
    url,
    `with company as (insert into companies (name) values ('Alpha') returning id),
          product as (insert into products (company_id, name) select id, 'One' from company returning id)
     insert into leads (product_id, name) select id, 'Lead ' || n from product, generate_series(1, 2) n returning id::int`,
  );
  const leads = rows.map(({ id }) => id);
  for (const lead of leads)
    await query(url, `select graphile_worker.add_job('opt_out.others', '{"lead": ${lead}}', max_attempts := 100)`);
  await query(url, `select graphile_worker.add_job('opt_out.others', '{"lead": 999999}')`);
  await query(url, `select graphile_worker.add_job('classify', '{"classification": 1}')`);
  return { leads };
}

async function namesBefore(name: string): Promise<string[]> {
  const names = await migrationNames();
  return names.slice(0, names.indexOf(name));
}

const propagations = (url: string) =>
  query(url, 'select lead_id::int as lead from opt_out_propagations order by lead_id');

it('keeps the opt-outs that jobs of the version before were to pass on, and those that its processes still queue', async () => {
  const url = await newDatabase();
  const { leads } = await fillWithOptOutJobs(url);
  await migrate(url);
  expect(await propagations(url)).toEqual(leads.map((lead) => ({ lead })));
  await query(url, 'delete from opt_out_propagations');
  await query(url, `select graphile_worker.add_job('opt_out.others', '{"lead": ${leads[1]}}', max_attempts := 100)`);
  expect(await propagations(url)).toEqual([{ lead: leads[1] }]);
  // What is done is not done again by the next start.
  await query(url, 'delete from opt_out_propagations');
  await migrate(url);
  expect(await propagations(url)).toEqual([]);
});

it('makes no tables of the job runner in a fresh installation', async () => {
  const url = await newDatabase();
  await migrate(url);
  expect(await query(url, "select 1 from pg_namespace where nspname = 'graphile_worker'")).toEqual([]);
});

it('turns the sentences of unanswered turns of 1.0.0 into codes', async () => {
  const url = await newDatabase();
  await fillAsReleased(url, join(RELEASES, '1.0.0.backup'));
  const sentences = [
    'No answer: the product has no prompt',
    'No answer: the prompt cannot be rendered: undefined filter',
    'No answer: Today’s budget for models is spent ($1.00)',
    'No answer: No active key for chatgpt',
  ];
  for (const [index, sentence] of sentences.entries())
    await query(
      url,
      `update dialogues set no_answer = '${sentence}' where id = (select id from dialogues order by id offset ${index} limit 1)`,
    );
  await migrate(url);
  const stored = await query(url, 'select no_answer, no_answer_detail from dialogues order by id limit 4');
  expect(stored).toEqual([
    { no_answer: 'no_prompt', no_answer_detail: null },
    { no_answer: 'template', no_answer_detail: 'undefined filter' },
    { no_answer: 'budget', no_answer_detail: 'Today’s budget for models is spent ($1.00)' },
    { no_answer: 'model', no_answer_detail: 'No active key for chatgpt' },
  ]);
});

it('shows people the dialogues that nobody saw', async () => {
  const url = await newDatabase();
  await fillAsReleased(url, join(RELEASES, '1.0.0.backup'));
  const names = await migrationNames();
  await migrate(url, names.slice(0, names.indexOf('0052_unseen_dialogues.sql')));
  await query(
    url,
    `insert into operators (id, login, password_hash, role, is_active) overriding system value
     values (9001, 'left', 'x', 'admin', false), (9002, 'moved', 'x', 'member', true), (9003, 'stays', 'x', 'admin', true)`,
  );
  const nth = (index: number) => `(select id from dialogues order by id offset ${index} limit 1)`;
  for (const [index, login] of ['left', 'moved', 'stays'].entries())
    await query(
      url,
      `update dialogues set assignee_id = (select id from operators where login = '${login}') where id = ${nth(index)}`,
    );
  for (const [index, optedOut] of [false, true].entries()) {
    await query(
      url,
      `update dialogues set owner = 'bot', owner_reason = null, no_answer = null, turn_due_at = null, waiting_since = now() where id = ${nth(index + 3)}`,
    );
    await query(
      url,
      `update leads set is_active = false, recognized_deactivation_request = ${optedOut}
        where id = (select c.lead_id from contacts c join dialogues d on d.contact_id = c.id where d.id = ${nth(index + 3)})`,
    );
  }
  await migrate(url);
  const stored = await query(
    url,
    `select (select login from operators where id = assignee_id) as assignee, no_answer from dialogues order by id limit 5`,
  );
  expect(stored.slice(0, 3)).toMatchObject([{ assignee: null }, { assignee: null }, { assignee: 'stays' }]);
  expect(stored.slice(3)).toMatchObject([{ no_answer: 'inactive' }, { no_answer: 'opted_out' }]);
  const counted =
    'select product_id, inbox_state, assignee_id, sum(count)::int as count from inbox_counts group by 1, 2, 3 order by 1, 2, 3';
  expect(await query(url, counted)).toEqual(
    await query(
      url,
      'select product_id, inbox_state, assignee_id, count(*)::int as count from dialogues group by 1, 2, 3 order by 1, 2, 3',
    ),
  );
});

it('ends with the functions and triggers of a fresh installation', async () => {
  const [url, fresh] = [await newDatabase(), await newDatabase()];
  await addRunner(url);
  await fillAsReleased(url, join(RELEASES, '1.0.0.backup'));
  await migrate(url);
  await migrate(fresh);
  const definitions = `
    select pg_get_functiondef(oid) as text from pg_proc where pronamespace = 'public'::regnamespace
    union all
    select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not tgisinternal and c.relnamespace = 'public'::regnamespace order by 1`;
  expect(await query(url, definitions)).toEqual(await query(fresh, definitions));
});

it('turns the reasons of owners and the notes of inbox items of 1.0.0 into codes', async () => {
  const url = await newDatabase();
  await fillAsReleased(url, join(RELEASES, '1.0.0.backup'));
  const former = {
    'dialogues.owner_reason': [
      'olga',
      'phone',
      'writes again',
      'Moved to "Calls" in amoCRM',
      'The card was deleted in amoCRM',
    ],
    'inbox.note': ['message 12', 'known already', 'waits for its message', 'null value in column "x"'],
  };
  for (const [place, sentences] of Object.entries(former))
    for (const [index, sentence] of sentences.entries()) {
      const [table, column] = place.split('.');
      await query(
        url,
        `update ${table} set ${column} = '${sentence}' where id = (select id from ${table} order by id offset ${index} limit 1)`,
      );
    }
  const names = await migrationNames();
  await migrate(url, names.slice(0, names.indexOf('0042_reason_codes.sql')));
  await query(
    url,
    `update leads set human_owner_reason = 'Moved to "Calls" in amoCRM' where id = (select min(id) from leads)`,
  );
  await migrate(url);
  const stored = await query(
    url,
    'select owner_reason as code, owner_reason_detail as detail from dialogues order by id limit 5',
  );
  expect(stored).toEqual([
    { code: 'operator', detail: 'olga' },
    { code: 'phone', detail: null },
    { code: 'writes_again', detail: null },
    { code: 'crm_step', detail: 'Calls' },
    { code: 'crm_deleted', detail: null },
  ]);
  expect(
    await query(
      url,
      'select human_owner_reason as code, human_owner_detail as detail from leads where human_owner_reason is not null',
    ),
  ).toEqual([{ code: 'crm_step', detail: 'Calls' }]);
  expect(await query(url, 'select note, note_detail from inbox order by id limit 4')).toEqual([
    { note: 'message', note_detail: '12' },
    { note: 'duplicate', note_detail: null },
    { note: 'awaits_message', note_detail: null },
    { note: 'error', note_detail: 'null value in column "x"' },
  ]);
});

/** Write a backup as versions with a job runner wrote them: with its tables. Unsigned. */
async function writeWithJobs(url: string, file: string): Promise<void> {
  await writeBackup(url, file, KEY);
  const { head, lines } = linesOf(file);
  const foot = footSchema.parse(JSON.parse(lines.at(-1) ?? ''));
  const tables = await query<Table>(
    url,
    `select table_schema as schema, table_name as name, array_agg(column_name::text order by ordinal_position) as columns
       from information_schema.columns where table_schema = 'graphile_worker' and is_generated = 'NEVER'
        and table_name in ('_private_jobs', '_private_tasks') group by 1, 2 order by 2`,
  );
  const batches: [number, string[]][] = [];
  for (const [index, table] of tables.entries()) {
    const rows = await query<{ row: string }>(
      url,
      `select t::text as row from (select ${columnsOf(table)} from ${nameOf(table)}) t`,
    );
    batches.push([head.tables.length + index, rows.map(({ row }) => row)]);
  }
  const all = [
    { ...head, tables: [...head.tables, ...tables] },
    ...lines.slice(0, -1).map((line): unknown => JSON.parse(line)),
    ...batches,
    { ...foot, rows: foot.rows + batches.reduce((sum, [, rows]) => sum + rows.length, 0) },
  ];
  writeFileSync(file, gzipSync(all.map((line) => `${JSON.stringify(line)}\n`).join('')));
}

describe('the backup of an older version', () => {
  it('restores an unsigned backup of 1.0.0 only with --unverified', async () => {
    const url = await newDatabase();
    await expect(
      restoreBackup(url, join(RELEASES, '1.0.0.backup'), { force: false, secretKeys: [KEY] }),
    ).rejects.toThrow('The backup is not signed: it is cut off, or was written by version 1.0.0. To restore it anyway');
    expect(await query(url, "select 1 from pg_tables where schemaname = 'public'")).toEqual([]);
  });

  it('restores an older backup into a new database and upgrades it, with the work of its jobs', async () => {
    const names = await migrationNames();
    const from = await newDatabase();
    const { leads } = await fillWithOptOutJobs(from);
    await query(from, "insert into companies (name) values ('Beta')");
    const folder = mkdtempSync(join(tmpdir(), 'rapport-upgrade-'));
    undo.push(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'backup');
    await writeWithJobs(from, file);

    const used = await newDatabase();
    await migrate(used);
    const before = await query(used, 'select * from companies');
    await expect(restoreBackup(used, file, { force: true, secretKeys: null })).rejects.toThrow(
      'Restore it into a new database, in which no Rapport has been started yet',
    );
    expect(await query(used, 'select * from companies')).toEqual(before);

    const to = await newDatabase();
    await restoreBackup(to, file, { force: false, secretKeys: null });
    expect(await applied(to)).toEqual(names);
    expect(await query(to, 'select id::int, name from companies order by id')).toEqual([
      { id: 1, name: 'Alpha' },
      { id: 2, name: 'Beta' },
    ]);
    expect(await propagations(to)).toEqual(leads.map((lead) => ({ lead })));
    // A new row gets a new id.
    await query(to, "insert into companies (name) values ('Gamma')");
    expect(await query(to, 'select max(id)::int as id from companies')).toEqual([{ id: 3 }]);
    expect(await query(to, "select 1 from pg_namespace where nspname = 'graphile_worker'")).toEqual([]);
    await migrate(to);
  });
});
