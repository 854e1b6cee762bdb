/**
 * Sign-in events, written to the log and the audit log. A typed login may be a password, so only its keyed hash is
 * stored.
 */

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
  | 'recovery code used'
  | 'wrong codes seen';

export interface OperatorIdentity {
  readonly id: number;
  readonly login: string;
}

/**
 * Record an event of an operator. `operator` is null while nobody has proved their identity; `account` is then whom it
 * concerns, where that is known.
 */
export async function recordAuthEvent(
  context: Pick<AppContext, 'log'>,
  tx: Tx,
  {
    event,
    operator,
    account = operator,
    origin,
    ...details
  }: {
    event: AuthEvent;
    operator: OperatorIdentity | null;
    account?: OperatorIdentity | null;
    origin: Origin;
    [fact: string]: unknown;
  },
): Promise<void> {
  const { network, browser, requestId } = origin;
  const facts = { network, browser, ...details };
  context.log.info(
    { event, operator: operator?.id ?? null, account: account?.id ?? null, requestId, ...facts },
    'authentication',
  );
  await recordAuditEntry(tx, {
    // Sign-in events are recorded whatever has become of the session meanwhile.
    caller: operator === null ? null : { id: operator.id, login: operator.login },
    action: event,
    noun: 'sign_in',
    rowId: account?.id ?? null,
    after: account === null ? facts : { login: account.login, ...facts },
    requestId,
  });
}

/** Hash a login, so that attempts at one login can be told from those at another without revealing it. */
export function loginHash(context: Pick<AppContext, 'cipher'>, login: string): string {
  return context.cipher.hash(`login ${login.toLowerCase()}`).toString('hex').slice(0, 32);
}
