/** The address that amoCRM sends an integration's hooks to; its secret authenticates them. */
import type { AppContext } from '../platform/appContext.ts';
import { fingerprint, ids } from '../platform/ids.ts';
import type { Account } from './store/accounts.ts';

/** Location of the encrypted hook secret, bound to it as additional data. */
export const hookSecretLocation = (id: number): string => `amocrm_accounts.hook_secret_sealed.${id}`;

export function hookAddress(
  context: AppContext,
  account: Pick<Account, 'crm_integration_id' | 'hook_secret_sealed'>,
): string {
  const secret = context.cipher.decryptSecret(
    account.hook_secret_sealed,
    hookSecretLocation(account.crm_integration_id),
  );
  return `${context.config.publicUrl}/hooks/amocrm/${secret}`;
}

/** Create a new secret for a hook address, with its hash. */
export function newHookSecret(): { secret: string; hash: Buffer } {
  const secret = ids.secret();
  return { secret, hash: fingerprint(secret) };
}
