/** Derive a lead from a card: name, fields, and addresses. Pure. */
import { normaliseAddress } from '../leads/address.ts';
import type { ContactType } from '../leads/contract.ts';
import type { CrmContact } from '../leads/store/crmLeads.ts';
import { parseNumericText } from '../platform/numericText.ts';
import type { AmocrmContact, Card, FieldValue } from './amocrm/api.ts';
import type { IntegrationConfig } from './contract.ts';

type FieldNames = Pick<IntegrationConfig, 'tg_contact_custom_field_name' | 'whatsapp_contact_custom_field_name'>;

const foldCase = (name: string): string => name.trim().toLocaleLowerCase();
/** Keys that reach an object's prototype are not accepted as field names. */
const FORBIDDEN_NAMES = ['__proto__', 'constructor', 'prototype'];
const MAX_FIELDS = 200;

/** Return the name of the lead: the main contact's, else the card's. */
export function nameOf(card: Card, crmContacts: readonly AmocrmContact[]): string {
  const name = crmContacts.find((one) => one.name !== '')?.name ?? card.name;
  return (name.trim() === '' ? `Lead ${card.id}` : name.trim()).slice(0, 300);
}

/**
 * Return the addresses of the first contact that has any, found by field names that are compared trimmed and
 * case-folded. Without a WhatsApp field its phone is used. Fields of the card itself come after those of its contacts.
 */
export function addressesOf(card: Card, crmContacts: readonly AmocrmContact[], names: FieldNames): CrmContact[] {
  for (const fields of [...crmContacts.map((one) => one.fields), card.fields]) {
    const telegram = contactsInField(fields, names.tg_contact_custom_field_name, 'telegram');
    const whatsapp = contactsInField(fields, names.whatsapp_contact_custom_field_name, 'whatsapp');
    const result = [...telegram, ...(whatsapp.length > 0 ? whatsapp : phoneContacts(fields))];
    if (result.length > 0) return result;
  }
  return [];
}

function contactsInField(fields: readonly FieldValue[], name: string, type: ContactType): CrmContact[] {
  const matching = fields.filter((one) => foldCase(one.name) === foldCase(name));
  return distinct(
    matching.flatMap((one) => one.values.map((each) => String(each.value))),
    type,
  );
}

/** Return phones as WhatsApp contacts, mobile numbers first. */
function phoneContacts(fields: readonly FieldValue[]): CrmContact[] {
  const values = fields.filter((one) => one.code === 'PHONE').flatMap((one) => one.values);
  const mobile = values.filter((one) => one.enum === 'MOB');
  const ordered = [...mobile, ...values.filter((one) => one.enum !== 'MOB')];
  return distinct(
    ordered.map((one) => String(one.value)),
    'whatsapp',
  ).slice(0, 1);
}

function distinct(values: readonly string[], type: ContactType): CrmContact[] {
  const result = new Map<string, CrmContact>();
  for (const value of values) {
    const contact = value.trim().slice(0, 200);
    const address = normaliseAddress(type, contact);
    if (address !== null && !result.has(address)) result.set(address, { type, contact, address });
  }
  return [...result.values()];
}

/** Return the card's fields by name, then the main contact's fields with other names; address fields are excluded. */
export function fieldsOf(
  card: Card,
  crmContacts: readonly AmocrmContact[],
  names: FieldNames,
): Record<string, string | number | string[]> {
  const addresses = [names.tg_contact_custom_field_name, names.whatsapp_contact_custom_field_name].map(foldCase);
  const result = new Map<string, string | number | string[]>();
  if (card.price > 0) result.set('price', card.price);
  for (const field of [...card.fields, ...(crmContacts[0]?.fields ?? [])]) {
    const name = field.name.trim().slice(0, 200);
    if (name === '' || FORBIDDEN_NAMES.includes(name) || addresses.includes(foldCase(name)) || result.has(name))
      continue;
    const value = valueOf(field);
    if (value !== null && result.size < MAX_FIELDS) result.set(name, value);
  }
  return Object.fromEntries(result);
}

function valueOf({ values }: FieldValue): string | number | string[] | null {
  const nonEmpty = values.map((one) => one.value).filter((one) => one !== '');
  const [first, ...more] = nonEmpty;
  if (first === undefined) return null;
  if (more.length > 0) return nonEmpty.slice(0, 100).map((one) => String(one).slice(0, 1000));
  if (typeof first === 'number') return first;
  return parseNumericText(first) ?? first.slice(0, 10_000);
}
