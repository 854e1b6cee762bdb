/** Signing in and out. */

import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { fingerprint, ids } from '../platform/ids.ts';
import { refuse } from '../platform/refuse.ts';
import { type AuthEvent, loginHash, type OperatorIdentity, recordAuthEvent } from './authEvents.ts';
import { type OperatorSelf, operatorRefusals } from './contract.ts';
import { isThisMachine, networkOf } from './network.ts';
import type { Origin } from './origin.ts';
import { DUMMY_HASH, verifyPassword } from './password.ts';
import { clearFailures, countFailures, insertFailure, lockAttempts } from './store/attempts.ts';
import { findOperator } from './store/operators.ts';
import { hasSecondFactor } from './store/secondFactors.ts';
import { deleteSession, insertSession } from './store/sessions.ts';

const MAX_FAILURES = 5;
const WINDOW_SECONDS = 300;

/**
 * Wrong logins of one address, whatever the login. Enough for the typing errors of a whole office, and too few to try
 * one password on everybody. This machine itself has no such limit: behind a proxy that is not configured, all requests
 * come from here.
 */
const MAX_FAILURES_OF_ADDRESS = 100;

/** End of each known lock-out, by address and login. Such attempts are refused before they wait with other logins. */
const lockedOut = new Map<string, number>();
/** Maximum number of remembered lock-outs. The oldest are dropped; the database still knows all of them. */
const MAX_LOCKED_OUT = 10_000;
const SECOND_MS = 1000;

const lockoutKey = (login: string, address: string): string => `${address} ${login.toLowerCase()}`;

function rememberLockout(key: string, seconds: number): void {
  const [oldest] = lockedOut.keys();
  if (lockedOut.size >= MAX_LOCKED_OUT && oldest !== undefined) lockedOut.delete(oldest);
  lockedOut.delete(key);
  // Round down, so that a lock-out is never kept too long: after the announced wait the limit must be over.
  lockedOut.set(key, performance.now() + (seconds - 1) * SECOND_MS);
}

let attemptsInProgress = 0;

/**
 * Throw `operator.too_many` for a known lock-out while other logins are in progress, so that these do not wait behind
 * attempts that will be refused anyway. While no login is in progress the database decides, which knows exactly.
 */
export function refuseLockedOut(login: string, client: string): void {
  if (attemptsInProgress === 0) return;
  const network = networkOf(client);
  const until = Math.max(lockedOut.get(network) ?? 0, lockedOut.get(lockoutKey(login, network)) ?? 0);
  const seconds = Math.ceil((until - performance.now()) / SECOND_MS);
  if (seconds > 0) throw refuse(operatorRefusals, 'operator.too_many', { seconds, retryAfter: seconds });
}

export interface SignedIn {
  readonly token: string;
  readonly operator: { readonly id: number; readonly login: string; readonly role: OperatorSelf['role'] };
  /** Whether the second factor is still missing. The token then only allows that step. */
  readonly secondFactorDue: boolean;
}

interface Attempt {
  readonly login: string;
  readonly password: string;
  readonly origin: Origin;
  /** Token of the browser's present session. */
  readonly former: string | undefined;
}

/**
 * Open a session. Throws `operator.wrong_login`, and `operator.too_many` after five wrong logins in five minutes for
 * this login and address, or a hundred for the address. The attempt is counted before the password is checked, so
 * parallel guesses gain nothing.
 */
export async function signIn(context: AppContext, credentials: Attempt): Promise<SignedIn> {
  attemptsInProgress += 1;
  try {
    return await attempt(context, credentials);
  } finally {
    attemptsInProgress -= 1;
  }
}

async function attempt(context: AppContext, { login, password, origin, former }: Attempt): Promise<SignedIn> {
  const isLast = await countAttempt(context, login, origin);
  const found = await findOperator(context.reader, login);
  const right = await verifyPassword(password, found?.password_hash ?? DUMMY_HASH);
  const token = ids.secret();
  const opened =
    found !== undefined &&
    right &&
    (await context.transact(async (tx) => {
      const secondFactorDue = await hasSecondFactor(tx, found.id);
      const inserted = await insertSession(tx, {
        operatorId: found.id,
        passwordHash: found.password_hash,
        tokenHash: fingerprint(token),
        network: origin.network,
        browser: origin.browser,
        former: former === undefined ? null : fingerprint(former),
        secondFactorDue,
      });
      if (!inserted) return false;
      await forgiveAttempts(tx, login, origin);
      const event = secondFactorDue ? 'second factor asked' : 'signed in';
      await recordAuthEvent(context, tx, { event, operator: found, origin });
      return { secondFactorDue };
    }));
  if (!opened) {
    await recordFailure(context, 'sign-in failed', { login, origin, isLast });
    throw refuse(operatorRefusals, 'operator.wrong_login');
  }
  return { token, operator: found, ...opened };
}

/**
 * Record that a counted attempt was wrong, and, if it was the last one, the lock-out. `operator` is who tried in a
 * session of their own; `account` is whose password was right, whoever tried; otherwise only the hash of the typed
 * login is recorded.
 */
export async function recordFailure(
  context: AppContext,
  event: AuthEvent,
  attempt: { origin: Origin; isLast: boolean } & (
    | { login: string }
    | { operator: OperatorIdentity }
    | { account: OperatorIdentity }
  ),
): Promise<void> {
  const { origin, isLast } = attempt;
  const facts =
    'operator' in attempt
      ? { operator: attempt.operator, origin }
      : 'account' in attempt
        ? { operator: null, account: attempt.account, origin }
        : { operator: null, origin, login_hash: loginHash(context, attempt.login) };
  await context.transact(async (tx) => {
    await recordAuthEvent(context, tx, { event, ...facts });
    if (isLast) await recordAuthEvent(context, tx, { event: 'locked out', ...facts });
  });
}

/**
 * Count an attempt at a password as failed until it is known to be right. Returns true if it is the last one for now.
 * Throws `operator.too_many`.
 */
export async function countAttempt(context: AppContext, login: string, origin: Origin): Promise<boolean> {
  const { network } = origin;
  const counted = await context.transact(async (tx) => {
    await lockAttempts(tx, network);
    const { count, age, all, oldest } = await countFailures(tx, login, network);
    const tooMany = all >= MAX_FAILURES_OF_ADDRESS && !isThisMachine(network);
    if (count >= MAX_FAILURES || tooMany)
      return {
        seconds: Math.max(1, Math.ceil(WINDOW_SECONDS - (tooMany ? oldest : age))),
        key: tooMany ? network : lockoutKey(login, network),
      };
    await insertFailure(tx, login, network);
    return { isLast: count + 1 === MAX_FAILURES || all + 1 === MAX_FAILURES_OF_ADDRESS };
  });
  if ('isLast' in counted) return counted.isLast;
  const { seconds, key } = counted;
  rememberLockout(key, seconds);
  // The audit log records a lock-out once; further attempts are only logged.
  const facts = { event: 'refused', login_hash: loginHash(context, login), network, requestId: origin.requestId };
  context.log.info(facts, 'authentication');
  throw refuse(operatorRefusals, 'operator.too_many', { seconds, retryAfter: seconds });
}

/** Clear the counted attempts: the password was right. */
export function forgiveAttempts(tx: Tx, login: string, { network }: Origin): Promise<void> {
  return clearFailures(tx, login, network);
}

/** End the session of this token. */
export async function signOut(
  context: AppContext,
  token: string,
  { operator, origin }: { operator: { id: number; login: string }; origin: Origin },
): Promise<void> {
  await context.transact(async (tx) => {
    if ((await deleteSession(tx, fingerprint(token))) !== null)
      await recordAuthEvent(context, tx, { event: 'signed out', operator, origin });
  });
}
