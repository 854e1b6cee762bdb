/**
 * The load generator: hooks at a steady rate, as vendors send them; as many requests as a server answers, by autocannon
 * in a process of its own; and single requests, one at a time, as one operator sends them.
 */
import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { createSemaphore } from '../../platform/semaphore.ts';

/** Return the value below which `share` of the ascending values lie; NaN for an empty list. */
export const percentile = (ascending: readonly number[], share: number): number =>
  ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;

/** Return the median of the values: the upper one of two middle values, NaN for an empty list. */
export const median = (values: readonly number[]): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );

/** Return the median of each value. Throws if nothing was measured. */
export function mediansOf<K extends string>(all: readonly Readonly<Record<K, number>>[]): Record<K, number>;
export function mediansOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const [first] = all;
  if (!first) throw new Error('Nothing was measured');
  return Object.fromEntries(Object.keys(first).map((key) => [key, median(all.map((one) => one[key] ?? Number.NaN))]));
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/**
 * Measure each target in turn, once per round, so that a slow minute affects all of them. The first `warming` rounds
 * are not counted.
 */
export async function interleave<T, R>(
  targets: readonly T[],
  { rounds, warming = 1 }: { readonly rounds: number; readonly warming?: number },
  measure: (target: T, isWarming: boolean) => Promise<R>,
): Promise<R[][]> {
  const results = targets.map((): R[] => []);
  for (let round = -warming; round < rounds; round++)
    for (const [index, target] of targets.entries()) {
      const result = await measure(target, round < 0);
      if (round >= 0) results[index]?.push(result);
    }
  return results;
}

export interface Hook {
  readonly body: string;
  /** The vendor's ids of the messages in the hook. */
  readonly ids: readonly string[];
}

export interface HookLoad {
  readonly url: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** Build the next hook, by its number from 0. */
  readonly next: (number: number) => Hook;
  /** Milliseconds until the same hook is sent again. */
  readonly retryMs: number;
  /** Attempts of one hook, after which it counts as given up. */
  readonly tries: number;
  /** Simultaneous requests; other hooks wait at the vendor, and that wait does not count for the server. */
  readonly connections?: number;
}

export interface SentHooks {
  hooks: number;
  /** Ids of hooks that were answered with 200. */
  readonly acknowledged: string[];
  /** Milliseconds from an attempt to its 200, from the first attempt to the 200, and to a 503; all ascending. */
  readonly answered: number[];
  readonly settled: number[];
  readonly refused: number[];
  /** Answers by status; 0 if there was none. */
  readonly statuses: Record<number, number>;
  /** Number of 503 without Retry-After, which breaks a guarantee. */
  withoutRetryAfter: number;
  abandoned: number;
  /** Acknowledged hooks per second while the vendor posted new ones. */
  perSecond: number;
}

const TICK_MS = 5;
/** Vendors' own timeout for an answer. */
const TIMEOUT_MS = 30_000;

/**
 * Post hooks at a steady rate, whatever the answers, and continue until every hook is acknowledged or given up. As with
 * real vendors, a hook that is not answered with 200 is sent again after a pause, with the same body.
 */
export async function sendHooks(load: HookLoad): Promise<SentHooks> {
  const { perSecond, seconds, next, connections = 128 } = load;
  const limits = { connections, pipelining: 1, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
  const dispatcher = new Agent(limits);
  const semaphore = createSemaphore(connections);
  const sent: SentHooks = {
    hooks: 0,
    acknowledged: [],
    answered: [],
    settled: [],
    refused: [],
    statuses: {},
    withoutRetryAfter: 0,
    abandoned: 0,
    perSecond: 0,
  };
  const running = new Set<Promise<void>>();
  const startedAt = performance.now();
  for (let now = startedAt; now - startedAt < seconds * 1000; now = performance.now()) {
    for (const due = Math.floor(((now - startedAt) / 1000) * perSecond); sent.hooks < due; sent.hooks++) {
      const hook = next(sent.hooks);
      const one = postUntilAcknowledged(hook, load, sent, () =>
        semaphore(() => postOnce(load.url, hook, sent, dispatcher)),
      );
      running.add(one);
      void one.finally(() => running.delete(one));
    }
    await pause(TICK_MS);
  }
  sent.perSecond = (sent.settled.length * 1000) / (performance.now() - startedAt);
  while (running.size > 0) await Promise.all(running);
  await dispatcher.close();
  for (const durations of [sent.answered, sent.settled, sent.refused]) durations.sort((a, b) => a - b);
  return sent;
}

async function postUntilAcknowledged(
  { ids }: Hook,
  { tries, retryMs }: HookLoad,
  sent: SentHooks,
  post: () => Promise<number>,
): Promise<void> {
  const first = performance.now();
  for (let turn = 0; turn < tries; turn++) {
    if ((await post()) === 200) {
      sent.settled.push(performance.now() - first);
      sent.acknowledged.push(...ids);
      return;
    }
    await pause(retryMs * (0.5 + Math.random()));
  }
  sent.abandoned++;
}

async function postOnce(url: string, { body }: Hook, sent: SentHooks, dispatcher: Agent): Promise<number> {
  const startedAt = performance.now();
  let status = 0;
  try {
    const headers = { 'content-type': 'application/json' };
    const answer = await request(url, { method: 'POST', headers, body, dispatcher });
    await answer.body.dump();
    status = answer.statusCode;
    if (status === 200) sent.answered.push(performance.now() - startedAt);
    if (status === 503) sent.refused.push(performance.now() - startedAt);
    if (status === 503 && answer.headers['retry-after'] === undefined) sent.withoutRetryAfter++;
  } catch {
    // Counted as status 0.
  }
  sent.statuses[status] = (sent.statuses[status] ?? 0) + 1;
  return status;
}

const AUTOCANNON = fileURLToPath(import.meta.resolve('autocannon/autocannon.js'));
const CONNECTIONS = 32;

const saturationSchema = z.object({
  requests: z.object({ total: z.number() }),
  latency: z.object({ p50: z.number(), p99: z.number() }),
  duration: z.number(),
  errors: z.number(),
  non2xx: z.number(),
});

export interface Target {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of a POST; `[<id>]` becomes another id in every request. */
  readonly body?: string;
}

export interface Throughput {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Send as many requests as the target answers, 32 at once. Throws if any was answered with an error. */
export async function saturate({ url, headers = {}, body }: Target, seconds: number): Promise<Throughput> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    AUTOCANNON,
    '-j',
    '-n',
    '-c',
    String(CONNECTIONS),
    '-d',
    String(seconds),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]),
    ...(body === undefined ? [] : ['-I', '-m', 'POST', '-b', body]),
    url,
  ]);
  const { requests, latency, duration, errors, non2xx } = saturationSchema.parse(JSON.parse(stdout));
  if (errors + non2xx > 0 || requests.total === 0)
    throw new Error(`${url}: ${errors} errors, ${non2xx} refusals in ${requests.total} requests`);
  return { perSecond: requests.total / duration, p50: latency.p50, p99: latency.p99 };
}

/** Saturate each target in turn and return medians. */
export async function compareThroughput(
  targets: readonly Target[],
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<Throughput[]> {
  const results = await interleave(targets, { rounds }, (target, isWarming) =>
    saturate(target, isWarming ? 2 : seconds),
  );
  return results.map(mediansOf);
}

/** Return medians in milliseconds of single requests on kept-alive connections, from the request to the last byte. */
export async function requestTimes(targets: readonly Target[], rounds: number): Promise<number[]> {
  const dispatcher = new Agent({ connections: 1 });
  const durations = await interleave(targets, { rounds, warming: 12 }, ({ url, headers = {} }) =>
    timed(async () => {
      const { statusCode, body } = await request(url, { headers, dispatcher });
      await body.arrayBuffer();
      if (statusCode !== 200) throw new Error(`${url}: ${statusCode}`);
    }),
  );
  await dispatcher.close();
  return durations.map(median);
}
