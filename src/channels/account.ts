/** Vendor accounts: one for each API key, with the secret in its hook address. */
import type { Reader, Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import type { Party } from '../platform/http/admission.ts';
import type { Check } from '../platform/http/caller.ts';
import { createKnownSecrets, type KnownSecrets } from '../platform/http/knownSecrets.ts';
import { fingerprint, ids } from '../platform/ids.ts';
import { mask } from '../platform/seal.ts';
import type { ChannelVendor } from './contract.ts';
import {
  type AccountRow,
  findAccount,
  findAccountByKey,
  findAccountsBySecrets,
  insertAccount,
  nextAccountId,
} from './store.ts';

const keyPlace = (id: number): string => `vendor_accounts.api_key_sealed.${id}`;
const secretPlace = (id: number): string => `vendor_accounts.hook_secret_sealed.${id}`;

/** The account of an API key; made, with a secret of its own, when the key is new. */
export async function accountOfKey(ground: Ground, tx: Tx, vendor: ChannelVendor, apiKey: string): Promise<number> {
  const keyHash = ground.seal.hash(`${vendor} ${apiKey}`);
  const known = await findAccountByKey(tx, vendor, keyHash);
  if (known) return known.id;
  const id = await nextAccountId(tx);
  const secret = ids.secret();
  await insertAccount(tx, {
    id,
    vendor,
    key_mask: mask(apiKey),
    key_hash: keyHash,
    api_key_sealed: ground.seal.close(apiKey, keyPlace(id)),
    hook_secret_hash: fingerprint(secret),
    hook_secret_sealed: ground.seal.close(secret, secretPlace(id)),
  });
  return id;
}

export interface HookOwner {
  readonly id: number;
  readonly vendor: ChannelVendor;
}

/** The accounts behind hook secrets, by the secrets' hashes; null: a forged or an old address. */
export function hookOwners(ground: Ground): KnownSecrets<HookOwner> {
  return createKnownSecrets({
    async lookUp(hashes) {
      const found = await findAccountsBySecrets(ground.access, hashes);
      return hashes.map((hash) => found.find((one) => one.hook_secret_hash.equals(hash)) ?? null);
    },
    patienceMs: ground.config.databaseWaitSeconds * 1000,
  });
}

/** Whose a bearer is that stands in the place of a session. */
export function bearerCheck(owners: KnownSecrets<HookOwner>): Check<string, Party> {
  const partyOf = ({ id }: HookOwner): Party => `account:${id}`;
  return {
    recall(token) {
      const owner = owners.recall(fingerprint(token));
      return owner ? partyOf(owner) : owner;
    },
    async find(token) {
      const owner = await owners.find(fingerprint(token));
      return owner && partyOf(owner);
    },
  };
}

async function mustFind(reader: Reader, id: number): Promise<AccountRow> {
  const account = await findAccount(reader, id);
  if (!account) throw new Error(`No vendor account ${id}`);
  return account;
}

/** The API key of an account. */
export async function apiKeyOf(ground: Ground, accountId: number): Promise<string> {
  const account = await mustFind(ground.reader, accountId);
  return ground.seal.open(account.api_key_sealed, keyPlace(accountId));
}

/** The address that the account's vendor has to send hooks to. */
export async function hookAddress(ground: Ground, accountId: number): Promise<string> {
  const account = await mustFind(ground.reader, accountId);
  const secret = ground.seal.open(account.hook_secret_sealed, secretPlace(accountId));
  return `${ground.config.publicUrl}/hooks/${account.vendor}/${secret}`;
}
