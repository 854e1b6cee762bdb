/** Ends what stays open (sockets, streams) when its caller may no longer have it. */
import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '../contract.ts';
import type { Notifications } from '../notifications.ts';
import { commonRefusals, Refusal, refuse } from '../refuse.ts';
import { type AccessControl, type Caller, requireAccess } from './caller.ts';

/** A session may also run out, which nobody announces. */
const CHECK_MS = 15_000;
/** RFC 6455: a policy was broken; here: the session or the access has ended. */
const CLOSE_POLICY = 1008;

/** Hears of whatever may change what somebody may do: sessions, operators, memberships, whose product it is. */
export function subscribeToRightsChanges(live: Notifications): AccessControl['onChange'] {
  return (onChanged) => live.on('forget', onChanged, onChanged);
}

/** A request whose caller was let in. */
export interface Entered {
  readonly accessControl: AccessControl;
  readonly request: FastifyRequest;
  readonly endpoint: Endpoint;
  readonly caller: Caller;
}

const memory = ({ request }: Entered) => ({ request, isActive: false });

/** The caller as he is now. Throws the refusal with which he would not be let in any more. */
export async function callerNow(entered: Entered): Promise<Caller> {
  const { accessControl, endpoint, caller } = entered;
  const now = accessControl.session.findCached(memory(entered)) ?? (await accessControl.session.find(memory(entered)));
  if (now?.id !== caller.id) throw refuse(commonRefusals, 'unauthorized');
  return requireAccess(endpoint, now);
}

function reachesLess({ companies: now }: Caller, { companies: before }: Caller): boolean {
  return now !== null && (before === null || before.some((one) => !now.includes(one)));
}

type References = ReadonlyMap<string, ReadonlySet<number>>;

/**
 * Asks again what was asked when the request came: the session, the role, and the rows that the request names. Throws the
 * refusal with which it would be answered now. Where nothing that anybody may do has changed since, nothing is asked.
 */
export async function requireStill(entered: Entered, references: References): Promise<void> {
  if (entered.accessControl.session.findCached(memory(entered)) === entered.caller) return;
  const now = await callerNow(entered);
  // What names no row shows all that he reached.
  if (references.size === 0 && reachesLess(now, entered.caller)) throw refuse(commonRefusals, 'forbidden');
  const missing =
    now.admin || references.size === 0 ? null : await entered.accessControl.findInaccessible(now, references);
  if (missing) throw refuse(commonRefusals, 'not_found', { noun: missing.replaceAll('_', ' ') });
}

/** Whether `required` holds; an error that is no refusal stays one. */
export async function isStill(required: Promise<void>): Promise<boolean> {
  try {
    await required;
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/**
 * Calls `end` once `still` says no. Asked whenever rights may have changed, and every 15 seconds; while the database
 * does not answer nothing is ended. Returns how to stop.
 */
export function endWhenRevoked(
  onChange: AccessControl['onChange'],
  isStillAllowed: () => Promise<boolean>,
  end: () => void,
): () => void {
  let stopped = false;
  let checking = false;
  let recheckNeeded = false;
  const check = async (): Promise<void> => {
    recheckNeeded = true;
    if (checking) return;
    checking = true;
    while (recheckNeeded && !stopped) {
      recheckNeeded = false;
      const allowed = await isStillAllowed().catch(() => true);
      if (allowed || stopped) continue;
      stop();
      end();
    }
    checking = false;
  };
  const timer = setInterval(() => void check(), CHECK_MS);
  const unsubscribe = onChange(() => void check());
  const stop = (): void => {
    stopped = true;
    clearInterval(timer);
    unsubscribe();
  };
  return stop;
}

interface Closable {
  close(code: number, reason: string): void;
  once(event: 'close', closed: () => void): unknown;
}

/** Closes a socket once its opener may no longer have it. */
export function closeWhenRevoked(
  onChange: AccessControl['onChange'],
  isStillAllowed: () => Promise<boolean>,
  socket: Closable,
): void {
  const stop = endWhenRevoked(onChange, isStillAllowed, () => socket.close(CLOSE_POLICY, 'Signed out'));
  socket.once('close', stop);
}
