/** Many consoles on the live stream: each must receive the events of its own product, soon, and of no other. */
import { Agent, type ClientRequest, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { products } from '../../products/contract.ts';
import { hookUrl, postHook } from '../../testing/messageRows.ts';
import type { World } from '../../testing/world.ts';
import { createHook, makeChats } from './chats.ts';
import { withLoadEnvironment } from './environment.ts';
import { percentile } from './hookSender.ts';
import { sampleQueueDepth } from './queueDepth.ts';

interface LiveLoad {
  readonly consoles: number;
  readonly messages: number;
  readonly log: (line: string) => void;
}

export interface LiveLoadResult {
  readonly consoles: number;
  readonly products: number;
  readonly messages: number;
  /** Events that a console missed, and events of other products that it received. */
  readonly missing: number;
  readonly foreign: number;
  /** Milliseconds from the hook's 200 to the console. */
  readonly p50: number;
  readonly p99: number;
  readonly rss: number;
}

const PRODUCTS = 10;
/** Messages per second. */
const PACE = 5;
const TIMEOUT_MS = 60_000;

interface Console {
  readonly product: number;
  /** Time of first receipt by number of the message. */
  readonly receivedAt: Map<number, number>;
  readonly close: () => void;
}

export function runLiveLoad({ consoles: count, messages, log }: LiveLoad): Promise<LiveLoadResult> {
  return withLoadEnvironment({ nodes: 1 }, async ({ world, nodes }) => {
    const operator = await world.operator();
    const chats: { product: number; address: string }[] = [];
    for (let number = 0; number < PRODUCTS; number++) {
      const created = await operator.call(products.create, {
        body: { name: `Product ${number}`, company_id: world.companyId },
      });
      const { id } = products.item.parse(created.body);
      const [address] = await makeChats({ ...world, productId: id }, 1, 'human');
      if (address !== undefined) chats.push({ product: id, address });
    }
    const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
    const consoles = await Promise.all(
      Array.from({ length: count }, (_, number) =>
        openConsole(world, operator.cookie, agent, chats[number % chats.length]?.product ?? 0),
      ),
    );
    log(`${consoles.length} consoles listen`);
    const watch = sampleQueueDepth(world, nodes, 5);
    const url = await hookUrl(world);
    const acknowledged: { product: number; at: number }[] = [];
    for (let number = 0; number < messages; number++) {
      const chat = chats[number % chats.length];
      if (!chat) break;
      const { body } = createHook(world, chat.address, `Live ${number} of ${messages}`);
      const { status } = await postHook(url, JSON.parse(body));
      if (status !== 200) throw new Error(`A hook was answered ${status}`);
      acknowledged.push({ product: chat.product, at: performance.now() });
      await pause(1000 / PACE);
    }
    const isMissing = () =>
      consoles.reduce(
        (sum, one) =>
          sum +
          acknowledged.filter(({ product }, number) => product === one.product && !one.receivedAt.has(number)).length,
        0,
      );
    for (const end = performance.now() + TIMEOUT_MS; isMissing() > 0 && performance.now() < end; ) await pause(100);
    const delays: number[] = [];
    let foreign = 0;
    for (const one of consoles) {
      for (const [number, at] of one.receivedAt) {
        const sent = acknowledged[number];
        if (sent?.product === one.product) delays.push(at - sent.at);
        else foreign++;
      }
      one.close();
    }
    agent.destroy();
    const { rss } = await watch.stop();
    delays.sort((a, b) => a - b);
    const [p50, p99] = [percentile(delays, 0.5), percentile(delays, 0.99)];
    return { consoles: count, products: PRODUCTS, messages, missing: isMissing(), foreign, p50, p99, rss };
  });
}

const LIVE_MESSAGE = /"message":"Live (\d+) of \d+"/g;

/** Open a console's stream; resolves when it is open. */
function openConsole(world: World, cookie: string, agent: Agent, product: number): Promise<Console> {
  return new Promise((resolve, reject) => {
    const request: ClientRequest = get(
      `${world.url}/v1/live?product_id=${product}`,
      { headers: { cookie }, agent },
      (response) => {
        if (response.statusCode !== 200) return reject(new Error(`A console was answered ${response.statusCode ?? 0}`));
        const receivedAt = new Map<number, number>();
        let rest = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          const lines = `${rest}${text}`.split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines)
            for (const [, number] of line.matchAll(LIVE_MESSAGE))
              if (!receivedAt.has(Number(number))) receivedAt.set(Number(number), performance.now());
        });
        response.on('error', () => undefined);
        resolve({ product, receivedAt, close: () => request.destroy() });
      },
    );
    request.on('error', reject);
  });
}
