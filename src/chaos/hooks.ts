/** Webhooks at a steady rate while nodes are killed: what was acknowledged is stored, each once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { compareStored, hookFrom, makeChats, type Stored } from '../load/chats.ts';
import { type Hook, type Shots, shootHooks } from '../load/gun.ts';
import { chanceOf } from '../simulate/chance.ts';
import { connectHooks } from '../testing/process.ts';
import { hookUrl } from '../testing/rows.ts';
import { freePort, type World } from '../testing/world.ts';
import { startBalancer } from './balancer.ts';
import { serverNode } from './node.ts';

export interface HooksStorm {
  readonly seed: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly say: (line: string) => void;
}

export interface HooksPassed {
  readonly shots: Shots;
  readonly stored: Stored;
  readonly kills: number;
  readonly chats: number;
  /** Seconds until the last hook was taken in, after the last was posted. */
  readonly drainedAfter: number;
  readonly violations: readonly string[];
}

const CHATS = 500;
/** Between two kills at most, on average half of it. */
const CALM_MS = 6000;
/** Share of hooks that come a second time though they were acknowledged. */
const AGAIN = 0.05;

/** Lets it happen and compares. The world serves nothing itself. */
export async function stormOfHooks(storm: HooksStorm, world: World): Promise<HooksPassed> {
  const chance = chanceOf(storm.seed);
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

  async function strikes(): Promise<void> {
    while (!isOver) {
      await pause(chance.next() * CALM_MS);
      if (isOver) return;
      const node = chance.of(nodes);
      await node.kill();
      kills++;
      await pause(chance.next() * 500);
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
      if (last && chance.is(AGAIN)) return last;
      last = hookFrom(world, chance.of(chats), `Message ${number}`);
      return last;
    };
    const striking = strikes();
    const shots = await shootHooks({ ...storm, url, next, retryMs: 500, tries: 1000 });
    isOver = true;
    await striking;
    const begun = performance.now();
    storm.say(`${shots.hooks} hooks, ${kills} kills; what is stored is being taken in`);
    await world.drain(60_000 + storm.perSecond * storm.seconds * 20);
    const drainedAfter = (performance.now() - begun) / 1000;
    const stored = await compareStored(world, shots.acknowledged);
    const violations = [
      ...(stored.missing > 0 ? [`${stored.missing} acknowledged hooks are not stored`] : []),
      ...(stored.doubled > 0 ? [`${stored.doubled} are stored more than once`] : []),
      ...(stored.withoutMessage > 0 ? [`${stored.withoutMessage} are stored and became no message`] : []),
      ...(shots.givenUp > 0 ? [`${shots.givenUp} hooks were never acknowledged`] : []),
      ...(shots.withoutRetryAfter > 0 ? [`${shots.withoutRetryAfter} answers 503 had no Retry-After`] : []),
    ];
    return { shots, stored, kills, chats: chats.length, drainedAfter, violations };
  } finally {
    isOver = true;
    await Promise.all(nodes.map((node) => node.kill()));
    await balancer.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
