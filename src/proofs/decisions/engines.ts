/**
 * Both engines on the same facts: that of 1.0.0, whose sources come from the repository's history, and today's. Each has
 * a database of its own, whose clocks stand still. Models and vendors are replaced by what the facts say of them.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import type { Driver, SendOutcome } from '../../channels/driver.ts';
import type { GeneratedText } from '../../conversations/runPrompt.ts';
import type { AppContext } from '../../platform/appContext.ts';
import { type Cluster, createDatabase } from '../harness/world.ts';
import { ANOTHER_INSTANCE, type Case, IDS_OF_CASE, type Row, type Rows } from './facts.ts';

/** The last commit of 1.0.0's engine. */
const OLD_ENGINE = '823832fd';
const ROOT = join(import.meta.dirname, '../../..');
/** Ids from here on were given by an engine. */
const FIRST_NEW_ID = 900_000_000;

/** Stands for both engines' `runPrompt.ts`, and for the package that only the old one imports. */
const MODEL = `data:text/javascript,${encodeURIComponent(`
  export const model = {};
  export const generateText = async (...all) => ({ text: await model.ask(...all), run: null });
  export const askForReply = async (...all) => ({ reply: await model.ask(...all), run: null });
  export const writeText = async (...all) => ({ ...(await model.ask(...all)), runId: null });
  export const tool = (one) => one, jsonSchema = tool;`)}`;

export type Load = <T>(file: string) => Promise<T>;

export interface Engine {
  readonly name: 'old' | 'new';
  readonly context: AppContext;
  /** Import a module of this engine. */
  readonly load: Load;
  /** Connects as the owner, without triggers. */
  readonly client: pg.Client;
  close(): Promise<void>;
}

/**
 * Put an engine's sources into a folder; both use today's packages. Today's are copied, since this process has some of
 * them loaded already, with the models that they call.
 */
function extract(folder: string, name: Engine['name']): string {
  const root = join(folder, name);
  mkdirSync(root);
  const parts = ['src', 'migrations', 'package.json'];
  if (name === 'new') for (const part of parts) cpSync(join(ROOT, part), join(root, part), { recursive: true });
  else {
    const input = execFileSync('git', ['archive', OLD_ENGINE, ...parts], { cwd: ROOT, maxBuffer: 2 ** 28 });
    execFileSync('tar', ['-x', '-C', root], { input });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return root;
}

/** What the outside world answers in the current batch. */
const outside = { cases: new Map<number, Case>() };

interface Asked {
  readonly pool: pg.Pool;
  readonly dialogueId: number;
}

/** Open an engine on an empty database of the cluster. */
export async function openEngine(cluster: Cluster, name: Engine['name']): Promise<Engine> {
  const root = extract(cluster.folder, name);
  const load: Load = (file) => import(join(root, 'src', file));
  const url = await createDatabase(cluster, name);
  const { migrate } = await load<typeof import('../../platform/migrate.ts')>('platform/migrate.ts');
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  // Before pg_catalog, so that these clocks are the ones that statements read.
  await client.query(
    `create schema frozen; alter database ${name} set search_path = frozen, public, pg_catalog; set search_path = frozen, public, pg_catalog;
     set timezone = 'UTC'; set session_replication_role = replica`,
  );
  const { openDb } = await load<typeof import('../../platform/openDb.ts')>('platform/openDb.ts');
  const { createLog } = await load<typeof import('../../platform/log.ts')>('platform/log.ts');
  const { readConfig } = await load<typeof import('../../platform/config.ts')>('platform/config.ts');
  const { createMetrics } = await load<typeof import('../../platform/metrics.ts')>('platform/metrics.ts');
  const log = createLog('fatal');
  const db = openDb(url, log, { max: 8 });
  const instanceId = crypto.randomUUID();
  const settings = { RAPPORT_RETRY_BASE_SECONDS: '0.01', RAPPORT_CONCURRENCY: '200', DATABASE_URL: url };
  const config = readConfig({ ...settings, RAPPORT_SECRET_KEY: 'a key of the comparison of two engines' });
  const context = {
    ...db,
    config,
    log,
    instanceId,
    mode: 'sandbox',
    metrics: createMetrics(),
    threads: null,
    outbound: null,
    cipher: { encryptSecret: () => '', decryptSecret: () => '', hash: (plain: string) => Buffer.from(plain) },
    claims: await claimsOf(load, name, { instanceId, config, reader: db.reader }),
  } as unknown as AppContext;
  await stubVendors(load);
  return { name, context, load, client, close: () => Promise.all([db.close(), client.end()]).then(() => undefined) };
}

async function claimsOf(
  load: Load,
  name: Engine['name'],
  claimant: Pick<AppContext, 'instanceId' | 'config' | 'reader'>,
) {
  if (name === 'new') {
    const { createClaims } = await load<typeof import('../../platform/lease.ts')>('platform/lease.ts');
    return createClaims(claimant);
  }
  const old = await load<{ createClaimRegistry: (graceMs: number) => object }>('platform/claimRegistry.ts');
  return old.createClaimRegistry(60_000);
}

/** Have vendors answer the sends to an address as its case says, one after another; then accept. */
async function stubVendors(load: Load): Promise<void> {
  const { driverOf } = await load<typeof import('../../channels/drivers.ts')>('channels/drivers.ts');
  const sends = new Map<string, number>();
  const send: Driver['send'] = async (_call, { address }): Promise<SendOutcome> => {
    const number = sends.get(address) ?? 0;
    sends.set(address, number + 1);
    const { outcomes } = caseOf(Number(address.slice(1)));
    return outcomes[number] ?? { kind: 'accepted', messageId: `${address}-${number}`, chatId: null };
  };
  for (const vendor of ['wazzup24', 'chatpush'] as const) Object.assign(driverOf(vendor), { send });
}

function caseOf(id: number): Case {
  const one = outside.cases.get(Math.floor(id / IDS_OF_CASE));
  if (!one) throw new Error(`No case has the id ${id}`);
  return one;
}

/** Replace both engines' models. Call it before an engine is opened. */
export async function stubModels(): Promise<void> {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'ai' || specifier.endsWith('/runPrompt.ts')
        ? { url: MODEL, shortCircuit: true }
        : next(specifier, context),
  });
  const { model }: { model: { ask?: (context: AppContext, asked: Asked) => Promise<GeneratedText> } } = await import(
    MODEL
  );
  model.ask = async ({ pool }, { dialogueId }) => {
    const { meanwhile, text } = caseOf(dialogueId);
    if (meanwhile !== null) await pool.query(meanwhile);
    return text;
  };
}

/** Stop all clocks of a database at an instant. */
export async function setClocks(client: pg.Client, now: string): Promise<void> {
  const clocks = ['public.domain_now', 'frozen.clock_timestamp', 'frozen.statement_timestamp', 'frozen.now'];
  const stop = (of: string) =>
    `create or replace function ${of}() returns timestamptz language sql stable return timestamptz '${now}';`;
  await client.query(clocks.map(stop).join(''));
}

/** Empty the database, stop its clocks, and insert the rows of cases. */
export async function seed({ client, context, name }: Engine, cases: readonly Case[], now: number): Promise<void> {
  outside.cases = new Map(cases.map((one) => [one.number, one]));
  await setClocks(client, new Date(now).toISOString());
  const nodes = [context.instanceId, ANOTHER_INSTANCE].map((id) => `('${id}', '${id}', '{worker}', 1, 'infinity')`);
  await client.query(
    `truncate companies, vendor_accounts, rate_limits, nodes restart identity cascade;
     insert into nodes (instance_id, name, roles, pid, heartbeat_at) values ${nodes.join()};
     select setval(schemaname || '.' || sequencename, ${FIRST_NEW_ID}) from pg_sequences where schemaname = 'public'`,
  );
  if (name === 'old') await client.query('truncate graphile_worker._private_jobs');
  const rows = cases.map((one) => one.rows);
  await insert({ client, name }, rows);
}

/** Columns of today's engine alone. */
const ADDED = new Set(['live_version', 'live_text', 'live_since']);

/** Return the row as this engine stores it. Only today's has an end of claims. */
function rowFor(engine: Engine['name'], row: Row): Row {
  if (engine === 'old') return Object.fromEntries(Object.entries(row).filter(([column]) => !ADDED.has(column)));
  return row['claimed_by'] ? { ...row, claimed_until: 'infinity' } : row;
}

/** Insert rows, each with the columns that it has. */
export async function insert({ client, name }: Pick<Engine, 'client' | 'name'>, all: readonly Rows[]): Promise<void> {
  const rows = all.flatMap((one) =>
    Object.entries(one).flatMap(([table, list]) => list.map((row) => ({ table, row: rowFor(name, row) }))),
  );
  const groups = Map.groupBy(rows, ({ table, row }) => `${table} (${Object.keys(row).join()})`);
  for (const [into, group] of groups) {
    const [{ table, row }] = group as [(typeof group)[0]];
    await client.query(
      `insert into ${into} overriding system value select ${Object.keys(row).join()} from jsonb_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(group.map((one) => one.row))],
    );
  }
  // Today's keeps every chat id of a dialogue, and knows whose a number is.
  if (name === 'new')
    await client.query(
      `insert into dialogue_chats (channel_id, chat_id, dialogue_id, product_id, created_at)
       select channel_id, chat_id, id, product_id, created_at from dialogues where chat_id is not null on conflict do nothing`,
    );
}

/** Columns that differ by nature: claims, traces, and how often a row was written. */
const IGNORED = ['claimed_until', 'claimed_at', 'trace', 'revision', 'key_hash', 'hook_secret_hash'];
const TABLES =
  'leads contacts dialogues messages outreach outreach_products inbox channels vendor_accounts first_messages first_message_quota lead_events';

/** Authors of messages that only a hook reports; the vendor's id tells them apart. */
const IS_FROM_HOOK = /^(lead|phone|other)$/;

/** By case: each row's columns, under a name that is the same for both engines. */
export type State = ReadonlyMap<number, ReadonlyMap<string, Row>>;

/** Read what the cases have become. Ids and keys that an engine gave are replaced by words. */
export async function readState({ client }: Engine): Promise<State> {
  const state = new Map<number, Map<string, Row>>();
  for (const table of TABLES.split(' ')) {
    const { rows } = await client.query<{ row: Row }>(
      `select to_jsonb(t) - $1::text[] as row from ${table} t order by 1`,
      [IGNORED],
    );
    for (const { row } of rows) {
      const id = Number(row['id'] ?? row['lead_id'] ?? row['message_id'] ?? row['product_id']);
      const number = Math.floor(Number(row['product_id'] ?? id) / IDS_OF_CASE);
      const rowsOfCase = state.get(number) ?? new Map<string, Row>();
      state.set(number, rowsOfCase);
      const neutral = neutralise(row) as Row;
      const parts = [neutral['contact_id'] ?? neutral['lead_id'], row['message'] ?? row['event_type'] ?? ''];
      if (IS_FROM_HOOK.test(String(row['author']))) parts.push(row['ext_id']);
      const base = id < FIRST_NEW_ID ? `${table} ${id}` : `${table} new ${parts.join(' ')}`;
      let key = base;
      for (let copy = 2; rowsOfCase.has(key); copy++) key = `${base} (${copy})`;
      rowsOfCase.set(key, neutral);
    }
  }
  return state;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-9a-f][0-9a-f]{3}-/;

function neutralise(value: unknown): unknown {
  if (typeof value === 'number') return value >= FIRST_NEW_ID ? 'new' : value;
  if (typeof value === 'string') return UUID.test(value) ? 'key' : /^9\d{8}$/.test(value) ? 'new' : value;
  if (Array.isArray(value)) return value.map(neutralise);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, neutralise(one)]));
}
