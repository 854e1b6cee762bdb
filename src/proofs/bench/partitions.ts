/**
 * The effect of one messages table per month: the same rows in one table and in 24, both with today's indices. The
 * results are the basis of docs/scale.md.
 */
import pg from 'pg';
import { migrate } from '../../platform/migrate.ts';
import { prepared } from '../../platform/statements.ts';
import { startCluster } from './environment.ts';

const MONTHS = 24;
const INSERTED = 20_000;
/** PostgreSQL plans a named statement for each value five times before it may choose a generic plan. */
const WARMING = 6;

export interface PartitionResult {
  readonly rows: number;
  readonly months: number;
  /** Medians in milliseconds, of the single table and of the monthly tables. */
  readonly questions: readonly { readonly name: string; readonly whole: number; readonly months: number }[];
  readonly postgres: string;
}

export async function measurePartitions(rows: number, rounds: number): Promise<PartitionResult> {
  const cluster = await startCluster();
  try {
    await migrate(cluster.url);
    const client = new pg.Client({ connectionString: cluster.url });
    await client.connect();
    try {
      await fill(client, rows);
      const questions = [];
      for (const { name, text, values } of QUESTIONS) {
        const durations: [number[], number[]] = [[], []];
        for (let round = -WARMING; round < rounds; round++)
          for (const [index, table] of (['whole', 'monthly'] as const).entries()) {
            const startedAt = performance.now();
            await client.query({ ...prepared(text(table)), values: values?.(round) ?? [] });
            if (round >= 0) durations[index]?.push(performance.now() - startedAt);
          }
        const [whole, months] = durations.map((all) => all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN);
        questions.push({ name, whole: whole ?? Number.NaN, months: months ?? Number.NaN });
      }
      questions.push(await dropOldestMonth(client));
      return { rows, months: MONTHS, questions, postgres: cluster.version };
    } finally {
      await client.end();
    }
  } finally {
    await cluster.stop();
  }
}

type Table = 'whole' | 'monthly';

interface QueryCase {
  readonly name: string;
  readonly text: (table: Table) => string;
  readonly values?: (round: number) => unknown[];
}

const QUESTIONS: readonly QueryCase[] = [
  {
    name: 'the newest 50 of a dialogue',
    text: (table) => `select * from ${table} where dialogue_id = $1 order by thread_at desc, id desc limit 50`,
    values: (round) => [1000 + round],
  },
  {
    name: 'the newest 25 of a product',
    text: (table) =>
      `select * from ${table} where product_id = $1 and removed_at is null order by thread_at desc, id desc limit 25`,
    values: (round) => [10 + round],
  },
  {
    name: 'messages that are due: there are none',
    text: (table) => `select id from ${table} where status = 'scheduled' and scheduled_at <= now() limit 500`,
  },
  {
    name: "a vendor's id among all",
    text: (table) => `select id from ${table} where ext_id = $1`,
    values: (round) => [`part ${5000 + round}`],
  },
  {
    name: "a vendor's id among those of two months",
    text: (table) => `select id from ${table} where ext_id = $1 and created_at > now() - interval '2 months'`,
    values: (round) => [`part ${5000 + round}`],
  },
  {
    name: `${INSERTED.toLocaleString('en')} new messages stored`,
    text: (table) => `
      insert into ${table} (id, product_id, contact_id, dialogue_id, channel_id, message, side, author, status, ext_id, created_at, thread_at)
      overriding system value
      select 1000000000 + $1::int * 1000000 + n, 1 + n % 1000, n, n, 1 + n % 50, 'And could somebody come to measure it? ' || n,
             'user', 'lead', 'inbound', 'new ' || $1::int || ' ' || n, now(), now()
        from generate_series(1, ${INSERTED}) n`,
    values: (round) => [round + 10],
  },
];

/** Delete the oldest month: row by row, and as a table. */
async function dropOldestMonth(client: pg.Client): Promise<PartitionResult['questions'][number]> {
  const startedAt = performance.now();
  await client.query(
    `delete from whole where created_at < date_trunc('month', now()) - interval '${MONTHS - 2} months' and id > 1`,
  );
  await client.query('vacuum whole');
  const between = performance.now();
  const { rows } = await client.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'monthly'::regclass order by 1 limit 1`,
  );
  await client.query(`drop table ${rows[0]?.name}`);
  return { name: 'the oldest month forgotten', whole: between - startedAt, months: performance.now() - between };
}

/** Fill both tables, which have the columns and indices of `messages`; only unique indices must include the month. */
async function fill(client: pg.Client, rows: number): Promise<void> {
  await client.query("set maintenance_work_mem = '1GB'");
  const { rows: indices } = await client.query<{ made: string }>(
    `select pg_get_indexdef(i.indexrelid) as made from pg_index i
      where i.indrelid = 'messages'::regclass and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid)`,
  );
  await client.query('create table whole (like messages including defaults including generated)');
  await client.query(
    'create table monthly (like messages including defaults including generated) partition by range (created_at)',
  );
  await client.query(
    `do $$ begin for n in 0..${MONTHS} loop execute format('create table monthly_%s partition of monthly for values from (%L) to (%L)', to_char(n, 'FM00'),
       date_trunc('month', now()) - (${MONTHS - 1} - n) * interval '1 month', date_trunc('month', now()) - (${MONTHS - 2} - n) * interval '1 month'); end loop; end $$`,
  );
  // Dialogues are compact in time: twenty messages lie within half an hour.
  await client.query(
    `insert into whole (id, product_id, contact_id, dialogue_id, channel_id, message, side, author, status, ext_id, created_at, thread_at, sent_at)
     overriding system value
     select n, 1 + d % 1000, d, d, 1 + d % 50, 'How long does delivery take, and what does a kitchen cost? ' || n,
            case when n % 2 = 0 then 'user' else 'bot' end, case when n % 2 = 0 then 'lead' else 'bot' end,
            case when n % 2 = 0 then 'inbound' else 'read' end, 'part ' || n, at, at, case when n % 2 = 1 then at end
       from generate_series(1, $1::int) n
       cross join lateral (select 1 + n / 20 as d) g
       cross join lateral (select greatest(date_trunc('month', now()) - ${MONTHS - 1} * interval '1 month',
                now() - ($1::int - n)::float8 / $1::int * interval '${MONTHS - 1} months' + (n % 20) * interval '1 minute') as at) t
      where at < now()`,
    [rows],
  );
  await client.query('insert into monthly overriding system value select * from whole');
  for (const table of ['whole', 'monthly']) {
    await client.query(`create unique index on ${table} (id${table === 'monthly' ? ', created_at' : ''})`);
    for (const { made } of indices)
      await client.query(
        made
          .replace(/ INDEX \S+ ON (\S+\.)?messages /, ` INDEX ON ${table} `)
          .replace(/^(CREATE UNIQUE .*?)\((.*?)\)/, table === 'monthly' ? '$1($2, created_at)' : '$1($2)'),
      );
  }
  await client.query('vacuum analyze');
}
