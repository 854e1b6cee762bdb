/** Webhooks at a steady rate while nodes are killed: every acknowledged hook is stored exactly once. */
import { setTimeout as pause } from 'node:timers/promises';
import { createRandom, type Random } from '../../sandbox/random.ts';
import { hookUrl } from '../../testing/messageRows.ts';
import type { World } from '../../testing/world.ts';
import { definePart, type Outcome, type Run } from '../harness/command.ts';
import { compareStored, createHook, makeChats } from '../harness/leads.ts';
import { type Hook, percentile, sendHooks } from '../harness/load.ts';
import { hookViolations } from '../harness/oracle.ts';
import { format, formatCounts, rowTable } from '../harness/report.ts';
import { namedNodes, type ServerNode, withNodes } from '../harness/world.ts';

const CHATS = 500;
/** Longest time between two kills; the average is half of it. */
const MAX_PAUSE_MS = 6000;
/** Share of hooks that are sent again although they were acknowledged. */
const REPEAT_SHARE = 0.05;

interface HooksScenario extends Run {
  readonly rate: number;
  readonly seconds: number;
}

/** `--rate N --seconds S`: hooks a second, and for how long. */
export const hooks = definePart({
  heading: 'Webhooks under kills',
  options: { rate: [300, 60], seconds: [600, 20] },
  run(settings) {
    const env = { RAPPORT_LOG_LEVEL: 'error', RAPPORT_STRICT_REPLIES: 'off', RAPPORT_SWEEP_SECONDS: '0.5' };
    return withNodes({ env, nodes: namedNodes(2) }, (world, nodes) => runScenario(settings, world, nodes));
  },
});

async function runScenario(
  { seed, rate, seconds, log }: HooksScenario,
  world: World,
  nodes: readonly ServerNode[],
): Promise<Outcome> {
  const random = createRandom(seed);
  const killing = new AbortController();
  try {
    const chats = await makeChats(world, CHATS, 'human');
    let last: Hook | null = null;
    const next = (number: number): Hook => {
      if (last && random.chance(REPEAT_SHARE)) return last;
      last = createHook(world, random.pick(chats), `Message ${number}`);
      return last;
    };
    const kills = killRepeatedly(nodes, random, killing.signal);
    const load = { url: await hookUrl(world), perSecond: rate, seconds, next, retryMs: 500, tries: 1000 };
    const sent = await sendHooks(load);
    killing.abort();
    const killed = await kills;
    const startedAt = performance.now();
    log(`${sent.hooks} hooks, ${killed} kills; they are being processed`);
    await world.drain(60_000 + rate * seconds * 20);
    const drainedAfter = (performance.now() - startedAt) / 1000;
    const stored = await compareStored(world, sent.acknowledged);
    const columns = {
      hooks: sent.hooks,
      'acknowledged messages': sent.acknowledged.length,
      'of these not stored': stored.missing,
      'stored twice': stored.doubled,
      'p50 to 200': format(percentile(sent.answered, 0.5), 'ms'),
      'p99 to 200': format(percentile(sent.answered, 0.99), 'ms'),
      'p99, repeats included': format(percentile(sent.settled, 0.99), 'ms'),
      'answers by status (0: none)': formatCounts(sent.statuses),
      'all processed after': format(drainedAfter, 's'),
    };
    return {
      text: `${rate} hooks a second for ${seconds} s from ${CHATS} chats, one in twenty posted twice, to two nodes behind one address of which one is killed every three seconds or so (${killed} kills). A hook that is not answered with 200 is sent again after half a second.

${rowTable(columns)}`,
      violations: hookViolations(sent, stored),
    };
  } finally {
    killing.abort();
  }
}

/** Kill one node after the other until the signal. Returns how often. */
async function killRepeatedly(nodes: readonly ServerNode[], random: Random, signal: AbortSignal): Promise<number> {
  for (let kills = 0; ; kills++) {
    await pause(random.next() * MAX_PAUSE_MS);
    if (signal.aborted) return kills;
    const node = random.pick(nodes);
    await node.kill();
    await pause(random.next() * 500);
    await node.start();
  }
}
