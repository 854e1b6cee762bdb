/**
 * Outreach among many leads: a sweep over 200 due ones, and a rehearsal. `--rounds N`; `sweep`: `--leads 10000,100000`;
 * `rehearsal`: `--people N --days D`.
 */
import { type App, startApp } from '../../app.ts';
import { evaluateDue } from '../../outreach/evaluateDue.ts';
import { loadRehearsalInput } from '../../outreach/rehearsal.ts';
import { readRehearsal, rehearsal as rehearsalSchema } from '../../outreach/rehearsalContract.ts';
import { rehearse } from '../../outreach/rehearse.ts';
import { readLeadFacts } from '../../outreach/store/facts.ts';
import { checkDue } from '../../outreach/store/outreach.ts';
import { readConfig } from '../../platform/config.ts';
import { createLog } from '../../platform/log.ts';
import { startServer } from '../../testing/serverProcess.ts';
import type { World } from '../../testing/world.ts';
import { definePart } from '../harness/command.ts';
import { firstMessageConfig, insertLeads } from '../harness/leads.ts';
import { median, timed } from '../harness/load.ts';
import { format, formatCount, table } from '../harness/report.ts';
import { withWorld } from '../harness/world.ts';

const DAY_MS = 86_400_000;
/** Leads that fall due in each round, regardless of the total. */
const DUE = 200;
const GROWTH = 1.5;
const REHEARSAL_MS = 5000;
const ZONES = ['Europe/Moscow', 'Asia/Tokyo', 'America/New_York', 'Europe/London', 'Asia/Kathmandu'];

/** Create a world that serves nothing, with an app that runs nothing by itself. */
function withApp<T>(work: (world: World, app: App) => Promise<T>): Promise<T> {
  return withWorld({ production: true }, async (world) => {
    const app = await startApp({ ...readConfig(world.env({ PORT: '0' })), roles: [] }, createLog('silent'));
    try {
      return await work(world, app);
    } finally {
      await app.stop();
    }
  });
}

interface SweepTimes {
  readonly leads: number;
  /** Medians in milliseconds: a query with nothing due, reading the facts of 200 leads, and a whole sweep over them. */
  readonly idleMs: number;
  readonly factsMs: number;
  readonly sweepMs: number;
}

export const sweep = definePart({
  heading: 'Outreach among many leads',
  options: { rounds: [7, 1], leads: ['10000,100000,1000000', '1000,2000'] },
  run: ({ rounds, leads }) =>
    withApp(async (world, app) => {
      const results: SweepTimes[] = [];
      for (const size of leads.split(',').map(Number)) {
        await fill(world, results.at(-1)?.leads ?? 0, size);
        results.push(await measureSweep(world, app, { size, rounds: rounds * 3 }));
      }
      const growth = Math.max(...results.map((one) => one.sweepMs)) / (results[0]?.sweepMs ?? Number.NaN);
      return {
        text: `200 leads of a hundred products fall due in each sweep; all others wait. Each lead has a contact, a dialogue and two messages; the product has hours and five follow-ups. The slowest size takes **${growth.toFixed(2)}** times as long as the smallest, the target is ${GROWTH}.

${table(
  ['leads', 'nothing is due', 'facts of 200 leads read', 'a whole sweep over 200 due leads'],
  results.map((one) => [one.leads, format(one.idleMs, 'ms'), format(one.factsMs, 'ms'), format(one.sweepMs, 'ms')]),
)}`,
        violations:
          growth > GROWTH
            ? [`the sweep takes ${growth.toFixed(2)} times as long among more leads, the target is ${GROWTH}`]
            : [],
      };
    }),
});

/** Sweep over the same number of due leads, `rounds` times. */
async function measureSweep(
  { pool }: World,
  { context }: App,
  { size, rounds }: { readonly size: number; readonly rounds: number },
): Promise<SweepTimes> {
  const [idle, facts, whole]: [number[], number[], number[]] = [[], [], []];
  // The first rounds warm up.
  for (let round = -2; round < rounds; round++) {
    const { rows } = await pool.query<{ id: number }>(
      `select distinct (1 + floor(random() * $1::int))::int as id from generate_series(1, $2::int) n`,
      [size, DUE],
    );
    const ids = rows.map(({ id }) => id);
    const durations = [
      await timed(() => checkDue(context.reader)),
      await timed(() => readLeadFacts(context.reader, ids)),
      await timed(async () => {
        await pool.query('update outreach set next_at = domain_now() where lead_id = any($1)', [ids]);
        await evaluateDue(context);
      }),
    ] as const;
    if (round >= 0) for (const [index, of] of [idle, facts, whole].entries()) of.push(durations[index] ?? Number.NaN);
  }
  return { leads: size, idleMs: median(idle), factsMs: median(facts), sweepMs: median(whole) };
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
async function fill(world: World, from: number, to: number): Promise<void> {
  const { pool } = world;
  const client = await pool.connect();
  try {
    if (from === 0) {
      await client.query(
        `with made as (insert into products (company_id, name) select $1, 'Product ' || n from generate_series(1, 99) n returning id)
         insert into product_channels (product_id, company_id, channel_id) select id, $1, $2 from made`,
        [world.companyId, world.whatsapp.id],
      );
      await insertSettings(world, 'UTC');
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

/** Give every product working hours and follow-ups. */
async function insertSettings({ pool }: World, zone: string): Promise<void> {
  const days = Object.fromEntries([0, 1, 2, 3, 4, 5, 6].map((day) => [day, HOURS]));
  await pool.query('insert into schedules (product_id, timezone, config) select id, $1, $2 from products', [
    zone,
    { days },
  ]);
  await pool.query('insert into ping_configs (product_id, is_enabled, config) select id, true, $1 from products', [
    PINGS,
  ]);
}

/** Rehearse a month of many new leads in several time zones with five follow-ups each. */
export const rehearsal = definePart({
  heading: 'Rehearsal',
  options: { rounds: [7, 1], people: [10_000, 200], days: [30, 30] },
  run: ({ rounds, people, days }) =>
    withApp(async (world, { context }) => {
      const { productId, pool } = world;
      const config = firstMessageConfig({ dailyLimit: people, sendAt: '06:00' });
      await pool.query('update products set config = $2 where id = $1', [productId, config]);
      await insertSettings(world, 'Europe/Moscow');
      await insertLeads(pool, { count: people, products: [{ id: productId }], stage: 'initial', zones: ZONES });
      await pool.query('vacuum analyze');
      const server = startServer(world, { RAPPORT_ROLES: 'web' });
      const [facts, played, endpoint]: [number[], number[], number[]] = [[], [], []];
      let messages = 0;
      try {
        await server.waitUntilReady();
        const operator = await world.operator();
        for (let round = 0; round < rounds; round++) {
          const startedAt = performance.now();
          const input = await loadRehearsalInput(context.reader, productId);
          facts.push(performance.now() - startedAt);
          if (!input) throw new Error('There is no product');
          played.push(
            await timed(async () => {
              messages = rehearse({ ...input, to: input.from + days * DAY_MS }).messages.length;
            }),
          );
          endpoint.push(
            await timed(async () => {
              const answer = await operator.call(readRehearsal, { query: { product_id: productId, days } });
              if (answer.status !== 200 || rehearsalSchema.parse(answer.body).total !== messages)
                throw new Error('The endpoint answers another rehearsal');
            }),
          );
        }
      } finally {
        await server.stop();
      }
      const wholeMs = median(endpoint);
      return {
        text: `A rehearsal of ${days} days for ${formatCount(people)} leads in five zones with five follow-ups each, ${formatCount(messages)} messages: the facts are read in ${format(median(facts), 'ms')}, the rehearsal takes ${format(median(played), 'ms')}, the request until its last byte **${format(wholeMs, 'ms')}**; the target is ${format(REHEARSAL_MS, 'ms')}.`,
        violations:
          wholeMs > REHEARSAL_MS
            ? [`a rehearsal takes ${format(wholeMs, 'ms')}, the target is ${REHEARSAL_MS} ms`]
            : [],
      };
    }),
});
