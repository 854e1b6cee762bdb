/**
 * The world of tests: their own database, the emulators, a server on loopback, and leads with phones. Tests wait for
 * conditions, never for a fixed time.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { addOperator } from '../access/operator.ts';
import { type App, startApp } from '../app.ts';
import { registerChannelHook } from '../channels/registerHook.ts';
import { addCredential } from '../llm/complete.ts';
import type { AppContext } from '../platform/appContext.ts';
import { readConfig } from '../platform/config.ts';
import { ids } from '../platform/ids.ts';
import { createLog } from '../platform/log.ts';
import { createPrompt } from '../prompts/prompt.ts';
import type { PhoneMessage } from '../sandbox/emulators/contract.ts';
import type { ControlClient } from '../sandbox/emulators/control.ts';
import { CANARY, type Canaries, createCanaries } from './canaries.ts';
import { type Client, makeClient } from './client.ts';
import { freshDatabase } from './postgres.ts';
import { appUrlOf, type TestDatabase } from './testServer.ts';
import { waitUntilIdle } from './waitUntilIdle.ts';
import { killEmulators, startFastEmulators } from './worldEmulators.ts';

export const WAZZUP_KEY = `world-wazzup24-${CANARY}-key`;
export const MODEL_KEY = `sk-sandbox-${CANARY}-world`;
export const SECRET_KEY = `a-${CANARY}-key-for-tests-only-0123456789`;
export const PASSWORD = `correct ${CANARY} horse`;
export const PROMPT = `You are Vera. You write to {{ lead.name }} about kitchens.
A kitchen costs from 4200 euros.
Delivery takes six weeks.
The showroom is open from 10:00 to 19:00.`;

/** Find a free port on loopback. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

export interface TestLead {
  readonly name: string;
  readonly leadId: number;
  readonly contactId: number;
  readonly address: string;
  /** Write from the phone. */
  writes(...texts: string[]): Promise<void>;
  /** Return what the lead sees, oldest first; each text is prefixed with `us:` or `lead:`. */
  sees(): Promise<string[]>;
  thread(): Promise<PhoneMessage[]>;
  /** Return the id of the dialogue, which must exist. */
  dialogueId(): Promise<number>;
}

export interface World {
  readonly url: string;
  readonly port: number;
  /** Connects as the app's role. */
  readonly databaseUrl: string;
  /** Connects as the database's owner. */
  readonly ownerUrl: string;
  readonly control: ControlClient;
  /** The folder with the emulators' journal. */
  readonly emulatorDir: string;
  /** The server in this process; null if the test runs its own. */
  readonly app: App | null;
  /** The test's own pool, to inspect the database. */
  readonly pool: pg.Pool;
  /** The secrets of this world, and where they were seen. */
  readonly canaries: Canaries;
  readonly companyId: number;
  readonly productId: number;
  readonly whatsapp: { readonly id: number; readonly ref: string };
  readonly telegram: { readonly id: number; readonly ref: string };
  /** Return the environment for a server process in this world. */
  env(more?: Record<string, string>): Record<string, string>;
  /** Create an operator and sign them in: an admin, or a member of companies. */
  operator(login?: string, companies?: readonly number[]): Promise<Client>;
  /** Create a client without a session. */
  anonymousClient(): Client;
  lead(
    name: string,
    options?: {
      messenger?: 'whatsapp' | 'telegram';
      /** Used instead of the world's own channel of the messenger. */
      channel?: { readonly id: number; readonly ref: string };
      productId?: number;
      stage?: string;
      dialogue?: boolean;
    },
  ): Promise<TestLead>;
  /** Wait until nothing is due, claimed or in transit. */
  drain(timeoutMs?: number): Promise<void>;
  /** Wait until `condition` is true. */
  waitUntil(condition: () => Promise<boolean> | boolean, what: string, timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions {
  /** Environment of the server, on top of fast settings. */
  readonly env?: Record<string, string>;
  /** False: the test starts server processes itself. */
  readonly serve?: boolean;
  /** `process`: the emulators run in a separate process, which can be killed and restarts. */
  readonly emulators?: 'process';
  /** A migrated database for callers outside vitest; by default a clone of the run's template. */
  readonly database?: TestDatabase;
}

const FAST_SETTINGS = {
  RAPPORT_SANDBOX: 'on',
  RAPPORT_DEMO: 'off',
  RAPPORT_SECRET_KEY: SECRET_KEY,
  RAPPORT_REPLY_DEBOUNCE_SECONDS: '0.2',
  // Due work is normally triggered; sweeps only find what was missed. At twenty a second an idle world took a quarter
  // of a core.
  RAPPORT_SWEEP_SECONDS: '0.2',
  RAPPORT_ECHO_HOLD_SECONDS: '0.3',
  RAPPORT_HEARTBEAT_SECONDS: '0.3',
  RAPPORT_RETRY_BASE_SECONDS: '0.05',
  RAPPORT_CHATPUSH_PACE_SECONDS: '0.05',
  RAPPORT_STRICT_REPLIES: 'on',
  RAPPORT_LOG_LEVEL: 'warn',
};

/**
 * A server within the test's own process is never killed: its claims end when it ends them, however long a crowded
 * machine keeps the process waiting.
 */
const SETTINGS_IN_PROCESS = { RAPPORT_LEASE_SECONDS: '60' };

let accountCount = 0;

/** Create a world: a company with a product, a prompt, a model key, and a WhatsApp and a Telegram channel. */
export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const { serve = true } = options;
  const database = options.database ?? (await freshDatabase());
  const folder = mkdtempSync(join(tmpdir(), 'rapport-world-'));
  const canaries = createCanaries();
  const emulatorDir = join(folder, 'emulators');
  const { emulators, control } = await startFastEmulators(emulatorDir, options.emulators);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const databaseUrl = appUrlOf(database.url);
  const env = (more: Record<string, string> = {}): Record<string, string> => ({
    ...FAST_SETTINGS,
    ...(serve ? SETTINGS_IN_PROCESS : {}),
    DATABASE_URL: databaseUrl,
    DATABASE_MIGRATIONS_URL: database.url,
    RAPPORT_DATA_DIR: folder,
    PORT: String(port),
    ...options.env,
    ...more,
  });
  const pool = openPool(database.url);
  const config = readConfig(env());
  // Rows are created by the product's own functions; with `serve: false`, by an app without roles.
  const app = await startApp(
    serve ? config : { ...config, roles: [] },
    createLog('debug', {}, scannedLog(canaries, config.logLevel)),
  );
  const company = await createCompany(app.context);
  await putChannels(control, company);
  if (serve) await registerChannelHook(app.context, company.whatsapp.id, true);
  else await app.stop();

  return {
    url,
    port,
    databaseUrl,
    ownerUrl: database.url,
    control,
    emulatorDir,
    app: serve ? app : null,
    pool,
    canaries,
    ...company,
    env,
    anonymousClient: () => makeClient(url, '', canaries),
    operator: (login = `operator${++accountCount}`, companies) =>
      signInOperator({ url, databaseUrl, canaries, login, companies: companies ?? null }),
    lead: (name, { messenger = 'whatsapp', ...rest } = {}) =>
      createLead(
        { pool, control },
        {
          name,
          messenger,
          channel: company[messenger],
          productId: company.productId,
          stage: 'started',
          dialogue: true,
          ...rest,
        },
      ),
    waitUntil,
    drain: (timeoutMs) => waitUntilIdle({ pool, control, app }, timeoutMs),
    async close() {
      if (serve) await app.stop();
      await emulators.stop();
      // If a test stopped the emulators, a server may have started others.
      killEmulators(emulatorDir);
      // A database passed by the caller may have a million rows from elsewhere.
      if (options.database === undefined) {
        canaries.scanJournal(join(emulatorDir, 'journal.jsonl'));
        await canaries.scanDatabase(pool);
      }
      await pool.end();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
      const seen = canaries.leaks();
      if (seen.length > 0) throw new Error(`Secrets came out:\n${seen.join('\n')}`);
    },
  };
}

interface TestChannel {
  readonly id: number;
  readonly ref: string;
}
type TestCompany = Pick<World, 'companyId' | 'productId' | 'whatsapp' | 'telegram'>;

/** Create the world's company, with its product, prompt, model key and channels. */
async function createCompany(context: AppContext): Promise<TestCompany> {
  return context.transact(async (tx) => {
    const { sql } = await import('kysely');
    const id = async (statement: ReturnType<typeof sql<{ id: number }>>) =>
      (await statement.execute(tx)).rows[0]?.id ?? 0;
    const companyId = await id(sql`insert into companies (name) values ('Kitchens Ltd') returning id`);
    // Tests that are about hand-overs switch them on: the texts of others would hand over what they are about.
    const productId = await id(
      sql`insert into products (company_id, name, hand_over) values (${companyId}, 'Kitchens', false) returning id`,
    );
    await addCredential(context, tx, { companyId, vendor: 'chatgpt', apiKey: MODEL_KEY });
    await createPrompt(tx, { productId, name: 'Vera', type: 'prompt', text: PROMPT, author: 'test' });
    const { findOrCreateAccount } = await import('../channels/account.ts');
    const { allowOnAccount } = await import('../channels/ownership.ts');
    const accountId = await findOrCreateAccount(context, tx, { vendor: 'wazzup24', apiKey: WAZZUP_KEY });
    await allowOnAccount(tx, accountId, companyId);
    const channel = async (type: 'whatsapp' | 'telegram'): Promise<TestChannel> => {
      const ref = ids.next();
      const config = JSON.stringify({ transport: type === 'telegram' ? 'tgapi' : type });
      const channelId = await id(
        sql`insert into channels (account_id, company_id, name, number, vendor, channel_type, vendor_ref, is_session_active, state, config)
            values (${accountId}, ${companyId}, ${type}, '79990000000', 'wazzup24', ${type}, ${ref}, true, 'active', ${config}) returning id`,
      );
      await sql`insert into product_channels (product_id, company_id, channel_id, inbound_enabled)
                values (${productId}, ${companyId}, ${channelId}, true)`.execute(tx);
      return { id: channelId, ref };
    };
    return { companyId, productId, whatsapp: await channel('whatsapp'), telegram: await channel('telegram') };
  });
}

/** Let the emulated vendor know the company's channels. */
async function putChannels(control: ControlClient, { whatsapp, telegram }: TestCompany): Promise<void> {
  await control.putAccount(WAZZUP_KEY, {
    channels: [
      { channelId: whatsapp.ref, transport: 'whatsapp', plainId: '79990000000', name: 'WhatsApp' },
      { channelId: telegram.ref, transport: 'tgapi', plainId: '79990000001', name: 'Telegram' },
    ],
  });
}

interface OperatorOptions {
  readonly url: string;
  readonly databaseUrl: string;
  readonly canaries: Canaries;
  readonly login: string;
  /** Null: an admin. */
  readonly companies: readonly number[] | null;
}

async function signInOperator({ url, databaseUrl, canaries, login, companies }: OperatorOptions): Promise<Client> {
  const { openDb } = await import('../platform/openDb.ts');
  const db = openDb(databaseUrl, createLog('silent'), { max: 1 });
  await db.transact((tx) => addOperator(tx, { login, password: PASSWORD, companies, mustChange: false }));
  await db.close();
  const response = await makeClient(url, '', canaries).fetch('/v1/auth/login', {
    method: 'POST',
    body: JSON.stringify({ login, password: PASSWORD }),
    headers: { 'content-type': 'application/json' },
  });
  if (response.status !== 200) throw new Error(`Cannot sign in: ${response.status} ${await response.text()}`);
  return makeClient(url, (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '', canaries);
}

interface LeadOptions {
  readonly name: string;
  readonly messenger: 'whatsapp' | 'telegram';
  readonly channel: TestChannel;
  readonly productId: number;
  readonly stage: string;
  readonly dialogue: boolean;
}

/** Create a lead with a contact and a phone; with a dialogue if wanted. */
async function createLead(
  { pool, control }: { readonly pool: pg.Pool; readonly control: ControlClient },
  { name, messenger, channel, productId, stage, dialogue }: LeadOptions,
): Promise<TestLead> {
  const insert = async (text: string, values: unknown[]): Promise<number> => {
    const { rows } = await pool.query<{ id: string }>(`insert into ${text} returning id`, values);
    return Number(rows[0]?.id);
  };
  const address = `7900${String(1_000_000 + ++accountCount)}`;
  const leadId = await insert('leads (product_id, name, stage) values ($1, $2, $3)', [productId, name, stage]);
  const contactId = await insert(
    'contacts (lead_id, product_id, contact, contact_type, address, is_main) values ($1, $2, $3, $4, $3, true)',
    [leadId, productId, address, messenger],
  );
  if (dialogue)
    await insert('dialogues (product_id, contact_id, channel_id, chat_id, address) values ($1, $2, $3, $4, $5)', [
      productId,
      contactId,
      channel.id,
      messenger === 'whatsapp' ? address : null,
      address,
    ]);
  await control.putPhone(address, name);
  const thread = async () => (await control.thread(address)).messages;
  return {
    name,
    leadId,
    contactId,
    address,
    async writes(...texts) {
      for (const text of texts) await control.write(address, { channelId: channel.ref, name, text });
    },
    thread,
    sees: async () => (await thread()).map(({ author, text }) => `${author === 'lead' ? 'lead' : 'us'}: ${text ?? ''}`),
    async dialogueId() {
      const { rows } = await pool.query<{ id: string }>('select id from dialogues where contact_id = $1', [contactId]);
      return Number(rows[0]?.id);
    },
  };
}

/**
 * Open a test's own pool. It repeats a statement that PostgreSQL has ended in a deadlock, as the product does with its
 * transactions: a test that changes several rows beside a working engine locks them in an order of its own.
 */
function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 4 });
  pool.on('error', () => undefined);
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
  const repeated = async (...args: unknown[]): Promise<unknown> => {
    for (;;) {
      try {
        return await query(...args);
      } catch (error) {
        if (!(error instanceof pg.DatabaseError && error.code === '40P01')) throw error;
      }
    }
  };
  pool.query = repeated as typeof pool.query;
  return pool;
}

async function waitUntil(
  condition: () => Promise<boolean> | boolean,
  what: string,
  timeoutMs = 150_000,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`Not within ${timeoutMs} ms: ${what}`);
    await pause(10);
  }
}

/**
 * Create a log stream that searches every line, of any level, and prints those that a server of this level would write.
 */
function scannedLog(canaries: Canaries, level: string): { write(line: string): void } {
  const lowest = pino.levels.values[level] ?? Number.POSITIVE_INFINITY;
  return {
    write(line) {
      canaries.scan('a log', line);
      if (Number(/^\{"level":(\d+)/.exec(line)?.[1]) >= lowest) process.stdout.write(line);
    },
  };
}
