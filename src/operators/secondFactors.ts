/** Second factors: an authenticator app, recovery codes, passkeys; added, used, removed and reset. */
import { randomBytes } from 'node:crypto';
import type { Reader, Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { refuse } from '../platform/refuse.ts';
import { operatorRefusals } from './contract.ts';
import type { NewPasskey } from './passkeys.ts';
import type { SecondFactors } from './secondFactorContract.ts';
import {
  countRecoveryCodes,
  deleteAuthenticator,
  deletePasskey,
  hasSecondFactor,
  holdAuthenticator,
  insertPasskey,
  isSecondFactorRequired,
  lockOperatorShared,
  passkeysOf,
  putAuthenticator,
  readAuthenticator,
  replaceRecoveryCodes,
  setSecondFactorRequired,
  takeRecoveryCode,
  useStep,
} from './store/secondFactors.ts';
import { authenticatorUri, base32, matchingStep, stepAt } from './totp.ts';

const ISSUER = 'Rapport';
/** RFC 4226: at least 128 bits, better 160. */
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** 80 bits, as sixteen characters. */
const RECOVERY_BYTES = 10;
const MOST_PASSKEYS = 20;

interface Operator {
  readonly id: number;
  readonly login: string;
}

const placeOf = (operatorId: number): string => `operator_authenticators.secret_sealed.${operatorId}`;
const hashOf = ({ seal }: Pick<Ground, 'seal'>, code: string): Buffer => seal.hash(`recovery code ${code}`);

export async function secondFactorsOf(reader: Reader, operatorId: number): Promise<SecondFactors> {
  const passkeys = await passkeysOf(reader, operatorId);
  return {
    required: await isSecondFactorRequired(reader),
    authenticator: await readAuthenticator(reader, operatorId),
    passkeys: passkeys.map(({ id, name, created_at, last_used_at }) => ({ id, name, created_at, last_used_at })),
    recovery_codes: await countRecoveryCodes(reader, operatorId),
  };
}

/** Makes a secret for an authenticator app. It counts once its first code was taken. */
export async function startTotp(ground: Ground, tx: Tx, operator: Operator): Promise<{ secret: string; uri: string }> {
  const secret = base32(randomBytes(SECRET_BYTES));
  if (!(await putAuthenticator(tx, operator.id, ground.seal.close(secret, placeOf(operator.id)))))
    throw refuse(operatorRefusals, 'operator.has_authenticator');
  return { secret, uri: authenticatorUri(secret, operator.login, ISSUER) };
}

/**
 * Takes a code of the operator's authenticator; each at most once. `confirms`: the app is still to be confirmed, by
 * this very code.
 */
export async function takeTotp(
  ground: Ground,
  tx: Tx,
  { operatorId, code, confirms }: { operatorId: number; code: string; confirms: boolean },
): Promise<boolean> {
  const held = await holdAuthenticator(tx, operatorId);
  if (!held || (held.confirmed_at === null) !== confirms) return false;
  const secret = ground.seal.open(held.secret_sealed, placeOf(operatorId));
  const step = matchingStep(secret, code, stepAt(held.now), held.last_step);
  if (step === null) return false;
  await useStep(tx, operatorId, step);
  return true;
}

/** Takes a recovery code, which works once. */
export function takeRecovery(ground: Ground, tx: Tx, operatorId: number, code: string): Promise<boolean> {
  return takeRecoveryCode(tx, operatorId, hashOf(ground, code));
}

/** New recovery codes in the place of the former ones. They are shown this once. */
export async function newRecoveryCodes(ground: Ground, tx: Tx, operatorId: number): Promise<string[]> {
  if (!(await hasSecondFactor(tx, operatorId))) throw refuse(operatorRefusals, 'operator.no_second_factor');
  const codes = Array.from({ length: RECOVERY_CODES }, () => {
    const text = base32(randomBytes(RECOVERY_BYTES));
    return (text.match(/.{4}/g) ?? []).join('-');
  });
  await replaceRecoveryCodes(
    tx,
    operatorId,
    codes.map((code) => hashOf(ground, code)),
  );
  return codes;
}

/** Recovery codes for whoever has none yet: they come with the first factor. */
export async function firstRecoveryCodes(ground: Ground, tx: Tx, operatorId: number): Promise<string[] | null> {
  return (await countRecoveryCodes(tx, operatorId)) > 0 ? null : newRecoveryCodes(ground, tx, operatorId);
}

export async function storePasskey(tx: Tx, operatorId: number, passkey: NewPasskey & { name: string }): Promise<void> {
  await lockOperatorShared(tx, operatorId);
  if ((await passkeysOf(tx, operatorId)).length >= MOST_PASSKEYS)
    throw refuse(operatorRefusals, 'operator.too_many_passkeys');
  await insertPasskey(tx, { operator_id: operatorId, ...passkey });
}

/** Removes the authenticator or a passkey. False: there is none. Refuses the last factor where one is required. */
export async function removeFactor(tx: Tx, operatorId: number, factor: 'authenticator' | number): Promise<boolean> {
  await lockOperatorShared(tx, operatorId);
  const removed =
    factor === 'authenticator'
      ? await deleteAuthenticator(tx, operatorId)
      : await deletePasskey(tx, operatorId, factor);
  if (!removed || (await hasSecondFactor(tx, operatorId))) return removed;
  if (await isSecondFactorRequired(tx)) throw refuse(operatorRefusals, 'operator.second_factor_required');
  // Codes that recover nothing.
  await replaceRecoveryCodes(tx, operatorId, []);
  return removed;
}

/** Requires a second factor of everybody, or of nobody. Who asks for it has to have one, so that somebody can sign in. */
export async function requireSecondFactor(tx: Tx, operatorId: number, required: boolean): Promise<void> {
  await lockOperatorShared(tx, operatorId);
  if (required && !(await hasSecondFactor(tx, operatorId))) throw refuse(operatorRefusals, 'operator.no_second_factor');
  await setSecondFactorRequired(tx, required);
}
