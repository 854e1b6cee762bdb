/**
 * The cost of one exchange: from a lead's message in the vendor's hook to the answer on the lead's phone. Many leads
 * write at once over many channels, and the model answers at once. The CPU time of server and database is measured,
 * because it carries over to other machines better than a rate does.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { registerHook } from '../../channels/contract.ts';
import { prompts } from '../../prompts/contract.ts';
import { startServer } from '../../testing/serverProcess.ts';
import type { World } from '../../testing/world.ts';
import { makeProducts } from './dueMessages.ts';
import { createWorldOn } from './environment.ts';
import { median } from './median.ts';
import { clusterCpuMs, cpuMs } from './processStats.ts';

export interface Exchange {
  readonly keys: number;
  readonly leads: number;
  /**
   * Answers on phones per second, from the first message to the last answer, less the debounce; median of the rounds.
   */
  readonly perSecond: number;
  /** Milliseconds of CPU per exchange. */
  readonly serverMs: number | null;
  readonly databaseMs: number | null;
  /** Transactions per exchange, including read-only ones. */
  readonly transactions: number;
}

const DEBOUNCE_SECONDS = 1;

export async function measureExchange(
  cluster: { readonly url: string; readonly postmaster: number },
  { keys, leads, rounds }: { keys: number; leads: number; rounds: number },
): Promise<Exchange> {
  const address = new URL(cluster.url);
  const admin = new pg.Client({ connectionString: cluster.url });
  await admin.connect();
  await admin.query('create database exchange');
  await admin.end();
  address.pathname = '/exchange';
  const world = await createWorldOn(address.href, {
    RAPPORT_LOG_LEVEL: 'error',
    RAPPORT_REPLY_DEBOUNCE_SECONDS: String(DEBOUNCE_SECONDS),
  });
  const pool = new pg.Pool({ connectionString: address.href, max: 2 });
  await makeProducts(world, pool, keys);
  const server = startServer(world);
  try {
    await server.waitUntilReady();
    await connectNumbers(world, pool);
    const phones = await makeLeads(world, pool, leads);
    const measurements: Omit<Exchange, 'keys' | 'leads'>[] = [];
    for (let round = 0; round <= rounds; round++) {
      const readCounters = async () => ({
        server: cpuMs(server.child.pid),
        database: clusterCpuMs(cluster.postmaster),
        transactions: await transactions(pool),
      });
      const before = await readCounters();
      const seconds = await runExchanges(world, pool, phones, round);
      const after = await readCounters();
      const each = (from: number | null, to: number | null): number | null =>
        from === null || to === null ? null : (to - from) / leads;
      // The first round warms up.
      if (round === 0) continue;
      measurements.push({
        perSecond: leads / seconds,
        serverMs: each(before.server, after.server),
        databaseMs: each(before.database, after.database),
        transactions: (after.transactions - before.transactions) / leads,
      });
    }
    const of = (key: 'perSecond' | 'transactions'): number => median(measurements.map((one) => one[key]));
    const cpuOf = (key: 'serverMs' | 'databaseMs'): number | null => {
      const values = measurements.map((one) => one[key]).filter((one) => one !== null);
      return values.length > 0 ? median(values) : null;
    };
    return {
      keys,
      leads,
      perSecond: of('perSecond'),
      serverMs: cpuOf('serverMs'),
      databaseMs: cpuOf('databaseMs'),
      transactions: of('transactions'),
    };
  } finally {
    await server.stop();
    await pool.end();
    await world.close();
  }
}

/** Register the hooks of every channel, and give every product a prompt to answer from. */
async function connectNumbers(world: World, pool: pg.Pool): Promise<void> {
  const admin = await world.operator();
  const { rows } = await pool.query<{ id: string }>("select id from channels where name like 'Bench %'");
  for (const { id } of rows) {
    const answer = await admin.call(registerHook, { params: { id: Number(id) }, query: { replace: true } });
    if (answer.status >= 300) throw new Error(`The hook is not registered: ${JSON.stringify(answer.body)}`);
  }
  const { rows: products } = await pool.query<{ id: string }>("select id from products where name like 'Bench %'");
  for (const { id } of products) {
    const body = {
      product_id: Number(id),
      name: 'Vera',
      type: 'prompt' as const,
      text: 'You sell kitchens. {{ lead.name }} writes to you.',
    };
    const answer = await admin.call(prompts.create, { body });
    if (answer.status !== 201) throw new Error(`There is no prompt: ${JSON.stringify(answer.body)}`);
  }
}

interface Phone {
  readonly address: string;
  readonly channelRef: string;
}

/** Create leads with a sent message, spread over the products. */
async function makeLeads(world: World, pool: pg.Pool, count: number): Promise<Phone[]> {
  const { rows } = await pool.query<{ address: string; ref: string }>(
    `with p as (select p.id, c.id as channel, c.vendor_ref as ref, row_number() over (order by p.id) as n, count(*) over () as all
                  from products p join product_channels l on l.product_id = p.id join channels c on c.id = l.channel_id where p.name like 'Bench %'),
          l as (insert into leads (product_id, name, stage) select p.id, 'Lead ' || k, 'started' from generate_series(1, $1::int) k join p on p.n = 1 + k % p.all returning id, product_id),
          c as (insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
                select id, product_id, '+' || 79100000000 + id, 'whatsapp', (79100000000 + id)::text, true from l returning id, product_id, address),
          d as (insert into dialogues (product_id, contact_id, channel_id, chat_id, address)
                select c.product_id, c.id, p.channel, c.address, c.address from c join p on p.id = c.product_id returning address, channel_id)
     select d.address, p.ref from d join p on p.channel = d.channel_id`,
    [count],
  );
  const phones = rows.map(({ address, ref }): Phone => ({ address, channelRef: ref }));
  for (const { address } of phones) await world.control.putPhone(address, address);
  return phones;
}

/** Send one message from every lead. Returns the seconds until all have an answer, without the debounce. */
async function runExchanges(world: World, pool: pg.Pool, phones: readonly Phone[], round: number): Promise<number> {
  const answered = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from messages where side = 'bot' and status in ('sent', 'delivered', 'read')`,
    );
    return rows[0]?.count ?? 0;
  };
  const expected = phones.length * (round + 1);
  const startedAt = performance.now();
  const waiting = [...phones];
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let phone = waiting.pop(); phone; phone = waiting.pop())
        await world.control.write(phone.address, {
          channelId: phone.channelRef,
          name: phone.address,
          text: `How long does delivery take? (${round})`,
        });
    }),
  );
  while ((await answered()) < expected) {
    if (performance.now() - startedAt > 300_000) throw new Error(`${await answered()} of ${expected} answers are out`);
    await pause(100);
  }
  return (performance.now() - startedAt) / 1000 - DEBOUNCE_SECONDS;
}

/** Return the committed transactions of this database; the server reports them a moment later. */
async function transactions(pool: pg.Pool): Promise<number> {
  await pause(1500);
  const { rows } = await pool.query<{ count: string }>(
    'select xact_commit as count from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]?.count ?? 0);
}
