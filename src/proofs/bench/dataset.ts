/** A database of leads and messages over many products, filled by set-based SQL, and the two servers on it. */
import pg from 'pg';
import type { Client } from '../../testing/client.ts';
import { connectHooks, startServer } from '../../testing/serverProcess.ts';
import { freePort } from '../../testing/world.ts';
import { TABLES } from './bareIngest.ts';
import { createWorldOn, startBaseline } from './environment.ts';

interface Size {
  /** Number of products: ten per company, each with 100 leads and 1,000 messages on average. */
  readonly products: number;
}

export interface Dataset {
  readonly url: string;
  readonly bareUrl: string;
  /** One product of ten; it has 505 leads and 1,000 messages at every size. */
  readonly productId: number;
  readonly companyId: number;
  /** A member of that company only. */
  readonly member: Client;
  readonly admin: Client;
  readonly pool: pg.Pool;
  readonly database: string;
  /** Address of the account's hook (empty unless hooks were requested), and its channel. */
  readonly hookUrl: string;
  readonly channelRef: string;
  close(): Promise<void>;
}

/**
 * Create a database of this name on the cluster, fill it and serve it twice.
 * @param takesHooks the vendor knows the server, and hooks of as many messages as there are lie in the inbox
 */
export async function openDataset(clusterUrl: string, name: string, size: Size, withHooks = false): Promise<Dataset> {
  const address = new URL(clusterUrl);
  const cluster = new pg.Client({ connectionString: clusterUrl });
  await cluster.connect();
  await cluster.query(`create database ${name}`);
  await cluster.end();
  address.pathname = `/${name}`;
  // Only the web role, so that no other work takes time.
  const world = await createWorldOn(address.href, { RAPPORT_ROLES: 'web' });
  const pool = new pg.Pool({ connectionString: address.href, max: 2 });
  await fill(pool, { ...world, channelId: world.whatsapp.id, size });
  if (withHooks) await fillInbox(pool, world.whatsapp.id);
  await pool.query('vacuum analyze');
  const server = startServer(world);
  await server.waitUntilReady();
  if (withHooks) await connectHooks(world);
  const [account] = withHooks ? await world.control.accounts() : [];
  const barePort = await freePort();
  const bare = await startBaseline(address.href, barePort, 'bareLists.ts');
  return {
    url: server.url,
    bareUrl: `http://127.0.0.1:${barePort}`,
    productId: world.productId,
    companyId: world.companyId,
    member: await world.operator('member', [world.companyId]),
    admin: await world.operator('admin'),
    pool,
    database: address.href,
    hookUrl: account?.webhooksUri ?? '',
    channelRef: world.whatsapp.ref,
    async close() {
      await server.stop();
      bare.kill();
      await pool.end();
      await world.close();
    },
  };
}

/**
 * Number of leads of the measured product, of each other product of its company, and of each product of other
 * companies.
 */
const LEADS = [505, 55, 100] as const;

const MESSAGES = 1000;

interface DatasetContext {
  readonly companyId: number;
  readonly productId: number;
  readonly channelId: number;
  readonly size: Size;
}

/**
 * Create ten products per company. The rows of one product are scattered among those of the others, as they would be in
 * use. Row k of product n is the same at every size, so that the same number matches.
 */
async function fill(pool: pg.Pool, { companyId, productId, channelId, size }: DatasetContext): Promise<void> {
  const { products } = size;
  const client = await pool.connect();
  try {
    // The same statements create the references; checking a million of them would only cost time.
    await client.query("set session_replication_role = 'replica'");
    await client.query(`insert into companies (name) select 'Company ' || n from generate_series(2, $1::int / 10) n`, [
      products,
    ]);
    await client.query(
      `insert into products (company_id, name)
       select case when n < 10 then $1 else c.id end, 'Product ' || n
         from generate_series(1, $2::int - 1) n
         left join (select id, row_number() over (order by id) as place from companies where id <> $1) c on c.place = n / 10`,
      [companyId, products],
    );
    await client.query(
      `create temp table bench_products as
       select id, row_number() over (order by id = $1 desc, id) - 1 as n, case when id = $1 then $2::int when company_id = $3 then $4::int else $5::int end as leads
         from products`,
      [productId, LEADS[0], companyId, LEADS[1], LEADS[2]],
    );
    await client.query(`
      insert into leads (product_id, name, crm_fields, stage, timezone, created_at, updated_at)
      select p.id, (array['Anna', 'Boris', 'Clara', 'Dmitri', 'Elena', 'Felix', 'Galina', 'Hugo', 'Irina', 'Olga'])[1 + k % 10] || ' ' || k,
             jsonb_build_object('city', 'City ' || k % 50, 'budget', k * 100),
             (array['initial', 'started', 'ongoing', 'pending', 'success'])[1 + k % 5], 'Europe/Moscow',
             now() - (p.leads - k) * interval '40 days' / p.leads, now()
        from bench_products p, generate_series(0, p.leads - 1) k order by k, p.n`);
    await client.query(`
      insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
      select id, product_id, '+7' || 9000000000 + id, 'whatsapp', '7' || 9000000000 + id, true from leads order by id`);
    await client.query(
      `insert into dialogues (product_id, contact_id, channel_id, chat_id, address)
       select product_id, id, $1, address, address from contacts order by id`,
      [channelId],
    );
    await client.query(`
      create temp table bench_dialogues as
      select d.id, d.product_id, d.contact_id, p.n, p.leads,
             row_number() over (partition by d.product_id order by d.id) - 1 as place
        from dialogues d join bench_products p on p.id = d.product_id`);
    await client.query('analyze bench_dialogues');
    const indices = await dropIndices(client);
    await client.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, ext_id,
                             model_vendor, model_name, created_at, thread_at, sent_at, read_at)
       select d.product_id, d.contact_id, d.id, $1, said.text,
              case when k % 2 = 0 then 'user' else 'bot' end, case when k % 2 = 0 then 'lead' else 'bot' end,
              case when k % 2 = 0 then 'inbound' when k % 10 = 1 then 'delivered' else 'read' end, md5(k || ' ' || d.id),
              case when k % 2 = 1 then 'chatgpt' end, case when k % 2 = 1 then 'gpt-5' end, said.at, said.at,
              case when k % 2 = 1 then said.at end, case when k % 2 = 1 and k % 10 <> 1 then said.at end
         from generate_series(0, $2::int - 1) k
         join bench_dialogues d on d.place = k % d.leads
         cross join lateral (select now() - ($2::int - k) * interval '1 hour' as at,
                'How long does delivery take, and what does a kitchen of ' || k || ' centimetres cost in ' ||
                (array['oak', 'beech', 'walnut', 'birch', 'pine', 'ash', 'maple', 'cherry', 'larch', 'steel'])[1 + k % 10] ||
                '? ' || repeat('We would like it before the end of the month. ', k % 4) as text) said
        order by k, d.n`,
      [channelId, MESSAGES],
    );
    for (const index of indices) await client.query(index);
  } finally {
    client.release(true);
  }
}

/**
 * Drop the indices of the messages except their keys, and return the statements that create them. Creating them after
 * filling the table takes a fraction of the time.
 */
async function dropIndices(client: pg.PoolClient): Promise<string[]> {
  await client.query("set maintenance_work_mem = '1GB'");
  const { rows } = await client.query<{ name: string; made: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as made
       from pg_index i
      where i.indrelid = 'messages'::regclass and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid)`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ made }) => made);
}

/** Create as many processed hooks as messages, and the tables that the bare handler writes to. */
async function fillInbox(pool: pg.Pool, channelId: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("set session_replication_role = 'replica'");
    await client.query(
      `insert into inbox (account_id, channel_id, kind, ext_id, status, item, state)
       select c.account_id, c.id, case when m.side = 'user' then 'message' else 'status' end, m.ext_id, m.status, '{}', 'done'
         from messages m join channels c on c.id = $1`,
      [channelId],
    );
    await client.query(TABLES);
  } finally {
    client.release(true);
  }
}
