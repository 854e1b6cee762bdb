/** Throughput of first messages from due to accepted by the vendor, per second, compared with bare jobs. */
import { setTimeout as pause } from 'node:timers/promises';
import { run } from 'graphile-worker';
import pg from 'pg';
import { startApp } from '../../app.ts';
import { findOrCreateAccount } from '../../channels/account.ts';
import { allowOnAccount } from '../../channels/ownership.ts';
import { readConfig } from '../../platform/config.ts';
import { createLog } from '../../platform/log.ts';
import { startServer } from '../../testing/serverProcess.ts';
import type { World } from '../../testing/world.ts';
import { createWorldOn } from './environment.ts';
import { median } from './median.ts';

export interface DuePath {
  readonly keys: number;
  readonly messages: number;
  /** Medians per second. */
  readonly path: number;
  readonly jobs: number;
  /** Number of the vendor's refusals because we were too fast. */
  readonly tooFast: number;
}

/** Send the messages over the keys, `rounds` times, at the vendor's limit for each key; then run as many empty jobs. */
export async function measureDue(
  clusterUrl: string,
  { keys, messages, rounds }: { keys: number; messages: number; rounds: number },
): Promise<DuePath> {
  const address = new URL(clusterUrl);
  const cluster = new pg.Client({ connectionString: clusterUrl });
  await cluster.connect();
  await cluster.query('create database due');
  await cluster.end();
  address.pathname = '/due';
  const world = await createWorldOn(address.href, { RAPPORT_LOG_LEVEL: 'error' });
  const pool = new pg.Pool({ connectionString: address.href, max: 2 });
  await makeProducts(world, pool, keys);
  const server = startServer(world, { RAPPORT_ROLES: 'worker' });
  const [path, jobs]: number[][] = [[], []];
  try {
    await server.waitUntilReady();
    for (let round = 0; round <= rounds; round++) {
      const sent = await sendAll(world, pool, round, messages);
      // The first round warms up.
      if (round > 0) path?.push(sent);
    }
    await server.stop();
    for (let round = 0; round <= rounds; round++) {
      const done = await runBare(address.href, messages);
      if (round > 0) jobs?.push(done);
    }
    const refused = await world.control.entriesOf('refused');
    return {
      keys,
      messages,
      path: median(path ?? []),
      jobs: median(jobs ?? []),
      tooFast: refused.filter((one) => one.status === 429).length,
    };
  } finally {
    await server.stop();
    await pool.end();
    await world.close();
  }
}

/** Create a product for each key, each with an account and a channel of its own. */
export async function makeProducts(world: World, pool: pg.Pool, keys: number): Promise<void> {
  const app = await startApp({ ...readConfig(world.env({ PORT: '0' })), roles: [] }, createLog('silent'));
  const config = {
    lead_expires_in_hours: 0,
    models_config: null,
    messaging_config: {
      tg_daily_limit: 0,
      whatsapp_daily_limit: 1_000_000,
      add_interval_seconds: 0,
      add_interval_jitter_seconds: 0,
      initial_message_send_at: '00:00',
      initial_message_document_prompt_id: null,
      initial_message_prepared_message_id: null,
      initial_message_text: 'Good day, {{ lead.name }}!',
    },
  };
  for (let index = 0; index < keys; index++) {
    const key = `bench-key-${index}`;
    const ref = crypto.randomUUID();
    const accountId = await app.context.transact(async (tx) => {
      const account = await findOrCreateAccount(app.context, tx, 'wazzup24', key);
      await allowOnAccount(tx, account, world.companyId);
      return account;
    });
    await pool.query(
      `with p as (insert into products (company_id, name, config) values ($1, $2, $3) returning id),
            c as (insert into channels (account_id, company_id, name, number, vendor, channel_type, vendor_ref, is_session_active, state)
                  values ($4, $1, $2, '79990000000', 'wazzup24', 'whatsapp', $5, true, 'active') returning id)
       insert into product_channels (product_id, company_id, channel_id) select p.id, $1, c.id from p, c`,
      [world.companyId, `Bench ${index}`, config, accountId, ref],
    );
    await world.control.putAccount(key, {
      channels: [{ channelId: ref, transport: 'whatsapp', plainId: '79990000000', name: 'Bench' }],
    });
  }
  // No phone confirms receipt here, and a channel without receipts would be paused.
  await pool.query(`update channels set first_messages_resumed_at = domain_now() + interval '1 day'`);
  await app.stop();
}

/** Make `count` leads due at once and wait until all messages are on their phones. Returns messages per second. */
async function sendAll(world: World, pool: pg.Pool, round: number, count: number): Promise<number> {
  const before = await world.control.entriesOf('reached');
  const from = before.at(-1)?.seq ?? 0;
  await pool.query(
    `with p as (select id, row_number() over (order by id) as n, count(*) over () as all from products where name like 'Bench %'),
          made as (insert into leads (product_id, name, stage, eligible_since)
                   select p.id, 'Lead ' || k, 'initial', domain_now() - interval '2 days' from generate_series(1, $1::int) k join p on p.n = 1 + k % p.all returning id, product_id)
     insert into contacts (lead_id, product_id, contact, contact_type, address, is_main, created_at)
     select id, product_id, '+' || $2::bigint + id, 'whatsapp', ($2::bigint + id)::text, true, domain_now() - interval '2 days' from made`,
    [count, 79_000_000_000 + round * 10_000_000],
  );
  await pool.query(`update product_channels set created_at = domain_now() - interval '2 days'`);
  const startedAt = performance.now();
  for (let reached = 0; reached < count; await pause(100)) {
    if (performance.now() - startedAt > 300_000) throw new Error(`Only ${reached} of ${count} messages went`);
    const { rows } = await pool.query<{ left: number }>(
      `select count(*)::int as left from leads where stage = 'initial'`,
    );
    reached = count - (rows[0]?.left ?? 0);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const reached = await world.control.entriesOf('reached', from);
  if (reached.length !== count) throw new Error(`${reached.length} of ${count} messages reached a phone`);
  return count / seconds;
}

/** Run the same job runner with our settings on empty jobs. Returns jobs per second. */
async function runBare(url: string, count: number): Promise<number> {
  const pgPool = new pg.Pool({ connectionString: url, max: 18 });
  pgPool.on('error', () => undefined);
  pgPool.on('connect', (client) => client.on('error', () => undefined));
  await pgPool.query(
    `select graphile_worker.add_job('nothing', json_build_object('n', n)) from generate_series(1, $1::int) n`,
    [count],
  );
  let done = 0;
  const startedAt = performance.now();
  const runner = await run({
    pgPool,
    taskList: {
      nothing: async () => {
        done++;
      },
    },
    concurrency: 16,
    noHandleSignals: true,
    noPreparedStatements: false,
    pollInterval: 1000,
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  });
  while (done < count) await pause(5);
  const seconds = (performance.now() - startedAt) / 1000;
  await runner.stop();
  await pgPool.end();
  return count / seconds;
}
