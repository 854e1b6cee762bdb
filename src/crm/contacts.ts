/** The contacts of cards: read for many cards together where possible, and named where they cannot be read. */
import type { AppContext } from '../platform/appContext.ts';
import { type ReadResult, readContacts } from './amocrm/api.ts';
import type { AmocrmContact } from './amocrm/shapes.ts';
import { clearSkipped, recordSkipped } from './store/skipped.ts';

/** Contacts that were asked for; one that is not there is gone, or unreadable. */
export type ContactsById = ReadonlyMap<number, AmocrmContact | null>;

/** Read contacts. Those that cannot be read are recorded as skipped. */
export async function readContactsById(
  context: AppContext,
  integrationId: number,
  ids: readonly number[],
): Promise<ReadResult<ContactsById>> {
  if (ids.length === 0) return { kind: 'read', value: new Map() };
  const read = await readContacts(context, integrationId, ids);
  if (read.kind !== 'read') return read;
  const { contacts, unreadable } = read.value;
  const skipped = unreadable.map((one) => ({ ...one, entity: 'contact' as const }));
  await recordSkipped(context.reader, integrationId, skipped);
  const named = new Set(unreadable.map((one) => one.id));
  await clearSkipped(context.reader, integrationId, {
    entity: 'contact',
    ids: ids.filter((one) => !named.has(String(one))),
  });
  const byId = new Map(contacts.map((one) => [one.id, one]));
  return { kind: 'read', value: new Map(ids.map((one) => [one, byId.get(one) ?? null])) };
}

/** Return the contacts of a card in the order of its ids; those that are gone or unreadable are omitted. */
export async function readContactsOf(
  context: AppContext,
  {
    integrationId,
    ids,
    read: earlier = new Map(),
  }: { integrationId: number; ids: readonly number[]; read?: ContactsById | undefined },
): Promise<ReadResult<readonly AmocrmContact[]>> {
  const read = ids.every((one) => earlier.has(one))
    ? ({ kind: 'read', value: earlier } as const)
    : await readContactsById(context, integrationId, ids);
  return read.kind === 'read' ? { kind: 'read', value: ids.flatMap((one) => read.value.get(one) ?? []) } : read;
}
