/** Derive a lead from a card: name, fields, and addresses. Pure. */
import { personKey, readAddresses } from '../leads/address.ts';
import { addressRefusalText } from '../leads/addressRefusal.ts';
import type { ContactType } from '../leads/contract.ts';
import type { CrmContact } from '../leads/store/crmLeads.ts';
import { parsePrintedNumber } from '../platform/numericText.ts';
import type { AmocrmContact, Card, FieldValue } from './amocrm/shapes.ts';
import type { IntegrationConfig } from './contract.ts';
import { dateOfField } from './fieldDates.ts';

type FieldNames = Pick<IntegrationConfig, 'tg_contact_custom_field_name' | 'whatsapp_contact_custom_field_name'>;

const foldCase = (name: string): string => name.trim().toLocaleLowerCase();
/** Keys that reach an object's prototype are not accepted as field names. */
const FORBIDDEN_NAMES = ['__proto__', 'constructor', 'prototype'];
const MAX_FIELDS = 200;
/** Characters of a value that are searched for addresses, and of the note about refused ones. */
const MAX_VALUE = 2000;
const MAX_NOTE = 1000;

/** Cut a text, but never a character in two: half an emoji cannot be stored. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/**
 * Return the name of the lead: that of the contact whose addresses are used, since another one's would be used to address
 * the wrong person. Without addresses of a contact it is the main contact's, and without a name the card's.
 */
export function nameOf(card: Card, crmContacts: readonly AmocrmContact[], names: FieldNames): string {
  const { person } = readFields(card, crmContacts, names);
  return person === null ? nameWithoutAddresses(card, crmContacts) : nameFrom(card, person.name);
}

/** Return the name that a lead gets while none of its contacts has an address. */
export const nameWithoutAddresses = (card: Card, crmContacts: readonly AmocrmContact[]): string =>
  nameFrom(card, crmContacts.find((one) => one.name !== '')?.name ?? '');

const nameFrom = (card: Card, name: string): string =>
  cut([name, card.name].map((one) => one.trim()).find((one) => one !== '') ?? `Lead ${card.id}`, 300);

/**
 * Return the addresses of the first contact that has any, found by field names that are compared trimmed and
 * case-folded. Without a WhatsApp field its phone is used. Fields of the card itself come after those of its contacts.
 */
export function addressesOf(card: Card, crmContacts: readonly AmocrmContact[], names: FieldNames): CrmContact[] {
  return readFields(card, crmContacts, names).contacts;
}

/** Say which addresses in these fields are refused, and why, in sentences. Null if none is. */
export function refusedAddressesOf(
  card: Card,
  crmContacts: readonly AmocrmContact[],
  names: FieldNames,
): string | null {
  const { refused } = readFields(card, crmContacts, names);
  return refused.length === 0 ? null : cut([...new Set(refused)].join('; '), MAX_NOTE);
}

interface ReadFields {
  readonly contacts: CrmContact[];
  /** Sentences. */
  readonly refused: string[];
}

/** `person`: the contact that has the addresses; null if none has any. */
function readFields(
  card: Card,
  crmContacts: readonly AmocrmContact[],
  names: FieldNames,
): ReadFields & { readonly person: AmocrmContact | null } {
  const refused: string[] = [];
  const owners = [
    ...crmContacts.map((person) => ({ person, fields: person.fields })),
    { person: null, fields: card.fields },
  ];
  for (const { person, fields } of owners) {
    const telegram = readField(fields, names.tg_contact_custom_field_name, 'telegram');
    const whatsapp = readField(fields, names.whatsapp_contact_custom_field_name, 'whatsapp');
    const phones = whatsapp.contacts.length > 0 ? NOTHING : readPhones(fields);
    refused.push(...telegram.refused, ...whatsapp.refused, ...phones.refused);
    const contacts = [...telegram.contacts, ...whatsapp.contacts, ...phones.contacts];
    if (contacts.length > 0) return { contacts, refused, person };
  }
  return { contacts: [], refused, person: null };
}

const NOTHING: ReadFields = { contacts: [], refused: [] };

function readField(fields: readonly FieldValue[], name: string, type: ContactType): ReadFields {
  const matching = fields.filter((one) => foldCase(one.name) === foldCase(name));
  return readValues(
    matching.flatMap((one) => one.values.map((each) => String(each.value))),
    type,
  );
}

/** Kinds of phones by how likely they are in WhatsApp; those of other kinds are in the middle. */
const rankOf = (kind: string | null): number => (kind === 'MOB' ? 0 : kind === 'FAX' ? 2 : 1);

/** Read all phones as WhatsApp contacts, mobile numbers first. */
function readPhones(fields: readonly FieldValue[]): ReadFields {
  const values = fields.filter((one) => one.code === 'PHONE').flatMap((one) => one.values);
  return readValues(
    values.toSorted((one, other) => rankOf(one.enum) - rankOf(other.enum)).map((one) => String(one.value)),
    'whatsapp',
  );
}

/** Read values of which each may hold several addresses. A person's address is returned once. */
function readValues(values: readonly string[], type: ContactType): ReadFields {
  const contacts = new Map<string, CrmContact>();
  const refused: string[] = [];
  for (const value of values) {
    const read = readAddresses(type, cut(value, MAX_VALUE));
    for (const one of read.addresses) {
      const person = personKey(one.address);
      if (!contacts.has(person)) contacts.set(person, { type, ...one });
    }
    for (const refusal of read.refused) {
      const sentence = addressRefusalText(type, refusal);
      if (refusal.code === 'no_address') refused.push(`${refusal.number}: ${sentence}`);
      else if (refusal.code !== 'empty') refused.push(sentence);
    }
  }
  return { contacts: [...contacts.values()], refused };
}

/**
 * Return the card's fields by name, then fields with other names of the contact whose addresses are used, else of the
 * main contact; address fields are excluded. Dates are those of the zone.
 */
export function fieldsOf(
  card: Card,
  crmContacts: readonly AmocrmContact[],
  { timezone, ...names }: FieldNames & { readonly timezone: string },
): Record<string, string | number | string[]> {
  const addresses = [names.tg_contact_custom_field_name, names.whatsapp_contact_custom_field_name].map(foldCase);
  const result = new Map<string, string | number | string[]>();
  if (card.price > 0) result.set('price', card.price);
  const person = readFields(card, crmContacts, names).person ?? crmContacts[0];
  for (const field of [...card.fields, ...(person?.fields ?? [])]) {
    const name = cut(field.name.trim(), 200);
    if (name === '' || FORBIDDEN_NAMES.includes(name) || addresses.includes(foldCase(name)) || result.has(name))
      continue;
    const value = valueOf(field, timezone);
    if (value !== null && result.size < MAX_FIELDS) result.set(name, value);
  }
  return Object.fromEntries(result);
}

function valueOf({ values, type }: FieldValue, zone: string): string | number | string[] | null {
  const nonEmpty = values.map((one) => dateOfField(one.value, { type, zone })).filter((one) => one !== '');
  const [first, ...more] = nonEmpty;
  if (first === undefined) return null;
  if (more.length > 0) return nonEmpty.slice(0, 100).map((one) => cut(String(one), 1000));
  if (typeof first === 'number') return first;
  return parsePrintedNumber(first) ?? cut(first, 10_000);
}
