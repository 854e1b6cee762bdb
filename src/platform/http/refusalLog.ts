/**
 * Refused requests in the log: rights that were missing, ids that are unknown or out of reach, limits, and input that was
 * not taken. Each line names who, where and why, never what was sent. One line a minute for the same caller and code,
 * with the count of those left out, so that nobody can fill the log.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../log.ts';
import type { AccessControl, Caller } from './caller.ts';

const WINDOW_MS = 60_000;
/** Callers and codes that have a line of their own in a minute; beyond them all others share one. */
const MOST_LINES = 500;
const LOGGED: ReadonlySet<number> = new Set([401, 403, 404, 413, 415, 422, 429, 503]);

interface Refused {
  readonly code: string;
  readonly status: number;
  readonly method: string;
  /** The pattern of the route, `unknown` where there is none. */
  readonly route: string;
  /** Null: nobody who is signed in. */
  readonly operator: number | null;
  readonly network: string;
  readonly requestId: string;
}

interface RefusalLog {
  record(refused: Refused): void;
  /** Writes the counts that no later line has told. */
  flush(): void;
}

/** Keeps the lines of refusals few. `now`: milliseconds that only grow. */
export function createRefusalLog(log: Log, now: () => number): RefusalLog {
  /** By caller and code, the oldest line first. */
  const lines = new Map<string, { readonly at: number; readonly last: object; leftOut: number }>();

  function end(key: string): number {
    const leftOut = lines.get(key)?.leftOut ?? 0;
    lines.delete(key);
    return leftOut;
  }
  /** Ends the lines of more than a minute ago. */
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

/** Notes who sent a request, before it is known whether it may go on. */
export const noteCaller = (request: FastifyRequest, { id }: Caller): void => void operators.set(request, id);

/** Logs what a server refuses. */
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
