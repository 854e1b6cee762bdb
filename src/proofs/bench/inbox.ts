/** The inbox among 10,000 to 1,000,000 dialogues of one company: its views, first page, and their counts. */
import type pg from 'pg';
import { inboxViews } from '../../desk/contract.ts';
import type { Client } from '../../testing/client.ts';
import { startServer } from '../../testing/serverProcess.ts';
import type { World } from '../../testing/world.ts';
import { definePart } from '../harness/command.ts';
import { requestTimes } from '../harness/load.ts';
import { format, formatCount, table } from '../harness/report.ts';
import { type Cluster, createDatabase, createWorldOn, withCluster } from '../harness/world.ts';
import { openFillPool } from './environment.ts';

/** How much longer it may take among the most dialogues than among the fewest. */
const GROWTH = 1.3;
const PRODUCTS = 10;

interface Inbox {
  readonly world: World;
  readonly operator: Client;
  close(): Promise<void>;
}

/** `--sizes 10000,1000000` gives the numbers of dialogues. */
export const inbox = definePart({
  heading: 'The inbox',
  options: { rounds: [15, 2], sizes: ['10000,1000000', '1000,4000'] },
  run: ({ rounds, sizes: text, log }) =>
    withCluster({}, async (cluster) => {
      const sizes = text.split(',').map(Number);
      const inboxes: Inbox[] = [];
      try {
        for (const size of sizes) {
          inboxes.push(await openInbox(cluster, size));
          log(`${formatCount(size)} dialogues stored`);
        }
        const pages = [
          ...inboxViews.map((view) => [view, `/v1/inbox/?view=${view}`] as const),
          ['counts', COUNTS] as const,
        ];
        const rows = [];
        for (const [name, path] of pages) {
          const times = await requestTimes(
            inboxes.map(({ world, operator }) => ({
              url: `${world.url}${path}`,
              headers: { cookie: operator.cookie },
            })),
            rounds * 15,
          );
          rows.push({ name, times, growth: Math.max(...times) / (times[0] ?? Number.NaN) });
        }
        const isOver = ({ growth }: { growth: number }): boolean => !(growth <= GROWTH);
        return {
          text: `A company with ${PRODUCTS} products. Of a hundred dialogues two need people, ten are theirs, two are snoozed, twenty done and the rest the bot's; every third of the former has one of three operators. All sizes are asked in turn, one request at a time, medians until the last byte, the first 25 rows of each view; none may take more than ${GROWTH} times as long as among the fewest.

${table(
  ['dialogues', ...sizes.map(formatCount), 'growth'],
  rows.map((row) => [
    row.name,
    ...row.times.map((time) => format(time, 'ms')),
    `**${row.growth.toFixed(2)}**${isOver(row) ? ', over' : ''}`,
  ]),
)}`,
          violations: rows
            .filter(isOver)
            .map(
              ({ name, growth }) =>
                `${name}: ${growth.toFixed(2)} times as slow among more dialogues, the target is ${GROWTH}`,
            ),
        };
      } finally {
        for (const one of inboxes) await one.close();
      }
    }),
});

const COUNTS = '/v1/inbox/counts';

async function openInbox(cluster: Cluster, size: number): Promise<Inbox> {
  const url = await createDatabase(cluster, `inbox_${size}`);
  const world = await createWorldOn(url, { production: true, env: { RAPPORT_ROLES: 'web' } });
  const pool = openFillPool(url);
  const server = startServer(world);
  await server.waitUntilReady();
  const logins = ['anna', 'boris', 'clara'];
  const operators: Client[] = [];
  for (const login of logins) operators.push(await world.operator(login, [world.companyId]));
  await fill(pool, world, size);
  await pool.query('vacuum analyze');
  const [operator] = operators;
  if (!operator) throw new Error('No operator');
  return {
    world,
    operator,
    async close() {
      await server.stop();
      await pool.end();
      await world.close();
    },
  };
}

/** Store the dialogues of a company, each with a lead who wrote a day to a year ago. */
async function fill(pool: pg.Pool, { companyId, whatsapp }: World, size: number): Promise<void> {
  await pool.query(
    "insert into products (company_id, name) select $1, 'Product ' || n from generate_series(2, $2::int) n",
    [companyId, PRODUCTS],
  );
  const product = `(select array_agg(id order by id) from products where company_id = ${companyId})`;
  const client = await pool.connect();
  try {
    // The same statements create the references and the counts.
    await client.query("set session_replication_role = 'replica'");
    await client.query(
      `insert into leads (product_id, name, stage)
       select (${product})[1 + n % ${PRODUCTS}], 'Lead ' || n, 'ongoing' from generate_series(1, $1::int) n`,
      [size],
    );
    await client.query(`
      insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
      select id, product_id, '+7' || 9000000000 + id, 'whatsapp', '7' || 9000000000 + id, true from leads`);
    await client.query(
      `insert into dialogues (product_id, contact_id, channel_id, chat_id, address, owner, owner_reason, owner_since, human_at,
                              waiting_since, done_at, snoozed_until, assignee_id, last_user_msg_at, last_msg_created_at, last_message)
       select product_id, id, $1, address, address, case when k < 14 then 'human' else 'bot' end,
              case when k < 14 then 'operator' end, case when k < 14 then at end, case when k < 14 then at end,
              case when k < 4 then at end, case when k >= 14 and k < 34 then at end,
              case when k in (2, 3) then now() + interval '1 day' end,
              case when k < 14 and id % 3 = 0 then (select min(id) from operators) + id % 9 / 3 end, at, at, 'When can you deliver?'
         from (select c.*, c.id % 100 as k, now() - interval '1 day' - (c.id * 7919 % 31536000) * interval '1 second' as at from contacts c) as c`,
      [whatsapp.id],
    );
    await client.query(
      'insert into inbox_counts select product_id, inbox_state, assignee_id, count(*) from dialogues group by 1, 2, 3',
    );
  } finally {
    client.release(true);
  }
}
