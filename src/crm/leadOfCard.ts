/** What a card says of a person: name, fields, and the addresses he is written to. Pure. */
import { normaliseAddress } from '../leads/address.ts';
import type { ContactType } from '../leads/contract.ts';
import type { CrmContact } from '../leads/fromCrm.ts';
import { numberIn } from '../platform/numericText.ts';
import type { Card, FieldValue, Person } from './amocrm/api.ts';
import type { IntegrationConfig } from './contract.ts';

type FieldNames = Pick<IntegrationConfig, 'tg_contact_custom_field_name' | 'whatsapp_contact_custom_field_name'>;

const folded = (name: string): string => name.trim().toLocaleLowerCase();
/** Keys that reach an object's prototype are no names of fields. */
const FORBIDDEN = ['__proto__', 'constructor', 'prototype'];
const MOST_FIELDS = 200;

/** The name a lead is written to by: the main contact's, else the card's. */
export function nameOf(card: Card, persons: readonly Person[]): string {
  const name = persons.find((one) => one.name !== '')?.name ?? card.name;
  return (name.trim() === '' ? `Lead ${card.id}` : name.trim()).slice(0, 300);
}

/**
 * The addresses of the first contact that has any: by the names of its fields, compared trimmed and case-folded; without
 * a WhatsApp field its phone serves. Fields of the card itself count after its contacts.
 */
export function addressesOf(card: Card, persons: readonly Person[], names: FieldNames): CrmContact[] {
  for (const fields of [...persons.map((one) => one.fields), card.fields]) {
    const telegram = inField(fields, names.tg_contact_custom_field_name, 'telegram');
    const whatsapp = inField(fields, names.whatsapp_contact_custom_field_name, 'whatsapp');
    const found = [...telegram, ...(whatsapp.length > 0 ? whatsapp : phonesIn(fields))];
    if (found.length > 0) return found;
  }
  return [];
}

function inField(fields: readonly FieldValue[], name: string, type: ContactType): CrmContact[] {
  const wanted = fields.filter((one) => folded(one.name) === folded(name));
  return distinct(
    wanted.flatMap((one) => one.values.map((each) => String(each.value))),
    type,
  );
}

/** A phone for WhatsApp: mobile first, then the first that is one. */
function phonesIn(fields: readonly FieldValue[]): CrmContact[] {
  const values = fields.filter((one) => one.code === 'PHONE').flatMap((one) => one.values);
  const mobile = values.filter((one) => one.enum === 'MOB');
  const ordered = [...mobile, ...values.filter((one) => one.enum !== 'MOB')];
  return distinct(
    ordered.map((one) => String(one.value)),
    'whatsapp',
  ).slice(0, 1);
}

function distinct(values: readonly string[], type: ContactType): CrmContact[] {
  const found = new Map<string, CrmContact>();
  for (const value of values) {
    const contact = value.trim().slice(0, 200);
    const address = normaliseAddress(type, contact);
    if (address !== null && !found.has(address)) found.set(address, { type, contact, address });
  }
  return [...found.values()];
}

/** The card's fields by name, then the main contact's that have another name; the addresses stand elsewhere. */
export function fieldsOf(
  card: Card,
  persons: readonly Person[],
  names: FieldNames,
): Record<string, string | number | string[]> {
  const addresses = [names.tg_contact_custom_field_name, names.whatsapp_contact_custom_field_name].map(folded);
  const found = new Map<string, string | number | string[]>();
  if (card.price > 0) found.set('price', card.price);
  for (const field of [...card.fields, ...(persons[0]?.fields ?? [])]) {
    const name = field.name.trim().slice(0, 200);
    if (name === '' || FORBIDDEN.includes(name) || addresses.includes(folded(name)) || found.has(name)) continue;
    const value = valueOf(field);
    if (value !== null && found.size < MOST_FIELDS) found.set(name, value);
  }
  return Object.fromEntries(found);
}

function valueOf({ values }: FieldValue): string | number | string[] | null {
  const given = values.map((one) => one.value).filter((one) => one !== '');
  const [first, ...more] = given;
  if (first === undefined) return null;
  if (more.length > 0) return given.slice(0, 100).map((one) => String(one).slice(0, 1000));
  if (typeof first === 'number') return first;
  return numberIn(first) ?? first.slice(0, 10_000);
}
