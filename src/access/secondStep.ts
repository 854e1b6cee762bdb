/** The second step of a sign-in, and reauthentication in an open session. */
import type { AppContext } from '../platform/appContext.ts';
import { fingerprint, ids } from '../platform/ids.ts';
import { refuse } from '../platform/refuse.ts';
import { recordAuthEvent } from './authEvents.ts';
import { operatorRefusals, type SecondFactorDue } from './contract.ts';
import type { Origin } from './origin.ts';
import { type PasskeyRequest, type relyingPartyOf, verifyAssertion } from './passkeys.ts';
import { verifyPassword } from './password.ts';
import type { PasskeyAssertion, SecondStep } from './secondFactorContract.ts';
import { consumeRecoveryCode, consumeTotp, secondFactorsOf } from './secondFactors.ts';
import { countAttempt, forgiveAttempts, recordFailure, type SignedIn } from './signIn.ts';
import { findOperator, lockIfPasswordUnchanged } from './store/operators.ts';
import { deleteSession, findPendingSignIn, insertSession, markReauthenticated } from './store/sessions.ts';

/** Return the ways in which this operator can pass the second step. */
export async function secondFactorKinds(
  context: AppContext,
  operatorId: number,
): Promise<SecondFactorDue['second_factors']> {
  const { authenticator, passkeys, recovery_codes } = await secondFactorsOf(context.reader, operatorId);
  const kinds: [boolean, SecondFactorDue['second_factors'][number]][] = [
    [authenticator !== null, 'authenticator'],
    [passkeys.length > 0, 'passkey'],
    [recovery_codes > 0, 'recovery_code'],
  ];
  return kinds.filter(([has]) => has).map(([, way]) => way);
}

/** Return the operator whose sign-in waits for its second step. Throws `operator.sign_in_again`. */
export async function requirePendingSignIn(
  context: AppContext,
  token: string | undefined,
): Promise<PasskeyRequest & { password: string; role: SignedIn['operator']['role'] }> {
  const tokenHash = fingerprint(token ?? '');
  const found = await findPendingSignIn(context.reader, tokenHash);
  if (!found) throw refuse(operatorRefusals, 'operator.sign_in_again');
  return { tokenHash, operator: found, password: found.password_hash, role: found.role };
}

type PartyOf = () => ReturnType<typeof relyingPartyOf>;

/**
 * Complete a sign-in: the session of the first step ends and a full one starts. Throws `operator.sign_in_again`,
 * `operator.wrong_second_factor`, and `operator.too_many` after five wrong codes in five minutes from anywhere.
 */
export async function passSecondStep(
  context: AppContext,
  input: { token: string | undefined; step: SecondStep; origin: Origin; party: PartyOf },
): Promise<SignedIn> {
  const { step, origin } = input;
  const pending = await requirePendingSignIn(context, input.token);
  const { operator, tokenHash, role } = pending;
  // Count per operator, wherever the guesses come from: a client that guesses here knows the password already.
  const attempts = `second factor of ${operator.id}`;
  const everywhere = { ...origin, network: attempts };
  const isLast = 'passkey' in step ? false : await countAttempt(context, attempts, everywhere);
  const passkeyIsRight =
    'passkey' in step && (await verifyAssertion(context, input.party(), { ...pending, response: step.passkey }));
  const token = ids.secret();
  const completed = await context.transact(async (tx) => {
    // The first step is consumed in the same transaction. A change of the password ends it too.
    if (!(await lockIfPasswordUnchanged(tx, operator.id, pending.password))) return false;
    const factor = factorName(step);
    if (
      'code' in step &&
      !(await consumeTotp(context, tx, { operatorId: operator.id, code: step.code, confirms: false }))
    )
      return false;
    if (
      'recovery_code' in step &&
      !(await consumeRecoveryCode(context, tx, { operatorId: operator.id, code: step.recovery_code }))
    )
      return false;
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
    if ('recovery_code' in step) await recordAuthEvent(context, tx, { event: 'recovery code used', operator, origin });
    await recordAuthEvent(context, tx, { event: 'signed in', operator, origin, second_factor: factor });
    return true;
  });
  if (!completed) {
    await recordFailure(context, 'second factor failed', { login: operator.login, origin, isLast });
    throw refuse(operatorRefusals, 'operator.wrong_second_factor');
  }
  return { token, operator: { id: operator.id, login: operator.login, role }, secondFactorDue: false };
}

const factorName = (step: SecondStep): string =>
  'code' in step ? 'authenticator' : 'passkey' in step ? 'passkey' : 'recovery code';

/**
 * Confirm the operator's identity in an open session, by the password or a passkey. Throws `operator.wrong_password`
 * and `operator.wrong_passkey`.
 */
export async function confirmIdentityBy(
  context: AppContext,
  { tokenHash, operator }: PasskeyRequest,
  input: { by: { password: string } | { passkey: PasskeyAssertion }; origin: Origin; party: PartyOf },
): Promise<void> {
  const { by, origin } = input;
  const withPassword = 'password' in by;
  const isLast = withPassword ? await countAttempt(context, operator.login, origin) : false;
  const isValid = withPassword
    ? await isOwnPassword(context, operator.login, by.password)
    : await verifyAssertion(context, input.party(), { tokenHash, operator, response: by.passkey });
  if (!isValid) {
    await recordFailure(context, 'confirmation failed', { operator, origin, isLast });
    throw refuse(operatorRefusals, withPassword ? 'operator.wrong_password' : 'operator.wrong_passkey');
  }
  await context.transact(async (tx) => {
    if (withPassword) await forgiveAttempts(tx, operator.login, origin);
    await markReauthenticated(tx, tokenHash);
    await recordAuthEvent(context, tx, {
      event: 'identity confirmed',
      operator,
      origin,
      by: withPassword ? 'password' : 'passkey',
    });
  });
}

async function isOwnPassword(context: AppContext, login: string, password: string): Promise<boolean> {
  const self = await findOperator(context.reader, login);
  return self !== undefined && (await verifyPassword(password, self.password_hash));
}
