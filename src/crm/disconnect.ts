/** The end of a connection: by amoCRM's signed word, confirmed by one call of ours, or by an operator. */
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
 * Takes a disconnect hook. Whose signature is right is noted and confirmed at once after; a wrong one changes nothing.
 * Gives the integrations it means.
 */
export async function receiveDisconnectHook(
  context: AppContext,
  hook: { accountId: number; clientId: string; signature: string },
): Promise<number[]> {
  const integrationIds: number[] = [];
  for (const account of await findAccountsOfClient(context.reader, hook.accountId, hook.clientId)) {
    const secret = clientSecret(context, account);
    if (secret === null || !isSignedBy(secret, hook.clientId, hook.accountId, hook.signature)) continue;
    await requestDisconnect(context.reader, account.crm_integration_id);
    integrationIds.push(account.crm_integration_id);
  }
  return integrationIds;
}

/**
 * Asks amoCRM whether the connection is really over: refused even after a refresh, it is; answered, the hook was a
 * replay of an old one.
 */
export async function confirmDisconnect(context: AppContext, account: Account): Promise<'over' | 'stands' | 'unknown'> {
  const { crm_integration_id: id } = account;
  // Keys that were refused before are refused still: no call would tell more.
  const answer = account.state === 'reconnect' ? ({ kind: 'reconnect' } as const) : await readAccount(context, id);
  if (answer.kind === 'away') return 'unknown';
  if (answer.kind !== 'reconnect') {
    await clearDisconnectRequest(context.reader, id);
    return 'stands';
  }
  await context.transact((tx) => markDisconnected(tx, id, 'Disconnected in amoCRM'));
  return 'over';
}

/** How long an operator waits for amoCRM to take its hooks back. */
const UNSUBSCRIBE_TIMEOUT_MS = 3000;

/** Tells amoCRM to send nothing more; whether it hears does not matter. */
export async function unsubscribeAccount(context: AppContext, integrationId: number): Promise<void> {
  const account = await findAccount(context.reader, integrationId);
  if (account?.state !== 'connected') return;
  const request = unsubscribe(context, integrationId, hookAddress(context, account)).catch(() => undefined);
  await Promise.race([request, pause(UNSUBSCRIBE_TIMEOUT_MS)]);
}
