/** Ends what stays open (sockets, streams) when its caller may no longer have it. */
import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '../contract.ts';
import type { Live } from '../live.ts';
import type { Caller, Gate } from './caller.ts';

/** A session may also run out, which nobody announces. */
const CHECK_MS = 15_000;
/** RFC 6455: a policy was broken; here: the session or the access has ended. */
const CLOSE_POLICY = 1008;

/** Hears of whatever may change what somebody may do: sessions, operators, memberships, whose product it is. */
export function rightsChanges(live: Live): Gate['onChange'] {
  return (changed) => live.on('forget', changed, changed);
}

/** Asks again what was asked when the request came: the session, the role, and the rows that the request names. */
export function stillAllowed(
  gate: Gate,
  request: FastifyRequest,
  endpoint: Endpoint,
  { caller, references }: { caller: Caller | null; references: ReadonlyMap<string, ReadonlySet<number>> },
): () => Promise<boolean> {
  return async () => {
    const use = { request, isWork: false };
    const now = gate.session.recall(use) ?? (await gate.session.find(use));
    if (!now || now.id !== caller?.id || now.mustChangePassword || now.mustEnrol) return false;
    if (endpoint.access === 'admin' && !now.admin) return false;
    return now.admin || references.size === 0 || (await gate.missing(now, references)) === null;
  };
}

/**
 * Calls `end` once `still` says no. Asked whenever rights may have changed, and every 15 seconds; while the database
 * does not answer nothing is ended. Returns how to stop.
 */
export function endWhenRevoked(onChange: Gate['onChange'], still: () => Promise<boolean>, end: () => void): () => void {
  let stopped = false;
  let checking = false;
  let again = false;
  const check = async (): Promise<void> => {
    again = true;
    if (checking) return;
    checking = true;
    while (again && !stopped) {
      again = false;
      const allowed = await still().catch(() => true);
      if (allowed || stopped) continue;
      stop();
      end();
    }
    checking = false;
  };
  const timer = setInterval(() => void check(), CHECK_MS);
  const unheard = onChange(() => void check());
  const stop = (): void => {
    stopped = true;
    clearInterval(timer);
    unheard();
  };
  return stop;
}

interface Closable {
  close(code: number, reason: string): void;
  once(event: 'close', closed: () => void): unknown;
}

/** Closes a socket once its opener may no longer have it. */
export function closeWhenRevoked(onChange: Gate['onChange'], still: () => Promise<boolean>, socket: Closable): void {
  const stop = endWhenRevoked(onChange, still, () => socket.close(CLOSE_POLICY, 'Signed out'));
  socket.once('close', stop);
}
