/**
 * Gauges of `/metrics` that are read from the database on request: queues, nodes, limits, connections, tables. Frequent
 * or concurrent requests share one read every few seconds. A slow or unavailable database costs a scrape its figures
 * and two seconds, not more.
 */
import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Gauge } from '@prometheus-io/client';
import type { AppContext } from '../platform/appContext.ts';
import { readDatabaseFigures, readDomainFigures } from './store/gauges.ts';
import { type Queues, readQueues } from './store/queues.ts';

/** Milliseconds for which a read is reused. */
const CACHE_MS = 5000;
/** Milliseconds for which sizes are reused. They change slowly, and each read checks every file. */
const SIZES_CACHE_MS = 60_000;
/** Milliseconds that a scrape waits at most. */
const SCRAPE_TIMEOUT_MS = 2000;

const HELP: Readonly<Record<keyof Queues, string>> = {
  messages_due: 'Messages of ours whose time has come',
  messages_due_seconds: 'For how long the oldest of them has been due',
  messages_sending: 'Messages in hand',
  messages_failed: 'Messages that ended in an error, for an operator',
  messages_unconfirmed: 'Messages of which nobody knows whether they arrived, for an operator',
  messages_refused: 'Messages that a vendor refused and that are retried automatically',
  inbox_open: 'Items of hooks that are stored and not worked on yet',
  inbox_open_seconds: 'For how long the oldest of them has waited',
  inbox_held: 'Statuses kept until their message is known',
  turns_due: 'Dialogues that the bot owes an answer',
  turns_due_seconds: 'For how long the oldest answer has been owed',
  turns_failed: 'Dialogues without an answer, for an operator',
  classifications_due: 'Turns to be classified',
  classifications_failed: 'Turns that could not be classified, for an operator',
  outreach_due: 'Leads about whom the plan is to be asked',
  outreach_due_seconds: 'For how long the first of them has waited',
  outreach_line: 'Leads queued for their first message',
  crm_wishes: 'Stages to be written to the CRM',
  crm_wishes_seconds: 'For how long the oldest of them has waited',
  crm_refused: 'Stages that the CRM refused',
  crm_changes: 'Cards to read again from the CRM',
  crm_changes_seconds: 'For how long the oldest of them has waited',
  opt_outs_due: 'Opt-outs that the other leads of their person still have to follow',
  opt_outs_due_seconds: 'For how long the oldest of them has waited',
};

/** Metrics whose name differs from the figure's name in the API. */
const METRICS: Readonly<Record<string, string>> = {
  inbox_held: 'inbox_unmatched_statuses',
  outreach_line: 'outreach_queue',
  crm_wishes: 'crm_pending_stages',
  crm_wishes_seconds: 'crm_pending_stages_seconds',
};

type CreateGauge = <Label extends string>(name: string, help: string, labelNames?: Label[]) => Gauge<Label>;

/** Register the gauges. Returns a function that updates them before they are read; it never throws. */
export function createGauges(context: AppContext): () => Promise<void> {
  const registers = [context.metrics.registry];
  const resets: (() => void)[] = [];
  const own: CreateGauge = (name, help, labelNames = []) => new Gauge({ name, help, labelNames, registers });
  /**
   * Create a gauge for a figure of the database. If the database cannot be read there is no value: an old one, or zero,
   * would be false.
   */
  const gauge: CreateGauge = (name, help, labelNames = []) => {
    const created = own(name, help, labelNames);
    resets.push(() => (labelNames.length === 0 ? created.remove() : created.reset()));
    return created;
  };

  const isUp = own('rapport_database_up', 'Whether the figures below could be read from the database');
  const pool = own('rapport_pool_connections', 'Connections of this node', ['state']);
  const waiting = own('rapport_pool_waiting', 'Callers that wait for a connection of this node');
  const free = own('rapport_disk_free_bytes', 'Free space where the data directory lies');

  const quick = cacheRead(createDomainGauges(context, gauge), CACHE_MS);
  const sizes = cacheRead(createDatabaseGauges(context, gauge), SIZES_CACHE_MS);

  return async () => {
    const pools = [context.pool, context.background.pool];
    const countOf = (name: 'totalCount' | 'idleCount' | 'waitingCount') =>
      pools.reduce((sum, one) => sum + one[name], 0);
    pool.set({ state: 'idle' }, countOf('idleCount'));
    pool.set({ state: 'busy' }, countOf('totalCount') - countOf('idleCount'));
    waiting.set(countOf('waitingCount'));
    const disk = await statfs(context.config.dataDir).catch(() => null);
    if (disk) free.set(disk.bavail * disk.bsize);
    const both = quick.read().then(sizes.read);
    const done = await Promise.race([
      both.then(
        () => true,
        () => false,
      ),
      pause(SCRAPE_TIMEOUT_MS, false),
    ]);
    isUp.set(done ? 1 : 0);
    if (!done) {
      for (const forget of resets) forget();
      quick.forget();
      sizes.forget();
    }
  };
}

/** Register the gauges of queues, nodes, limits and costs. Returns a function that reads them. */
function createDomainGauges(context: AppContext, gauge: CreateGauge): () => Promise<void> {
  const queues = Object.entries(HELP).map(([name, help]) => ({
    name,
    gauge: gauge(`rapport_${METRICS[name] ?? name}`, help),
  }));
  const nodes = gauge('rapport_nodes', 'Nodes that live');
  const beat = gauge('rapport_heartbeat_age_seconds', 'Age of the oldest heartbeat among them');
  const taken = gauge('rapport_first_messages_today', 'First messages of this UTC day', ['channel_type']);
  const allowed = gauge('rapport_first_messages_limit', 'Daily limits of all active products', ['channel_type']);
  const spent = gauge('rapport_model_cost_today_dollars', 'What models cost this UTC day', ['vendor']);
  const channels = gauge('rapport_channels_blocked', 'Channels by what keeps them from sending', ['vendor', 'reason']);
  const accounts = gauge('rapport_crm_accounts', 'Connected CRM accounts', ['state']);

  return async () => {
    const waits = await readQueues(context.pool);
    const { living, limits, spending, blocked, crm } = await readDomainFigures(context.pool);
    // Set all gauges at once after all reads: a half-updated set would be inconsistent.
    for (const [name, value] of Object.entries(waits))
      queues.find((one) => one.name === name)?.gauge.set(Number(value));
    nodes.set(living?.living ?? 0);
    beat.set(living?.oldest_beat ?? 0);
    for (const one of limits) {
      taken.set({ channel_type: one.channel_type }, one.taken);
      allowed.set({ channel_type: one.channel_type }, one.allowed);
    }
    spent.reset();
    for (const one of spending) spent.set({ vendor: one.vendor }, one.cost);
    channels.reset();
    for (const { vendor, ...counts } of blocked)
      for (const [reason, count] of Object.entries(counts)) channels.set({ vendor, reason }, count);
    accounts.reset();
    for (const one of crm) accounts.set({ state: one.state }, one.accounts);
  };
}

/** Register the gauges of the database's sizes and connections. Returns a function that reads them. */
function createDatabaseGauges(context: AppContext, gauge: CreateGauge): () => Promise<void> {
  const bytes = gauge('rapport_table_bytes', 'Size of a table with its indexes', ['table']);
  const rows = gauge('rapport_table_rows', 'Rows of a table, as estimated', ['table']);
  const dead = gauge('rapport_table_dead_rows', 'Rows of a table that wait to be vacuumed', ['table']);
  const databaseBytes = gauge('rapport_database_bytes', 'Size of the database');
  const connections = gauge('rapport_database_connections', 'Connections to the database, of all nodes');
  const oldest = gauge('rapport_oldest_transaction_seconds', 'Age of the oldest open transaction');

  return async () => {
    const { tables, server } = await readDatabaseFigures(context.pool);
    for (const one of tables) {
      bytes.set({ table: one.table }, one.bytes);
      rows.set({ table: one.table }, one.rows);
      dead.set({ table: one.table }, one.dead);
    }
    databaseBytes.set(server?.bytes ?? 0);
    connections.set(server?.connections ?? 0);
    oldest.set(server?.oldest_transaction ?? 0);
  };
}

interface CachedRead {
  readonly read: () => Promise<void>;
  readonly forget: () => void;
}

/** Run one `read` at a time, and not again while its result is fresh. */
function cacheRead(read: () => Promise<void>, cacheMs: number): CachedRead {
  let at = Number.NEGATIVE_INFINITY;
  let inFlight: Promise<void> | null = null;
  return {
    read() {
      if (performance.now() - at < cacheMs) return Promise.resolve();
      inFlight ??= read()
        .then(() => {
          at = performance.now();
        })
        .finally(() => {
          inFlight = null;
        });
      return inFlight;
    },
    forget() {
      at = Number.NEGATIVE_INFINITY;
    },
  };
}
