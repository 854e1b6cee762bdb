/** The traffic while nodes are restarted: leads write, operators read and type, consoles listen, sockets are open. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { messages } from '../../conversations/contract.ts';
import type { Client } from '../../testing/client.ts';
import type { TestLead, World } from '../../testing/world.ts';

export interface TrafficSize {
  readonly leads: number;
  readonly readers: number;
  readonly streams: number;
  readonly sockets: number;
}

export interface TrafficResult {
  readonly requests: number;
  /** Requests that were not answered as expected. */
  readonly failed: readonly string[];
  /** Milliseconds of each request, ascending. */
  readonly durations: readonly number[];
  readonly accepted: readonly string[];
  readonly streams: { readonly breaks: number; readonly worstGapMs: number; readonly events: number };
  readonly sockets: { readonly breaks: number; readonly worstGapMs: number; readonly normalCloses: number };
}

export interface Traffic {
  summary(): string;
  /** Stop the traffic; resolves when every request has been answered. */
  stop(): Promise<TrafficResult>;
}

const READS = ['/v1/dialogues/?limit=25', '/v1/messages/?limit=25', '/v1/leads/?limit=25', '/v1/companies/', '/'];
/** The console reconnects after one second, as the server tells EventSource. */
const STREAM_PAUSE_MS = 1000;

/** Create leads that the bot answers, and some whose dialogues an operator leads. */
async function createLeads(world: World, count: number): Promise<{ leads: TestLead[]; operatorLeads: TestLead[] }> {
  const all: TestLead[] = [];
  for (let index = 0; index < count; index++)
    all.push(await world.lead(`Lead ${index + 1}`, { messenger: index % 3 === 2 ? 'telegram' : 'whatsapp' }));
  const operatorLeads = all.filter((_, index) => index % 5 === 4 && index % 3 !== 2);
  return { leads: all.filter((one) => !operatorLeads.includes(one)), operatorLeads };
}

export async function startTraffic(world: World, operator: Client, size: TrafficSize): Promise<Traffic> {
  const { leads, operatorLeads } = await createLeads(world, size.leads);
  const failed: string[] = [];
  const durations: number[] = [];
  const accepted: string[] = [];
  const streams = { breaks: 0, worstGapMs: 0, events: 0 };
  const sockets = { breaks: 0, worstGapMs: 0, normalCloses: 0 };
  const ended = new AbortController();
  const isRunning = (): boolean => !ended.signal.aborted;

  async function timed(what: string, ask: () => Promise<number>, good: readonly number[]): Promise<void> {
    const startedAt = performance.now();
    const status = await ask().catch((error: unknown) => String(error instanceof Error ? error.cause : error));
    durations.push(performance.now() - startedAt);
    if (typeof status !== 'number' || !good.includes(status)) failed.push(`${what}: ${status}`);
  }

  async function read(index: number): Promise<void> {
    for (let turn = index; isRunning(); turn++) {
      const path = READS[turn % READS.length] ?? '/';
      const ask = async (): Promise<number> => {
        const answer = await operator.fetch(path);
        await answer.arrayBuffer();
        return answer.status;
      };
      // Without a built console its page is missing, which this traffic does not test.
      await timed(`GET ${path}`, ask, path === '/' ? [200, 404, 503] : [200]);
      await pause(10 + ((turn * 37) % 60));
    }
  }

  async function type(): Promise<void> {
    for (let turn = 0; isRunning(); turn++) {
      const lead = operatorLeads[turn % operatorLeads.length];
      if (!lead) return;
      const key = `typed ${turn}`;
      const body = { product_id: world.productId, contact_id: lead.contactId, message: key, client_key: key };
      const ask = async (): Promise<number> => {
        const { status } = await operator.call(messages.create, { body });
        if (status === 201) accepted.push(key);
        return status;
      };
      await timed('POST /v1/messages/', ask, [201]);
      await pause(150);
    }
  }

  async function write(): Promise<void> {
    for (let turn = 0; isRunning(); turn++) {
      await leads[turn % leads.length]?.writes(`What does kitchen ${turn} cost?`);
      await pause(80);
    }
  }

  async function listen(): Promise<void> {
    let lostAt: number | null = null;
    while (isRunning()) {
      try {
        const answer = await operator.fetch(`/v1/live?product_id=${world.productId}`, { signal: ended.signal });
        if (answer.status !== 200 || !answer.body) {
          failed.push(`GET /v1/live: ${answer.status}`);
        } else {
          if (lostAt !== null) streams.worstGapMs = Math.max(streams.worstGapMs, performance.now() - lostAt);
          for await (const _piece of answer.body) streams.events++;
        }
      } catch (error) {
        // A stream that is cut throws as well; one that cannot be opened shows up as a gap.
        if (isRunning() && !(error instanceof TypeError)) throw error;
      }
      if (!isRunning()) return;
      streams.breaks++;
      lostAt = performance.now();
      await pause(STREAM_PAUSE_MS);
    }
  }

  async function chat(): Promise<void> {
    const url = `${world.url.replace('http', 'ws')}/v1/llm/ws/chat/simple?product_id=${world.productId}`;
    let lostAt: number | null = null;
    while (isRunning()) {
      const socket = new WebSocket(url, { headers: { cookie: operator.cookie, origin: world.url } });
      const closed = once(socket, 'close');
      socket.on('error', () => undefined);
      socket.on('open', () => {
        if (lostAt !== null) sockets.worstGapMs = Math.max(sockets.worstGapMs, performance.now() - lostAt);
        lostAt = null;
      });
      const end = () => socket.close(1000);
      ended.signal.addEventListener('abort', end);
      const [code] = await closed;
      ended.signal.removeEventListener('abort', end);
      if (!isRunning()) return;
      sockets.breaks++;
      // The console does not reconnect after a normal close.
      if (code === 1000) sockets.normalCloses++;
      lostAt ??= performance.now();
      await pause(STREAM_PAUSE_MS);
    }
  }

  const many = (count: number, work: (index: number) => Promise<void>) =>
    Array.from({ length: count }, (_, index) => work(index));
  const all = Promise.all([
    ...many(size.readers, read),
    ...many(size.streams, listen),
    ...many(size.sockets, chat),
    type(),
    write(),
  ]);
  // A permanent failure is reported at the end.
  all.catch(() => undefined);

  return {
    summary: () =>
      `${durations.length} requests, ${failed.length} failed; ${streams.breaks} streams and ${sockets.breaks} sockets came back`,
    async stop() {
      ended.abort();
      await all;
      durations.sort((a, b) => a - b);
      return { requests: durations.length, failed, durations, accepted, streams, sockets };
    },
  };
}
