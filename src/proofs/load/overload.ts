/**
 * More load of every kind than a node can serve: it must refuse at once with a time to retry, and lose nothing that it
 * acknowledged.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { leads } from '../../leads/contract.ts';
import type { Client } from '../../testing/client.ts';
import { hookUrl } from '../../testing/messageRows.ts';
import type { World } from '../../testing/world.ts';
import { compareStored, createHook, makeChats, type StoredHooks } from './chats.ts';
import { withLoadEnvironment } from './environment.ts';
import { percentile, type SentHooks, sendHooks } from './hookSender.ts';
import { sampleQueueDepth } from './queueDepth.ts';

interface OverloadOptions {
  readonly perSecond: number;
  readonly seconds: number;
  readonly log: (line: string) => void;
}

export interface OverloadResult {
  readonly capacity: Readonly<Record<'hooks' | 'calls' | 'streams', number>>;
  readonly sentHooks: SentHooks;
  readonly stored: StoredHooks;
  /** Answers to the console's calls by status, and the 99th percentile of their time in milliseconds. */
  readonly calls: Readonly<Record<number, number>>;
  readonly callsP99: number;
  /** Streams by status: opened and refused. */
  readonly streams: Readonly<Record<number, number>>;
  /** Slowest answer of /healthz in milliseconds, and how many answers were not 200. */
  readonly healthzMs: number;
  readonly unhealthy: number;
  /** Answers of /readyz meanwhile, with their counts. */
  readonly ready: Readonly<Record<string, number>>;
  /** Milliseconds of a list request after the load. */
  readonly afterMs: number;
  readonly rss: number;
  readonly violations: readonly string[];
}

const CAPACITY = { hooks: 100, calls: 16, streams: 50 } as const;
const CALLERS = 64;
const STREAMS = 80;

export function runOverload({ perSecond, seconds, log }: OverloadOptions): Promise<OverloadResult> {
  const env = {
    RAPPORT_MOST_HOOKS: String(CAPACITY.hooks),
    RAPPORT_MOST_CALLS: String(CAPACITY.calls),
    RAPPORT_MOST_STREAMS: String(CAPACITY.streams),
  };
  return withLoadEnvironment({ nodes: 1, env }, async ({ world, nodes }) => {
    const operator = await world.operator();
    const chats = await makeChats(world, 1000, 'human');
    const url = await hookUrl(world);
    const violations: string[] = [];
    const reportOnce = (sentence: string) => void (violations.includes(sentence) || violations.push(sentence));
    const watch = sampleQueueDepth(world, nodes, 2);
    const over = { is: false };
    const calls: Record<number, number> = {};
    const durations: number[] = [];
    const calling = Promise.all(
      Array.from({ length: CALLERS }, () => keepCalling(operator, over, calls, durations, reportOnce)),
    );
    const leaving = new AbortController();
    const streams = await openStreams(world, operator, leaving.signal, reportOnce);
    const probing = probe(world, over);
    const next = (number: number) => createHook(world, chats[number % chats.length] ?? '', `Message ${number}`);
    const connections = CAPACITY.hooks * 4;
    const sentHooks = await sendHooks({ url, perSecond, seconds, next, retryMs: 2000, tries: 500, connections, log });
    over.is = true;
    leaving.abort();
    await calling;
    const probed = await probing;
    const startedAt = performance.now();
    const after = await operator.call(leads.list);
    const afterMs = performance.now() - startedAt;
    if (after.status !== 200) reportOnce(`a list was answered ${after.status} when all was over`);
    await world.drain(120_000 + perSecond * seconds * 20);
    const stored = await compareStored(world, sentHooks.acknowledged);
    const { rss } = await watch.stop();
    if (stored.missing + stored.doubled + stored.withoutMessage > 0)
      reportOnce(`of the acknowledged: ${JSON.stringify(stored)}`);
    if (sentHooks.abandoned > 0) reportOnce(`${sentHooks.abandoned} hooks were never acknowledged`);
    if (sentHooks.withoutRetryAfter > 0)
      reportOnce(`${sentHooks.withoutRetryAfter} hooks were refused without Retry-After`);
    for (const status of Object.keys(sentHooks.statuses))
      if (!['200', '429', '503'].includes(status)) reportOnce(`a hook was answered ${status}`);
    for (const [name, statuses] of Object.entries({ hooks: sentHooks.statuses, calls, streams }))
      if (!statuses[429] && !statuses[503]) reportOnce(`no overload of ${name}: the room was not reached`);
    const ascending = durations.toSorted((a, b) => a - b);
    return {
      capacity: CAPACITY,
      sentHooks,
      stored,
      calls,
      callsP99: percentile(ascending, 0.99),
      streams,
      ...probed,
      afterMs,
      rss,
      violations,
    };
  });
}

async function keepCalling(
  operator: Client,
  over: { readonly is: boolean },
  statuses: Record<number, number>,
  durations: number[],
  reportOnce: (sentence: string) => void,
): Promise<void> {
  while (!over.is) {
    const startedAt = performance.now();
    const answer = await operator.call(leads.list).catch(() => null);
    const status = answer?.status ?? 0;
    statuses[status] = (statuses[status] ?? 0) + 1;
    durations.push(performance.now() - startedAt);
    if (![200, 429, 503].includes(status)) reportOnce(`a call was answered ${status}`);
    if (status !== 200 && !answer?.headers.has('retry-after')) reportOnce('a call was refused without Retry-After');
    // A console waits for Retry-After; this client retries sooner.
    if (status !== 200) await pause(50);
  }
}

async function openStreams(
  world: World,
  operator: Client,
  signal: AbortSignal,
  reportOnce: (sentence: string) => void,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  const open: Response[] = [];
  for (let number = 0; number < STREAMS; number++) {
    const answer = await operator.fetch(`/v1/live?product_id=${world.productId}`, { signal });
    // Keep a reference: an unreferenced response is closed.
    open.push(answer);
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    if (answer.status !== 200 && !answer.headers.has('retry-after'))
      reportOnce('a stream was refused without Retry-After');
  }
  signal.addEventListener('abort', () => open.splice(0));
  return statuses;
}

async function probe(
  { url }: World,
  over: { readonly is: boolean },
): Promise<Pick<OverloadResult, 'healthzMs' | 'unhealthy' | 'ready'>> {
  let healthzMs = 0;
  let unhealthy = 0;
  const ready: Record<string, number> = {};
  for (; !over.is; await pause(100)) {
    const startedAt = performance.now();
    const health = await fetch(`${url}/healthz`).then(
      (one) => one.status,
      () => 0,
    );
    healthzMs = Math.max(healthzMs, performance.now() - startedAt);
    if (health !== 200) unhealthy++;
    const body = await fetch(`${url}/readyz`).then((one) => one.text(), String);
    ready[body] = (ready[body] ?? 0) + 1;
  }
  return { healthzMs, unhealthy, ready };
}
