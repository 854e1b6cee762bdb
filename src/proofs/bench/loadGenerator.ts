/** The load generator: autocannon in a process of its own, so that it takes no time from the server's thread. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const AUTOCANNON = fileURLToPath(import.meta.resolve('autocannon/autocannon.js'));
const CONNECTIONS = 32;

const outcome = z.object({
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

export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Load a target for `seconds`. Throws if any request was answered with an error. */
export async function runLoad(target: Target, seconds: number): Promise<LoadResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    AUTOCANNON,
    '-j',
    '-n',
    '-c',
    String(CONNECTIONS),
    '-d',
    String(seconds),
    ...Object.entries(target.headers ?? {}).flatMap(([name, value]) => ['-H', `${name}=${value}`]),
    ...(target.body === undefined ? [] : ['-I', '-m', 'POST', '-b', target.body]),
    target.url,
  ]);
  const { requests, latency, duration, errors, non2xx } = outcome.parse(JSON.parse(stdout));
  if (errors + non2xx > 0 || requests.total === 0)
    throw new Error(`${target.url}: ${errors} errors, ${non2xx} refusals in ${requests.total} requests`);
  return { perSecond: requests.total / duration, p50: latency.p50, p99: latency.p99 };
}
