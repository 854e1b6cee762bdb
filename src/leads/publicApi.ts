/** The public API of leads and contacts for other modules. */
import { sql } from 'kysely';
import type { Reader, Tx } from '../platform/db.ts';
import type { SecretCipher } from '../platform/secretCipher.ts';
import { normaliseAddress } from './address.ts';
import type { ContactType, Lead, Stage } from './contract.ts';
import { leadListing } from './listing.ts';
import {
  findLead,
  insertContact,
  insertDocument,
  insertLead,
  type LeadRow,
  lockLead,
  readNewestDocuments,
  selectLeadForShare,
} from './store.ts';
import { findSuppressed } from './suppressedAddresses.ts';

export type { LeadRow };

export function readLead(reader: Reader, id: number): Promise<LeadRow | undefined> {
  return findLead(reader, id);
}

export function lockLeadById(tx: Tx, id: number): Promise<LeadRow | undefined> {
  return lockLead(tx, id);
}

/** Read a lead in the form of the API. */
export async function readLeadForApi(reader: Reader, id: number): Promise<Lead | null> {
  const columns = Object.entries(leadListing.select).map(([field, column]) => `${column} as "${field}"`);
  const { rows } = await sql<Lead>`select ${sql.raw(columns.join())} from leads t where t.id = ${id}`.execute(reader);
  return rows[0] ?? null;
}

/** Read a lead and lock it against changes until the transaction ends; several transactions may do so at once. */
export function lockLeadForShare(tx: Tx, id: number): Promise<LeadRow | undefined> {
  return selectLeadForShare(tx, id);
}

/**
 * Create a lead for the sender of an inbound message, with the address as its main contact. Throws if it is not an
 * address.
 */
export async function createLeadWithContact(
  tx: Tx,
  input: { productId: number; name: string; stage: Stage; contact: string; type: ContactType; address?: string },
): Promise<{ leadId: number; contactId: number }> {
  const address = input.address ?? normaliseAddress(input.type, input.contact);
  if (address === null) throw new Error(`Not a ${input.type} address`);
  const leadId = await insertLead(tx, input);
  const contactId = await insertContact(tx, {
    leadId,
    productId: input.productId,
    contact: input.contact,
    type: input.type,
    address,
    isMain: true,
  });
  return { leadId, contactId };
}

/** Read the text of a lead's newest document of each type. */
export function documentsOfLead(reader: Reader, leadId: number): Promise<Record<string, string>> {
  return readNewestDocuments(reader, leadId);
}

/** Save a text as a document of a lead. */
export function saveDocument(
  tx: Tx,
  document: { leadId: number; productId: number; name: string; type: string; text: string },
): Promise<void> {
  return insertDocument(tx, document);
}

/** Check whether the address belonged to a lead that was deleted from the product. */
export async function isSuppressed(
  reader: Reader,
  cipher: SecretCipher,
  productId: number,
  address: string,
): Promise<boolean> {
  return (await findSuppressed(reader, cipher, productId, [address])).has(address);
}
