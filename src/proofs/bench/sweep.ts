/**
 * The cost of outreach among many leads when nothing or little is due, and the duration of a rehearsal of many leads.
 */
import pg from 'pg';
import { startApp } from '../../app.ts';
import { evaluateDue } from '../../outreach/evaluateDue.ts';
import { loadRehearsalInput } from '../../outreach/rehearsal.ts';
import { readRehearsal, rehearsal } from '../../outreach/rehearsalContract.ts';
import { rehearse } from '../../outreach/rehearse.ts';
import { readLeadFacts } from '../../outreach/store/facts.ts';
import { checkDue } from '../../outreach/store/outreach.ts';
import type { AppContext } from '../../platform/appContext.ts';
import { readConfig } from '../../platform/config.ts';
import { createLog } from '../../platform/log.ts';
import { startServer } from '../../testing/serverProcess.ts';
import type { World } from '../../testing/world.ts';
import { createWorldOn } from './environment.ts';
import { median } from './median.ts';

const DAY_MS = 86_400_000;
/** Leads that fall due in each round, regardless of the total. */
const DUE = 200;
export interface SweepResult {
  readonly leads: number;
  /** Medians in milliseconds: a query with nothing due, reading the facts of 200 leads, and a whole sweep over them. */
  readonly idleMs: number;
  readonly factsMs: number;
  readonly sweepMs: number;
}

export interface RehearsalTimes {
  readonly leads: number;
  readonly days: number;
  readonly messages: number;
  /** Medians in milliseconds: reading the facts, the rehearsal itself, and the whole request until its last byte. */
  readonly factsMs: number;
  readonly rehearseMs: number;
  readonly endpointMs: number;
}

/** Create a database of its own on the cluster, with a world that serves nothing. */
async function withDatabase<T>(clusterUrl: string, name: string, work: (parts: Parts) => Promise<T>): Promise<T> {
  const address = new URL(clusterUrl);
  const cluster = new pg.Client({ connectionString: clusterUrl });
  await cluster.connect();
  await cluster.query(`create database ${name}`);
  await cluster.end();
  address.pathname = `/${name}`;
  const world = await createWorldOn(address.href);
  const pool = new pg.Pool({ connectionString: address.href, max: 2 });
  const app = await startApp({ ...readConfig(world.env({ PORT: '0' })), roles: [] }, createLog('silent'));
  try {
    return await work({ world, pool, context: app.context });
  } finally {
    await app.stop();
    await pool.end();
    await world.close();
  }
}

interface Parts {
  readonly world: World;
  readonly pool: pg.Pool;
  readonly context: AppContext;
}

/** Sweep over the same 200 due leads among each of the sizes. */
export function measureSweep(clusterUrl: string, sizes: readonly number[], rounds: number): Promise<SweepResult[]> {
  return withDatabase(clusterUrl, 'sweep', async ({ world, pool, context }) => {
    const results: SweepResult[] = [];
    let filled = 0;
    for (const size of sizes) {
      await fill(pool, world, filled, size);
      filled = size;
      const [idle, facts, whole]: number[][] = [[], [], []];
      for (let round = 0; round < rounds + 2; round++) {
        const { rows } = await pool.query<{ id: number }>(
          `select (1 + floor(random() * $1::int))::int as id from generate_series(1, $2::int) n`,
          [size, DUE],
        );
        const ids = [...new Set(rows.map((row) => row.id))];
        const durations = [
          await timed(() => checkDue(context.reader)),
          await timed(() => readLeadFacts(context.reader, ids)),
          await timed(async () => {
            await pool.query('update outreach set next_at = domain_now() where lead_id = any($1)', [ids]);
            await evaluateDue(context);
          }),
        ];
        // The first rounds warm up.
        if (round < 2) continue;
        idle?.push(durations[0] ?? 0);
        facts?.push(durations[1] ?? 0);
        whole?.push(durations[2] ?? 0);
      }
      results.push({
        leads: size,
        idleMs: median(idle ?? []),
        factsMs: median(facts ?? []),
        sweepMs: median(whole ?? []),
      });
    }
    return results;
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const PINGS = {
  use_on_no_init_msg_reply: true,
  steps: [1, 2, 3, 4, 5].map((step_number) => ({
    step_number,
    after_minutes: step_number * 1440,
    prepared_message_id: 1,
    prompt_id: null,
    document_type: null,
  })),
};

/** Create leads of a hundred products, each with a contact, a dialogue and two messages, none of them due. */
async function fill(pool: pg.Pool, world: World, from: number, to: number): Promise<void> {
  const client = await pool.connect();
  try {
    if (from === 0) {
      await client.query(
        `with made as (insert into products (company_id, name) select $1, 'Product ' || n from generate_series(1, 99) n returning id)
         insert into product_channels (product_id, company_id, channel_id) select id, $1, $2 from made`,
        [world.companyId, world.whatsapp.id],
      );
      await client.query(`insert into schedules (product_id, timezone, config) select id, 'UTC', $1 from products`, [
        { days: Object.fromEntries([0, 1, 2, 3, 4, 5, 6].map((day) => [day, HOURS])) },
      ]);
      await client.query(
        'insert into ping_configs (product_id, is_enabled, config) select id, true, $1 from products',
        [PINGS],
      );
      await client.query('update outreach_products set replan = false, next_at = null');
    }
    // The same statements create the references, and triggers would make every lead due.
    await client.query("set session_replication_role = 'replica'");
    const range = [from, to];
    await client.query(
      `insert into leads (id, product_id, name, stage, timezone) overriding system value
       select n, 1 + n % 100, 'Lead ' || n, 'ongoing', 'Europe/Moscow' from generate_series($1::int + 1, $2::int) n`,
      range,
    );
    await client.query(
      `insert into contacts (id, lead_id, product_id, contact, contact_type, address, is_main) overriding system value
       select n, n, 1 + n % 100, '+' || 79000000000 + n, 'whatsapp', (79000000000 + n)::text, true from generate_series($1::int + 1, $2::int) n`,
      range,
    );
    await client.query(
      `insert into dialogues (id, product_id, contact_id, channel_id, chat_id, address, last_user_msg_id, last_user_msg_at, last_bot_msg_id, last_msg_created_at) overriding system value
       select n, 1 + n % 100, n, $3, (79000000000 + n)::text, (79000000000 + n)::text, 2 * n - 1, now() - interval '2 hours', 2 * n, now() - interval '1 hour'
         from generate_series($1::int + 1, $2::int) n`,
      [...range, world.whatsapp.id],
    );
    await client.query(
      `insert into messages (id, product_id, contact_id, dialogue_id, channel_id, message, side, author, status, thread_at) overriding system value
       select 2 * n - k, 1 + n % 100, n, n, $3, 'How long does delivery take?', case k when 1 then 'user' else 'bot' end,
              case k when 1 then 'lead' else 'bot' end, case k when 1 then 'inbound' else 'read' end, now() - interval '1 hour' * (1 + k)
         from generate_series($1::int + 1, $2::int) n, generate_series(0, 1) k`,
      [...range, world.whatsapp.id],
    );
    await client.query(
      `insert into outreach (lead_id, product_id, next_at, next_action) select n, 1 + n % 100, now() + interval '1 day', 'ping'
         from generate_series($1::int + 1, $2::int) n`,
      range,
    );
  } finally {
    client.release(true);
  }
  await pool.query('vacuum analyze');
}

const HOURS = { is_working_day: true, time_start: '09:00', time_end: '18:00' };

/** Rehearse a month of many new leads in several time zones with five follow-ups each. */
export function measureRehearsal(
  clusterUrl: string,
  leads: number,
  days: number,
  rounds: number,
): Promise<RehearsalTimes> {
  return withDatabase(clusterUrl, 'rehearsal', async ({ world, pool, context }) => {
    const { productId } = world;
    const messagingConfig = {
      tg_daily_limit: 0,
      whatsapp_daily_limit: leads,
      add_interval_seconds: 0,
      add_interval_jitter_seconds: 0,
      initial_message_send_at: '06:00',
      initial_message_document_prompt_id: null,
      initial_message_prepared_message_id: null,
      initial_message_text: 'Good day, {{ lead.name }}!',
    };
    const config = { lead_expires_in_hours: 0, models_config: null, messaging_config: messagingConfig };
    await pool.query('update products set config = $2 where id = $1', [productId, config]);
    await pool.query(`insert into schedules (product_id, timezone, config) values ($1, 'Europe/Moscow', $2)`, [
      productId,
      { days: Object.fromEntries([0, 1, 2, 3, 4, 5, 6].map((day) => [day, HOURS])) },
    ]);
    await pool.query('insert into ping_configs (product_id, is_enabled, config) values ($1, true, $2)', [
      productId,
      PINGS,
    ]);
    await pool.query(
      `with made as (insert into leads (product_id, name, stage, timezone)
                     select $1, 'Lead ' || n, 'initial', (array['Europe/Moscow', 'Asia/Tokyo', 'America/New_York', 'Europe/London', 'Asia/Kathmandu'])[1 + n % 5]
                       from generate_series(1, $2::int) n returning id, product_id)
       insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
       select id, product_id, '+' || 79000000000 + id, 'whatsapp', (79000000000 + id)::text, true from made`,
      [productId, leads],
    );
    await pool.query('vacuum analyze');
    const server = startServer(world, { RAPPORT_ROLES: 'web' });
    await server.waitUntilReady();
    const operator = await world.operator();
    const [facts, played, endpoint]: number[][] = [[], [], []];
    let messages = 0;
    try {
      for (let round = 0; round < rounds; round++) {
        let stage: Awaited<ReturnType<typeof loadRehearsalInput>>;
        facts?.push(
          await timed(async () => {
            stage = await loadRehearsalInput(context.reader, productId);
          }),
        );
        played?.push(
          await timed(async () => {
            if (!stage) throw new Error('no product');
            messages = rehearse({ ...stage, to: stage.from + days * DAY_MS }).messages.length;
          }),
        );
        endpoint?.push(
          await timed(async () => {
            const answer = await operator.call(readRehearsal, { query: { product_id: productId, days } });
            if (answer.status !== 200 || rehearsal.parse(answer.body).total !== messages)
              throw new Error('The rehearsal is another one');
          }),
        );
      }
    } finally {
      await server.stop();
    }
    return {
      leads,
      days,
      messages,
      factsMs: median(facts ?? []),
      rehearseMs: median(played ?? []),
      endpointMs: median(endpoint ?? []),
    };
  });
}
