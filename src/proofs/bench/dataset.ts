/** A database of leads and messages over many products, filled by set-based SQL, and the two servers on it. */
import type pg from 'pg';
import type { Client } from '../../testing/client.ts';
import { hookUrl } from '../../testing/messageRows.ts';
import { connectHooks, startServer } from '../../testing/serverProcess.ts';
import type { World } from '../../testing/world.ts';
import { type Cluster, createDatabase, createWorldOn } from '../harness/world.ts';
import { BARE_TABLES, openFillPool, startBaseline } from './environment.ts';

export interface Dataset {
  /** Has a product that is one of ten of its company, with 505 leads and 1,000 messages at every size. */
  readonly world: World;
  readonly bareUrl: string;
  /** A member of that company only. */
  readonly member: Client;
  readonly pool: pg.Pool;
  readonly database: string;
  readonly hookUrl: string;
  close(): Promise<void>;
}

/**
 * Create a database on the cluster, fill it and serve it twice. Ten products make a company, each with 100 leads and
 * 1,000 messages on average; hooks of as many messages as there are lie in the inbox.
 */
export async function openDataset(cluster: Cluster, messages: number): Promise<Dataset> {
  const url = await createDatabase(cluster, `messages_${messages}`);
  // Only the web role, so that no other work takes time.
  const world = await createWorldOn(url, { production: true, env: { RAPPORT_ROLES: 'web' } });
  const pool = openFillPool(url);
  await fill(pool, world, messages / MESSAGES);
  await fillInbox(pool, world.whatsapp.id);
  await pool.query('vacuum analyze');
  const server = startServer(world);
  await server.waitUntilReady();
  await connectHooks(world);
  const bare = await startBaseline(url);
  return {
    world,
    bareUrl: bare.url,
    member: await world.operator('member', [world.companyId]),
    pool,
    database: url,
    hookUrl: await hookUrl(world),
    async close() {
      await server.stop();
      bare.child.kill();
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

/**
 * Create ten products per company. The rows of one product are scattered among those of the others, as they would be in
 * use. Row k of product n is the same at every size, so that the same number matches.
 */
async function fill(
  pool: pg.Pool,
  { companyId, productId, whatsapp: { id: channelId } }: World,
  products: number,
): Promise<void> {
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
       select d.product_id, d.contact_id, d.id, $1, m.text,
              case when k % 2 = 0 then 'user' else 'bot' end, case when k % 2 = 0 then 'lead' else 'bot' end,
              case when k % 2 = 0 then 'inbound' when k % 10 = 1 then 'delivered' else 'read' end, md5(k || ' ' || d.id),
              case when k % 2 = 1 then 'chatgpt' end, case when k % 2 = 1 then 'gpt-5' end, m.at, m.at,
              case when k % 2 = 1 then m.at end, case when k % 2 = 1 and k % 10 <> 1 then m.at end
         from generate_series(0, $2::int - 1) k
         join bench_dialogues d on d.place = k % d.leads
         cross join lateral (select now() - ($2::int - k) * interval '1 hour' as at,
                'How long does delivery take, and what does a kitchen of ' || k || ' centimetres cost in ' ||
                (array['oak', 'beech', 'walnut', 'birch', 'pine', 'ash', 'maple', 'cherry', 'larch', 'steel'])[1 + k % 10] ||
                '? ' || repeat('We would like it before the end of the month. ', k % 4) as text) m
        order by k, d.n`,
      [channelId, MESSAGES],
    );
    for (const index of indices) await client.query(index);
    await client.query(
      'insert into inbox_counts select product_id, inbox_state, assignee_id, count(*) from dialogues group by 1, 2, 3',
    );
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
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
       from pg_index i
      where i.indrelid = 'messages'::regclass and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid)`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
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
    await client.query(BARE_TABLES);
  } finally {
    client.release(true);
  }
}
