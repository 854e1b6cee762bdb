/** Vendor accounts: one per API key, each with its own secret in its hook address. */

import type { AppContext } from '../platform/appContext.ts';
import type { Reader, Tx } from '../platform/db.ts';
import type { Party } from '../platform/http/admission.ts';
import type { OwnerLookup } from '../platform/http/caller.ts';
import { createSecretOwnerCache, type SecretOwnerCache } from '../platform/http/secretOwnerCache.ts';
import { fingerprint, ids } from '../platform/ids.ts';
import { mask } from '../platform/secretCipher.ts';
import type { ChannelVendor } from './contract.ts';
import { findAccountsBySecrets } from './store/hookSecrets.ts';
import { type AccountRow, findAccount, findAccountByKey, insertAccount, nextAccountId } from './store.ts';

const apiKeyLocation = (id: number): string => `vendor_accounts.api_key_sealed.${id}`;
const hookSecretLocation = (id: number): string => `vendor_accounts.hook_secret_sealed.${id}`;

/** Find the account of an API key, or create one with its own secret when the key is new. */
export async function findOrCreateAccount(
  context: AppContext,
  tx: Tx,
  { vendor, apiKey }: { vendor: ChannelVendor; apiKey: string },
): Promise<number> {
  const keyHash = context.cipher.hash(`${vendor} ${apiKey}`);
  const existing = await findAccountByKey(tx, vendor, keyHash);
  if (existing) return existing.id;
  const id = await nextAccountId(tx);
  const secret = sealHookSecret(context, id, ids.secret());
  await insertAccount(tx, {
    id,
    vendor,
    key_mask: mask(apiKey),
    key_hash: keyHash,
    api_key_sealed: context.cipher.encryptSecret(apiKey, apiKeyLocation(id)),
    hook_secret_hash: secret.hash,
    hook_secret_sealed: secret.sealed,
  });
  return id;
}

/** Encrypt the secret of an account's hook address, and hash it to look it up by. */
export const sealHookSecret = (context: AppContext, id: number, secret: string): { hash: Buffer; sealed: string } => ({
  hash: fingerprint(secret),
  sealed: context.cipher.encryptSecret(secret, hookSecretLocation(id)),
});

export interface HookOwner {
  readonly id: number;
  readonly vendor: ChannelVendor;
}

/**
 * Create the cache that finds accounts by the hashes of their hook secrets. Null: the address is forged or outdated.
 */
export function createHookOwners(context: AppContext): SecretOwnerCache<HookOwner> {
  return createSecretOwnerCache({
    async lookUp(hashes) {
      const accounts = await findAccountsBySecrets(context.authReader, hashes);
      return hashes.map((hash) => accounts.find((one) => one.hash.equals(hash)) ?? null);
    },
    timeoutMs: context.config.databaseWaitSeconds * 1000,
  });
}

/** Create the lookup that resolves a bearer token used instead of a session. */
export function createBearerCheck(owners: SecretOwnerCache<HookOwner>): OwnerLookup<string, Party> {
  const partyOf = ({ id }: HookOwner): Party => `account:${id}`;
  return {
    findCached(token) {
      const owner = owners.findCached(fingerprint(token));
      return owner ? partyOf(owner) : owner;
    },
    async find(token) {
      const owner = await owners.find(fingerprint(token));
      return owner && partyOf(owner);
    },
  };
}

async function findOrThrow(reader: Reader, id: number): Promise<AccountRow> {
  const account = await findAccount(reader, id);
  if (!account) throw new Error(`No vendor account ${id}`);
  return account;
}

/** Decrypt the API key of an account. */
export const openApiKey = (context: AppContext, { id, api_key_sealed: sealed }: AccountRow): string =>
  context.cipher.decryptSecret(sealed, apiKeyLocation(id));

/** Return the address to which the account's vendor must send hooks. */
export function openHookAddress(context: AppContext, { id, vendor, hook_secret_sealed: sealed }: AccountRow): string {
  return `${context.config.publicUrl}/hooks/${vendor}/${context.cipher.decryptSecret(sealed, hookSecretLocation(id))}`;
}

/** Read the API key of an account. */
export async function readApiKey(context: AppContext, accountId: number): Promise<string> {
  return openApiKey(context, await findOrThrow(context.reader, accountId));
}

/** Read the address to which the account's vendor must send hooks. */
export async function hookAddress(context: AppContext, accountId: number): Promise<string> {
  return openHookAddress(context, await findOrThrow(context.reader, accountId));
}
