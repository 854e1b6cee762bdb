/**
 * Changes of operators: create, set role and companies, set a password, disable. Used by the command line and the
 * console.
 */
import { recordAuditEntries, recordAuditEntry } from '../platform/audit.ts';
import { type Reader, type Tx, violatedConstraint } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { operatorRefusals, type roles } from './contract.ts';
import { loginFault } from './login.ts';
import { requireStrongPassword } from './newPassword.ts';
import { hashPassword } from './password.ts';
import {
  findOperator,
  insertOperator,
  listOperators,
  lockAdmins,
  lockOperator,
  type OperatorWithCompanies,
  releaseDialogues,
  setPassword,
  setRole,
} from './store/operators.ts';
import { deleteGuesses } from './store/secondFactorGuesses.ts';
import { deleteSecondFactors } from './store/secondFactors.ts';
import { endSessions } from './store/sessions.ts';

/** Actor that changes an operator: an admin in a request, or the command line of the machine. */
export interface Actor {
  readonly caller: { readonly id: number; readonly login: string } | null;
  readonly requestId: string | null;
}
const COMMAND_LINE: Actor = { caller: null, requestId: null };

type Role = (typeof roles)[number];

/** Id, or login in any case. */
type OperatorRef = number | string;

interface NewOperator {
  readonly login: string;
  readonly password: string;
  /** Companies of a member; null for an admin, who has access to all. */
  readonly companies: readonly number[] | null;
  /** The password was set by another operator, so this operator must choose a new one before anything else. */
  readonly mustChange: boolean;
}

/**
 * Create an operator: an admin if `companies` is null, otherwise a member of these. Refuses a login that is taken or
 * looks like another one, and a password that is easy to guess.
 */
export async function addOperator(tx: Tx, newOperator: NewOperator, actor: Actor = COMMAND_LINE): Promise<number> {
  const fault = loginFault(newOperator.login);
  if (fault !== null) throw refuse(operatorRefusals, 'operator.unfit_login', { reason: fault });
  requireStrongPassword(newOperator.password, newOperator.login);
  return insertNew(tx, newOperator, actor);
}

/** Create the sandbox's operator, whose password is public. */
export function addDemoOperator(tx: Tx, newOperator: Omit<NewOperator, 'mustChange'>): Promise<number> {
  return insertNew(tx, { ...newOperator, mustChange: false }, COMMAND_LINE);
}

async function insertNew(tx: Tx, newOperator: NewOperator, actor: Actor): Promise<number> {
  const { login, mustChange } = newOperator;
  if (await findOperator(tx, login)) throw refuse(operatorRefusals, 'operator.taken', { login });
  const role: Role = newOperator.companies === null ? 'admin' : 'member';
  const companies = unique(newOperator.companies ?? []);
  try {
    const passwordHash = await hashPassword(newOperator.password);
    const id = await insertOperator(tx, { login, passwordHash, role, companies, mustChange });
    await record(tx, {
      actor,
      action: 'created',
      rowId: id,
      before: null,
      after: {
        login,
        role,
        companies,
        is_active: true,
        must_change_password: mustChange,
      },
    });
    return id;
  } catch (error) {
    const broken = violatedConstraint(error);
    if (broken?.kind === 'foreign')
      throw new Error(`There is no such company among ${companies.join(', ')}.`, { cause: error });
    // Another request inserted the login first.
    if (broken?.name === 'operators_login_key') throw refuse(operatorRefusals, 'operator.looks_alike', { login });
    if (broken?.kind === 'unique') throw refuse(operatorRefusals, 'operator.taken', { login });
    throw error;
  }
}

/**
 * Set an operator's role, companies (none for an admin) and whether they can sign in. Dialogues of theirs that they
 * cannot see any more are assigned to nobody.
 */
export async function changeOperator(
  tx: Tx,
  {
    operatorRef,
    changes,
    actor = COMMAND_LINE,
  }: {
    operatorRef: OperatorRef;
    changes: { role: Role; companies: readonly number[]; isActive: boolean };
    actor?: Actor | undefined;
  },
): Promise<void> {
  const admins = await lockAdmins(tx);
  const before = await mustLock(tx, operatorRef);
  const staysAdmin = changes.role === 'admin' && changes.isActive;
  if (!staysAdmin && admins.length === 1 && admins[0] === before.id)
    throw refuse(operatorRefusals, 'operator.last_admin');
  const companies = changes.role === 'admin' ? [] : unique(changes.companies);
  await setRole(tx, before.id, { ...changes, companies });
  if (!changes.isActive) await endSessions(tx, before.id);
  await record(tx, {
    actor,
    action: 'changed',
    rowId: before.id,
    before: publicFields(before),
    after: {
      login: before.login,
      role: changes.role,
      companies,
      is_active: changes.isActive,
    },
  });
  await releaseLostDialogues(tx, before.id, actor);
}

async function releaseLostDialogues(tx: Tx, operatorId: number, { caller, requestId }: Actor): Promise<void> {
  const released = await releaseDialogues(tx, operatorId);
  // The rights of the caller are checked for the operator: admins who disable themselves have none any more.
  const by = caller && { id: caller.id, login: caller.login };
  await recordAuditEntries(
    tx,
    released.map(({ id, product_id: productId }) => ({
      caller: by,
      requestId,
      action: 'assigned',
      noun: 'dialogue',
      rowId: id,
      productId,
      before: { assignee_id: operatorId },
      after: { assignee_id: null },
    })),
  );
  for (const { id, product_id: product } of released) notify(tx, { topic: 'dialogue', product, ids: [id] });
}

/**
 * Set a new password and end the operator's sessions, except the session `except`. If somebody else sets it, the
 * operator must choose a new one before anything else.
 */
export async function changePassword(
  tx: Tx,
  {
    operatorRef,
    password,
    actor = COMMAND_LINE,
    except = null,
  }: { operatorRef: OperatorRef; password: string; actor?: Actor | undefined; except?: Buffer | null | undefined },
): Promise<void> {
  const { id, login } = await mustLock(tx, operatorRef);
  requireStrongPassword(password, login);
  const mustChange = actor.caller?.id !== id;
  await setPassword(tx, id, { passwordHash: await hashPassword(password), mustChange });
  // Whoever guessed second factors can no longer reach that step.
  await deleteGuesses(tx, id);
  await endSessions(tx, id, except);
  await record(tx, {
    actor,
    action: 'new password',
    rowId: id,
    before: null,
    after: { login, must_change_password: mustChange },
  });
}

/** Disable an operator and end their sessions. */
export async function disableOperator(tx: Tx, operatorRef: OperatorRef, actor: Actor = COMMAND_LINE): Promise<void> {
  // Always lock the admins before the operator: in another order two transactions would wait for each other.
  await lockAdmins(tx);
  const { role, companies, id } = await mustLock(tx, operatorRef);
  await changeOperator(tx, { operatorRef: id, changes: { role, companies, isActive: false }, actor });
}

/** Remove the second factors of an operator who has lost them, and end their sessions. */
export async function resetSecondFactors(tx: Tx, operatorRef: OperatorRef, actor: Actor = COMMAND_LINE): Promise<void> {
  const { id, login } = await mustLock(tx, operatorRef);
  await deleteSecondFactors(tx, id);
  await deleteGuesses(tx, id);
  await endSessions(tx, id);
  await record(tx, { actor, action: 'second factors reset', rowId: id, before: null, after: { login } });
}

/** End the sessions of an operator. */
export async function signOutEverywhere(tx: Tx, operatorRef: OperatorRef, actor: Actor = COMMAND_LINE): Promise<void> {
  const { id, login } = await mustLock(tx, operatorRef);
  await endSessions(tx, id);
  await record(tx, { actor, action: 'sessions ended', rowId: id, before: null, after: { login } });
}

export const readOperators = (reader: Reader): ReturnType<typeof listOperators> => listOperators(reader);

async function mustLock(tx: Tx, operatorRef: OperatorRef): Promise<OperatorWithCompanies> {
  const id = typeof operatorRef === 'number' ? operatorRef : (await findOperator(tx, operatorRef))?.id;
  const locked = id === undefined ? undefined : await lockOperator(tx, id);
  if (locked) return locked;
  if (typeof operatorRef === 'number') throw refuse(commonRefusals, 'not_found', { noun: 'operator' });
  throw new Error(`There is no operator ${operatorRef}.`);
}

const unique = (ids: readonly number[]): number[] => [...new Set(ids)];

const publicFields = ({ login, role, companies, is_active }: OperatorWithCompanies): object => ({
  login,
  role,
  companies,
  is_active,
});

/** Write an operator's change to the audit log, never with a password. */
function record(
  tx: Tx,
  {
    actor,
    action,
    rowId,
    before,
    after,
  }: { actor: Actor; action: string; rowId: number; before: object | null; after: object },
): Promise<void> {
  return recordAuditEntry(tx, { ...actor, action, noun: 'operator', rowId, before, after });
}
