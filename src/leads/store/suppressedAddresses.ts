/** Addresses of deleted leads, stored as keyed hashes: recognisable, but not readable. */
import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db.ts';
import type { SecretCipher } from '../../platform/secretCipher.ts';
import { addressVariants } from '../address.ts';

interface Address {
  readonly product_id: number;
  readonly address: string;
}

// The messenger is not part of the hash: a deleted lead must not be contacted on another messenger either.
const hashOf = (cipher: SecretCipher, address: string): Buffer => cipher.hash(`address ${address}`);

/** Store the hashes of these addresses, each for its product. */
export async function suppressAddresses(tx: Tx, cipher: SecretCipher, addresses: readonly Address[]): Promise<void> {
  await sql`
    insert into suppressed_addresses (product_id, address_hash)
    select * from unnest(${addresses.map((one) => one.product_id)}::bigint[],
                         ${addresses.map((one) => hashOf(cipher, one.address))}::bytea[])
    on conflict do nothing`.execute(tx);
}

/** Return those of the addresses that belong to a person who was deleted from the product, under whichever variant. */
export async function findSuppressed(
  reader: Reader,
  cipher: SecretCipher,
  { productId, addresses }: { productId: number; addresses: readonly string[] },
): Promise<ReadonlySet<string>> {
  const hashes = addresses.map((address) => ({
    address,
    of: addressVariants(address).map((one) => hashOf(cipher, one).toString('hex')),
  }));
  const asked = [...new Set(hashes.flatMap((one) => one.of))];
  const { rows } = await sql<{ hash: string }>`
    select encode(address_hash, 'hex') as hash from suppressed_addresses
     where product_id = ${productId} and address_hash = any(${asked.map((hex) => Buffer.from(hex, 'hex'))}::bytea[])`.execute(
    reader,
  );
  const stored = new Set(rows.map((row) => row.hash));
  return new Set(hashes.flatMap((one) => (one.of.some((hash) => stored.has(hash)) ? [one.address] : [])));
}
