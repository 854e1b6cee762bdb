/**
 * What amoCRM's answers consist of, read leniently: ids and numbers may come as texts, lists as objects with numbers as
 * keys, and nearly everything may be null (`cards.corpus.json` has the reports). An item of a list that cannot be read
 * at all is left out and named; it never keeps the others from being read.
 */
import { z } from 'zod';
import type { CrmField, Pipeline } from '../directory.ts';

export interface FieldValue {
  readonly name: string;
  readonly code: string | null;
  readonly type?: string | null;
  readonly values: readonly { readonly value: string | number; readonly enum: string | null }[];
}
export interface Card {
  readonly id: number;
  readonly name: string;
  readonly price: number;
  readonly pipelineId: number;
  readonly statusId: number;
  readonly responsibleUserId: number | null;
  /** Unix seconds by the CRM's clock; 0 if it does not say. */
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
/** An item of an answer that could not be read. `id`: as far as it is known, else empty. */
export interface Unreadable {
  readonly id: string;
  readonly reason: string;
}
export interface ItemList<T> {
  readonly items: readonly T[];
  readonly unreadable: readonly Unreadable[];
  readonly hasNext: boolean;
}

/** Latest date that is believed: the end of the year 9999. */
const MAX_SECONDS = 253_402_300_799;

const toNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d{1,16}(\.\d{1,6})?$/.test(value.trim()) ? Number(value) : value;
/** `1 500,50 ₽` is a number too. */
const toPrice = (value: unknown): unknown =>
  typeof value === 'string' && /^\s*-?(?:\d{1,3}(?:\s\d{3})+|\d+)(?:[.,]\d{1,2})?\s*\p{Sc}?\s*$/u.test(value)
    ? Number(value.replace(/[\s\p{Sc}]/gu, '').replace(',', '.'))
    : toNumber(value);
const toItems = (value: unknown): unknown => {
  if (value === null || value === undefined) return [];
  return typeof value === 'object' && !Array.isArray(value) ? Object.values(value) : value;
};
/** An empty object comes as an empty list. */
const toObject = (value: unknown): unknown => (Array.isArray(value) && value.length === 0 ? {} : value);

export const id = z.preprocess(toNumber, z.number().int().positive().max(Number.MAX_SAFE_INTEGER));
const text = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(null);
const trimmed = text.transform((one) => (one ?? '').trim());
const yes = z.preprocess((value) => value === true || value === 1 || value === '1' || value === 'true', z.boolean());
/** Null if it is absent, negative, or no date. */
export const seconds = z.preprocess(toNumber, z.number().int().min(0).max(MAX_SECONDS).nullable()).catch(null);

/** A list of which the items that do not match are left out silently: parts of an item, such as its fields. */
const lenientItems = <T extends z.ZodType>(item: T) =>
  z
    .preprocess(toItems, z.array(z.unknown()))
    .catch([])
    .transform((list) =>
      list.flatMap((one): z.output<T>[] => {
        const parsed = item.safeParse(one);
        return parsed.success ? [parsed.data] : [];
      }),
    );

const ADDRESS_PARTS = ['address_line_1', 'address_line_2', 'city', 'state', 'zip', 'country'];

/** What is shown of a value that is an object, such as a file, a legal entity or an address. */
const objectValue = z.looseObject({}).transform((one) => {
  const textsOf = (keys: readonly string[]) =>
    keys.map((key) => one[key]).filter((each) => typeof each === 'string' || typeof each === 'number');
  return textsOf(['name', 'file_name', 'value', 'label'])[0] ?? textsOf(ADDRESS_PARTS).filter(Boolean).join(', ');
});
const scalarValue = z.union([z.string(), z.number(), z.boolean().transform(String), objectValue]).catch('');
const fieldValue = z.union([
  z.object({ value: scalarValue, enum_code: text }).transform((one) => ({
    value: one.value,
    enum: one.enum_code?.trim().toUpperCase() ?? null,
  })),
  z.union([z.string(), z.number()]).transform((value) => ({ value, enum: null })),
]);
const fieldValues = lenientItems(
  z.object({ field_name: trimmed, field_code: text, field_type: text, values: lenientItems(fieldValue) }).transform(
    (one): FieldValue => ({
      name: one.field_name,
      code: one.field_code ?? null,
      type: one.field_type ?? null,
      values: one.values,
    }),
  ),
);

const embedded = <S extends z.ZodRawShape>(shape: S) => z.preprocess(toObject, z.object(shape));

const card = z
  .object({
    id,
    name: trimmed,
    price: z.preprocess(toPrice, z.number().nullable()).catch(0),
    status_id: id,
    pipeline_id: id,
    responsible_user_id: id.nullish().catch(null),
    created_at: seconds,
    updated_at: seconds,
    custom_fields_values: fieldValues,
    _embedded: embedded({ contacts: lenientItems(z.object({ id, is_main: yes })) }).catch({ contacts: [] }),
  })
  .transform(
    (one): Card => ({
      id: one.id,
      name: one.name,
      price: one.price ?? 0,
      pipelineId: one.pipeline_id,
      statusId: one.status_id,
      responsibleUserId: one.responsible_user_id ?? null,
      updatedAt: one.updated_at ?? one.created_at ?? 0,
      fields: one.custom_fields_values,
      contactIds: [...one._embedded.contacts]
        .sort((a, b) => Number(b.is_main) - Number(a.is_main))
        .map((each) => each.id),
    }),
  );
const deletedCard = z.object({ id, is_deleted: yes.pipe(z.literal(true)) });

/** A card as it came: readable, deleted (then only its id is known), or neither. */
export type ReadCard =
  | { readonly kind: 'card'; readonly card: Card }
  | { readonly kind: 'deleted'; readonly id: number }
  | ({ readonly kind: 'unreadable' } & Unreadable);

/** Read one card of an answer. */
export function toCard(raw: unknown): ReadCard {
  const deleted = deletedCard.safeParse(raw);
  if (deleted.success) return { kind: 'deleted', id: deleted.data.id };
  const parsed = card.safeParse(raw);
  return parsed.success
    ? { kind: 'card', card: parsed.data }
    : { kind: 'unreadable', ...toUnreadable(raw, parsed.error) };
}

/** Unix seconds of the last change of a card that may be unreadable; null if it does not say. */
export const updatedAtOf = (raw: unknown): number | null =>
  z.object({ updated_at: seconds }).catch({ updated_at: null }).parse(raw).updated_at;

export const contact = z
  .object({ id, name: trimmed, custom_fields_values: fieldValues })
  .transform((one): AmocrmContact => ({ id: one.id, name: one.name, fields: one.custom_fields_values }));

export const field = z.object({ id, name: trimmed, code: text, type: text }).transform(
  (one): CrmField => ({
    id: one.id,
    name: one.name || `${one.id}`,
    code: one.code ?? null,
    type: one.type ?? 'text',
  }),
);

const step = z.object({ id, name: trimmed, color: text, type: z.preprocess(toNumber, z.number()).catch(0) });
export const pipeline = z
  .object({
    id,
    name: trimmed,
    is_main: yes,
    is_archive: yes,
    _embedded: embedded({ statuses: z.unknown() }).catch({ statuses: [] }),
  })
  .transform((one) => {
    const steps = readItems(one._embedded.statuses, step);
    const pipelineRead: Pipeline = {
      id: one.id,
      name: one.name || `${one.id}`,
      is_main: one.is_main,
      steps: steps.items.map((each) => ({
        id: each.id,
        name: each.name || `${each.id}`,
        color: each.color ?? null,
        is_incoming: each.type === 1,
      })),
    };
    return { pipeline: pipelineRead, isArchived: one.is_archive, unreadableSteps: steps.unreadable };
  });

const cardsOfContact = z
  .object({ _embedded: embedded({ leads: lenientItems(z.object({ id })) }).catch({ leads: [] }) })
  .catch({ _embedded: { leads: [] } });
/** A contact with the cards that it is on. */
export const contactWithCards = z.unknown().transform((raw) => {
  const parsed = contact.safeParse(raw);
  return {
    cards: cardsOfContact.parse(raw)._embedded.leads.map((each) => each.id),
    unreadable: parsed.success ? null : toUnreadable(raw, parsed.error).reason,
  };
});

/** The shape of a page of a list. */
export const listOf = <T extends z.ZodType>(name: string, item: T) =>
  rawListOf(name).transform(({ items, hasNext }): ItemList<z.output<T>> => ({ ...readItems(items, item), hasNext }));

/** The shape of a page of a list whose items are not read yet. */
export const rawListOf = (name: string) =>
  z
    .object({
      _links: z.object({ next: z.unknown().optional() }).nullish().catch(null),
      _embedded: embedded({ [name]: z.preprocess(toItems, z.array(z.unknown())) }),
    })
    .transform((one) => ({
      // The shape has only this key.
      items: Object.values(one._embedded).flat(),
      hasNext: one._links?.next !== undefined && one._links.next !== null,
    }));

/** Read the items of a list that can be read, and name the others. */
function readItems<T extends z.ZodType>(
  list: unknown,
  item: T,
): { readonly items: z.output<T>[]; readonly unreadable: Unreadable[] } {
  const items: z.output<T>[] = [];
  const unreadable: Unreadable[] = [];
  for (const raw of z.preprocess(toItems, z.array(z.unknown())).catch([]).parse(list)) {
    const parsed = item.safeParse(raw);
    if (parsed.success) items.push(parsed.data);
    else unreadable.push(toUnreadable(raw, parsed.error));
  }
  return { items, unreadable };
}

/** Name what could not be read, and the part of it that is the reason. The values themselves stay out: they may be personal. */
function toUnreadable(raw: unknown, error: z.ZodError): Unreadable {
  const named = z.object({ id }).safeParse(raw);
  const [issue] = error.issues;
  const path = issue?.path ?? [];
  if (path.length === 0) return { id: '', reason: 'It is not an object' };
  let value: unknown = raw;
  for (const key of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  const isMissing = value === null || value === undefined;
  return {
    id: named.success ? String(named.data.id) : '',
    reason: `${path.map(String).join('.')} ${isMissing ? 'is missing' : 'cannot be read'}`,
  };
}
