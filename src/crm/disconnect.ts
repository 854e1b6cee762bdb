/** The end of a connection: by amoCRM's signed word, confirmed by one call of ours, or by an operator. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Ground } from '../platform/ground.ts';
import { readAccount, unsubscribe } from './amocrm/api.ts';
import { isSignedBy } from './amocrm/signature.ts';
import { clientSecret } from './amocrm/tokens.ts';
import { hookAddress } from './hookAddress.ts';
import {
  type Account,
  accountsOfClient,
  askDisconnect,
  findAccount,
  forgetDisconnect,
  setDisconnected,
} from './store/accounts.ts';

/**
 * Takes a disconnect hook. Whose signature is right is noted and confirmed at once after; a wrong one changes nothing.
 * Gives the integrations it means.
 */
export async function takeDisconnectHook(
  ground: Ground,
  hook: { accountId: number; clientId: string; signature: string },
): Promise<number[]> {
  const meant: number[] = [];
  for (const account of await accountsOfClient(ground.reader, hook.accountId, hook.clientId)) {
    const secret = clientSecret(ground, account);
    if (secret === null || !isSignedBy(secret, hook.clientId, hook.accountId, hook.signature)) continue;
    await askDisconnect(ground.reader, account.crm_integration_id);
    meant.push(account.crm_integration_id);
  }
  return meant;
}

/**
 * Asks amoCRM whether the connection is really over: refused even after a refresh, it is; answered, the hook was a
 * replay of an old one.
 */
export async function confirmDisconnect(ground: Ground, account: Account): Promise<'over' | 'stands' | 'unknown'> {
  const { crm_integration_id: id } = account;
  // Keys that were refused before are refused still: no call would tell more.
  const answer = account.state === 'reconnect' ? ({ kind: 'reconnect' } as const) : await readAccount(ground, id);
  if (answer.kind === 'away') return 'unknown';
  if (answer.kind !== 'reconnect') {
    await forgetDisconnect(ground.reader, id);
    return 'stands';
  }
  await ground.transact((tx) => setDisconnected(tx, id, 'Disconnected in amoCRM'));
  return 'over';
}

/** How long an operator waits for amoCRM to take its hooks back. */
const LEAVE_MS = 3000;

/** Tells amoCRM to send nothing more; whether it hears does not matter. */
export async function leaveAccount(ground: Ground, integrationId: number): Promise<void> {
  const account = await findAccount(ground.reader, integrationId);
  if (account?.state !== 'connected') return;
  const told = unsubscribe(ground, integrationId, hookAddress(ground, account)).catch(() => undefined);
  await Promise.race([told, pause(LEAVE_MS)]);
}
