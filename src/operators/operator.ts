/** Operators: made, given a role and companies, a new password, shut out. The command line and the console call these. */
import { recordDeed } from '../platform/audit.ts';
import { brokenConstraint, type Reader, type Tx } from '../platform/db.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { operatorRefusals, type roles } from './contract.ts';
import { loginFault } from './login.ts';
import { requireGoodPassword } from './newPassword.ts';
import { hashPassword } from './password.ts';
import {
  findOperator,
  holdAdmins,
  insertOperator,
  listOperators,
  lockOperator,
  type OperatorLine,
  setPassword,
  setRole,
} from './store/operators.ts';
import { deleteSecondFactors } from './store/secondFactors.ts';
import { endSessions } from './store/sessions.ts';

/** Who changes an operator: an admin in a request, or whoever has the machine's command line. */
export interface By {
  readonly caller: { readonly id: number; readonly login: string } | null;
  readonly requestId: string | null;
}
const COMMAND_LINE: By = { caller: null, requestId: null };

type Role = (typeof roles)[number];

/** An id, or a login in any case. */
type Who = number | string;

interface NewOperator {
  readonly login: string;
  readonly password: string;
  /** Null: an admin, who reaches all of them. */
  readonly companies: readonly number[] | null;
  /** Somebody else knows the password: nothing is open until the operator has chosen another one. */
  readonly mustChange: boolean;
}

/**
 * Makes an operator: an admin when `companies` is null, else a member of these. Refuses a login that is taken or passes
 * for another one, and a password that is easy to guess.
 */
export async function addOperator(tx: Tx, made: NewOperator, by: By = COMMAND_LINE): Promise<number> {
  const fault = loginFault(made.login);
  if (fault !== null) throw refuse(operatorRefusals, 'operator.unfit_login', { reason: fault });
  requireGoodPassword(made.password, made.login);
  return insertNew(tx, made, by);
}

/** Makes the sandbox's operator, whose password everybody knows. */
export function addDemoOperator(tx: Tx, made: Omit<NewOperator, 'mustChange'>): Promise<number> {
  return insertNew(tx, { ...made, mustChange: false }, COMMAND_LINE);
}

async function insertNew(tx: Tx, made: NewOperator, by: By): Promise<number> {
  const { login, mustChange } = made;
  if (await findOperator(tx, login)) throw refuse(operatorRefusals, 'operator.taken', { login });
  const role: Role = made.companies === null ? 'admin' : 'member';
  const companies = unique(made.companies ?? []);
  try {
    const passwordHash = await hashPassword(made.password);
    const id = await insertOperator(tx, { login, passwordHash, role, companies, mustChange });
    await record(tx, by, 'created', id, null, {
      login,
      role,
      companies,
      is_active: true,
      must_change_password: mustChange,
    });
    return id;
  } catch (error) {
    const broken = brokenConstraint(error);
    if (broken?.kind === 'foreign')
      throw new Error(`There is no such company among ${companies.join(', ')}.`, { cause: error });
    // Somebody was quicker.
    if (broken?.name === 'operators_login_key') throw refuse(operatorRefusals, 'operator.looks_alike', { login });
    if (broken?.kind === 'unique') throw refuse(operatorRefusals, 'operator.taken', { login });
    throw error;
  }
}

/** Gives an operator a role, companies (an admin has none of his own) and a way in or none. */
export async function changeOperator(
  tx: Tx,
  who: Who,
  to: { role: Role; companies: readonly number[]; isActive: boolean },
  by: By = COMMAND_LINE,
): Promise<void> {
  const admins = await holdAdmins(tx);
  const before = await mustLock(tx, who);
  const staysAdmin = to.role === 'admin' && to.isActive;
  if (!staysAdmin && admins.length === 1 && admins[0] === before.id)
    throw refuse(operatorRefusals, 'operator.last_admin');
  const companies = to.role === 'admin' ? [] : unique(to.companies);
  await setRole(tx, before.id, { ...to, companies });
  if (!to.isActive) await endSessions(tx, before.id);
  await record(tx, by, 'changed', before.id, shown(before), {
    login: before.login,
    role: to.role,
    companies,
    is_active: to.isActive,
  });
}

/**
 * Sets a new password and ends the operator's sessions, but for the one of `except`. Where somebody else has set it, the
 * operator has to choose another one before anything else.
 */
export async function changePassword(
  tx: Tx,
  who: Who,
  password: string,
  by: By = COMMAND_LINE,
  except: Buffer | null = null,
): Promise<void> {
  const { id, login } = await mustLock(tx, who);
  requireGoodPassword(password, login);
  const mustChange = by.caller?.id !== id;
  await setPassword(tx, id, { passwordHash: await hashPassword(password), mustChange });
  await endSessions(tx, id, except);
  await record(tx, by, 'new password', id, null, { login, must_change_password: mustChange });
}

/** Shuts an operator out and ends his sessions. */
export async function disableOperator(tx: Tx, who: Who, by: By = COMMAND_LINE): Promise<void> {
  // Admins are held before the one who is changed, whoever comes first: in another order two would wait for each other.
  await holdAdmins(tx);
  const { role, companies, id } = await mustLock(tx, who);
  await changeOperator(tx, id, { role, companies, isActive: false }, by);
}

/** Removes the second factors of an operator who has lost them, and ends his sessions. */
export async function resetSecondFactors(tx: Tx, who: Who, by: By = COMMAND_LINE): Promise<void> {
  const { id, login } = await mustLock(tx, who);
  await deleteSecondFactors(tx, id);
  await endSessions(tx, id);
  await record(tx, by, 'second factors reset', id, null, { login });
}

/** Ends the sessions of an operator. */
export async function signOutEverywhere(tx: Tx, who: Who, by: By = COMMAND_LINE): Promise<void> {
  const { id, login } = await mustLock(tx, who);
  await endSessions(tx, id);
  await record(tx, by, 'sessions ended', id, null, { login });
}

export const allOperators = (reader: Reader): ReturnType<typeof listOperators> => listOperators(reader);

async function mustLock(tx: Tx, who: Who): Promise<OperatorLine> {
  const id = typeof who === 'number' ? who : (await findOperator(tx, who))?.id;
  const found = id === undefined ? undefined : await lockOperator(tx, id);
  if (found) return found;
  if (typeof who === 'number') throw refuse(commonRefusals, 'not_found', { noun: 'operator' });
  throw new Error(`There is no operator ${who}.`);
}

const unique = (ids: readonly number[]): number[] => [...new Set(ids)];

const shown = ({ login, role, companies, is_active }: OperatorLine): object => ({ login, role, companies, is_active });

/** What the trail says of an operator; a password is never among it. */
function record(tx: Tx, by: By, action: string, rowId: number, before: object | null, after: object): Promise<void> {
  return recordDeed(tx, { ...by, action, noun: 'operator', rowId, before, after });
}
