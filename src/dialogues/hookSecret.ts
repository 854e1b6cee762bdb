import type { HookOwner } from '../channels/account.ts';
import type { ParamsOf } from '../platform/contract.ts';
import type { Ground } from '../platform/ground.ts';
import type { Party } from '../platform/http/admission.ts';
import type { KnownSecrets } from '../platform/http/knownSecrets.ts';
import type { SecretInPath } from '../platform/http/routes.ts';
import { fingerprint } from '../platform/ids.ts';
import type { receiveVendorHook } from './chatbotContract.ts';

type Address = ParamsOf<typeof receiveVendorHook>;

/** Whose a hook address is: its secret's owner, where that is one of the address's vendor. */
export function hookSecret({ metrics }: Ground, owners: KnownSecrets<HookOwner>): SecretInPath<Address> {
  const partyOf = (owner: HookOwner | null, { vendor }: Address): Party | null =>
    owner?.vendor === vendor ? `account:${owner.id}` : null;
  return {
    recall(address: Address) {
      const owner = owners.recall(fingerprint(address.secret));
      return owner === undefined ? undefined : partyOf(owner, address);
    },
    find: async (address: Address) => partyOf(await owners.find(fingerprint(address.secret)), address),
    refused: ({ vendor }: Address) => metrics.hooks.inc({ vendor, outcome: 'unknown' }),
  };
}
