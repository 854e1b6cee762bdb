/**
 * Log of refused requests: missing rights, ids that are unknown or out of scope, limits, and invalid input. Each line
 * names who, where and why, never what was sent. The same caller and code is logged once a minute, with the count of
 * those left out, so that nobody can fill the log.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../log.ts';
import type { AccessControl, Caller } from './caller.ts';

const WINDOW_MS = 60_000;
/** Number of caller and code pairs with a line of their own per minute. Beyond it, all others share one line. */
const MOST_LINES = 500;
const LOGGED: ReadonlySet<number> = new Set([401, 403, 404, 413, 415, 422, 429, 503]);

interface Refused {
  readonly code: string;
  readonly status: number;
  readonly method: string;
  /** Pattern of the route; `unknown` if there is none. */
  readonly route: string;
  /** Id of the signed-in operator; null if nobody is signed in. */
  readonly operator: number | null;
  readonly network: string;
  readonly requestId: string;
}

interface RefusalLog {
  record(refused: Refused): void;
  /** Write the counts that no later line has reported. */
  flush(): void;
}

/** Create a log that limits the lines of refusals. `now` returns monotonic milliseconds. */
export function createRefusalLog(log: Log, now: () => number): RefusalLog {
  /** Lines by caller and code, the oldest first. */
  const lines = new Map<string, { readonly at: number; readonly last: object; leftOut: number }>();

  function end(key: string): number {
    const leftOut = lines.get(key)?.leftOut ?? 0;
    lines.delete(key);
    return leftOut;
  }
  /** Remove the lines written before the given time, and log what they left out. */
  function expire(before: number, except: string | null): void {
    for (const [key, { at, last, leftOut }] of lines) {
      if (at > before) return;
      if (key === except) continue;
      lines.delete(key);
      if (leftOut > 0) log.info({ ...last, leftOut }, 'refused since');
    }
  }

  return {
    record(refused) {
      const { code, operator, network } = refused;
      const time = now();
      const own = `${operator ?? network} ${code}`;
      expire(time - WINDOW_MS, own);
      const key = lines.has(own) || lines.size < MOST_LINES ? own : 'others';
      const line = lines.get(key);
      if (line && line.at > time - WINDOW_MS) {
        line.leftOut++;
        return;
      }
      const leftOut = end(key);
      lines.set(key, { at: time, last: key === own ? { code, operator, network } : { code: 'others' }, leftOut: 0 });
      log.info(leftOut > 0 ? { ...refused, leftOut } : refused, 'refused');
    },
    flush: () => expire(Number.POSITIVE_INFINITY, null),
  };
}

const operators = new WeakMap<FastifyRequest, number>();

/** Remember the caller of a request for its log line, before it is known whether they have access. */
export const noteCaller = (request: FastifyRequest, { id }: Caller): void => void operators.set(request, id);

/** Log the refusals of a server. */
export function logRefusals(server: FastifyInstance, log: Log, gate: AccessControl): void {
  const refusals = createRefusalLog(log, () => performance.now());
  server.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done) => {
    const { statusCode: status } = reply;
    const code = reply.getHeader('x-refusal') ?? (status === 422 ? 'invalid' : null);
    if (code !== null && LOGGED.has(status))
      refusals.record({
        code: String(code),
        status,
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        operator: operators.get(request) ?? null,
        network: gate.addressOf(request),
        requestId: request.id,
      });
    done();
  });
  server.addHook('onClose', (_server, done) => {
    refusals.flush();
    done();
  });
}
