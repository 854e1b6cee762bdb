/** Closes sockets and streams when their caller loses access. */
import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '../contract.ts';
import type { Notifications } from '../notifications.ts';
import { commonRefusals, Refusal, refuse } from '../refuse.ts';
import { type AccessControl, type Caller, requireAccess } from './caller.ts';

/** Milliseconds between checks. A session also expires by time, which sends no notification. */
const CHECK_MS = 15_000;
/** RFC 6455 close code for a policy violation; here: the session or the access has ended. */
const CLOSE_POLICY = 1008;

/**
 * Subscribe to everything that may change an operator's rights: sessions, operators, memberships, the company of a
 * product.
 */
export function subscribeToRightsChanges(live: Notifications): AccessControl['onChange'] {
  return (onChanged) => live.on('access_changed', onChanged, onChanged);
}

/** A request whose caller was let in. */
export interface Entered {
  readonly accessControl: AccessControl;
  readonly request: FastifyRequest;
  readonly endpoint: Endpoint;
  readonly caller: Caller;
}

const memory = ({ request }: Entered) => ({ request, isActive: false });

/** Return the caller's current state. Throws the refusal with which they would be rejected now. */
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
 * Repeat the checks that were made when the request arrived: the session, the role, and the rows that the request
 * names. Throws the refusal with which it would be answered now. If nobody's rights have changed since, nothing is
 * checked.
 */
export async function requireStill(entered: Entered, references: References): Promise<void> {
  if (entered.accessControl.session.findCached(memory(entered)) === entered.caller) return;
  const now = await callerNow(entered);
  // A request that names no row shows everything the caller could access.
  if (references.size === 0 && reachesLess(now, entered.caller)) throw refuse(commonRefusals, 'forbidden');
  const missing =
    now.admin || references.size === 0 ? null : await entered.accessControl.findInaccessible(now, references);
  if (missing) throw refuse(commonRefusals, 'not_found', { noun: missing.replaceAll('_', ' ') });
}

/** Report whether `required` holds. Errors that are not refusals are rethrown. */
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
 * Call `end` once `isStillAllowed` returns false. It is checked whenever rights may have changed, and every 15 seconds.
 * While the database does not answer, nothing is ended. Returns a function that stops the checks.
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

/** Close a socket once its caller loses access. */
export function closeWhenRevoked(
  onChange: AccessControl['onChange'],
  isStillAllowed: () => Promise<boolean>,
  socket: Closable,
): void {
  const stop = endWhenRevoked(onChange, isStillAllowed, () => socket.close(CLOSE_POLICY, 'Signed out'));
  socket.once('close', stop);
}
