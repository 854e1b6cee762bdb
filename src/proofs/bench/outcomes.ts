/** The counts of outcomes among a million attempts of one product. */
import type pg from 'pg';
import { dimensions } from '../../outcomes/outcomeContract.ts';
import type { Client } from '../../testing/client.ts';
import { startServer } from '../../testing/serverProcess.ts';
import type { World } from '../../testing/world.ts';
import { definePart } from '../harness/command.ts';
import { requestTimes } from '../harness/load.ts';
import { format, formatCount, table } from '../harness/report.ts';
import { type Cluster, createDatabase, createWorldOn, withCluster } from '../harness/world.ts';
import { openFillPool } from './environment.ts';

/** The longest that they may take, in milliseconds. */
const STRIP_MS = 300;
const BREAKDOWN_MS = 500;

/** The filters of the strip: none, a period with the one before, a rare value, a frequent one. */
const STRIPS = {
  'the strip': '',
  'the strip, 30 days and the 30 before': '&started_from=2026-09-01&started_to=2026-09-30',
  'the strip, one prompt version': '&prompt_id=1&prompt_version=2',
  'the strip, one messenger, answered': '&messenger=whatsapp&reached=answered',
  'the strip, imported leads, 30 days': '&source=import&started_from=2026-09-01&started_to=2026-09-30',
};

/** The tables that read facts besides the ledger. */
const INSIGHTS = { refusals: 'refusals', 'response times': 'response-times', spending: 'spending' };

/** `--attempts 1000000` */
export const outcomes = definePart({
  heading: 'Outcomes',
  options: { rounds: [9, 2], attempts: [1_000_000, 5000] },
  run: ({ rounds, attempts, log }) =>
    withCluster({}, async (cluster) => {
      const ledger = await openLedger(cluster, attempts);
      log(`${formatCount(attempts)} attempts stored`);
      try {
        const requests = [
          ...Object.entries(STRIPS).map(([name, more]) => ({ name, path: `strip?${more}`, limit: STRIP_MS })),
          ...[...dimensions, 'step'].map((name) => ({ name: `by ${name}`, path: `by/${name}?`, limit: BREAKDOWN_MS })),
          { name: 'cohorts', path: 'cohorts?', limit: BREAKDOWN_MS },
          {
            name: 'by hour, 30 days and the 30 before',
            path: `by/hour?${STRIPS['the strip, 30 days and the 30 before']}`,
            limit: BREAKDOWN_MS,
          },
          ...Object.entries(INSIGHTS).flatMap(([name, path]) => [
            { name, path: `${path}?`, limit: BREAKDOWN_MS },
            {
              name: `${name}, 30 days`,
              path: `${path}?started_from=2026-09-01&started_to=2026-09-30`,
              limit: BREAKDOWN_MS,
            },
          ]),
          { name: 'rows', path: '?', limit: BREAKDOWN_MS },
        ];
        const rows = [];
        for (const { name, path, limit } of requests) {
          const [ms = Number.NaN] = await requestTimes(
            [
              {
                url: `${ledger.world.url}/v1/outcomes/${path}&product_id=${ledger.world.productId}`,
                headers: { cookie: ledger.operator.cookie },
              },
            ],
            rounds,
          );
          rows.push({ name, ms, limit });
        }
        const isOver = ({ ms, limit }: { ms: number; limit: number }): boolean => !(ms <= limit);
        return {
          text: `A product with ${formatCount(attempts)} attempts in a year, ${formatCount(attempts / 2)} follow-ups and ${formatCount(Math.round(attempts / 3) * 2)} runs. One request at a time, medians until the last byte.

${table(
  ['request', 'median', 'target'],
  rows.map((row) => [row.name, `**${format(row.ms, 'ms')}**${isOver(row) ? ', over' : ''}`, format(row.limit, 'ms')]),
)}`,
          violations: rows
            .filter(isOver)
            .map(({ name, ms, limit }) => `${name}: ${format(ms, 'ms')}, the target is ${format(limit, 'ms')}`),
        };
      } finally {
        await ledger.close();
      }
    }),
});

interface Ledger {
  readonly world: World;
  readonly operator: Client;
  close(): Promise<void>;
}

async function openLedger(cluster: Cluster, attempts: number): Promise<Ledger> {
  const url = await createDatabase(cluster, `outcomes_${attempts}`);
  const world = await createWorldOn(url, { production: true, env: { RAPPORT_ROLES: 'web' } });
  const pool = openFillPool(url);
  const server = startServer(world);
  await server.waitUntilReady();
  const operator = await world.operator('anna', [world.companyId]);
  await fill(pool, world, attempts);
  await pool.query('vacuum analyze');
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

/** Store attempts of a year, each begun within three days of the lead before it: eight of ten delivered, one of three answered, one of eight qualified. */
async function fill(pool: pg.Pool, { productId, whatsapp, telegram }: World, attempts: number): Promise<void> {
  const client = await pool.connect();
  try {
    // The ledger is filled directly, without the messages that it counts.
    await client.query("set session_replication_role = 'replica'");
    await client.query(
      `insert into leads (product_id, name, stage, crm_id, import_id)
       select $1, 'Lead ' || n, 'ongoing', case when n % 3 = 0 then n::text end, case when n % 3 = 1 then 1 end
         from generate_series(1, $2::int) n`,
      [productId, attempts],
    );
    await client.query('alter table outcomes enable always trigger classify_outcome');
    await client.query(
      `insert into outcomes (lead_id, attempt, product_id, started_at, started_by, first_message_id, channel_id, last_at,
         last_message_id, last_author, sent, received, written_at, delivered_at, read_at, answered_at, replied_at, qualified_at,
         ended_at, outcome, ended_by, opted_out_at, handed_over_at, language, operator, text_message_id, prepared_message_id,
         text_prompt_id, text_prompt_version, answer_message_id, prompt_id, prompt_version, model, last_answer_message_id,
         last_prompt_id, last_prompt_version, last_model, answers, steps, last_step_message_id, cost, source, import_id,
         steps_sent, steps_answered, steps_opted_out, refusal_reason)
       select l.id, 1, l.product_id, at, case when k % 10 = 0 then 'lead' else 'us' end, l.id * 10,
              case when k % 4 = 0 then $1::bigint else $2 end, at + interval '1 day', l.id * 10 + 5, 'bot', 2, 1, at,
              case when k % 10 < 8 then at + interval '3 seconds' end, case when k % 10 < 6 then at + interval '1 minute' end,
              case when is_answered then at + k * interval '37 seconds' end, case when is_answered then at + k * interval '39 seconds' end,
              case when k % 8 = 0 then at + interval '1 hour' end, case when k % 4 < 2 then at + interval '2 days' end,
              case when k % 4 < 2 then (array['success', 'refused', 'ignore', 'failed'])[1 + k % 7 / 2] end,
              case when k % 4 < 2 then (array['bot', 'anna', 'boris'])[1 + k % 3] end,
              case when k % 50 = 0 then at + interval '1 hour' end, case when k % 12 = 0 then at + interval '2 hours' end,
              case when is_answered then (array['ru', 'latin', 'uk'])[1 + k / 3 % 3] end, case when k % 12 = 0 then (array['anna', 'boris'])[1 + k % 2] end,
              l.id * 10, case when k % 2 = 0 then 1 + k % 5 end, case when k % 2 = 1 then 6 + k % 3 end, case when k % 2 = 1 then 1 + k % 7 end,
              case when is_answered then l.id * 10 + 3 end, case when is_answered then 1 end, case when is_answered then 1 + k / 3 % 12 end,
              case when is_answered then (array['chatgpt/gpt-4o', 'deepseek/deepseek-chat'])[1 + k % 2] end,
              case when is_answered then l.id * 10 + 4 end, case when is_answered then 1 end, case when is_answered then 2 + k / 3 % 12 end,
              case when is_answered then (array['chatgpt/gpt-4o', 'deepseek/deepseek-chat'])[1 + k % 2] end,
              case when is_answered then '{"1:2:chatgpt/gpt-4o": 2}' else '{}' end::jsonb, k % 2, case when k % 2 = 1 then l.id * 10 + 1 end,
              k * 0.00000731, lead_source(l.import_id, l.crm_id, case when k % 10 = 0 then 'lead' else 'us' end), l.import_id,
              case when k % 2 = 1 then 1 << (l.id % 4)::int else 0 end, case when k % 2 = 1 and is_answered then 1 << (l.id % 4)::int else 0 end,
              case when k % 2 = 1 and k % 50 = 0 then 1 << (l.id % 4)::int else 0 end,
              case when k % 4 < 2 and k % 7 / 2 = 1 and l.id % 5 > 0 then 'reason ' || l.id % 40 end
         from (select l.*, id * 7919 % 1009 as k, id * 7919 % 1009 % 3 = 0 as is_answered,
                      timestamptz '2025-10-01' + ((id - 1) * 31276800.0 / $3::int + id * 104729 % 259200) * interval '1 second' as at
                 from leads l) as l`,
      [whatsapp.id, telegram.id, attempts],
    );
    await client.query(
      `insert into outcome_steps (message_id, lead_id, attempt, product_id, step, sent_at, answered_at, opted_out)
       select last_step_message_id, lead_id, attempt, product_id, 1 + lead_id % 4, started_at, answered_at, opted_out_at is not null
         from outcomes where steps > 0`,
    );
    await fillFacts(client);
  } finally {
    client.release(true);
  }
}

/** Store what Insights reads besides the ledger: the events of refusals, the messages of people after hand-overs, and the runs. */
async function fillFacts(client: pg.PoolClient): Promise<void> {
  await client.query(
    `insert into lead_events (lead_id, product_id, event_type, event_data, created_at, attempt)
     select lead_id, product_id, 'stage_changed', jsonb_build_object('from', 'ongoing', 'to', 'refused', 'by', ended_by,
              'reason', case when lead_id % 5 > 0 then 'Reason ' || lead_id % 40 end), ended_at, attempt
       from outcomes where outcome = 'refused'`,
  );
  await client.query(
    `insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
     select lead_id, product_id, '+' || 79300000000 + lead_id, 'whatsapp', (79300000000 + lead_id)::text, true
       from outcomes where handed_over_at is not null`,
  );
  await client.query(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status, ext_id, thread_at, sent_at, attempt)
     select c.product_id, c.id, c.id, o.channel_id, 'A word of a person', 'bot', case when n % 10 > 0 then 'operator' else 'phone' end,
            case when n % 10 > 0 then (array['anna', 'boris'])[1 + n % 2] end, 'sent', 'o' || c.id || '-' || n, at, at, o.attempt
       from outcomes o join contacts c on c.lead_id = o.lead_id cross join generate_series(1, 2) as part,
            lateral (select o.lead_id + part as n, o.handed_over_at + (part * (o.lead_id % 90)) * interval '1 minute' as at) as m
      where o.lead_id % 6 > 0`,
  );
  await client.query(
    `insert into llm_runs (product_id, lead_id, attempt, purpose, name, model_vendor, model_name, execution_ms,
       token_input_usage, token_output_usage, cost, created_at)
     select product_id, lead_id, attempt, case part when 1 then 'chatbot' else 'classification' end, 'A prompt',
            split_part(model, '/', 1), split_part(model, '/', 2), 900, 1000, 50, cost / 2, answered_at
       from outcomes cross join generate_series(1, 2) as part where model is not null`,
  );
}
