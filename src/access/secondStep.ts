/** The second step of a sign-in, and reauthentication in an open session. */
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { fingerprint, ids } from '../platform/ids.ts';
import { refuse } from '../platform/refuse.ts';
import { type OperatorIdentity, recordAuthEvent } from './authEvents.ts';
import { operatorRefusals, type SecondFactorDue } from './contract.ts';
import type { Origin } from './origin.ts';
import { type PasskeyRequest, type relyingPartyOf, verifyAssertion } from './passkeys.ts';
import { verifyPassword } from './password.ts';
import type { PasskeyAssertion, SecondStep } from './secondFactorContract.ts';
import { countWrongCode, waitInWords } from './secondFactorGuesses.ts';
import { consumeRecoveryCode, consumeTotp, secondFactorsOf } from './secondFactors.ts';
import { countAttempt, forgiveAttempts, recordFailure, type SignedIn } from './signIn.ts';
import { findOperator, lockIfPasswordUnchanged } from './store/operators.ts';
import { clearWait, secondsToWait } from './store/secondFactorGuesses.ts';
import { findPendingSignIn, insertSession, markReauthenticated } from './store/sessions.ts';

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

interface SecondStepInput {
  readonly token: string | undefined;
  readonly step: SecondStep;
  readonly origin: Origin;
  readonly party: PartyOf;
}

/**
 * Complete a sign-in: the session of the first step ends and a full one starts. Throws `operator.sign_in_again`,
 * `operator.wrong_second_factor`, `operator.too_many_codes` while codes of this operator have to wait, and
 * `operator.too_many` after five wrong recovery codes or passkeys in five minutes from one network.
 */
export async function passSecondStep(context: AppContext, input: SecondStepInput): Promise<SignedIn> {
  const { step, origin } = input;
  const pending = await requirePendingSignIn(context, input.token);
  const { operator, role } = pending;
  const factor = factorName(step);
  const attempts = `${factor} of ${operator.id}`;
  const isLast = 'code' in step ? false : await countAttempt(context, attempts, origin);
  const passkeyIsRight =
    'passkey' in step && (await verifyAssertion(context, input.party(), { ...pending, response: step.passkey }));
  const token = ids.secret();
  const outcome = await context.transact(async (tx) => {
    // Locks the operator, so that parallel steps are taken one after another. A change of the password ends them all.
    const isPending =
      (await lockIfPasswordUnchanged(tx, operator.id, pending.password)) &&
      (await findPendingSignIn(tx, pending.tokenHash)) !== null;
    // Nothing is consumed by a step that comes too late.
    if (!isPending) return 'late';
    const wait = 'code' in step ? await secondsToWait(tx, operator.id) : 0;
    if (wait > 0) return { wait };
    if (!('passkey' in step ? passkeyIsRight : await consumeCode(context, tx, { step, operatorId: operator.id })))
      return { isLast: 'code' in step ? await countWrongCode(tx, operator.id, origin.network) : isLast };
    await openSession(tx, { pending, token, origin });
    await clearWait(tx, operator.id);
    if (!('code' in step)) await forgiveAttempts(tx, attempts, origin);
    if ('recovery_code' in step) await recordAuthEvent(context, tx, { event: 'recovery code used', operator, origin });
    await recordAuthEvent(context, tx, { event: 'signed in', operator, origin, second_factor: factor });
    return 'passed';
  });
  if (outcome === 'late') throw refuse(operatorRefusals, 'operator.sign_in_again');
  if (outcome !== 'passed') await refuseStep(context, { outcome, operator, origin });
  return { token, operator: { id: operator.id, login: operator.login, role }, secondFactorDue: false };
}

type Pending = Awaited<ReturnType<typeof requirePendingSignIn>>;

/** Replace the session of the first step by a full one. */
async function openSession(
  tx: Tx,
  { pending, token, origin }: { pending: Pending; token: string; origin: Origin },
): Promise<void> {
  await insertSession(tx, {
    operatorId: pending.operator.id,
    passwordHash: pending.password,
    tokenHash: fingerprint(token),
    network: origin.network,
    browser: origin.browser,
    former: pending.tokenHash,
    secondFactorDue: false,
  });
}

function consumeCode(
  context: AppContext,
  tx: Tx,
  { step, operatorId }: { step: { code: string } | { recovery_code: string }; operatorId: number },
): Promise<boolean> {
  return 'code' in step
    ? consumeTotp(context, tx, { operatorId, code: step.code, confirms: false })
    : consumeRecoveryCode(context, tx, { operatorId, code: step.recovery_code });
}

async function refuseStep(
  context: AppContext,
  {
    outcome,
    operator,
    origin,
  }: { outcome: { wait: number } | { isLast: boolean }; operator: OperatorIdentity; origin: Origin },
): Promise<never> {
  if ('isLast' in outcome) {
    await recordFailure(context, 'second factor failed', { account: operator, origin, isLast: outcome.isLast });
    throw refuse(operatorRefusals, 'operator.wrong_second_factor');
  }
  const { wait } = outcome;
  // The audit log records the lock-out once; further attempts are only logged.
  const { network, requestId } = origin;
  context.log.info({ event: 'refused', operator: operator.id, network, requestId }, 'authentication');
  throw refuse(operatorRefusals, 'operator.too_many_codes', { wait: waitInWords(wait), retryAfter: wait });
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
