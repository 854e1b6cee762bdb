/** The address that amoCRM sends an integration's hooks to; its secret is what proves them. */
import type { Ground } from '../platform/ground.ts';
import { fingerprint, ids } from '../platform/ids.ts';
import type { Account } from './store/accounts.ts';

/** The place of the secret in an account's hook address. */
export const hookPlace = (id: number): string => `amocrm_accounts.hook_secret_sealed.${id}`;

export function hookAddress(
  ground: Ground,
  account: Pick<Account, 'crm_integration_id' | 'hook_secret_sealed'>,
): string {
  const secret = ground.seal.open(account.hook_secret_sealed, hookPlace(account.crm_integration_id));
  return `${ground.config.publicUrl}/hooks/amocrm/${secret}`;
}

/** A new secret for a hook address, with its hash. */
export function newHookSecret(): { secret: string; hash: Buffer } {
  const secret = ids.secret();
  return { secret, hash: fingerprint(secret) };
}
