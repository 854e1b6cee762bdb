/**
 * Notifications between nodes: PostgreSQL's NOTIFY, received on a connection of its own. A lost connection is opened
 * again, and listeners learn that they may have missed notifications.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import type { Reader, Tx } from './db.ts';
import type { Log } from './log.ts';

export interface Notifications {
  /**
   * Listen to `channel`. `onMissed` is called when notifications may have been lost. Returns a function that stops
   * listening.
   */
  on(channel: string, onMessage: (payload: string) => void, onMissed: () => void): () => void;
  /** False while the connection is down: cached state may be stale. */
  readonly isConnected: boolean;
  close(): Promise<void>;
}

interface Listener {
  onMessage: (payload: string) => void;
  onMissed: () => void;
}

/** Open the connection and listen on `channels`. */
export async function openNotifications(url: string, channels: readonly string[], log: Log): Promise<Notifications> {
  const listeners = new Map<string, Set<Listener>>();
  let client: pg.Client | null = null;
  let closed = false;
  let ended: Promise<void> = Promise.resolve();

  async function connect(): Promise<void> {
    const newClient = new pg.Client({ connectionString: url, application_name: 'rapport live', keepAlive: true });
    const disconnected = Promise.withResolvers<void>();
    newClient.on('error', () => disconnected.resolve());
    newClient.on('end', () => disconnected.resolve());
    newClient.on('notification', (notice) => {
      for (const one of listeners.get(notice.channel) ?? []) one.onMessage(notice.payload ?? '');
    });
    try {
      await newClient.connect();
      for (const channel of channels) await newClient.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      // It may be connected: each of many tries would keep a connection.
      void newClient.end().catch(() => undefined);
      throw error;
    }
    client = newClient;
    ended = disconnected.promise.then(() => {
      if (client === newClient) client = null;
      if (!closed) void reconnect();
    });
  }

  async function reconnect(): Promise<void> {
    log.warn('live connection lost');
    notifyMissed();
    for (let wait = 100; !closed; wait = Math.min(wait * 2, 2000)) {
      try {
        await connect();
        notifyMissed();
        log.info('live connection is back');
        return;
      } catch {
        await pause(wait);
      }
    }
  }

  function notifyMissed(): void {
    for (const set of listeners.values()) for (const one of set) one.onMissed();
  }

  await connect();
  return {
    on(channel, onMessage, onMissed) {
      const listener: Listener = { onMessage, onMissed };
      const set = listeners.get(channel) ?? new Set<Listener>();
      listeners.set(channel, set);
      set.add(listener);
      return () => set.delete(listener);
    },
    get isConnected() {
      return client !== null;
    },
    async close() {
      closed = true;
      await client?.end().catch(() => undefined);
      await ended;
    },
  };
}

/** Channel for changes of rows that consoles may be showing. */
export const LIVE_CHANNEL = 'live';

/**
 * Channel whose notifications make workers sweep: the sweep of that name, or all of them if it is empty; after an @, in
 * so many milliseconds, otherwise at once.
 */
export const SWEEP_CHANNEL = 'sweep';

/** Read a notification of the sweep channel. */
export function parseWakeUp(payload: string): { name: string; inMs: number } {
  const [name = '', ms = '0'] = payload.split('@');
  return { name, inMs: Number(ms) };
}

/** Rows of one topic within a product that were created or changed. */
export interface ChangeNotification {
  readonly topic: string;
  readonly product: number;
  readonly ids: readonly number[];
}

/** Notify every node at once of something that is not stored. */
export async function publish(reader: Reader, change: ChangeNotification & Record<string, unknown>): Promise<void> {
  await sql`select pg_notify(${LIVE_CHANNEL}, ${JSON.stringify(change)})`.execute(reader);
}

/** Number of ids that fit into one notification of 8000 bytes. */
const MAX_IDS = 500;

/** Notifications of uncommitted transactions: topic and product → ids. */
const pending = new WeakMap<Tx, Map<string, { topic: string; product: number; ids: Set<number> }>>();

/** Notify every node of changed rows when the transaction commits. Sends ids only: each node reads what it needs. */
export function notify(
  tx: Tx,
  { topic, product, ids }: { topic: string; product: number; ids: readonly number[] },
): void {
  const byKey = pending.get(tx) ?? new Map<string, { topic: string; product: number; ids: Set<number> }>();
  pending.set(tx, byKey);
  const key = `${topic} ${product}`;
  const entry = byKey.get(key) ?? { topic, product, ids: new Set<number>() };
  byKey.set(key, entry);
  for (const id of ids) entry.ids.add(id);
}

/** Wake-ups of sweeps by uncommitted transactions. */
const pendingSweeps = new WeakMap<Tx, Set<string>>();

/** Have every worker run a sweep when the transaction commits, or some milliseconds later, when its work is due. */
export function wakeSweep(tx: Tx, name: string, inMs = 0): void {
  const wakeUps = pendingSweeps.get(tx) ?? new Set();
  pendingSweeps.set(tx, wakeUps.add(inMs > 0 ? `${name}@${inMs}` : name));
}

/**
 * Return the query that sends the pending notifications of a transaction, to be part of another statement of it. They
 * are pending no more.
 */
export function takeNotifications(tx: Tx): RawBuilder<unknown> {
  const notices = [...(pending.get(tx)?.values() ?? [])].flatMap(({ topic, product, ids: all }) => {
    const ids = [...all];
    return Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, part) => {
      const notice: ChangeNotification = { topic, product, ids: ids.slice(part * MAX_IDS, (part + 1) * MAX_IDS) };
      return JSON.stringify(notice);
    });
  });
  const sweeps = [...(pendingSweeps.get(tx) ?? [])];
  pending.delete(tx);
  pendingSweeps.delete(tx);
  return sql`
      select pg_notify(channel, notice) from (
        select ${LIVE_CHANNEL} as channel, notice from unnest(${notices}::text[]) as n (notice)
        union all select ${SWEEP_CHANNEL}, name from unnest(${sweeps}::text[]) as s (name)) as all_of_them`;
}

/** Send the pending notifications of a transaction, in one statement. The code that commits calls this last. */
export async function sendNotifications(tx: Tx): Promise<void> {
  if (pending.has(tx) || pendingSweeps.has(tx)) await takeNotifications(tx).execute(tx);
}
