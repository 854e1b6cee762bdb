/** Operators: made, given a new password, shut out. */
import { brokenConstraint, type Reader, type Tx } from '../platform/db.ts';
import { hashPassword } from './password.ts';
import { findOperator, insertOperator, listOperators, setInactive, setPassword } from './store.ts';

/** Makes an operator: an admin when `companies` is null, else a member of these. Throws when the login is taken. */
export async function addOperator(
  tx: Tx,
  made: { login: string; password: string; companies: readonly number[] | null },
): Promise<number> {
  if (await findOperator(tx, made.login)) throw new Error(`There is an operator ${made.login} already.`);
  const operator = {
    login: made.login,
    passwordHash: await hashPassword(made.password),
    role: made.companies === null ? ('admin' as const) : ('member' as const),
    companies: made.companies ?? [],
  };
  try {
    return await insertOperator(tx, operator);
  } catch (error) {
    if (brokenConstraint(error)?.kind === 'foreign')
      throw new Error(`There is no such company among ${operator.companies.join(', ')}.`, { cause: error });
    throw error;
  }
}

async function mustFind(tx: Tx, login: string): Promise<number> {
  const found = await findOperator(tx, login);
  if (!found) throw new Error(`There is no operator ${login}.`);
  return found.id;
}

/** Sets a new password and ends the operator's sessions. */
export async function changePassword(tx: Tx, login: string, password: string): Promise<void> {
  await setPassword(tx, await mustFind(tx, login), await hashPassword(password));
}

/** Shuts an operator out and ends his sessions. */
export async function disableOperator(tx: Tx, login: string): Promise<void> {
  await setInactive(tx, await mustFind(tx, login));
}

export const allOperators = (reader: Reader): ReturnType<typeof listOperators> => listOperators(reader);
