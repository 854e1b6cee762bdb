/** Second factors: an authenticator app, recovery codes, passkeys. Adds, uses, removes and resets them. */
import { randomBytes } from 'node:crypto';
import type { AppContext } from '../platform/appContext.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { refuse } from '../platform/refuse.ts';
import { operatorRefusals } from './contract.ts';
import type { NewPasskey } from './passkeys.ts';
import type { SecondFactors } from './secondFactorContract.ts';
import { readNotice } from './store/secondFactorGuesses.ts';
import {
  countRecoveryCodes,
  deleteAuthenticator,
  deletePasskey,
  deleteRecoveryCode,
  hasSecondFactor,
  insertPasskey,
  insertPendingAuthenticator,
  isSecondFactorRequired,
  lockAuthenticator,
  lockSecondFactors,
  passkeysOf,
  readAuthenticator,
  recordTotpStep,
  replaceRecoveryCodes,
  setSecondFactorRequired,
} from './store/secondFactors.ts';
import { authenticatorUri, base32, matchingStep, stepAt } from './totp.ts';

const ISSUER = 'Rapport';
/** RFC 4226: at least 128 bits, better 160. */
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** 80 bits, shown as sixteen characters. */
const RECOVERY_BYTES = 10;
const MAX_PASSKEYS = 20;

interface Operator {
  readonly id: number;
  readonly login: string;
}

const cipherLocation = (operatorId: number): string => `operator_authenticators.secret_sealed.${operatorId}`;
const hashRecoveryCode = ({ cipher }: Pick<AppContext, 'cipher'>, code: string): Buffer =>
  cipher.hash(`recovery code ${code}`);

export async function secondFactorsOf(reader: Reader, operatorId: number): Promise<SecondFactors> {
  const passkeys = await passkeysOf(reader, operatorId);
  return {
    required: await isSecondFactorRequired(reader),
    authenticator: await readAuthenticator(reader, operatorId),
    passkeys: passkeys.map(({ id, name, created_at, last_used_at }) => ({ id, name, created_at, last_used_at })),
    recovery_codes: await countRecoveryCodes(reader, operatorId),
    wrong_codes: await readNotice(reader, operatorId),
  };
}

/** Create a secret for an authenticator app. It takes effect once its first code is confirmed. */
export async function createTotpSecret(
  context: AppContext,
  tx: Tx,
  operator: Operator,
): Promise<{ secret: string; uri: string }> {
  const secret = base32(randomBytes(SECRET_BYTES));
  if (
    !(await insertPendingAuthenticator(
      tx,
      operator.id,
      context.cipher.encryptSecret(secret, cipherLocation(operator.id)),
    ))
  )
    throw refuse(operatorRefusals, 'operator.has_authenticator');
  return { secret, uri: authenticatorUri(secret, operator.login, ISSUER) };
}

/**
 * Consume a code of the operator's authenticator; each code works at most once. `confirms` means that this code
 * confirms a pending app.
 */
export async function consumeTotp(
  context: AppContext,
  tx: Tx,
  { operatorId, code, confirms }: { operatorId: number; code: string; confirms: boolean },
): Promise<boolean> {
  const authenticator = await lockAuthenticator(tx, operatorId);
  if (!authenticator || (authenticator.confirmed_at === null) !== confirms) return false;
  const secret = context.cipher.decryptSecret(authenticator.secret_sealed, cipherLocation(operatorId));
  const step = matchingStep({ secret, code, present: stepAt(authenticator.now), lastStep: authenticator.last_step });
  if (step === null) return false;
  await recordTotpStep(tx, operatorId, step);
  return true;
}

/** Consume a recovery code, which works once. */
export function consumeRecoveryCode(
  context: AppContext,
  tx: Tx,
  { operatorId, code }: { operatorId: number; code: string },
): Promise<boolean> {
  return deleteRecoveryCode(tx, operatorId, hashRecoveryCode(context, code));
}

/** Replace the operator's recovery codes. The new ones are shown only once. */
export async function newRecoveryCodes(context: AppContext, tx: Tx, operatorId: number): Promise<string[]> {
  if (!(await hasSecondFactor(tx, operatorId))) throw refuse(operatorRefusals, 'operator.no_second_factor');
  const codes = Array.from({ length: RECOVERY_CODES }, () => {
    const text = base32(randomBytes(RECOVERY_BYTES));
    return (text.match(/.{4}/g) ?? []).join('-');
  });
  await replaceRecoveryCodes(
    tx,
    operatorId,
    codes.map((code) => hashRecoveryCode(context, code)),
  );
  return codes;
}

/** Create recovery codes if the operator has none yet: they come with the first factor. */
export async function firstRecoveryCodes(context: AppContext, tx: Tx, operatorId: number): Promise<string[] | null> {
  return (await countRecoveryCodes(tx, operatorId)) > 0 ? null : newRecoveryCodes(context, tx, operatorId);
}

export async function storePasskey(tx: Tx, operatorId: number, passkey: NewPasskey & { name: string }): Promise<void> {
  await lockSecondFactors(tx, operatorId);
  if ((await passkeysOf(tx, operatorId)).length >= MAX_PASSKEYS)
    throw refuse(operatorRefusals, 'operator.too_many_passkeys');
  await insertPasskey(tx, { operator_id: operatorId, ...passkey });
}

/**
 * Remove the authenticator or a passkey. Returns false if there is none. Refuses to remove the last factor if one is
 * required.
 */
export async function removeSecondFactor(
  tx: Tx,
  operatorId: number,
  factor: 'authenticator' | number,
): Promise<boolean> {
  await lockSecondFactors(tx, operatorId);
  const removed =
    factor === 'authenticator'
      ? await deleteAuthenticator(tx, operatorId)
      : await deletePasskey(tx, operatorId, factor);
  if (!removed || (await hasSecondFactor(tx, operatorId))) return removed;
  if (await isSecondFactorRequired(tx)) throw refuse(operatorRefusals, 'operator.second_factor_required');
  // Without a factor there is nothing to recover.
  await replaceRecoveryCodes(tx, operatorId, []);
  return removed;
}

/**
 * Require a second factor for everybody, or for nobody. The operator who requires it must have one, so that at least
 * one operator can sign in.
 */
export async function requireSecondFactor(tx: Tx, operatorId: number, required: boolean): Promise<void> {
  await lockSecondFactors(tx, operatorId);
  if (required && !(await hasSecondFactor(tx, operatorId))) throw refuse(operatorRefusals, 'operator.no_second_factor');
  await setSecondFactorRequired(tx, required);
}
