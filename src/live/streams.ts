/**
 * The live stream: each node receives the ids of changed rows, reads the rows once, and sends them to every console
 * that shows their product. A console that may have missed an event is told to refetch.
 */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { dialoguesByIds, findDialogueOfMessage, messagesByIds } from '../conversations/store/views.ts';
import type { AppContext } from '../platform/appContext.ts';
import { endWhenRevoked, subscribeToRightsChanges } from '../platform/http/revocation.ts';
import { LIVE_CHANNEL } from '../platform/notifications.ts';
import type { LiveEvent } from './contract.ts';

const notification = z.object({ topic: z.string(), product: z.int(), ids: z.array(z.int()) });

/** How long notifications are collected before the rows are read: a burst causes one read. */
const BATCH_WINDOW_MS = 40;
const PING_INTERVAL_MS = 15_000;
/** Close a stream with more unsent bytes than this; its console has to refetch anyway. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

interface Listener {
  readonly product: number;
  /** Sends a complete frame, so that each event is serialised once for all consoles. */
  send(frame: string): void;
}

const frameOf = (event: LiveEvent): string => `data: ${JSON.stringify(event)}\n\n`;

export interface LiveStreams {
  /** Serves one console until it disconnects, or `stillAllowed` returns false for this product. */
  openStream(reply: FastifyReply, product: number, stillAllowed: () => Promise<boolean>): void;
  close(): void;
}

export function createLiveStreams(context: AppContext): LiveStreams {
  const listeners = new Set<Listener>();
  const closers = new Set<() => void>();
  const pendingChanges = new Map<string, { topic: string; product: number; ids: Set<number> }>();
  let timer: NodeJS.Timeout | null = null;

  const sendToAll = (event: LiveEvent): void => {
    const frame = frameOf(event);
    for (const one of listeners) one.send(frame);
  };

  function onNotification(payload: string): void {
    const change = parseNotification(payload);
    if (!change || ![...listeners].some((one) => one.product === change.product)) return;
    const { topic, product, ids } = change;
    const key = `${topic} ${product}`;
    const changes = pendingChanges.get(key) ?? { topic, product, ids: new Set<number>() };
    for (const id of ids) changes.ids.add(id);
    pendingChanges.set(key, changes);
    timer ??= setTimeout(() => void flush(), BATCH_WINDOW_MS);
  }

  async function flush(): Promise<void> {
    timer = null;
    const batch = [...pendingChanges.values()];
    pendingChanges.clear();
    for (const { topic, product, ids } of batch) {
      try {
        const events = await readEvents(context, topic, [...ids]);
        if (events.length === 0) continue;
        const frames = events.map(frameOf).join('');
        for (const one of listeners) if (one.product === product) one.send(frames);
      } catch {
        sendToAll({ type: 'resync' });
      }
    }
  }

  const onChange = subscribeToRightsChanges(context.notifications);
  const stop = context.notifications.on(LIVE_CHANNEL, onNotification, () => sendToAll({ type: 'resync' }));

  return {
    openStream(reply, product, stillAllowed) {
      const raw = startEventStream(reply);
      const listener: Listener = {
        product,
        send(frame) {
          if (raw.writableLength > MAX_BUFFERED_BYTES) return closeStream();
          raw.write(frame);
        },
      };
      const ping = setInterval(() => raw.write(': ping\n\n'), PING_INTERVAL_MS);
      // Stop the stream when the session ends or the operator loses access to the company.
      const stopWatching = endWhenRevoked(onChange, stillAllowed, () => closeStream());
      const closeStream = (): void => {
        if (!listeners.delete(listener)) return;
        closers.delete(closeStream);
        clearInterval(ping);
        stopWatching();
        context.metrics.streams.dec();
        raw.end();
      };
      raw.on('close', closeStream);
      listeners.add(listener);
      closers.add(closeStream);
      context.metrics.streams.inc();
    },
    close() {
      stop();
      if (timer) clearTimeout(timer);
      for (const closeStream of closers) closeStream();
    },
  };
}

function parseNotification(payload: string): z.output<typeof notification> | null {
  try {
    return notification.parse(JSON.parse(payload));
  } catch {
    return null;
  }
}

/** Take the response over from the server, and send the head of a stream of server-sent events. */
function startEventStream(reply: FastifyReply): FastifyReply['raw'] {
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'keep-alive',
  });
  raw.write('retry: 1000\n\n');
  return raw;
}

/** Read changed rows, and return what consoles are sent about them. */
async function readEvents(context: AppContext, topic: string, ids: number[]): Promise<LiveEvent[]> {
  switch (topic) {
    case 'message': {
      const messages = await messagesByIds(context.pool, ids);
      const existingIds = new Set(messages.map((one) => one.id));
      const removed = ids.filter((id) => !existingIds.has(id));
      return [
        ...messages.map((message): LiveEvent => ({ type: 'message', message })),
        ...(await Promise.all(
          removed.map(
            async (id): Promise<LiveEvent> => ({
              type: 'message.removed',
              id,
              dialogue_id: await findDialogueOfMessage(context.pool, id),
            }),
          ),
        )),
      ];
    }
    case 'dialogue':
      return (await dialoguesByIds(context.pool, ids)).map((dialogue): LiveEvent => ({ type: 'dialogue', dialogue }));
    case 'lead':
      return ids.map((id): LiveEvent => ({ type: 'lead', id }));
    case 'channel':
      return ids.map((id): LiveEvent => ({ type: 'channel', id }));
    default:
      return [];
  }
}
