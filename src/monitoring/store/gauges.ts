/** SQL of the gauges of `/metrics`. */
import type pg from 'pg';
import { prepared } from '../../platform/statements.ts';

/**
 * Query for the number of live nodes and the oldest heartbeat among them. A node is ended some seconds after its last
 * heartbeat.
 */
const NODES = `
  select count(*)::int as living, coalesce(max(extract(epoch from clock_timestamp() - heartbeat_at)), 0)::float8 as oldest_beat
    from nodes where ended_at is null`;

/** Query for today's limits of first messages and how many were used, in UTC days of the domain's clock. */
const LIMITS = `
  select t.type as channel_type,
         (select count(*) from first_message_quota s where s.channel_type = t.type and s.taken_at >= date_trunc('day', domain_now() at time zone 'UTC') at time zone 'UTC')::int as taken,
         coalesce((select sum((p.config->'messaging_config'->>(t.field))::int) from products p
                    where p.is_active and jsonb_typeof(p.config->'messaging_config') = 'object'), 0)::int as allowed
    from (values ('telegram', 'tg_daily_limit'), ('whatsapp', 'whatsapp_daily_limit')) as t (type, field)`;

const SPENDING = `
  select vendor, sum(cost)::float8 as cost from llm_spending where day = (domain_now() at time zone 'UTC')::date group by vendor`;

const CHANNELS = `
  select c.vendor,
         count(*) filter (where c.is_active and not c.is_session_active)::int as offline,
         count(*) filter (where c.paused_until > clock_timestamp())::int as paused,
         count(*) filter (where c.first_messages_stopped_at is not null)::int as first_messages_stopped,
         count(distinct a.id) filter (where a.key_rejected_reason is not null)::int as key_rejected
    from channels c join vendor_accounts a on a.id = c.account_id group by c.vendor`;

const CRM = `select state, count(*)::int as accounts from amocrm_accounts group by state`;

const TABLES = `
  select relname as table, pg_total_relation_size(relid)::float8 as bytes, n_live_tup::float8 as rows, n_dead_tup::float8 as dead
    from pg_stat_user_tables where schemaname = 'public'`;

const CONNECTIONS = `
  select count(*)::int as connections,
         coalesce(max(extract(epoch from clock_timestamp() - xact_start)) filter (where pid <> pg_backend_pid()), 0)::float8 as oldest_transaction,
         pg_database_size(current_database())::float8 as bytes
    from pg_stat_activity where datname = current_database() and usesysid is not null`;

/** Read nodes, limits, spending, channels and CRM accounts, one statement after another. */
export async function readDomainFigures(pool: pg.Pool) {
  const [living] = await read<{ living: number; oldest_beat: number }>(pool, NODES);
  const limits = await read<{ channel_type: string; taken: number; allowed: number }>(pool, LIMITS);
  const spending = await read<{ vendor: string; cost: number }>(pool, SPENDING);
  const blocked = await read<{ vendor: string } & Record<string, number>>(pool, CHANNELS);
  const crm = await read<{ state: string; accounts: number }>(pool, CRM);
  return { living, limits, spending, blocked, crm };
}

/** Read the sizes of tables and of the database, and its connections. */
export async function readDatabaseFigures(pool: pg.Pool) {
  const tables = await read<{ table: string; bytes: number; rows: number; dead: number }>(pool, TABLES);
  const [server] = await read<{ connections: number; oldest_transaction: number; bytes: number }>(pool, CONNECTIONS);
  return { tables, server };
}

async function read<Row extends object>(pool: pg.Pool, text: string): Promise<Row[]> {
  return (await pool.query<Row>(prepared(text))).rows;
}
