/** Hooks at a steady rate, on one node and on two. */
import { hookUrl } from '../testing/rows.ts';
import { compareStored, hookFrom, makeChats, type Stored } from './chats.ts';
import { type Shots, shootHooks } from './gun.ts';
import { inSetting } from './setting.ts';
import { type Watched, watchDepth } from './watch.ts';

interface HookLoad {
  readonly nodes: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly say: (line: string) => void;
}

export interface HooksBorne {
  readonly shots: Shots;
  readonly stored: Stored;
  readonly watched: Watched;
  /** Seconds from the last hook until all were taken in. */
  readonly drainedAfter: number;
}

const CHATS = 2000;

/** New messages of people whom an operator leads: each is stored, acknowledged, taken in, and answered by nobody. */
export function loadOfHooks({ nodes: count, perSecond, seconds, say }: HookLoad): Promise<HooksBorne> {
  return inSetting({ nodes: count }, async ({ world, nodes }) => {
    const chats = await makeChats(world, CHATS, 'human');
    const url = await hookUrl(world);
    const next = (number: number) => hookFrom(world, chats[(number * 7) % chats.length] ?? '', `Message ${number}`);
    const watch = watchDepth(world, nodes, 5);
    const shots = await shootHooks({ url, perSecond, seconds, next, retryMs: 1000, tries: 200, say });
    const begun = performance.now();
    say(`${shots.hooks} hooks posted; what is stored is being taken in`);
    await world.drain(120_000 + perSecond * seconds * 20);
    const drainedAfter = (performance.now() - begun) / 1000;
    const watched = await watch.stop();
    return { shots, stored: await compareStored(world, shots.acknowledged), watched, drainedAfter };
  });
}
