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
const LIVE_MESSAGE = /"message":"Live (\d+)"/;

/** `--consoles N --messages M`: the n-th console and the n-th message belong to the product of n's last digit. */
export const live = definePart({
  heading: 'Consoles that listen',
  options: { consoles: [500, 50], messages: [300, 20] },
  run: ({ consoles: count, messages, log }) =>
    withNodes(LOAD_WORLD, async (world, nodes): Promise<Outcome> => {
      const operators = await signInOperators(world, count);
      const chats = await makeProducts(world);
      const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
      /** Time of first receipt, by console and message. */
      const receivedAt = new Map<string, number>();
      for (let number = 0; number < count; number++) {
        const url = `${world.url}/v1/live?product_id=${chats[number % PRODUCTS]?.product}`;
        const cookie = operators[number % operators.length]?.cookie ?? '';
        await openLiveStream({ url, cookie, agent }, (data) => {
          const [, message] = LIVE_MESSAGE.exec(data) ?? [];
          const key = `${number} ${message}`;
          if (message !== undefined && !receivedAt.has(key)) receivedAt.set(key, performance.now());
        });
      }
      log(`${count} consoles listen`);
      const memory = sampleMemory(nodes.map((node) => node.pid()));
      const acknowledgedAt = await sendMessages(world, chats, messages);
      const expected = acknowledgedAt.flatMap((at, message) =>
        Array.from({ length: count }, (_, number) => ({ at, message, number })).filter(
          ({ number }) => number % PRODUCTS === message % PRODUCTS,
        ),
      );
      const delays = (): number[] =>
        expected.flatMap(({ at, message, number }) => {
          const received = receivedAt.get(`${number} ${message}`);
          return received === undefined ? [] : [received - at];
        });
      const end = performance.now() + TIMEOUT_MS;
      while (delays().length < expected.length && performance.now() < end) await pause(100);
      agent.destroy();
      const ascending = delays().toSorted((a, b) => a - b);
      const missing = expected.length - ascending.length;
      const foreign = receivedAt.size - ascending.length;
      const columns = {
        'events received': ascending.length,
        'not received': missing,
        'of another product': foreign,
        p50: format(percentile(ascending, 0.5), 'ms'),
        p99: format(percentile(ascending, 0.99), 'ms'),
        'memory of the node, at most': format(memory.stop(), 'MB'),
      };
      return {
        text: `${count} consoles on \`/v1/live\`, over ${PRODUCTS} products; ${messages} new messages, ${PACE} a second. From the hook's 200 to the console.

${rowTable(columns)}`,
        violations: [
          ...(missing > 0 ? [`${missing} events were not received`] : []),
          ...(foreign > 0 ? [`${foreign} events of another product were received`] : []),
        ],
      };
    }),
});

/** Create products with one lead each. */
async function makeProducts(world: World): Promise<{ product: number; address: string }[]> {
  const operator = await world.operator();
  const chats: { product: number; address: string }[] = [];
  for (let number = 0; number < PRODUCTS; number++) {
    const body = { name: `Product ${number}`, company_id: world.companyId };
    const product = await callOrThrow(operator, products.create, { body });
    const [address = ''] = await makeChats({ ...world, productId: product }, 1, 'human');
    chats.push({ product, address });
  }
  return chats;
}

/** Send one message after another. Returns when each was acknowledged. */
async function sendMessages(world: World, chats: readonly { address: string }[], messages: number): Promise<number[]> {
  const url = await hookUrl(world);
  const acknowledgedAt: number[] = [];
  for (let number = 0; number < messages; number++) {
    const { body } = createHook(world, chats[number % PRODUCTS]?.address ?? '', `Live ${number}`);
    const { status } = await postHook(url, JSON.parse(body));
    if (status !== 200) throw new Error(`A hook was answered ${status}`);
    acknowledgedAt.push(performance.now());
    await pause(1000 / PACE);
  }
  return acknowledgedAt;
}
