/** Views of amoCRM's rows: in answers of the API (HAL), and in hooks (a form of bracketed keys). */
import type { Card, Contact, FieldValue } from './changes.ts';
import { ACCOUNT, API_USER, CONTACT_FIELDS, type Field, LEAD_FIELDS, PIPELINES } from './setup.ts';
import type { AmoState } from './state.ts';

function fieldsView(values: readonly FieldValue[], fields: readonly Field[]) {
  if (values.length === 0) return null;
  return values.map((one) => {
    const field = fields.find(({ id }) => id === one.field_id);
    return {
      field_id: one.field_id,
      field_name: field?.name ?? '',
      field_code: field?.code ?? null,
      field_type: field?.type ?? 'text',
      values: one.values,
    };
  });
}

const self = (base: string, path: string) => ({ _links: { self: { href: `${base}/api/v4/${path}` } } });

export function cardView(card: Card, base: string, withContacts: boolean) {
  const contacts = card.contacts.map((id, index) => ({ id, is_main: index === 0, ...self(base, `contacts/${id}`) }));
  return {
    id: card.id,
    name: card.name,
    price: card.price,
    responsible_user_id: API_USER,
    group_id: 0,
    status_id: card.status_id,
    pipeline_id: card.pipeline_id,
    loss_reason_id: null,
    source_id: null,
    created_by: card.created_by,
    updated_by: card.updated_by,
    created_at: card.created_at,
    updated_at: card.updated_at,
    closed_at: card.closed_at,
    closest_task_at: null,
    is_deleted: false,
    custom_fields_values: fieldsView(card.fields, LEAD_FIELDS),
    score: null,
    account_id: ACCOUNT.id,
    ...self(base, `leads/${card.id}`),
    _embedded: {
      tags: [],
      companies: [],
      ...(withContacts ? { contacts } : {}),
    },
  };
}

export function contactView(contact: Contact, state: AmoState, base: string) {
  const leads = [...state.cards.values()].filter((card) => card.contacts.includes(contact.id));
  return {
    id: contact.id,
    name: contact.name,
    first_name: contact.first_name,
    last_name: contact.last_name,
    responsible_user_id: API_USER,
    group_id: 0,
    created_by: API_USER,
    updated_by: API_USER,
    created_at: contact.created_at,
    updated_at: contact.updated_at,
    closest_task_at: null,
    is_deleted: false,
    custom_fields_values: fieldsView(contact.fields, CONTACT_FIELDS),
    account_id: ACCOUNT.id,
    ...self(base, `contacts/${contact.id}`),
    _embedded: {
      tags: [],
      companies: [],
      leads: leads.map((card) => ({ id: card.id, ...self(base, `leads/${card.id}`) })),
    },
  };
}

export function pipelinesView(base: string) {
  return PIPELINES.map((pipeline, index) => ({
    id: pipeline.id,
    name: pipeline.name,
    sort: index + 1,
    is_main: index === 0,
    is_unsorted_on: true,
    is_archive: false,
    account_id: ACCOUNT.id,
    ...self(base, `leads/pipelines/${pipeline.id}`),
    _embedded: {
      statuses: pipeline.statuses.map((status, place) => ({
        id: status.id,
        name: status.name,
        sort: place * 10,
        is_editable: status.id > 1000 && status.type === 0,
        pipeline_id: pipeline.id,
        color: status.color,
        type: status.type,
        account_id: ACCOUNT.id,
      })),
    },
  }));
}

export function customFieldsView(fields: readonly Field[], entity: 'leads' | 'contacts') {
  return fields.map((field, index) => ({
    id: field.id,
    name: field.name,
    type: field.type,
    code: field.code,
    sort: index * 10,
    entity_type: entity,
    is_api_only: false,
    is_predefined: field.code !== null,
    enums: field.enums,
    account_id: ACCOUNT.id,
  }));
}

const ACCOUNT_ENTRIES = [
  ['account[subdomain]', ACCOUNT.subdomain],
  ['account[id]', String(ACCOUNT.id)],
  ['account[_links][self]', `https://${ACCOUNT.subdomain}.amocrm.ru`],
];

type FormEntries = readonly (readonly [key: string, value: string | number])[];

/** Build the form body of a hook, which names the account last; custom fields, which our side never reads, are left out. */
function form(prefix: string, entries: FormEntries): string {
  const pairs = entries.map(([key, value]) => [`${prefix}[${key}]`, String(value)]);
  return new URLSearchParams([...pairs, ...ACCOUNT_ENTRIES]).toString();
}

/** Build the body of a hook about a card; `before` adds its previous step. */
export function cardHook(
  action: 'add' | 'update' | 'status' | 'delete',
  card: Card,
  before: { status_id: number; pipeline_id: number } | null,
): string {
  const { id, name, status_id, pipeline_id, price, created_at, updated_at } = card;
  const step = { id, status_id, pipeline_id };
  const old = before ? { old_status_id: before.status_id, old_pipeline_id: before.pipeline_id } : {};
  const people = { responsible_user_id: API_USER, modified_user_id: card.updated_by, created_user_id: card.created_by };
  const times = { last_modified: updated_at, date_create: created_at, created_at, updated_at };
  const whole = { ...step, name, ...old, price, ...people, ...times, account_id: ACCOUNT.id };
  return form(`leads[${action}][0]`, Object.entries(action === 'delete' ? step : whole));
}

/** Build the body of a hook about a new contact. */
export function contactHook({ id, name, updated_at }: Contact): string {
  const contact = { id, name, type: 'contact', account_id: ACCOUNT.id, last_modified: updated_at };
  return form('contacts[add][0]', Object.entries(contact));
}
