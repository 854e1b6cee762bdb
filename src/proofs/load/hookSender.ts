/**
 * A vendor that posts hooks at a steady rate, whatever the answers. As with real vendors, a hook that is not answered
 * with 200 is sent again after a pause, with the same body.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { createSemaphore } from '../../platform/semaphore.ts';

export interface Hook {
  readonly body: string;
  /** The vendor's ids of the messages in the hook. */
  readonly ids: readonly string[];
}

export interface HookSenderOptions {
  readonly url: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** Build the next hook, by its number from 0. */
  next(number: number): Hook;
  /** Milliseconds until the same hook is sent again. */
  readonly retryMs: number;
  /** Attempts of one hook, after which it counts as given up. */
  readonly tries: number;
  /** Simultaneous requests; other hooks wait at the vendor, and that wait does not count for the server. */
  readonly connections?: number;
  readonly log: (line: string) => void;
}

export interface SentHooks {
  /** Ids of hooks that were answered with 200. */
  readonly acknowledged: readonly string[];
  readonly hooks: number;
  /** Milliseconds from an attempt to its 200, ascending. */
  readonly answered: readonly number[];
  /** Milliseconds from the first attempt to the 200, ascending. */
  readonly settled: readonly number[];
  /** Answers by status; 0 if there was none. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Number of 503 without Retry-After, which breaks a guarantee. */
  readonly withoutRetryAfter: number;
  /** Milliseconds to a 503, ascending. */
  readonly refused: readonly number[];
  readonly abandoned: number;
  /** Acknowledged hooks per second while the vendor posted new ones. */
  readonly perSecond: number;
}

const TICK_MS = 5;
/** Vendors' own timeout for an answer. */
const TIMEOUT_MS = 30_000;
const LOG_EVERY_MS = 30_000;

/** Return the value below which `share` of the ascending values lie; 0 for an empty list. */
export function percentile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? 0;
}

/** Post for this many seconds, and continue until every hook is acknowledged or given up. */
export async function sendHooks(options: HookSenderOptions): Promise<SentHooks> {
  const { url, perSecond, seconds, retryMs, tries, log, connections = 128 } = options;
  const semaphore = createSemaphore(connections);
  const dispatcher = new Agent({
    connections,
    pipelining: 1,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  const acknowledged: string[] = [];
  const answered: number[] = [];
  const settled: number[] = [];
  const refused: number[] = [];
  const statuses: Record<number, number> = {};
  let withoutRetryAfter = 0;
  let abandoned = 0;
  let inTime = 0;
  let isOver = false;

  async function post({ body, ids }: Hook): Promise<void> {
    const first = performance.now();
    for (let turn = 0; turn < tries; turn++) {
      const status = await semaphore(() => postOnce(body));
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 200) {
        settled.push(performance.now() - first);
        acknowledged.push(...ids);
        if (!isOver) inTime++;
        return;
      }
      await pause(retryMs * (0.5 + Math.random()));
    }
    abandoned++;
  }

  async function postOnce(body: string): Promise<number> {
    const startedAt = performance.now();
    try {
      const answer = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        dispatcher,
      });
      await answer.body.dump();
      if (answer.statusCode === 200) answered.push(performance.now() - startedAt);
      if (answer.statusCode === 503) {
        refused.push(performance.now() - startedAt);
        if (answer.headers['retry-after'] === undefined) withoutRetryAfter++;
      }
      return answer.statusCode;
    } catch {
      return 0;
    }
  }

  const running = new Set<Promise<void>>();
  const startedAt = performance.now();
  let sent = 0;
  let lastLogAt = startedAt;
  for (let now = startedAt; now - startedAt < seconds * 1000; now = performance.now()) {
    for (const due = Math.floor(((now - startedAt) / 1000) * perSecond); sent < due; sent++) {
      const one = post(options.next(sent)).finally(() => running.delete(one));
      running.add(one);
    }
    if (now - lastLogAt > LOG_EVERY_MS) {
      lastLogAt = now;
      log(`${sent} hooks posted, ${settled.length} acknowledged, ${running.size} open`);
    }
    await pause(TICK_MS);
  }
  const lasted = (performance.now() - startedAt) / 1000;
  isOver = true;
  while (running.size > 0)
    await Promise.race([Promise.all(running), pause(LOG_EVERY_MS).then(() => log(`${running.size} hooks open`))]);
  await dispatcher.close();
  const ascending = (values: number[]): number[] => values.toSorted((a, b) => a - b);
  return {
    acknowledged,
    hooks: sent,
    answered: ascending(answered),
    settled: ascending(settled),
    refused: ascending(refused),
    statuses,
    withoutRetryAfter,
    abandoned,
    perSecond: inTime / lasted,
  };
}
