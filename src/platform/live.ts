/**
 * What happens on one node is heard on all: PostgreSQL's NOTIFY, listened to on one connection of its own. A lost
 * connection is made again, and whoever listens is told that something may have been missed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Tx } from './db.ts';
import type { Log } from './log.ts';

export interface Live {
  /** Hears every notice on `channel`; `missed` is called when some may have been lost. Returns how to stop. */
  on(channel: string, heard: (payload: string) => void, missed: () => void): () => void;
  /** False while the connection is down: what was remembered may be stale. */
  readonly healthy: boolean;
  close(): Promise<void>;
}

interface Listener {
  heard: (payload: string) => void;
  missed: () => void;
}

/** Listens on `channels` from now on. */
export async function openLive(url: string, channels: readonly string[], log: Log): Promise<Live> {
  const listeners = new Map<string, Set<Listener>>();
  let client: pg.Client | null = null;
  let closed = false;
  let ended: Promise<void> = Promise.resolve();

  async function connect(): Promise<void> {
    const fresh = new pg.Client({ connectionString: url, application_name: 'rapport live', keepAlive: true });
    const lost = Promise.withResolvers<void>();
    fresh.on('error', () => lost.resolve());
    fresh.on('end', () => lost.resolve());
    fresh.on('notification', (notice) => {
      for (const one of listeners.get(notice.channel) ?? []) one.heard(notice.payload ?? '');
    });
    await fresh.connect();
    for (const channel of channels) await fresh.query(`listen ${pg.escapeIdentifier(channel)}`);
    client = fresh;
    ended = lost.promise.then(() => {
      if (client === fresh) client = null;
      if (!closed) void reconnect();
    });
  }

  async function reconnect(): Promise<void> {
    log.warn('live connection lost');
    tellMissed();
    for (let wait = 100; !closed; wait = Math.min(wait * 2, 2000)) {
      try {
        await connect();
        tellMissed();
        log.info('live connection is back');
        return;
      } catch {
        await pause(wait);
      }
    }
  }

  function tellMissed(): void {
    for (const set of listeners.values()) for (const one of set) one.missed();
  }

  await connect();
  return {
    on(channel, heard, missed) {
      const listener = { heard, missed };
      const set = listeners.get(channel) ?? new Set<Listener>();
      listeners.set(channel, set);
      set.add(listener);
      return () => set.delete(listener);
    },
    get healthy() {
      return client !== null;
    },
    async close() {
      closed = true;
      await client?.end().catch(() => undefined);
      await ended;
    },
  };
}

/** The channel on which rows that consoles may be showing are announced. */
export const LIVE_CHANNEL = 'live';

/** What an announcement says: rows of a noun within a product that were stored or changed. */
export interface Announcement {
  readonly topic: string;
  readonly product: number;
  readonly ids: readonly number[];
}

/** So many ids fit into one notice of 8000 bytes. */
const MOST_IDS = 500;

/** Of a transaction that has not committed: topic and product → ids. */
const pending = new WeakMap<Tx, Map<string, { topic: string; product: number; ids: Set<number> }>>();

/** Announces changed rows to every node when the transaction commits. Ids only: each node reads what it needs. */
export function announce(tx: Tx, topic: string, product: number, ids: readonly number[]): void {
  const ofTx = pending.get(tx) ?? new Map<string, { topic: string; product: number; ids: Set<number> }>();
  pending.set(tx, ofTx);
  const key = `${topic} ${product}`;
  const known = ofTx.get(key) ?? { topic, product, ids: new Set<number>() };
  ofTx.set(key, known);
  for (const id of ids) known.ids.add(id);
}

/** Sends what the transaction has announced, in one statement; whoever commits calls it last. */
export async function sendAnnouncements(tx: Tx): Promise<void> {
  const notices: string[] = [];
  for (const { topic, product, ids } of pending.get(tx)?.values() ?? []) {
    const all = [...ids];
    for (let at = 0; at < all.length; at += MOST_IDS) {
      const notice: Announcement = { topic, product, ids: all.slice(at, at + MOST_IDS) };
      notices.push(JSON.stringify(notice));
    }
  }
  if (notices.length > 0)
    await sql`select pg_notify(${LIVE_CHANNEL}, notice) from unnest(${notices}::text[]) as n (notice)`.execute(tx);
}
