/** Hooks at a steady rate, on one node and on two. */
import { hookUrl } from '../../testing/messageRows.ts';
import { compareStored, createHook, makeChats, type StoredHooks } from './chats.ts';
import { withLoadEnvironment } from './environment.ts';
import { type SentHooks, sendHooks } from './hookSender.ts';
import { type LoadMetrics, sampleQueueDepth } from './queueDepth.ts';

interface HookLoad {
  readonly nodes: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly log: (line: string) => void;
}

export interface HookLoadResult {
  readonly sentHooks: SentHooks;
  readonly stored: StoredHooks;
  readonly metrics: LoadMetrics;
  /** Seconds from the last hook until all were processed. */
  readonly drainedAfter: number;
}

const CHATS = 2000;

/**
 * Send new messages of leads whom an operator leads: each is stored, acknowledged and processed, and none is answered.
 */
export function runHookLoad({ nodes: count, perSecond, seconds, log }: HookLoad): Promise<HookLoadResult> {
  return withLoadEnvironment({ nodes: count }, async ({ world, nodes }) => {
    const chats = await makeChats(world, CHATS, 'human');
    const url = await hookUrl(world);
    const next = (number: number) => createHook(world, chats[(number * 7) % chats.length] ?? '', `Message ${number}`);
    const watch = sampleQueueDepth(world, nodes, 5);
    const sentHooks = await sendHooks({ url, perSecond, seconds, next, retryMs: 1000, tries: 200, log });
    const startedAt = performance.now();
    log(`${sentHooks.hooks} hooks posted; what is stored is being taken in`);
    await world.drain(120_000 + perSecond * seconds * 20);
    const drainedAfter = (performance.now() - startedAt) / 1000;
    const metrics = await watch.stop();
    return { sentHooks, stored: await compareStored(world, sentHooks.acknowledged), metrics, drainedAfter };
  });
}
