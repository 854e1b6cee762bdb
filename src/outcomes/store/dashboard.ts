/** SQL of the dashboard's figures. Days are those of the product's time zone, on the domain clock. */
import type pg from 'pg';
import { dayAt, formatDay, instantAt } from '../../platform/days.ts';
import { prepared } from '../../platform/statements.ts';
import type { Dashboard } from '../contract.ts';

const DAYS = 30;

/**
 * Messages that count: not scheduled, not cancelled, and not removed from view. The index `messages_exchanged` has exactly
 * the same condition; with a different one it would not be used.
 */
const SENT_MESSAGES = "m.product_id = $1 and m.removed_at is null and m.status not in ('scheduled', 'cancelled')";

/** A separate query, because PostgreSQL does not use parallel workers together with `domain_now()`. */
export const TOTAL = `select count(*)::int as messages from messages m where ${SENT_MESSAGES}`;

/** The start of a day, `back` days before today. */
const dayStart = (back: number) => `to_timestamp(($3::float8[])[${DAYS - back}])`;

/**
 * `$2` holds the names of the days; `$3` the instants at which they begin, oldest first, followed by the end of the
 * last one. Each day is a range of the index: grouping by the day of each message took three times as long.
 */
export const RECENT = `
  with by_stage as (
    select stage, count(*) as count from leads where product_id = $1 group by stage
  ), calendar as (
    select d.day, to_timestamp(($3::float8[])[d.place]) as start, to_timestamp(($3::float8[])[d.place + 1]) as finish
      from unnest($2::text[]) with ordinality as d (day, place)
  )
  select coalesce((select sum(count) from by_stage), 0)::int as users,
         (select count(*) from messages m where ${SENT_MESSAGES}
             and m.thread_at >= domain_now() - interval '24 hours')::int as messages_today,
         (select count(*) from leads where product_id = $1 and created_at >= ${dayStart(6)})::int as new_leads,
         (select count(*) from leads where product_id = $1 and created_at < ${dayStart(6)}
             and created_at >= ${dayStart(13)})::int as new_leads_before,
         (select count(*) from dialogues where product_id = $1
             and last_msg_created_at >= domain_now() - interval '7 days')::int as active,
         (select coalesce(json_agg(json_build_object('channel_id', h.id, 'name', h.name, 'reason', h.first_messages_stopped_reason) order by h.id), '[]')
            from product_channels l join channels h on h.id = l.channel_id
           where l.product_id = $1 and h.first_messages_stopped_reason is not null) as stopped,
         (select coalesce(json_agg(json_build_object('stage', stage, 'count', count)), '[]') from by_stage) as stages,
         (select json_agg(json_build_object('day', c.day, 'user', said.by_user, 'bot', said.by_bot) order by c.start)
            from calendar c, lateral (
              select count(*) filter (where m.side = 'user') as by_user, count(*) filter (where m.side = 'bot') as by_bot
                from messages m
               where ${SENT_MESSAGES} and m.thread_at >= c.start and m.thread_at < c.finish
            ) said) as days`;

type Recent = Omit<Dashboard, 'timezone' | 'stages' | 'messages' | 'cost_today' | 'cost_30_days'> & {
  stages: { stage: string; count: number }[];
};

/** Build the parameters of `RECENT`: the last days of a zone, up to the day of `at` (ms). */
export function recentValues(productId: number, zone: string, at: number): [number, string[], number[]] {
  const first = dayAt(zone, at) - DAYS + 1;
  const days = Array.from({ length: DAYS }, (_none, index) => formatDay(first + index));
  const starts = Array.from({ length: DAYS + 1 }, (_none, index) => instantAt(zone, first + index) / 1000);
  return [productId, days, starts];
}

export async function readFigures(
  pool: pg.Pool,
  product: { id: number; zone: string },
  at: number,
): Promise<Recent & Pick<Dashboard, 'messages'>> {
  const [total, recent] = await Promise.all([
    pool.query<Pick<Dashboard, 'messages'>>({ ...prepared(TOTAL), values: [product.id] }),
    pool.query<Recent>({ ...prepared(RECENT), values: recentValues(product.id, product.zone, at) }),
  ]);
  const [row] = recent.rows;
  const [all] = total.rows;
  if (!row || !all) throw new Error('No figures');
  return { ...row, ...all };
}
