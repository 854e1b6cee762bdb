/** The SQL of the figures. All days are UTC days of the domain clock. */
import type pg from 'pg';
import { prepared } from '../platform/http/listQuery.ts';
import type { Dashboard } from './contract.ts';

export const DAYS = 30;

/** Messages count when they were said: what waits, was cancelled or is out of view does not. */
const SAID = "m.removed_at is null and m.status not in ('scheduled', 'cancelled')";

export async function figures(
  pool: pg.Pool,
  productId: number,
): Promise<
  Omit<Dashboard, 'stages'> & {
    stages: { stage: string; count: number }[];
  }
> {
  const { rows } = await pool.query({
    ...prepared(`
      with by_stage as (
        select stage, count(*) as count from leads where product_id = $1 group by stage
      ), per_day as (
        select (m.thread_at at time zone 'UTC')::date as day, m.side, count(*) as count
          from messages m
         where m.product_id = $1 and ${SAID}
           and m.thread_at >= date_trunc('day', domain_now() at time zone 'UTC') at time zone 'UTC' - make_interval(days => ${DAYS - 1})
         group by 1, 2
      ), calendar as (
        select generate_series(date_trunc('day', domain_now() at time zone 'UTC') - make_interval(days => ${DAYS - 1}),
                               date_trunc('day', domain_now() at time zone 'UTC'), interval '1 day')::date as day
      )
      select coalesce((select sum(count) from by_stage), 0)::int as users,
             (select count(*) from messages m where m.product_id = $1 and ${SAID})::int as messages,
             (select count(*) from messages m where m.product_id = $1 and ${SAID}
                 and m.thread_at >= domain_now() - interval '24 hours')::int as messages_today,
             (select count(*) from leads where product_id = $1 and created_at >= domain_now() - interval '7 days')::int as new_leads,
             (select count(*) from leads where product_id = $1 and created_at < domain_now() - interval '7 days'
                 and created_at >= domain_now() - interval '14 days')::int as new_leads_before,
             (select count(*) from dialogues where product_id = $1
                 and last_msg_created_at >= domain_now() - interval '7 days')::int as active,
             (select coalesce(json_agg(json_build_object('stage', stage, 'count', count)), '[]') from by_stage) as stages,
             (select json_agg(json_build_object(
                       'day', to_char(c.day, 'YYYY-MM-DD'),
                       'user', coalesce((select count from per_day p where p.day = c.day and p.side = 'user'), 0),
                       'bot', coalesce((select count from per_day p where p.day = c.day and p.side = 'bot'), 0)) order by c.day)
                from calendar c) as days`),
    values: [productId],
  });
  const [row] = rows;
  if (!row) throw new Error('No figures');
  return row;
}
