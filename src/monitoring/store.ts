/** SQL of the installation's health. Every query is bounded: by live rows, by due rows, or by a limit. */
import type pg from 'pg';
import { prepared } from '../platform/statements.ts';
import type { SystemHealth } from './contract.ts';

type Node = SystemHealth['nodes'][number];

/** Query for live nodes and those that ended in the last hour. */
const NODES = `
  select instance_id as life, name, roles, version, started_at, ended_at,
         greatest(0, extract(epoch from clock_timestamp() - heartbeat_at))::float8 as beat_seconds
    from nodes where ended_at is null or ended_at > clock_timestamp() - interval '1 hour'
   order by ended_at is not null, name, started_at desc limit 100`;

export async function nodesOf(pool: pg.Pool): Promise<Omit<Node, 'here' | 'level'>[]> {
  const { rows } = await pool.query<Omit<Node, 'here' | 'level'>>(prepared(NODES));
  return rows;
}

/** Measure how long the database takes to answer. */
export async function roundTripMs(pool: pg.Pool): Promise<number> {
  const startedAt = performance.now();
  await pool.query('select 1');
  return performance.now() - startedAt;
}

interface Database {
  at: string;
  size_bytes: number;
  connections: number;
  most_connections: number;
  transaction_seconds: number;
}

const DATABASE = `
  select clock_timestamp()::timestamptz(3) as at, pg_database_size(current_database()) as size_bytes,
         (select count(*) from pg_stat_activity where usesysid is not null) as connections,
         current_setting('max_connections')::int as most_connections,
         coalesce((select max(extract(epoch from clock_timestamp() - xact_start)) from pg_stat_activity
                    where datname = current_database() and usesysid is not null and pid <> pg_backend_pid()), 0)::float8
           as transaction_seconds`;

export async function databaseOf(pool: pg.Pool): Promise<Database> {
  const { rows } = await pool.query<Database>(prepared(DATABASE));
  const [row] = rows;
  if (!row) throw new Error('No database');
  return row;
}

export async function appliedMigrations(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>('select name from migrations');
  return rows.map(({ name }) => name);
}

type Vendor = Omit<SystemHealth['vendors'][number], 'level'> & { dead: boolean };

/**
 * Query for accounts with the last accepted and refused message of their channels. Among a channel's newest
 * acknowledged messages, at most 200 are searched for one of ours, because they include the lead's own.
 */
export const VENDORS = `
  select a.id as account_id, a.vendor, a.key_mask, count(h.id) as channels, max(f.accepted_at) as last_accepted_at,
         max(f.error_at) as last_error_at,
         (array_agg(f.error order by f.error_at desc nulls last))[1] as last_error,
         coalesce(sum(f.unacknowledged), 0)::int as unacknowledged,
         coalesce(a.key_rejected_reason, max(h.pause_reason) filter (where h.paused_until > clock_timestamp())) as rest_reason,
         max(h.paused_until) filter (where h.paused_until > clock_timestamp()) as resting_until,
         a.key_rejected_reason is not null as dead
    from vendor_accounts a left join channels h on h.account_id = a.id
    left join lateral (
      select greatest(
               (select m.thread_at from messages m where m.channel_id = h.id and m.status = 'sent' and m.side = 'bot'
                 order by m.thread_at desc limit 1),
               (select max(n.thread_at) from (
                  select m.thread_at, m.side from messages m
                   where m.channel_id = h.id and m.status in ('delivered', 'read', 'inbound')
                   order by m.thread_at desc limit 200) n where n.side = 'bot')) as accepted_at,
             e.thread_at as error_at, e.reason as error,
             (select count(*) from (
                select 1 from messages m where m.channel_id = h.id and m.status = 'sent' and m.side = 'bot'
                   and m.thread_at > domain_now() - interval '24 hours' limit 1000) u) as unacknowledged
        from (select 1) once left join lateral (
          select m.thread_at, m.reason from messages m
           where m.channel_id = h.id and m.removed_at is null
             and (m.status in ('error', 'unconfirmed') or (m.status = 'scheduled' and m.retry_at is not null))
           order by m.id desc limit 1) e on true
    ) f on h.id is not null
   group by a.id order by a.id limit 200`;

export async function vendorsOf(pool: pg.Pool): Promise<Vendor[]> {
  const { rows } = await pool.query<Vendor>(prepared(VENDORS));
  return rows;
}

type WithoutOwner = Omit<SystemHealth['without_owner'][number], 'level'>;

const WITHOUT_OWNER = `
  with open as (
    select 'channel' as kind, c.id as channel_id, c.name, c.vendor, array[c.id] as channels
      from channels c where c.company_id is null
    union all
    select 'account', min(c.id), a.key_mask, a.vendor, array_agg(c.id)
      from vendor_accounts a join channels c on c.account_id = a.id
     where a.company_id is null group by a.id having count(*) = count(c.company_id)
    order by 2, 1 limit 100
  )
  select o.kind, o.channel_id, o.name, o.vendor,
         coalesce((
           select jsonb_agg(jsonb_build_object('company_id', k.id, 'company_name', k.name,
                                               'products', l.count, 'dialogues', d.count) order by k.name, k.id)
             from companies k
             cross join lateral (select count(distinct product_id) from product_channels
                                  where channel_id = any(o.channels) and company_id = k.id) l
             cross join lateral (select count(*) from dialogues t join products p on p.id = t.product_id
                                  where t.channel_id = any(o.channels) and p.company_id = k.id) d
            where l.count > 0 or d.count > 0), '[]') as used_by
    from open o order by o.channel_id, o.kind`;

export async function withoutOwner(pool: pg.Pool): Promise<WithoutOwner[]> {
  const { rows } = await pool.query<WithoutOwner>(prepared(WITHOUT_OWNER));
  return rows;
}

type Model = Omit<SystemHealth['models'][number], 'level'>;

export const MODELS = `
  select p.company_id, k.name as company_name, r.model_vendor as vendor, count(*) as calls,
         count(*) filter (where r.error is not null) as errors,
         percentile_cont(0.5) within group (order by r.execution_ms)::float8 as median_ms,
         percentile_cont(0.95) within group (order by r.execution_ms)::float8 as p95_ms
    from llm_runs r join products p on p.id = r.product_id join companies k on k.id = p.company_id
   where r.created_at > domain_now() - interval '1 hour'
   group by p.company_id, k.name, r.model_vendor order by count(*) desc, p.company_id limit 100`;

export async function modelsOf(pool: pg.Pool): Promise<Model[]> {
  const { rows } = await pool.query<Model>(prepared(MODELS));
  return rows;
}
