/**
 * The live streams: each node receives the ids of changed rows, reads the rows once, and sends them to every console
 * that shows their product, or the inbox. A console that may have missed an event is told to refetch.
 */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { CompanyOfProduct } from '../access/companiesOfProducts.ts';
import { dialoguesByIds, findDialogueOfMessage, messagesByIds } from '../conversations/store/views.ts';
import type { AppContext } from '../platform/appContext.ts';
import { endWhenRevoked, subscribeToRightsChanges } from '../platform/http/revocation.ts';
import { LIVE_CHANNEL } from '../platform/notifications.ts';
import type { AttentionAlert, LiveEvent } from './contract.ts';

const notification = z.object({
  topic: z.string(),
  product: z.int(),
  ids: z.array(z.int()),
  operator: z.string().optional(),
  state: z.enum(['viewing', 'typing', 'left']).optional(),
});
type Notification = z.output<typeof notification>;

/** What the stream of the inbox carries; the rest is of the streams of products. */
const INBOX_TOPICS = new Set(['inbox', 'alert', 'note', 'presence']);
/** What only the stream of the inbox carries. */
const INBOX_ONLY = new Set(['inbox', 'alert']);

/** What a stream shows: a product, or the inbox of companies; null: of all. */
export type StreamScope = number | { readonly companies: readonly number[] | null };

/** How long notifications are collected before the rows are read: a burst causes one read. */
const BATCH_WINDOW_MS = 40;
const PING_INTERVAL_MS = 15_000;
/** Close a stream with more unsent bytes than this; its console has to refetch anyway. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

interface Listener {
  readonly scope: StreamScope;
  /** Sends a complete frame, so that each event is serialised once for all consoles. */
  send(frame: string): void;
}

const frameOf = (event: LiveEvent): string => `data: ${JSON.stringify(event)}\n\n`;

export interface LiveStreams {
  /** Serves one console until it disconnects, or `stillAllowed` returns false for this scope. */
  openStream(reply: FastifyReply, scope: StreamScope, stillAllowed: () => Promise<boolean>): void;
  close(): void;
}

/** Read alerts that have changed: those that are open. */
type ReadAlerts = (ids: readonly number[]) => Promise<AttentionAlert[]>;

/** What streams read elsewhere. Injected by the app. */
interface LiveSources {
  readonly readAlerts: ReadAlerts;
  readonly companyOf: CompanyOfProduct;
}

export function createLiveStreams(context: AppContext, { readAlerts, companyOf }: LiveSources): LiveStreams {
  const listeners = new Set<Listener>();
  const closers = new Set<() => void>();
  const pendingChanges = new Map<string, Omit<Notification, 'ids'> & { ids: Set<number> }>();
  let timer: NodeJS.Timeout | null = null;

  const sendToAll = (event: LiveEvent): void => {
    const frame = frameOf(event);
    for (const one of listeners) one.send(frame);
  };

  function onNotification(payload: string): void {
    const change = parseNotification(payload);
    if (!change || ![...listeners].some(({ scope }) => mayConcern(scope, change))) return;
    const { ids, ...rest } = change;
    const key = [rest.topic, rest.product, rest.operator, rest.state].join(' ');
    const changes = pendingChanges.get(key) ?? { ...rest, ids: new Set<number>() };
    for (const id of ids) changes.ids.add(id);
    pendingChanges.set(key, changes);
    timer ??= setTimeout(() => void flush(), BATCH_WINDOW_MS);
  }

  async function flush(): Promise<void> {
    timer = null;
    const batch = [...pendingChanges.values()];
    pendingChanges.clear();
    for (const { ids, ...change } of batch) {
      try {
        const events =
          change.topic === 'alert'
            ? await readAlertEvents(readAlerts, [...ids])
            : await readEvents(context, { ...change, ids: [...ids] });
        if (events.length === 0) continue;
        const frames = events.map(frameOf).join('');
        const company = INBOX_TOPICS.has(change.topic) ? await companyOf(change.product) : null;
        for (const one of listeners) if (concerns(one.scope, change, company)) one.send(frames);
      } catch {
        sendToAll({ type: 'resync' });
      }
    }
  }

  const onChange = subscribeToRightsChanges(context.notifications);
  const stop = context.notifications.on(LIVE_CHANNEL, onNotification, () => sendToAll({ type: 'resync' }));

  return {
    openStream(reply, scope, stillAllowed) {
      const raw = startEventStream(reply);
      const listener: Listener = {
        scope,
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

const mayConcern = (scope: StreamScope, { topic, product }: Pick<Notification, 'topic' | 'product'>): boolean =>
  typeof scope === 'number' ? scope === product && !INBOX_ONLY.has(topic) : INBOX_TOPICS.has(topic);

const concerns = (
  scope: StreamScope,
  change: Pick<Notification, 'topic' | 'product'>,
  company: number | null,
): boolean =>
  mayConcern(scope, change) &&
  (typeof scope === 'number' || scope.companies === null || (company !== null && scope.companies.includes(company)));

function parseNotification(payload: string): Notification | null {
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

async function readAlertEvents(readAlerts: ReadAlerts, ids: readonly number[]): Promise<LiveEvent[]> {
  const open = await readAlerts(ids);
  const openIds = new Set(open.map(({ id }) => id));
  return [
    ...open.map((alert): LiveEvent => ({ type: 'alert', alert })),
    ...ids.filter((id) => !openIds.has(id)).map((id): LiveEvent => ({ type: 'alert.ended', id })),
  ];
}

/** Read changed rows, and return what consoles are sent about them. */
async function readEvents(
  context: AppContext,
  { topic, ids, operator, state }: Omit<Notification, 'product'>,
): Promise<LiveEvent[]> {
  switch (topic) {
    case 'inbox': {
      const dialogues = await dialoguesByIds(context.pool, ids);
      const existingIds = new Set(dialogues.map((one) => one.id));
      return [
        ...dialogues.map((dialogue): LiveEvent => ({ type: 'inbox', dialogue })),
        ...ids.filter((id) => !existingIds.has(id)).map((id): LiveEvent => ({ type: 'inbox.removed', id })),
      ];
    }
    case 'note':
      return ids.map((id): LiveEvent => ({ type: 'note', dialogue_id: id }));
    case 'presence':
      if (operator === undefined || state === undefined) return [];
      return ids.map((id): LiveEvent => ({ type: 'presence', dialogue_id: id, operator, state }));
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
    case 'experiment':
      return ids.map((id): LiveEvent => ({ type: 'experiment', id }));
    case 'studio_run':
      return ids.map((id): LiveEvent => ({ type: 'studio_run', id }));
    case 'prompt':
      return ids.map((id): LiveEvent => ({ type: 'prompt', id }));
    case 'studio_pair':
      return ids.map((id): LiveEvent => ({ type: 'studio_pair', id }));
    case 'product':
      return ids.map((id): LiveEvent => ({ type: 'product', id }));
    default:
      return [];
  }
}
