/** Signing in and out. */
import type { Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { fingerprint, ids } from '../platform/ids.ts';
import { refuse } from '../platform/refuse.ts';
import { type OperatorSelf, operatorRefusals } from './contract.ts';
import { isThisMachine, networkOf } from './network.ts';
import { NOBODYS_HASH, verifyPassword } from './password.ts';
import {
  clearFailures,
  countFailures,
  deleteSession,
  findOperator,
  insertFailure,
  insertSession,
  lockAttempts,
} from './store.ts';

const MAX_FAILURES = 5;
const WINDOW_SECONDS = 300;

/**
 * Wrong logins of one address under whatever names: so many that a whole office may mistype, and too few to try one
 * password on everybody. Of this machine itself there is no such limit: behind a proxy that nobody told us of, all come
 * from here.
 */
const MAX_OF_ADDRESS = 100;

/** Whoever has exceeded a limit is refused before he waits among those who log in: until when, by address and name. */
const shutOut = new Map<string, number>();
/** Of so many; the oldest give way, and the database knows of them all the same. */
const MOST_SHUT_OUT = 10_000;
const SECOND_MS = 1000;

const nameAt = (login: string, address: string): string => `${address} ${login.toLowerCase()}`;

function shutOutFor(key: string, seconds: number): void {
  const [oldest] = shutOut.keys();
  if (shutOut.size >= MOST_SHUT_OUT && oldest !== undefined) shutOut.delete(oldest);
  shutOut.delete(key);
  // One who waits as long as he is told finds the limit over: rounded down, so that it is never kept too long.
  shutOut.set(key, performance.now() + (seconds - 1) * SECOND_MS);
}

let underWay = 0;

/**
 * Throws `operator.too_many` for those who are known to have exceeded a limit, while others are logging in: they are to
 * wait behind nobody who will be refused anyway. Where nobody waits the database is asked, which knows exactly.
 */
export function refuseShutOut(login: string, client: string): void {
  if (underWay === 0) return;
  const network = networkOf(client);
  const until = Math.max(shutOut.get(network) ?? 0, shutOut.get(nameAt(login, network)) ?? 0);
  const seconds = Math.ceil((until - performance.now()) / SECOND_MS);
  if (seconds > 0) throw refuse(operatorRefusals, 'operator.too_many', { seconds }, seconds);
}

export interface SignedIn {
  readonly token: string;
  readonly operator: OperatorSelf;
}

/**
 * Opens a session. Throws `operator.wrong_login`, and `operator.too_many` after five wrong logins in five minutes for
 * this login and address, or a hundred of the address. The attempt is counted before the password is looked at, so parallel guesses gain nothing.
 */
export async function signIn(ground: Ground, login: string, password: string, client: string): Promise<SignedIn> {
  underWay += 1;
  try {
    return await attempt(ground, login, password, client);
  } finally {
    underWay -= 1;
  }
}

async function attempt(ground: Ground, login: string, password: string, client: string): Promise<SignedIn> {
  await countAttempt(ground, login, client);
  const found = await findOperator(ground.reader, login);
  const right = await verifyPassword(password, found?.password_hash ?? NOBODYS_HASH);
  if (!found || !right || !found.is_active) throw refuse(operatorRefusals, 'operator.wrong_login');
  const token = ids.secret();
  await ground.transact(async (tx) => {
    await forgiveAttempts(tx, login, client);
    await insertSession(tx, found.id, fingerprint(token));
  });
  return { token, operator: { id: found.id, login: found.login, role: found.role } };
}

/** Counts a try at a password as failed until it is known to be right. Throws `operator.too_many`. */
export async function countAttempt(ground: Ground, login: string, client: string): Promise<void> {
  const address = networkOf(client);
  await ground.transact(async (tx) => {
    await lockAttempts(tx, address);
    const { count, age, all, oldest } = await countFailures(tx, login, address);
    const tooMany = all >= MAX_OF_ADDRESS && !isThisMachine(address);
    if (count >= MAX_FAILURES || tooMany) {
      const seconds = Math.max(1, Math.ceil(WINDOW_SECONDS - (tooMany ? oldest : age)));
      shutOutFor(tooMany ? address : nameAt(login, address), seconds);
      throw refuse(operatorRefusals, 'operator.too_many', { seconds }, seconds);
    }
    await insertFailure(tx, login, address);
  });
}

/** The password was right: what was counted before is forgotten. */
export function forgiveAttempts(tx: Tx, login: string, client: string): Promise<void> {
  return clearFailures(tx, login, networkOf(client));
}

/** Ends the session of this token. */
export async function signOut(ground: Ground, token: string): Promise<void> {
  await ground.transact((tx) => deleteSession(tx, fingerprint(token)));
}
