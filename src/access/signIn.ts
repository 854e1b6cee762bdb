/** Signing in and out. */

import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { fingerprint, ids } from '../platform/ids.ts';
import { refuse } from '../platform/refuse.ts';
import { type AuthEvent, loginHash, recordAuthEvent } from './authEvents.ts';
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
 * Wrong logins of one address under whatever names: so many that a whole office may mistype, and too few to try one
 * password on everybody. Of this machine itself there is no such limit: behind a proxy that nobody told us of, all come
 * from here.
 */
const MAX_FAILURES_OF_ADDRESS = 100;

/** Whoever has exceeded a limit is refused before he waits among those who log in: until when, by address and name. */
const lockedOut = new Map<string, number>();
/** Of so many; the oldest give way, and the database knows of them all the same. */
const MAX_LOCKED_OUT = 10_000;
const SECOND_MS = 1000;

const lockoutKey = (login: string, address: string): string => `${address} ${login.toLowerCase()}`;

function rememberLockout(key: string, seconds: number): void {
  const [oldest] = lockedOut.keys();
  if (lockedOut.size >= MAX_LOCKED_OUT && oldest !== undefined) lockedOut.delete(oldest);
  lockedOut.delete(key);
  // One who waits as long as he is told finds the limit over: rounded down, so that it is never kept too long.
  lockedOut.set(key, performance.now() + (seconds - 1) * SECOND_MS);
}

let attemptsInProgress = 0;

/**
 * Throws `operator.too_many` for those who are known to have exceeded a limit, while others are logging in: they are to
 * wait behind nobody who will be refused anyway. Where nobody waits the database is asked, which knows exactly.
 */
export function refuseLockedOut(login: string, client: string): void {
  if (attemptsInProgress === 0) return;
  const network = networkOf(client);
  const until = Math.max(lockedOut.get(network) ?? 0, lockedOut.get(lockoutKey(login, network)) ?? 0);
  const seconds = Math.ceil((until - performance.now()) / SECOND_MS);
  if (seconds > 0) throw refuse(operatorRefusals, 'operator.too_many', { seconds }, seconds);
}

export interface SignedIn {
  readonly token: string;
  readonly operator: { readonly id: number; readonly login: string; readonly role: OperatorSelf['role'] };
  /** The second factor is still to come: the token opens nothing but that step. */
  readonly secondFactorDue: boolean;
}

interface Attempt {
  readonly login: string;
  readonly password: string;
  readonly origin: Origin;
  /** The token of the session that this browser has so far. */
  readonly former: string | undefined;
}

/**
 * Opens a session. Throws `operator.wrong_login`, and `operator.too_many` after five wrong logins in five minutes for
 * this login and address, or a hundred of the address. The attempt is counted before the password is looked at, so parallel guesses gain nothing.
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
      await recordAuthEvent(context, tx, event, { operator: found, origin });
      return { secondFactorDue };
    }));
  if (!opened) {
    await recordFailure(context, 'sign-in failed', { login, origin, isLast });
    throw refuse(operatorRefusals, 'operator.wrong_login');
  }
  return { token, operator: found, ...opened };
}

/** Records that a counted attempt was wrong, and whether no other one is left. */
export async function recordFailure(
  context: AppContext,
  event: AuthEvent,
  { login, origin, isLast }: { login: string; origin: Origin; isLast: boolean },
): Promise<void> {
  const facts = { operator: null, origin, login_hash: loginHash(context, login) };
  await context.transact(async (tx) => {
    await recordAuthEvent(context, tx, event, facts);
    if (isLast) await recordAuthEvent(context, tx, 'locked out', facts);
  });
}

/**
 * Counts a try at a password as failed until it is known to be right; true: it is the last one for now. Throws
 * `operator.too_many`.
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
  // The lock-out is in the audit log once; whoever goes on trying fills the log alone.
  const facts = { event: 'refused', login_hash: loginHash(context, login), network, requestId: origin.requestId };
  context.log.info(facts, 'authentication');
  throw refuse(operatorRefusals, 'operator.too_many', { seconds }, seconds);
}

/** The password was right: what was counted before is forgotten. */
export function forgiveAttempts(tx: Tx, login: string, { network }: Origin): Promise<void> {
  return clearFailures(tx, login, network);
}

/** Ends the session of this token. */
export async function signOut(
  context: AppContext,
  token: string,
  { operator, origin }: { operator: { id: number; login: string }; origin: Origin },
): Promise<void> {
  await context.transact(async (tx) => {
    if ((await deleteSession(tx, fingerprint(token))) !== null)
      await recordAuthEvent(context, tx, 'signed out', { operator, origin });
  });
}
