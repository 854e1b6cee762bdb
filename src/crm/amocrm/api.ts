/** Read from and write to an amoCRM account, converted to our types. */
import { z } from 'zod';
import type { AppContext } from '../../platform/appContext.ts';
import type { CrmField, Directory } from '../directory.ts';
import { type Answer, call } from './call.ts';

export interface FieldValue {
  readonly name: string;
  readonly code: string | null;
  readonly values: readonly { readonly value: string | number; readonly enum: string | null }[];
}
export interface Card {
  readonly id: number;
  readonly name: string;
  readonly price: number;
  readonly pipelineId: number;
  readonly statusId: number;
  readonly responsibleUserId: number | null;
  /** Unix seconds by the CRM's clock. */
  readonly updatedAt: number;
  readonly fields: readonly FieldValue[];
  /** The main contact first. */
  readonly contactIds: readonly number[];
}
export interface AmocrmContact {
  readonly id: number;
  readonly name: string;
  readonly fields: readonly FieldValue[];
}

/** The result of a read, or the answer that prevented it. */
export type ReadResult<T> = { readonly kind: 'read'; readonly value: T } | Exclude<Answer, { kind: 'ok' | 'missing' }>;

const id = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);
const fieldValues = z
  .array(
    z.object({
      field_name: z.string().catch(''),
      field_code: z.string().nullish().catch(null),
      values: z
        .array(
          z.object({
            value: z.union([z.string(), z.number(), z.boolean().transform(String)]).catch(''),
            enum_code: z.string().nullish().catch(null),
          }),
        )
        .catch([]),
    }),
  )
  .nullish()
  .catch(null)
  .transform((list) =>
    (list ?? []).map((one) => ({
      name: one.field_name,
      code: one.field_code ?? null,
      values: one.values.map((each) => ({ value: each.value, enum: each.enum_code ?? null })),
    })),
  );
const card = z
  .object({
    id,
    name: z.string().nullish(),
    price: z.number().nullish().catch(0),
    status_id: z.number().int(),
    pipeline_id: z.number().int(),
    responsible_user_id: id.nullish().catch(null),
    updated_at: z.number().int(),
    is_deleted: z.boolean().nullish(),
    custom_fields_values: fieldValues,
    _embedded: z.object({ contacts: z.array(z.object({ id, is_main: z.boolean().nullish() })).nullish() }).nullish(),
  })
  .transform((one) => ({
    id: one.id,
    name: (one.name ?? '').trim(),
    price: one.price ?? 0,
    pipelineId: one.pipeline_id,
    statusId: one.status_id,
    responsibleUserId: one.responsible_user_id ?? null,
    updatedAt: one.updated_at,
    isDeleted: one.is_deleted === true,
    fields: one.custom_fields_values,
    contactIds: [...(one._embedded?.contacts ?? [])]
      .sort((a, b) => Number(b.is_main === true) - Number(a.is_main === true))
      .map((each) => each.id),
  }));
const contact = z
  .object({ id, name: z.string().nullish(), custom_fields_values: fieldValues })
  .transform((one) => ({ id: one.id, name: (one.name ?? '').trim(), fields: one.custom_fields_values }));

const linksShape = z.object({ next: z.unknown().optional() }).nullish();
const pageShape = <T extends z.ZodType>(name: string, item: T) =>
  z.object({ _links: linksShape, _embedded: z.object({ [name]: z.array(item) }) }).transform((one) => ({
    // The shape has only this key.
    items: Object.values(one._embedded).flat(),
    hasNext: one._links?.next !== undefined && one._links.next !== null,
  }));

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

/** Read a card with its contacts; null if it does not exist (any more). */
export async function readCard(
  context: AppContext,
  integrationId: number,
  cardId: number,
): Promise<ReadResult<Card | null>> {
  const read = parseAnswer(
    await call(context, { integrationId, method: 'GET', path: `/leads/${cardId}?with=contacts` }),
    card.nullable(),
    null,
  );
  return read.kind === 'read' && read.value?.isDeleted ? { kind: 'read', value: null } : read;
}

const PAGE_SIZE = 250;

/** Read one page of cards that match the filter (`filter[…]` parameters), oldest change first. */
export async function readCards(
  context: AppContext,
  { integrationId, filter, page }: { integrationId: number; filter: URLSearchParams; page: number },
): Promise<ReadResult<{ items: readonly Card[]; hasNext: boolean }>> {
  const query = new URLSearchParams(filter);
  query.set('with', 'contacts');
  query.set('order[updated_at]', 'asc');
  query.set('limit', String(PAGE_SIZE));
  query.set('page', String(page));
  return parseAnswer(
    await call(context, { integrationId, method: 'GET', path: `/leads?${query.toString()}` }),
    pageShape('leads', card),
    {
      items: [],
      hasNext: false,
    },
  );
}

/** Read contacts in the order of the ids; those that are gone are omitted. */
export async function readContacts(
  context: AppContext,
  integrationId: number,
  ids: readonly number[],
): Promise<ReadResult<readonly AmocrmContact[]>> {
  if (ids.length === 0) return { kind: 'read', value: [] };
  const query = new URLSearchParams(ids.slice(0, PAGE_SIZE).map((one) => ['filter[id][]', String(one)]));
  query.set('limit', String(PAGE_SIZE));
  const read = parseAnswer(
    await call(context, { integrationId, method: 'GET', path: `/contacts?${query.toString()}` }),
    pageShape('contacts', contact),
    { items: [], hasNext: false },
  );
  if (read.kind !== 'read') return read;
  const contactsById = new Map(read.value.items.map((one) => [one.id, one]));
  return { kind: 'read', value: ids.flatMap((one) => contactsById.get(one) ?? []) };
}

/** Read the ids of the cards that a contact is on. */
export async function readCardsOfContact(
  context: AppContext,
  integrationId: number,
  contactId: number,
): Promise<ReadResult<readonly number[]>> {
  const shape = z
    .object({ _embedded: z.object({ leads: z.array(z.object({ id })).nullish() }).nullish() })
    .transform((one) => (one._embedded?.leads ?? []).map((each) => each.id));
  return parseAnswer(
    await call(context, { integrationId, method: 'GET', path: `/contacts/${contactId}?with=leads` }),
    shape,
    [],
  );
}

const movedCard = z.object({ updated_at: z.number().int() }).transform((one) => one.updated_at);

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

const pipelines = z
  .object({
    _embedded: z.object({
      pipelines: z.array(
        z.object({
          id,
          name: z.string(),
          is_main: z.boolean().catch(false),
          is_archive: z.boolean().catch(false),
          _embedded: z.object({
            statuses: z.array(
              z.object({ id, name: z.string(), color: z.string().nullish().catch(null), type: z.number().catch(0) }),
            ),
          }),
        }),
      ),
    }),
  })
  .transform((one) =>
    one._embedded.pipelines
      .filter((each) => !each.is_archive)
      .map((each) => ({
        id: each.id,
        name: each.name,
        is_main: each.is_main,
        steps: each._embedded.statuses.map((step) => ({
          id: step.id,
          name: step.name,
          color: step.color ?? null,
          is_incoming: step.type === 1,
        })),
      })),
  );
const field = z
  .object({ id, name: z.string(), code: z.string().nullish(), type: z.string().catch('text') })
  .transform((one): CrmField => ({ ...one, code: one.code ?? null }));

/** Read the pipelines with their steps, and the fields of leads and contacts. */
export async function readDirectory(context: AppContext, integrationId: number): Promise<ReadResult<Directory>> {
  const pipelinesRead = parseAnswer(
    await call(context, { integrationId, method: 'GET', path: '/leads/pipelines' }),
    pipelines,
    [],
  );
  if (pipelinesRead.kind !== 'read') return pipelinesRead;
  const fields: CrmField[][] = [];
  for (const entity of ['leads', 'contacts'] as const) {
    const all: CrmField[] = [];
    for (let page = 1; page <= 20; page++) {
      const path = `/${entity}/custom_fields?limit=${PAGE_SIZE}&page=${page}`;
      const read = parseAnswer(
        await call(context, { integrationId, method: 'GET', path }),
        pageShape('custom_fields', field),
        {
          items: [],
          hasNext: false,
        },
      );
      if (read.kind !== 'read') return read;
      all.push(...read.value.items);
      if (!read.value.hasNext) break;
    }
    fields.push(all);
  }
  return {
    kind: 'read',
    value: { pipelines: pipelinesRead.value, lead_fields: fields[0] ?? [], contact_fields: fields[1] ?? [] },
  };
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
  const shape = z
    .object({
      _embedded: z.object({
        webhooks: z.array(
          z.object({
            destination: z.string(),
            disabled: z.boolean().catch(false),
            settings: z.array(z.string()).catch([]),
          }),
        ),
      }),
    })
    .transform((one) =>
      one._embedded.webhooks.some(
        (each) =>
          each.destination === destination &&
          !each.disabled &&
          HOOK_EVENTS.every((name) => each.settings.includes(name)),
      ),
    );
  return parseAnswer(
    await call(context, { integrationId, method: 'GET', path: `/webhooks?${query.toString()}` }),
    shape,
    false,
  );
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
