/** Views of amoCRM's rows: in answers of the API (HAL), and in hooks (a form of bracketed keys). */
import type { Card, Contact, FieldValue, Note, Task } from './changes.ts';
import { ACCOUNT, API_USER, BOARD_USER, CONTACT_FIELDS, type Field, LEAD_FIELDS, PIPELINES } from './setup.ts';
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

/** Return the view of an entity, or the odd one that it shall have. */
export function oddOr({ odd }: AmoState, path: string, view: object): unknown {
  if (!odd.has(path)) return view;
  const other = odd.get(path);
  return typeof other === 'object' && other !== null && !Array.isArray(other) ? { ...view, ...other } : other;
}

/** Build the links of an entity, or of a list. */
export const selfLink = (base: string, path: string) => ({ _links: { self: { href: `${base}/api/v4/${path}` } } });
const responsible = { responsible_user_id: BOARD_USER, group_id: 0, account_id: ACCOUNT.id };
const open = { closest_task_at: null, is_deleted: false };

export function cardView({ fields, contacts, ...card }: Card, base: string, withContacts: boolean) {
  const linked = contacts.map((id, index) => ({ id, is_main: index === 0, ...selfLink(base, `contacts/${id}`) }));
  return {
    ...card,
    ...responsible,
    ...open,
    loss_reason_id: null,
    source_id: null,
    score: null,
    custom_fields_values: fieldsView(fields, LEAD_FIELDS),
    ...selfLink(base, `leads/${card.id}`),
    _embedded: { tags: [], companies: [], ...(withContacts ? { contacts: linked } : {}) },
  };
}

export function contactView({ fields, ...contact }: Contact, state: AmoState, base: string) {
  const leads = [...state.cards.values()].filter((card) => card.contacts.includes(contact.id));
  const linked = leads.map(({ id }) => ({ id, ...selfLink(base, `leads/${id}`) }));
  return {
    ...contact,
    ...responsible,
    ...open,
    first_name: contact.name,
    last_name: '',
    created_by: API_USER,
    updated_by: API_USER,
    custom_fields_values: fieldsView(fields, CONTACT_FIELDS),
    ...selfLink(base, `contacts/${contact.id}`),
    _embedded: { tags: [], companies: [], leads: linked },
  };
}

const madeByApi = { created_by: API_USER, updated_by: API_USER, group_id: 0, account_id: ACCOUNT.id };

export function noteView({ id, card, text, created_at }: Note, base: string) {
  const times = { created_at, updated_at: created_at };
  return {
    id,
    entity_id: card,
    ...madeByApi,
    ...times,
    responsible_user_id: API_USER,
    note_type: 'common',
    params: { text },
    ...selfLink(base, `leads/${card}/notes/${id}`),
  };
}

export function taskView({ card, created_at, ...task }: Task, base: string) {
  return {
    ...task,
    ...madeByApi,
    created_at,
    updated_at: created_at,
    entity_id: card,
    entity_type: 'leads',
    duration: 0,
    is_completed: false,
    result: [],
    ...selfLink(base, `tasks/${task.id}`),
  };
}

export function pipelinesView(base: string) {
  return PIPELINES.map(({ id, name, statuses }, index) => ({
    id,
    name,
    sort: index + 1,
    is_main: index === 0,
    is_unsorted_on: true,
    is_archive: false,
    account_id: ACCOUNT.id,
    ...selfLink(base, `leads/pipelines/${id}`),
    _embedded: {
      statuses: statuses.map((status, place) => ({
        ...status,
        sort: place * 10,
        is_editable: status.id > 1000 && status.type === 0,
        pipeline_id: id,
        account_id: ACCOUNT.id,
      })),
    },
  }));
}

export function customFieldsView(fields: readonly Field[], entity: string) {
  return fields.map((field, index) => ({
    ...field,
    sort: index * 10,
    entity_type: entity,
    is_api_only: false,
    is_predefined: field.code !== null,
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
  const people = {
    responsible_user_id: BOARD_USER,
    modified_user_id: card.updated_by,
    created_user_id: card.created_by,
  };
  const times = { last_modified: updated_at, date_create: created_at, created_at, updated_at };
  const whole = { ...step, name, ...old, price, ...people, ...times, account_id: ACCOUNT.id };
  return form(`leads[${action}][0]`, Object.entries(action === 'delete' ? step : whole));
}
