/** The second step of a sign-in, and the confirmation of one's identity in an open session. */
import type { Ground } from '../platform/ground.ts';
import { fingerprint, ids } from '../platform/ids.ts';
import { refuse } from '../platform/refuse.ts';
import { recordAuthEvent } from './authEvents.ts';
import { operatorRefusals, type SecondFactorDue } from './contract.ts';
import type { Origin } from './origin.ts';
import { type Asked, isRightPasskey, type partyOf } from './passkeys.ts';
import { verifyPassword } from './password.ts';
import type { PasskeyAssertion, SecondStep } from './secondFactorContract.ts';
import { secondFactorsOf, takeRecovery, takeTotp } from './secondFactors.ts';
import { countAttempt, forgiveAttempts, recordFailure, type SignedIn } from './signIn.ts';
import { findOperator, holdUnchanged } from './store/operators.ts';
import { deleteSession, findPending, insertSession, proveSession } from './store/sessions.ts';

/** The ways in which this operator passes the second step. */
export async function waysOf(ground: Ground, operatorId: number): Promise<SecondFactorDue['second_factors']> {
  const { authenticator, passkeys, recovery_codes } = await secondFactorsOf(ground.reader, operatorId);
  const ways: [boolean, SecondFactorDue['second_factors'][number]][] = [
    [authenticator !== null, 'authenticator'],
    [passkeys.length > 0, 'passkey'],
    [recovery_codes > 0, 'recovery_code'],
  ];
  return ways.filter(([has]) => has).map(([, way]) => way);
}

/** Who is in the second step of his sign-in. Throws `operator.sign_in_again`. */
export async function mustBePending(
  ground: Ground,
  token: string | undefined,
): Promise<Asked & { password: string; role: SignedIn['operator']['role'] }> {
  const tokenHash = fingerprint(token ?? '');
  const found = await findPending(ground.reader, tokenHash);
  if (!found) throw refuse(operatorRefusals, 'operator.sign_in_again');
  return { tokenHash, operator: found, password: found.password_hash, role: found.role };
}

type PartyOf = () => ReturnType<typeof partyOf>;

/**
 * Completes a sign-in: the session of the first step ends and a whole one begins. Throws `operator.sign_in_again`,
 * `operator.wrong_second_factor`, and `operator.too_many` after five wrong codes in five minutes from anywhere.
 */
export async function passSecondStep(
  ground: Ground,
  given: { token: string | undefined; step: SecondStep; origin: Origin; party: PartyOf },
): Promise<SignedIn> {
  const { step, origin } = given;
  const pending = await mustBePending(ground, given.token);
  const { operator, tokenHash, role } = pending;
  // Of an operator, wherever the guesses come from: whoever guesses here knows the password already.
  const attempts = `second factor of ${operator.id}`;
  const everywhere = { ...origin, network: attempts };
  const isLast = 'passkey' in step ? false : await countAttempt(ground, attempts, everywhere);
  const passkeyIsRight =
    'passkey' in step && (await isRightPasskey(ground, given.party(), { ...pending, response: step.passkey }));
  const token = ids.secret();
  const opened = await ground.transact(async (tx) => {
    // The first step is used up with it; whoever changes the password ends it too.
    if (!(await holdUnchanged(tx, operator.id, pending.password))) return false;
    const way = waySay(step);
    if ('code' in step && !(await takeTotp(ground, tx, { operatorId: operator.id, code: step.code, confirms: false })))
      return false;
    if ('recovery_code' in step && !(await takeRecovery(ground, tx, operator.id, step.recovery_code))) return false;
    if ('passkey' in step && !passkeyIsRight) return false;
    if ((await deleteSession(tx, tokenHash)) === null) return false;
    await insertSession(tx, {
      operatorId: operator.id,
      passwordHash: pending.password,
      tokenHash: fingerprint(token),
      network: origin.network,
      browser: origin.browser,
      former: null,
      secondFactorDue: false,
    });
    await forgiveAttempts(tx, attempts, everywhere);
    if ('recovery_code' in step) await recordAuthEvent(ground, tx, 'recovery code used', { operator, origin });
    await recordAuthEvent(ground, tx, 'signed in', { operator, origin, second_factor: way });
    return true;
  });
  if (!opened) {
    await recordFailure(ground, 'second factor failed', { login: operator.login, origin, isLast });
    throw refuse(operatorRefusals, 'operator.wrong_second_factor');
  }
  return { token, operator: { id: operator.id, login: operator.login, role }, secondFactorDue: false };
}

const waySay = (step: SecondStep): string =>
  'code' in step ? 'authenticator' : 'passkey' in step ? 'passkey' : 'recovery code';

/**
 * Confirms in an open session who one is, by the password or a passkey. Throws `operator.wrong_password` and
 * `operator.wrong_passkey`.
 */
export async function confirmBy(
  ground: Ground,
  { tokenHash, operator }: Asked,
  given: { by: { password: string } | { passkey: PasskeyAssertion }; origin: Origin; party: PartyOf },
): Promise<void> {
  const { by, origin } = given;
  const withPassword = 'password' in by;
  const isLast = withPassword ? await countAttempt(ground, operator.login, origin) : false;
  const right = withPassword
    ? await isOwnPassword(ground, operator.login, by.password)
    : await isRightPasskey(ground, given.party(), { tokenHash, operator, response: by.passkey });
  if (!right) {
    await recordFailure(ground, 'confirmation failed', { login: operator.login, origin, isLast });
    throw refuse(operatorRefusals, withPassword ? 'operator.wrong_password' : 'operator.wrong_passkey');
  }
  await ground.transact(async (tx) => {
    if (withPassword) await forgiveAttempts(tx, operator.login, origin);
    await proveSession(tx, tokenHash);
    await recordAuthEvent(ground, tx, 'identity confirmed', {
      operator,
      origin,
      by: withPassword ? 'password' : 'passkey',
    });
  });
}

async function isOwnPassword(ground: Ground, login: string, password: string): Promise<boolean> {
  const self = await findOperator(ground.reader, login);
  return self !== undefined && (await verifyPassword(password, self.password_hash));
}
