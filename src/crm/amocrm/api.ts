/** Read from and write to an amoCRM account, converted to our types. */
import { z } from 'zod';
import type { AppContext } from '../../platform/appContext.ts';
import type { CrmField, Directory } from '../directory.ts';
import { type Answer, call } from './call.ts';
import type { CardWindow } from './readEveryCard.ts';
import {
  type AmocrmContact,
  type Card,
  contact,
  contactWithCards,
  field,
  type ItemList,
  listOf,
  pipeline,
  type ReadCard,
  rawListOf,
  seconds,
  toCard,
  type Unreadable,
  updatedAtOf,
} from './shapes.ts';

const EMPTY: ItemList<never> = { items: [], unreadable: [], hasNext: false };

/** The result of a read, or the answer that prevented it. */
export type ReadResult<T> = { readonly kind: 'read'; readonly value: T } | Exclude<Answer, { kind: 'ok' | 'missing' }>;

const unreadable: ReadResult<never> = {
  kind: 'away',
  reason: "amoCRM's answer is unreadable",
  retryAfterSeconds: null,
  maybeDone: true,
};

/** Parse an answer with the shape. An empty answer and a missing row give `empty`. */
export function parseAnswer<T>(answer: Answer, shape: z.ZodType<T>, empty: T): ReadResult<T> {
  if (answer.kind === 'missing') return { kind: 'read', value: empty };
  if (answer.kind !== 'ok') return answer;
  if (answer.body === null) return { kind: 'read', value: empty };
  const parsed = shape.safeParse(answer.body);
  return parsed.success ? { kind: 'read', value: parsed.data } : unreadable;
}

/** Read the account of the token. */
export async function readAccount(context: AppContext, integrationId: number): Promise<Answer> {
  return call(context, { integrationId, method: 'GET', path: '/account' });
}

/** A card that can be read by itself but not as a card: the same call would answer the same. */
const unreadableCard = ({ reason }: Unreadable): ReadResult<never> => ({
  kind: 'refused',
  status: 200,
  reason: `The card cannot be read: ${reason}`,
});

/** Read a card with its contacts; null if it does not exist (any more). */
export async function readCard(
  context: AppContext,
  integrationId: number,
  cardId: number,
): Promise<ReadResult<Card | null>> {
  const answer = await call(context, { integrationId, method: 'GET', path: `/leads/${cardId}?with=contacts` });
  const read = parseAnswer(answer, z.unknown().transform(toCard).nullable(), null);
  if (read.kind !== 'read') return read;
  if (read.value?.kind === 'unreadable') return unreadableCard(read.value);
  return { kind: 'read', value: read.value?.kind === 'card' ? read.value.card : null };
}

const PAGE_SIZE = 250;
/** Ids in one call, so that its address does not become too long. */
const MAX_IDS = 100;

interface CardsPage {
  readonly cards: readonly ReadCard[];
  /** When each of them was changed; null where it does not say. */
  readonly updatedAt: readonly (number | null)[];
  readonly hasNext: boolean;
}

/** Read one page of the cards that match the filter (`filter[…]` parameters) and were changed in the window. */
export async function readCards(
  context: AppContext,
  { integrationId, filter, window }: { integrationId: number; filter: URLSearchParams; window: CardWindow },
): Promise<ReadResult<CardsPage>> {
  const query = new URLSearchParams(filter);
  query.set('with', 'contacts');
  query.set('filter[updated_at][from]', String(window.from));
  if (window.to !== undefined) query.set('filter[updated_at][to]', String(window.to));
  query.set(`order[${window.order}]`, 'asc');
  query.set('limit', String(PAGE_SIZE));
  query.set('page', String(window.page));
  const answer = await call(context, { integrationId, method: 'GET', path: `/leads?${query.toString()}` });
  const read = parseAnswer(answer, rawListOf('leads'), { items: [], hasNext: false });
  if (read.kind !== 'read') return read;
  const { items, hasNext } = read.value;
  return { kind: 'read', value: { cards: items.map(toCard), updatedAt: items.map(updatedAtOf), hasNext } };
}

interface ReadContacts {
  /** In the order of the ids; those that are gone are omitted. */
  readonly contacts: readonly AmocrmContact[];
  readonly unreadable: readonly Unreadable[];
}

/** Read contacts by their ids. */
export async function readContacts(
  context: AppContext,
  integrationId: number,
  ids: readonly number[],
): Promise<ReadResult<ReadContacts>> {
  const contactsById = new Map<number, AmocrmContact>();
  const unreadable: Unreadable[] = [];
  for (let first = 0; first < ids.length; first += MAX_IDS) {
    const some = ids.slice(first, first + MAX_IDS);
    const query = new URLSearchParams(some.map((one) => ['filter[id][]', String(one)]));
    query.set('limit', String(PAGE_SIZE));
    const answer = await call(context, { integrationId, method: 'GET', path: `/contacts?${query.toString()}` });
    const read = parseAnswer(answer, listOf('contacts', contact), EMPTY);
    if (read.kind !== 'read') return read;
    for (const one of read.value.items) contactsById.set(one.id, one);
    unreadable.push(
      ...nameByAbsence(
        read.value.unreadable,
        some.filter((one) => !contactsById.has(one)),
      ),
    );
  }
  return { kind: 'read', value: { contacts: ids.flatMap((one) => contactsById.get(one) ?? []), unreadable } };
}

/** Name the items without a readable id: if only as many were asked for and did not come, it is those. */
function nameByAbsence(unreadable: readonly Unreadable[], absent: readonly number[]): Unreadable[] {
  const unnamed = unreadable.filter(({ id }) => id === '');
  const remaining = absent.map(String).filter((id) => !unreadable.some((one) => one.id === id));
  if (unnamed.length !== remaining.length) return [...unreadable];
  return unreadable.map((one) => (one.id === '' ? { ...one, id: remaining[unnamed.indexOf(one)] ?? '' } : one));
}

/** Read the ids of the cards that a contact is on, and why the contact itself is unreadable (null: it is not). */
export async function readCardsOfContact(
  context: AppContext,
  integrationId: number,
  contactId: number,
): Promise<ReadResult<{ cards: readonly number[]; unreadable: string | null }>> {
  const answer = await call(context, { integrationId, method: 'GET', path: `/contacts/${contactId}?with=leads` });
  return parseAnswer(answer, contactWithCards, { cards: [], unreadable: null });
}

const movedCard = z.object({ updated_at: seconds }).transform((one) => one.updated_at);

/**
 * Move a card into a step. The pipeline is always sent too, since won and lost have the same ids in all pipelines.
 * Returns the time of the change by the CRM's clock, if the answer has it.
 */
export async function moveCard(
  context: AppContext,
  {
    integrationId,
    cardId,
    target,
  }: { integrationId: number; cardId: number; target: { pipelineId: number; statusId: number } },
): Promise<{ readonly kind: 'moved'; readonly updatedAt: number | null } | Exclude<Answer, { kind: 'ok' }>> {
  const answer = await call(context, {
    integrationId,
    method: 'PATCH',
    path: `/leads/${cardId}`,
    body: {
      status_id: target.statusId,
      pipeline_id: target.pipelineId,
    },
  });
  return answer.kind === 'ok'
    ? { kind: 'moved', updatedAt: movedCard.nullable().catch(null).parse(answer.body) }
    : answer;
}

/** Pages of a list of fields. */
const MAX_PAGES = 20;

/** Read the pipelines with their steps, and the fields of leads and contacts, and name those that are unreadable. */
export async function readDirectory(
  context: AppContext,
  integrationId: number,
): Promise<ReadResult<{ directory: Directory; unreadable: readonly UnreadableName[] }>> {
  const answer = await call(context, { integrationId, method: 'GET', path: '/leads/pipelines' });
  const read = parseAnswer(answer, listOf('pipelines', pipeline), EMPTY);
  if (read.kind !== 'read') return read;
  const active = read.value.items.filter((one) => !one.isArchived);
  const leadFields = await readFields(context, integrationId, 'leads');
  if (leadFields.kind !== 'read') return leadFields;
  const contactFields = await readFields(context, integrationId, 'contacts');
  if (contactFields.kind !== 'read') return contactFields;
  const named = (entity: UnreadableName['entity']) => (one: Unreadable) => ({ ...one, entity });
  return {
    kind: 'read',
    value: {
      directory: {
        pipelines: active.map((one) => one.pipeline),
        lead_fields: leadFields.value.items,
        contact_fields: contactFields.value.items,
      },
      unreadable: [
        ...read.value.unreadable.map(named('pipeline')),
        ...active.flatMap((one) => one.unreadableSteps.map(named('step'))),
        ...[...leadFields.value.unreadable, ...contactFields.value.unreadable].map(named('field')),
      ],
    },
  };
}

/** A part of the directory that could not be read. */
export interface UnreadableName extends Unreadable {
  readonly entity: 'pipeline' | 'step' | 'field';
}

/**
 * Read all fields: page by page and back. On the way back, a field that moved up since some before it were deleted is on
 * a page that is still to come; most accounts have one page.
 */
async function readFields(
  context: AppContext,
  integrationId: number,
  entity: 'leads' | 'contacts',
): Promise<ReadResult<ItemList<CrmField>>> {
  const fields = new Map<number, CrmField>();
  const unreadable = new Map<string, Unreadable>();
  const readPage = async (page: number) => {
    const path = `/${entity}/custom_fields?limit=${PAGE_SIZE}&page=${page}`;
    const read = parseAnswer(
      await call(context, { integrationId, method: 'GET', path }),
      listOf('custom_fields', field),
      EMPTY,
    );
    if (read.kind !== 'read') return read;
    for (const one of read.value.items) if (!fields.has(one.id)) fields.set(one.id, one);
    for (const one of read.value.unreadable) unreadable.set(one.id, one);
    return read;
  };
  const whole = (): ReadResult<ItemList<CrmField>> => ({
    kind: 'read',
    value: { items: [...fields.values()], unreadable: [...unreadable.values()], hasNext: false },
  });
  let last = 1;
  for (let isLast = false; !isLast && last <= MAX_PAGES; last++) {
    const read = await readPage(last);
    if (read.kind === 'refused') {
      // Fields are only there to be chosen from: cards are read without them.
      unreadable.set('', { id: '', reason: read.reason });
      return whole();
    }
    if (read.kind !== 'read') return read;
    isLast = !read.value.hasNext;
  }
  for (let page = last - 2; page > 0; page--) {
    const read = await readPage(page);
    if (read.kind !== 'read') return read;
  }
  return whole();
}

/** Events to subscribe to. */
const HOOK_EVENTS = ['add_lead', 'update_lead', 'status_lead', 'delete_lead', 'restore_lead', 'update_contact'];

/** Check whether amoCRM sends all these events to an address. */
export async function isSubscribed(
  context: AppContext,
  integrationId: number,
  destination: string,
): Promise<ReadResult<boolean>> {
  const query = new URLSearchParams({ 'filter[destination]': destination });
  const webhook = z.object({
    destination: z.string(),
    disabled: z.boolean().catch(false),
    settings: z.array(z.string()).catch([]),
  });
  const read = parseAnswer(
    await call(context, { integrationId, method: 'GET', path: `/webhooks?${query.toString()}` }),
    listOf('webhooks', webhook),
    EMPTY,
  );
  if (read.kind !== 'read') return read;
  const isActive = read.value.items.some(
    (each) =>
      each.destination === destination && !each.disabled && HOOK_EVENTS.every((name) => each.settings.includes(name)),
  );
  return { kind: 'read', value: isActive };
}

/** Subscribe an address to hooks. The whole list of events is sent each time, since it may replace the old one. */
export function subscribe(context: AppContext, integrationId: number, destination: string): Promise<Answer> {
  return call(context, {
    integrationId,
    method: 'POST',
    path: '/webhooks',
    body: { destination, settings: HOOK_EVENTS },
  });
}

export function unsubscribe(context: AppContext, integrationId: number, destination: string): Promise<Answer> {
  return call(context, { integrationId, method: 'DELETE', path: '/webhooks', body: { destination } });
}
