/**
 * The live stream: each node hears which rows changed, reads them once, and tells every console that shows their
 * product. A console that may have missed something is told to read again.
 */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Ground } from '../platform/ground.ts';
import { endWhenRevoked, rightsChanges } from '../platform/http/revocation.ts';
import { LIVE_CHANNEL } from '../platform/live.ts';
import type { LiveEvent } from './liveContract.ts';
import { dialoguesByIds, messagesByIds } from './read.ts';
import { dialogueOfMessage } from './store/hand.ts';

const announcement = z.object({ topic: z.string(), product: z.int(), ids: z.array(z.int()) });

/** Announcements are gathered for so long before the rows are read: a burst is one read. */
const GATHER_MS = 40;
const PING_MS = 15_000;
/** A console that does not take its events has to read again anyway. */
const MAX_BUFFERED = 1024 * 1024;

interface Listener {
  readonly product: number;
  /** Takes a whole frame: of as many consoles as listen, an event is written as text once. */
  send(frame: string): void;
}

const frameOf = (event: LiveEvent): string => `data: ${JSON.stringify(event)}\n\n`;

export interface Streams {
  /** Serves one console until it leaves, or `still` says that it may not hear of this product any more. */
  open(reply: FastifyReply, product: number, still: () => Promise<boolean>): void;
  close(): void;
}

export function createStreams(ground: Ground): Streams {
  const listeners = new Set<Listener>();
  const ends = new Set<() => void>();
  const waiting = new Map<string, { topic: string; product: number; ids: Set<number> }>();
  let timer: NodeJS.Timeout | null = null;

  const tellAll = (event: LiveEvent): void => {
    const frame = frameOf(event);
    for (const one of listeners) one.send(frame);
  };

  function hear(payload: string): void {
    let raw: unknown;
    try {
      raw = JSON.parse(payload);
    } catch {
      return;
    }
    const parsed = announcement.safeParse(raw);
    if (!parsed.success) return;
    const { topic, product, ids } = parsed.data;
    if (![...listeners].some((one) => one.product === product)) return;
    const key = `${topic} ${product}`;
    const gathered = waiting.get(key) ?? { topic, product, ids: new Set<number>() };
    for (const id of ids) gathered.ids.add(id);
    waiting.set(key, gathered);
    timer ??= setTimeout(() => void flush(), GATHER_MS);
  }

  async function flush(): Promise<void> {
    timer = null;
    const batch = [...waiting.values()];
    waiting.clear();
    for (const { topic, product, ids } of batch) {
      try {
        const events = await eventsOf(topic, [...ids]);
        if (events.length === 0) continue;
        const frames = events.map(frameOf).join('');
        for (const one of listeners) if (one.product === product) one.send(frames);
      } catch {
        tellAll({ type: 'resync' });
      }
    }
  }

  async function eventsOf(topic: string, ids: number[]): Promise<LiveEvent[]> {
    switch (topic) {
      case 'message': {
        const found = await messagesByIds(ground.pool, ids);
        const there = new Set(found.map((one) => one.id));
        const removed = ids.filter((id) => !there.has(id));
        return [
          ...found.map((message): LiveEvent => ({ type: 'message', message })),
          ...(await Promise.all(
            removed.map(
              async (id): Promise<LiveEvent> => ({
                type: 'message.removed',
                id,
                dialogue_id: await dialogueOfMessage(ground.reader, id),
              }),
            ),
          )),
        ];
      }
      case 'dialogue':
        return (await dialoguesByIds(ground.pool, ids)).map((dialogue): LiveEvent => ({ type: 'dialogue', dialogue }));
      case 'lead':
        return ids.map((id): LiveEvent => ({ type: 'lead', id }));
      case 'channel':
        return ids.map((id): LiveEvent => ({ type: 'channel', id }));
      default:
        return [];
    }
  }

  const onChange = rightsChanges(ground.live);
  const stop = ground.live.on(LIVE_CHANNEL, hear, () => tellAll({ type: 'resync' }));

  return {
    open(reply, product, still) {
      reply.hijack();
      const { raw } = reply;
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) raw.setHeader(name, value);
      raw.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        connection: 'keep-alive',
      });
      raw.write('retry: 1000\n\n');
      const listener: Listener = {
        product,
        send(frame) {
          if (raw.writableLength > MAX_BUFFERED) return end();
          raw.write(frame);
        },
      };
      const ping = setInterval(() => raw.write(': ping\n\n'), PING_MS);
      // A session that ends, and who has lost the company, must not keep hearing.
      const stopWatching = endWhenRevoked(onChange, still, () => end());
      const end = (): void => {
        if (!listeners.delete(listener)) return;
        ends.delete(end);
        clearInterval(ping);
        stopWatching();
        ground.metrics.streams.dec();
        raw.end();
      };
      raw.on('close', end);
      listeners.add(listener);
      ends.add(end);
      ground.metrics.streams.inc();
    },
    close() {
      stop();
      if (timer) clearTimeout(timer);
      for (const end of ends) end();
    },
  };
}
