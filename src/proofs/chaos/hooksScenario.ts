/** Webhooks at a steady rate while nodes are killed: every acknowledged hook is stored exactly once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hookUrl } from '../../testing/messageRows.ts';
import { connectHooks } from '../../testing/serverProcess.ts';
import { freePort, type World } from '../../testing/world.ts';
import { compareStored, createHook, makeChats, type StoredHooks } from '../load/chats.ts';
import { type Hook, type SentHooks, sendHooks } from '../load/hookSender.ts';
import { createRandom } from '../simulate/random.ts';
import { startBalancer } from './balancer.ts';
import { serverNode } from './serverNode.ts';

export interface HooksScenario {
  readonly seed: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly log: (line: string) => void;
}

export interface HooksScenarioResult {
  readonly sentHooks: SentHooks;
  readonly stored: StoredHooks;
  readonly kills: number;
  readonly chats: number;
  /** Seconds from the last posted hook until the last one was processed. */
  readonly drainedAfter: number;
  readonly violations: readonly string[];
}

const CHATS = 500;
/** Longest time between two kills; the average is half of it. */
const MAX_PAUSE_MS = 6000;
/** Share of hooks that are sent again although they were acknowledged. */
const REPEAT_SHARE = 0.05;

/** Run the scenario and compare. The world must not serve anything itself. */
export async function runHooksScenario(scenario: HooksScenario, world: World): Promise<HooksScenarioResult> {
  const random = createRandom(scenario.seed);
  const folder = mkdtempSync(join(tmpdir(), 'rapport-hooks-'));
  const ports = [await freePort(), await freePort()];
  const nodes = ports.map((port, index) => {
    const env = world.env({
      RAPPORT_NODE_NAME: `node ${index + 1}`,
      RAPPORT_PUBLIC_URL: world.url,
      RAPPORT_LOG_LEVEL: 'error',
      RAPPORT_STRICT_REPLIES: 'off',
      RAPPORT_SWEEP_SECONDS: '0.5',
    });
    return serverNode(port, env, join(folder, `${index + 1}.log`));
  });
  const balancer = await startBalancer(world.port, ports);
  let kills = 0;
  let isOver = false;

  async function killNodes(): Promise<void> {
    while (!isOver) {
      await pause(random.next() * MAX_PAUSE_MS);
      if (isOver) return;
      const node = random.pick(nodes);
      await node.kill();
      kills++;
      await pause(random.next() * 500);
      await node.start();
    }
  }

  try {
    await Promise.all(nodes.map((node) => node.start()));
    await connectHooks(world);
    const chats = await makeChats(world, CHATS, 'human');
    const url = await hookUrl(world);
    let last: Hook | null = null;
    const next = (number: number): Hook => {
      if (last && random.chance(REPEAT_SHARE)) return last;
      last = createHook(world, random.pick(chats), `Message ${number}`);
      return last;
    };
    const killing = killNodes();
    const sentHooks = await sendHooks({ ...scenario, url, next, retryMs: 500, tries: 1000 });
    isOver = true;
    await killing;
    const startedAt = performance.now();
    scenario.log(`${sentHooks.hooks} hooks, ${kills} kills; what is stored is being taken in`);
    await world.drain(60_000 + scenario.perSecond * scenario.seconds * 20);
    const drainedAfter = (performance.now() - startedAt) / 1000;
    const stored = await compareStored(world, sentHooks.acknowledged);
    const violations = [
      ...(stored.missing > 0 ? [`${stored.missing} acknowledged hooks are not stored`] : []),
      ...(stored.doubled > 0 ? [`${stored.doubled} are stored more than once`] : []),
      ...(stored.withoutMessage > 0 ? [`${stored.withoutMessage} are stored and became no message`] : []),
      ...(sentHooks.abandoned > 0 ? [`${sentHooks.abandoned} hooks were never acknowledged`] : []),
      ...(sentHooks.withoutRetryAfter > 0 ? [`${sentHooks.withoutRetryAfter} answers 503 had no Retry-After`] : []),
    ];
    return { sentHooks, stored, kills, chats: chats.length, drainedAfter, violations };
  } finally {
    isOver = true;
    await Promise.all(nodes.map((node) => node.kill()));
    await balancer.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
