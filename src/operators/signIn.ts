/** Signing in and out. */
import type { Ground } from '../platform/ground.ts';
import { fingerprint, ids } from '../platform/ids.ts';
import { refuse } from '../platform/refuse.ts';
import { type OperatorSelf, operatorRefusals } from './contract.ts';
import { hashPassword, verifyPassword } from './password.ts';
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

/** Compared with when the login is unknown, so that the time taken tells nothing. */
let nobody: Promise<string> | null = null;

export interface SignedIn {
  readonly token: string;
  readonly operator: OperatorSelf;
}

/**
 * Opens a session. Throws `operator.wrong_login`, and `operator.too_many` after five wrong logins in five minutes for
 * this login and address. The attempt is counted before the password is looked at, so parallel guesses gain nothing.
 */
export async function signIn(ground: Ground, login: string, password: string, address: string): Promise<SignedIn> {
  await countAttempt(ground, login, address);
  const found = await findOperator(ground.reader, login);
  nobody ??= hashPassword(ids.secret());
  const right = await verifyPassword(password, found?.password_hash ?? (await nobody));
  if (!found || !right || !found.is_active) throw refuse(operatorRefusals, 'operator.wrong_login');
  const token = ids.secret();
  await ground.transact(async (tx) => {
    await clearFailures(tx, login, address);
    await insertSession(tx, found.id, fingerprint(token));
  });
  return { token, operator: { id: found.id, login: found.login, role: found.role } };
}

/** Counts a try at a password as failed until it is known to be right. Throws `operator.too_many`. */
export async function countAttempt(ground: Ground, login: string, address: string): Promise<void> {
  await ground.transact(async (tx) => {
    await lockAttempts(tx, login, address);
    const { count, age } = await countFailures(tx, login, address);
    if (count >= MAX_FAILURES) {
      const seconds = Math.max(1, Math.ceil(WINDOW_SECONDS - age));
      throw refuse(operatorRefusals, 'operator.too_many', { seconds }, seconds);
    }
    await insertFailure(tx, login, address);
  });
}

/** Ends the session of this token. */
export async function signOut(ground: Ground, token: string): Promise<void> {
  await ground.transact((tx) => deleteSession(tx, fingerprint(token)));
}
