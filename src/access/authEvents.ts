/** What happens at sign-in, written to the log and the audit log. A login that was typed may be a password: only its keyed hash is kept. */

import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import type { Origin } from './origin.ts';

export type AuthEvent =
  | 'signed in'
  | 'sign-in failed'
  | 'locked out'
  | 'signed out'
  | 'session ended'
  | 'other sessions ended'
  | 'identity confirmed'
  | 'confirmation failed'
  | 'second factor asked'
  | 'second factor failed'
  | 'authenticator added'
  | 'authenticator removed'
  | 'passkey added'
  | 'passkey removed'
  | 'recovery codes renewed'
  | 'recovery code used';

interface OperatorIdentity {
  readonly id: number;
  readonly login: string;
}

/** Records what an operator did, or what was done in his name. `operator` null: nobody has proved who he is. */
export async function recordAuthEvent(
  context: Pick<AppContext, 'log'>,
  tx: Tx,
  event: AuthEvent,
  { operator, origin, ...details }: { operator: OperatorIdentity | null; origin: Origin; [fact: string]: unknown },
): Promise<void> {
  const { network, browser, requestId } = origin;
  const facts = { network, browser, ...details };
  context.log.info({ event, operator: operator?.id ?? null, requestId, ...facts }, 'authentication');
  await recordAuditEntry(tx, {
    // What happened at the door is recorded whatever became of the session meanwhile.
    caller: operator === null ? null : { id: operator.id, login: operator.login },
    action: event,
    noun: 'sign_in',
    rowId: operator?.id ?? null,
    after: operator === null ? facts : { login: operator.login, ...facts },
    requestId,
  });
}

/** Tells attempts at one login from those at another, without saying at which. */
export function loginHash(context: Pick<AppContext, 'cipher'>, login: string): string {
  return context.cipher.hash(`login ${login.toLowerCase()}`).toString('hex').slice(0, 32);
}
