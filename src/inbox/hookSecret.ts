import type { HookOwner } from '../channels/account.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { ParamsOf } from '../platform/contract.ts';
import type { Party } from '../platform/http/admission.ts';
import type { SecretInPath } from '../platform/http/routes.ts';
import type { SecretOwnerCache } from '../platform/http/secretOwnerCache.ts';
import { fingerprint } from '../platform/ids.ts';
import type { receiveVendorHook } from './chatbotContract.ts';

type HookAddress = ParamsOf<typeof receiveVendorHook>;

/** Resolve a hook URL to the account that owns its secret, if the account belongs to the URL's vendor. */
export function resolveHookSecret(
  { metrics }: AppContext,
  owners: SecretOwnerCache<HookOwner>,
): SecretInPath<HookAddress> {
  const partyOf = (owner: HookOwner | null, { vendor }: HookAddress): Party | null =>
    owner?.vendor === vendor ? `account:${owner.id}` : null;
  return {
    findCached(address: HookAddress) {
      const owner = owners.findCached(fingerprint(address.secret));
      return owner === undefined ? undefined : partyOf(owner, address);
    },
    find: async (address: HookAddress) => partyOf(await owners.find(fingerprint(address.secret)), address),
    refused: ({ vendor }: HookAddress) => metrics.hooks.inc({ vendor, outcome: 'unknown' }),
  };
}
