/** Addresses of deleted leads, stored as keyed hashes: recognisable, but not readable. */
import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db.ts';
import type { SecretCipher } from '../../platform/secretCipher.ts';

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

/** Return those of the addresses that belonged to a lead deleted from the product. */
export async function findSuppressed(
  reader: Reader,
  cipher: SecretCipher,
  { productId, addresses }: { productId: number; addresses: readonly string[] },
): Promise<ReadonlySet<string>> {
  const byHash = new Map(addresses.map((address) => [hashOf(cipher, address).toString('hex'), address]));
  const { rows } = await sql<{ hash: string }>`
    select encode(address_hash, 'hex') as hash from suppressed_addresses
     where product_id = ${productId} and address_hash = any(${[...byHash.keys()].map((hex) => Buffer.from(hex, 'hex'))}::bytea[])`.execute(
    reader,
  );
  return new Set(rows.flatMap((row) => byHash.get(row.hash) ?? []));
}
