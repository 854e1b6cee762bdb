/** Many consoles on the live stream: each hears of its own product, soon, and of no other. */
import { Agent, type ClientRequest, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { products } from '../products/contract.ts';
import { hookUrl, postHook } from '../testing/rows.ts';
import type { World } from '../testing/world.ts';
import { hookFrom, makeChats } from './chats.ts';
import { percentile } from './gun.ts';
import { inSetting } from './setting.ts';
import { watchDepth } from './watch.ts';

interface LiveLoad {
  readonly consoles: number;
  readonly messages: number;
  readonly say: (line: string) => void;
}

export interface LiveBorne {
  readonly consoles: number;
  readonly products: number;
  readonly messages: number;
  /** A message a console should have heard of and did not; one that it should not have heard of and did. */
  readonly missing: number;
  readonly foreign: number;
  /** Milliseconds from the hook's 200 to the console, ascending. */
  readonly p50: number;
  readonly p99: number;
  readonly rss: number;
}

const PRODUCTS = 10;
/** Messages a second. */
const PACE = 5;
const PATIENCE_MS = 60_000;

interface Console {
  readonly product: number;
  /** Number of the message → when it was heard first. */
  readonly heard: Map<number, number>;
  readonly close: () => void;
}

export function loadOfLive({ consoles: count, messages, say }: LiveLoad): Promise<LiveBorne> {
  return inSetting({ nodes: 1 }, async ({ world, nodes }) => {
    const operator = await world.operator();
    const chats: { product: number; address: string }[] = [];
    for (let number = 0; number < PRODUCTS; number++) {
      const made = await operator.call(products.create, {
        body: { name: `Product ${number}`, company_id: world.companyId },
      });
      const { id } = products.item.parse(made.body);
      const [address] = await makeChats({ ...world, productId: id }, 1, 'human');
      if (address !== undefined) chats.push({ product: id, address });
    }
    const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
    const consoles = await Promise.all(
      Array.from({ length: count }, (_, number) =>
        openConsole(world, operator.cookie, agent, chats[number % chats.length]?.product ?? 0),
      ),
    );
    say(`${consoles.length} consoles listen`);
    const watch = watchDepth(world, nodes, 5);
    const url = await hookUrl(world);
    const acknowledged: { product: number; at: number }[] = [];
    for (let number = 0; number < messages; number++) {
      const chat = chats[number % chats.length];
      if (!chat) break;
      const { body } = hookFrom(world, chat.address, `Live ${number} of ${messages}`);
      const { status } = await postHook(url, JSON.parse(body));
      if (status !== 200) throw new Error(`A hook was answered ${status}`);
      acknowledged.push({ product: chat.product, at: performance.now() });
      await pause(1000 / PACE);
    }
    const isMissing = () =>
      consoles.reduce(
        (sum, one) =>
          sum + acknowledged.filter(({ product }, number) => product === one.product && !one.heard.has(number)).length,
        0,
      );
    for (const end = performance.now() + PATIENCE_MS; isMissing() > 0 && performance.now() < end; ) await pause(100);
    const late: number[] = [];
    let foreign = 0;
    for (const one of consoles) {
      for (const [number, at] of one.heard) {
        const told = acknowledged[number];
        if (told?.product === one.product) late.push(at - told.at);
        else foreign++;
      }
      one.close();
    }
    agent.destroy();
    const { rss } = await watch.stop();
    late.sort((a, b) => a - b);
    const [p50, p99] = [percentile(late, 0.5), percentile(late, 0.99)];
    return { consoles: count, products: PRODUCTS, messages, missing: isMissing(), foreign, p50, p99, rss };
  });
}

const SAID = /"message":"Live (\d+) of \d+"/g;

/** Resolves when the stream is open. */
function openConsole(world: World, cookie: string, agent: Agent, product: number): Promise<Console> {
  return new Promise((resolve, reject) => {
    const request: ClientRequest = get(
      `${world.url}/v1/live?product_id=${product}`,
      { headers: { cookie }, agent },
      (response) => {
        if (response.statusCode !== 200) return reject(new Error(`A console was answered ${response.statusCode ?? 0}`));
        const heard = new Map<number, number>();
        let rest = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          const lines = `${rest}${text}`.split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines)
            for (const [, number] of line.matchAll(SAID))
              if (!heard.has(Number(number))) heard.set(Number(number), performance.now());
        });
        response.on('error', () => undefined);
        resolve({ product, heard, close: () => request.destroy() });
      },
    );
    request.on('error', reject);
  });
}
