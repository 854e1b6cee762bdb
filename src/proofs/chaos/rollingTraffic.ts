/** The traffic while nodes are restarted: leads write, operators read and type, consoles listen, sockets are open. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Client } from '../../testing/client.ts';
import type { TestLead, World } from '../../testing/world.ts';
import { typeMessage } from '../harness/calls.ts';
import { type Probe, startProbe } from '../harness/probe.ts';

export interface TrafficSize {
  readonly people: number;
  readonly readers: number;
  readonly streams: number;
  readonly sockets: number;
}

/** Connections that were lost and came back. */
interface Breaks {
  breaks: number;
  worstGapMs: number;
}

const READS = ['/v1/dialogues/?limit=25', '/v1/messages/?limit=25', '/v1/leads/?limit=25', '/v1/companies/', '/'];
/** The console reconnects after one second, as the server tells EventSource. */
const STREAM_PAUSE_MS = 1000;

export class RollingTraffic {
  /** Requests that were not answered as expected. */
  readonly failed: string[] = [];
  /** Client keys of accepted messages. */
  readonly accepted: string[] = [];
  /** Milliseconds of each request; ascending after `stop`. */
  readonly durations: number[] = [];
  readonly streams: Breaks = { breaks: 0, worstGapMs: 0 };
  readonly sockets: Breaks & { normalCloses: number } = { breaks: 0, worstGapMs: 0, normalCloses: 0 };
  readonly #world: World;
  readonly #operator: Client;
  readonly #ended = new AbortController();
  #probes: readonly Probe[] = [];
  #connections: Promise<unknown> = Promise.resolve();

  private constructor(world: World, operator: Client) {
    this.#world = world;
    this.#operator = operator;
  }

  static async start(world: World, operator: Client, size: TrafficSize): Promise<RollingTraffic> {
    const leads: TestLead[] = [];
    for (let index = 0; index < size.people; index++)
      leads.push(await world.lead(`Lead ${index + 1}`, { messenger: index % 3 === 2 ? 'telegram' : 'whatsapp' }));
    // The bot answers the leads; the dialogues of some are led by an operator.
    const operatorLeads = leads.filter((_, index) => index % 5 === 4 && index % 3 !== 2);
    const traffic = new RollingTraffic(world, operator);
    const many = <T>(count: number, work: (index: number) => T): T[] =>
      Array.from({ length: count }, (_, index) => work(index));
    traffic.#probes = [...many(size.readers, (index) => traffic.#read(index)), traffic.#type(operatorLeads)];
    traffic.#connections = Promise.all([
      ...many(size.streams, () => traffic.#listen()),
      ...many(size.sockets, () => traffic.#chat()),
      traffic.#write(leads.filter((one) => !operatorLeads.includes(one))),
    ]);
    // A permanent failure is reported at the end.
    traffic.#connections.catch(() => undefined);
    return traffic;
  }

  /** Stop the traffic; resolves when every request has been answered. */
  async stop(): Promise<void> {
    this.#ended.abort();
    for (const probe of this.#probes) this.durations.push(...(await probe.stop()).durations);
    this.durations.sort((a, b) => a - b);
    await this.#connections;
  }

  summary(): string {
    return `${this.failed.length} requests failed; ${this.streams.breaks} streams and ${this.sockets.breaks} sockets came back`;
  }

  #isRunning(): boolean {
    return !this.#ended.signal.aborted;
  }

  #read(first: number): Probe {
    const pathOf = (number: number): string => READS[(first + number) % READS.length] ?? '/';
    return startProbe({
      request: (number) => this.#operator.fetch(pathOf(number)),
      everyMs: 10 + ((first * 37) % 60),
      onAnswer: (answer, number) => {
        const path = pathOf(number);
        // Without a built console its page is missing, which this traffic does not test.
        const good = path === '/' ? [200, 404, 503] : [200];
        if (!answer || !good.includes(answer.status)) this.failed.push(`GET ${path}: ${answer?.status ?? 'no answer'}`);
      },
    });
  }

  #type(leads: readonly TestLead[]): Probe {
    const keyOf = (number: number): string => `typed ${number}`;
    return startProbe({
      request: (number) => {
        const key = keyOf(number);
        const contactId = leads[number % leads.length]?.contactId ?? 0;
        return typeMessage(this.#operator, { productId: this.#world.productId, contactId, key });
      },
      everyMs: 150,
      onAnswer: (answer, number) => {
        if (answer?.status === 201) this.accepted.push(keyOf(number));
        else this.failed.push(`POST /v1/messages/: ${answer?.status ?? 'no answer'}`);
      },
    });
  }

  async #write(leads: readonly TestLead[]): Promise<void> {
    for (let turn = 0; this.#isRunning(); turn++) {
      await leads[turn % leads.length]?.writes(`What does kitchen ${turn} cost?`);
      await pause(80);
    }
  }

  async #listen(): Promise<void> {
    const { signal } = this.#ended;
    let lostAt: number | null = null;
    while (this.#isRunning()) {
      try {
        const answer = await this.#operator.fetch(`/v1/live?product_id=${this.#world.productId}`, { signal });
        if (answer.status !== 200 || !answer.body) this.failed.push(`GET /v1/live: ${answer.status}`);
        else {
          if (lostAt !== null) noteGap(this.streams, lostAt);
          for await (const _piece of answer.body);
        }
      } catch (error) {
        // A stream that is cut throws as well; one that cannot be opened shows up as a gap.
        if (this.#isRunning() && !(error instanceof TypeError)) throw error;
      }
      if (!this.#isRunning()) return;
      this.streams.breaks++;
      lostAt = performance.now();
      await pause(STREAM_PAUSE_MS);
    }
  }

  async #chat(): Promise<void> {
    const { url, productId } = this.#world;
    const address = `${url.replace('http', 'ws')}/v1/llm/ws/chat/simple?product_id=${productId}`;
    let lostAt: number | null = null;
    while (this.#isRunning()) {
      const socket = new WebSocket(address, { headers: { cookie: this.#operator.cookie, origin: url } });
      const closed = once(socket, 'close');
      socket.on('error', () => undefined);
      socket.on('open', () => {
        if (lostAt !== null) noteGap(this.sockets, lostAt);
        lostAt = null;
      });
      const end = () => socket.close(1000);
      this.#ended.signal.addEventListener('abort', end);
      const [code] = await closed;
      this.#ended.signal.removeEventListener('abort', end);
      if (!this.#isRunning()) return;
      this.sockets.breaks++;
      // The console does not reconnect after a normal close.
      if (code === 1000) this.sockets.normalCloses++;
      lostAt ??= performance.now();
      await pause(STREAM_PAUSE_MS);
    }
  }
}

function noteGap(of: Breaks, lostAt: number): void {
  of.worstGapMs = Math.max(of.worstGapMs, performance.now() - lostAt);
}
