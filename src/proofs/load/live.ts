/** Many consoles on the live stream: each must receive the events of its own product, soon, and of no other. */
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { products } from '../../products/contract.ts';
import { hookUrl, postHook } from '../../testing/messageRows.ts';
import type { World } from '../../testing/world.ts';
import { callOrThrow, signInOperators } from '../harness/calls.ts';
import { definePart, type Outcome } from '../harness/command.ts';
import { createHook, makeChats } from '../harness/leads.ts';
import { openLiveStream } from '../harness/liveStream.ts';
import { percentile } from '../harness/load.ts';
import { sampleMemory } from '../harness/processes.ts';
import { format, rowTable } from '../harness/report.ts';
import { LOAD_WORLD, withNodes } from '../harness/world.ts';

const PRODUCTS = 10;
/** Messages per second. */
const PACE = 5;
const TIMEOUT_MS = 60_000;
const LIVE_MESSAGE = /"message":"Live (\d+) of \d+"/;

interface Chat {
  readonly product: number;
  readonly address: string;
}

interface Console {
  readonly product: number;
  /** Time of first receipt by number of the message. */
  readonly receivedAt: Map<number, number>;
  readonly close: () => void;
}

/** `--consoles N --messages M`. */
export const live = definePart({
  heading: 'Consoles that listen',
  options: { consoles: [500, 50], messages: [300, 20] },
  run: ({ consoles: count, messages, log }) =>
    withNodes(LOAD_WORLD, async (world, nodes): Promise<Outcome> => {
      const operators = await signInOperators(world, count);
      const chats = await makeProducts(world);
      const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
      const consoles: Console[] = [];
      for (let number = 0; number < count; number++) {
        const cookie = operators[number % operators.length]?.cookie ?? '';
        const product = chats[number % chats.length]?.product ?? 0;
        consoles.push(await openConsole({ world, cookie, agent, product }));
      }
      log(`${consoles.length} consoles listen`);
      const memory = sampleMemory(nodes.map((node) => node.pid()));
      const acknowledged = await sendMessages(world, chats, messages);
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
      delays.sort((a, b) => a - b);
      const missing = isMissing();
      const columns = {
        'events received': delays.length,
        'not received': missing,
        'of another product': foreign,
        p50: format(percentile(delays, 0.5), 'ms'),
        p99: format(percentile(delays, 0.99), 'ms'),
        'memory of the node, at most': format(memory.stop(), 'MB'),
      };
      return {
        text: `${count} consoles on \`/v1/live\`, over ${PRODUCTS} products; ${messages} new messages, five a second. From the hook's 200 to the console.

${rowTable(columns)}`,
        violations: [
          ...(missing > 0 ? [`${missing} events were not received`] : []),
          ...(foreign > 0 ? [`${foreign} events of another product were received`] : []),
        ],
      };
    }),
});

async function makeProducts(world: World): Promise<Chat[]> {
  const operator = await world.operator();
  const chats: Chat[] = [];
  for (let number = 0; number < PRODUCTS; number++) {
    const body = { name: `Product ${number}`, company_id: world.companyId };
    const id = await callOrThrow(operator, products.create, { body });
    const [address] = await makeChats({ ...world, productId: id }, 1, 'human');
    if (address !== undefined) chats.push({ product: id, address });
  }
  return chats;
}

/** Send a message after the other. Returns when each was acknowledged. */
async function sendMessages(
  world: World,
  chats: readonly Chat[],
  messages: number,
): Promise<{ readonly product: number; readonly at: number }[]> {
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
  return acknowledged;
}

interface ConsoleTarget {
  readonly world: World;
  readonly cookie: string;
  readonly agent: Agent;
  readonly product: number;
}

async function openConsole({ world, cookie, agent, product }: ConsoleTarget): Promise<Console> {
  const receivedAt = new Map<number, number>();
  const close = await openLiveStream({ url: `${world.url}/v1/live?product_id=${product}`, cookie, agent }, (data) => {
    const number = LIVE_MESSAGE.exec(data)?.[1];
    if (number !== undefined && !receivedAt.has(Number(number))) receivedAt.set(Number(number), performance.now());
  });
  return { product, receivedAt, close };
}
