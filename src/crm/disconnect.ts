/** Disconnect an account: by a signed hook of amoCRM, confirmed by one call of ours, or by an operator. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AppContext } from '../platform/appContext.ts';
import { readAccount, unsubscribe } from './amocrm/api.ts';
import { isSignedBy } from './amocrm/signature.ts';
import { clientSecret } from './amocrm/tokens.ts';
import { hookAddress } from './hookAddress.ts';
import {
  type Account,
  clearDisconnectRequest,
  findAccount,
  findAccountsOfClient,
  markDisconnected,
  requestDisconnect,
} from './store/accounts.ts';

/**
 * Handle a disconnect hook. One with a valid signature is recorded and confirmed right after; an invalid one changes
 * nothing. Returns the integrations it means.
 */
export async function receiveDisconnectHook(
  context: AppContext,
  hook: { accountId: number; clientId: string; signature: string },
): Promise<number[]> {
  const integrationIds: number[] = [];
  for (const account of await findAccountsOfClient(context.reader, hook.accountId, hook.clientId)) {
    const secret = clientSecret(context, account);
    if (
      secret === null ||
      !isSignedBy({ secret, clientId: hook.clientId, accountId: hook.accountId, signature: hook.signature })
    )
      continue;
    await requestDisconnect(context.reader, account.crm_integration_id);
    integrationIds.push(account.crm_integration_id);
  }
  return integrationIds;
}

/**
 * Ask amoCRM whether the connection is really over. If it refuses even after a refresh, it is over; if it answers, the
 * hook was a replay of an old one.
 */
export async function confirmDisconnect(context: AppContext, account: Account): Promise<'over' | 'stands' | 'unknown'> {
  const { crm_integration_id: id } = account;
  // Keys that were refused before are still refused: a call would not tell more.
  const answer = account.state === 'reconnect' ? ({ kind: 'reconnect' } as const) : await readAccount(context, id);
  if (answer.kind === 'away') return 'unknown';
  if (answer.kind !== 'reconnect') {
    await clearDisconnectRequest(context.reader, id);
    return 'stands';
  }
  await context.transact((tx) => markDisconnected(tx, id, 'Disconnected in amoCRM'));
  return 'over';
}

/** Milliseconds that an operator waits for amoCRM to remove its hooks. */
const UNSUBSCRIBE_TIMEOUT_MS = 3000;

/** Ask amoCRM to send no more hooks. Failures are ignored. */
export async function unsubscribeAccount(context: AppContext, integrationId: number): Promise<void> {
  const account = await findAccount(context.reader, integrationId);
  if (account?.state !== 'connected') return;
  const request = unsubscribe(context, integrationId, hookAddress(context, account)).catch(() => undefined);
  await Promise.race([request, pause(UNSUBSCRIBE_TIMEOUT_MS)]);
}
