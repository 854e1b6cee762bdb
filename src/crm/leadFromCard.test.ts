import { describe, expect, it } from 'vitest';
import type { AmocrmContact, Card, FieldValue } from './amocrm/shapes.ts';
import { addressesOf, fieldsOf, nameOf, refusedAddressesOf } from './leadFromCard.ts';

const NAMES = { tg_contact_custom_field_name: 'telegram', whatsapp_contact_custom_field_name: 'whatsapp' };

const field = (name: string, ...values: (string | number)[]): FieldValue => ({
  name,
  code: null,
  values: values.map((value) => ({ value, enum: null })),
});
const phone = (...values: [value: string, kind: string | null][]): FieldValue => ({
  name: 'Phone',
  code: 'PHONE',
  values: values.map(([value, kind]) => ({ value, enum: kind })),
});
const card = (fields: readonly FieldValue[] = [], more: Partial<Card> = {}): Card => ({
  id: 1001,
  name: 'A kitchen',
  price: 0,
  pipelineId: 1,
  statusId: 10,
  responsibleUserId: null,
  updatedAt: 1_790_000_000,
  contactIds: [],
  ...more,
  fields,
});
const crmContact = (name: string, ...fields: FieldValue[]): AmocrmContact => ({ id: 1, name, fields });
const addressTexts = (one: Card, crmContacts: readonly AmocrmContact[] = [], names = NAMES) =>
  addressesOf(one, crmContacts, names).map(({ type, address }) => `${type} ${address}`);

describe('the name', () => {
  it.each([
    ['Anna', card(), [crmContact('Anna')]],
    // The main contact has no name.
    ['Boris', card(), [crmContact(''), crmContact('Boris')]],
    ['A kitchen', card(), []],
    ['Lead 1001', card([], { name: '  ' }), [crmContact('')]],
    ['Lead 1001', card([], { name: '' }), []],
    ['Clara', card([], { name: ' Clara ' }), []],
    // Boris is written to.
    ['Boris', card(), [crmContact('Anna'), crmContact('Boris', phone(['79003334455', null]))]],
    ['Boris', card(), [crmContact('Anna', phone(['12', null])), crmContact('Boris', field('telegram', 'boris_k'))]],
    ['A kitchen', card(), [crmContact('Anna'), crmContact('', phone(['79003334455', null]))]],
    ['Anna', card([field('telegram', 'kitchen_buyer')]), [crmContact('Anna'), crmContact('Boris')]],
  ])('%s', (expected, one, crmContacts) => {
    expect(nameOf(one, crmContacts, NAMES)).toBe(expected);
  });

  it('is shortened', () => {
    expect(nameOf(card([], { name: 'x'.repeat(1000) }), [], NAMES)).toHaveLength(300);
  });
});

describe('the addresses', () => {
  it.each<[string, string[], Card, AmocrmContact[]]>([
    [
      'by the names of their fields',
      ['telegram anna_k', 'whatsapp 79001112233'],
      card(),
      [crmContact('Anna', field('Telegram', '@Anna_K'), field('WhatsApp', '+7 900 111-22-33'))],
    ],
    [
      'however the names are written',
      ['telegram anna_k'],
      card(),
      [crmContact('Anna', field('  TELEGRAM ', 'anna_k'))],
    ],
    [
      'a phone, where there is no WhatsApp',
      ['whatsapp 79001112233'],
      card(),
      [crmContact('Anna', phone(['8 (900) 111-22-33', 'WORK']))],
    ],
    [
      'several phones, a mobile one before the others and a fax last',
      ['whatsapp 79002223344', 'whatsapp 79001112233', 'whatsapp 79003334455'],
      card(),
      [
        crmContact(
          'Anna',
          phone(['+7 900 333-44-55', 'FAX'], ['+7 900 111-22-33', 'WORK'], ['+7 900 222-33-44', 'MOB']),
        ),
      ],
    ],
    [
      'those that are one',
      ['whatsapp 79002223344'],
      card(),
      [crmContact('Anna', phone(['ask the secretary', 'MOB'], ['+7 900 222-33-44', 'HOME']))],
    ],
    [
      'no phone beside a WhatsApp',
      ['whatsapp 79001112233'],
      card(),
      [crmContact('Anna', field('whatsapp', '79001112233'), phone(['+7 900 222-33-44', 'MOB']))],
    ],
    [
      'several of one field, each once',
      ['whatsapp 79001112233', 'whatsapp 79002223344'],
      card(),
      [crmContact('Anna', field('whatsapp', '79001112233', '8 900 111-22-33', '79002223344'))],
    ],
    [
      'those of the first contact that has any',
      ['whatsapp 79003334455'],
      card(),
      [
        crmContact('Anna', field('whatsapp', 'none')),
        crmContact('Boris', phone(['79003334455', null])),
        crmContact('Clara', phone(['79004445566', null])),
      ],
    ],
    [
      'the card’s own, where no contact has any',
      ['telegram kitchen_buyer'],
      card([field('telegram', 'https://t.me/kitchen_buyer')]),
      [crmContact('Anna')],
    ],
    ['a number, as it may come', ['whatsapp 79001112233'], card([field('whatsapp', 79_001_112_233)]), []],
    [
      'none, where there is none',
      [],
      card([field('City', 'Riga'), field('telegram', '', '?!'), phone(['', 'MOB'])]),
      [],
    ],
  ])('%s', (_what, expected, one, crmContacts) => {
    expect(addressTexts(one, crmContacts)).toEqual(expected);
  });

  it('are read from configured fields', () => {
    const names = { tg_contact_custom_field_name: 'Ник', whatsapp_contact_custom_field_name: 'Ватсап' };
    const one = card([field('ник', 'anna_k'), field('ВАТСАП', '79001112233'), field('telegram', 'somebody_else')]);
    expect(addressTexts(one, [], names)).toEqual(['telegram anna_k', 'whatsapp 79001112233']);
  });

  it("keep the CRM's form beside the normalized one", () => {
    const [one] = addressesOf(card([field('telegram', ' @Anna_K ')]), [], NAMES);
    expect(one).toEqual({ type: 'telegram', contact: '@Anna_K', address: 'anna_k' });
  });
});

describe('an address that is refused', () => {
  const refusedIn = (one: Card, ...crmContacts: AmocrmContact[]) => refusedAddressesOf(one, crmContacts, NAMES);

  it.each<[string, string[], string | null, FieldValue[]]>([
    [
      'is named with its reason',
      [],
      '+4479111234567 has a digit too many for a number in the United Kingdom',
      [phone(['+44 7911 1234567', 'MOB'])],
    ],
    [
      'leaves the others',
      ['whatsapp 79161234567', 'whatsapp 79031234567'],
      '+791612345678 has a digit too many for a number in Russia',
      [field('WhatsApp', '8 916 123-45-67, +7 916 123 45 678', '+7 903 123-45-67')],
    ],
    [
      'leaves a phone that is valid',
      ['whatsapp 79031234567'],
      '0501234567 has no country code: write it with + and the country code',
      [phone(['050 123 45 67', 'MOB'], ['+7 903 123-45-67', 'WORK'])],
    ],
    [
      'is named with what is written, if it is no address at all',
      [],
      't.me/+AbCdEf is not the address of a person; later: Not a WhatsApp address',
      [field('WhatsApp', 'later'), field('Telegram', 't.me/+AbCdEf')],
    ],
    ['is not an empty field', [], null, [field('WhatsApp', ' ')]],
    [
      'is not the same number in another form',
      ['whatsapp 79161234567'],
      null,
      [field('WhatsApp', '8 916 123-45-67', '+79161234567')],
    ],
  ])('%s', (_what, addresses, note, fields) => {
    expect(addressTexts(card(), [crmContact('Anna', ...fields)])).toEqual(addresses);
    expect(refusedIn(card(), crmContact('Anna', ...fields))).toBe(note);
  });
});

describe('the fields', () => {
  const fields = (one: Card, ...crmContacts: AmocrmContact[]) =>
    fieldsOf(one, crmContacts, { ...NAMES, timezone: 'UTC' });

  it.each<[string, object, FieldValue]>([
    ['a text', { City: 'Riga' }, field(' City ', 'Riga')],
    ['a number', { Budget: 4200 }, field('Budget', 4200)],
    ['a text that is a number', { Budget: -42.5 }, field('Budget', '-42.5')],
    ['a text that would not print back the same', { Code: '007' }, field('Code', '007')],
    ['a price', { Price: '1.50' }, field('Price', '1.50')],
    ['a version', { Version: '1.10' }, field('Version', '1.10')],
    ['an article number', { Article: '12E5' }, field('Article', '12E5')],
    ['nor this one', { Phone: '3712000000000000' }, field('Phone', '3712000000000000')],
    ['a number too long to keep', { Code: '12345678901234567890' }, field('Code', '12345678901234567890')],
    ['several choices', { Wishes: ['Island', '7'] }, field('Wishes', 'Island', 7)],
    ['what is empty', {}, field('City', '')],
    ['what has no value', {}, field('City')],
    ['what has no name', {}, field('  ', 'Riga')],
    ['an address', {}, field('WHATSAPP', '79001112233')],
    ['a name that reaches further', {}, field('__proto__', 'x')],
    ['another such', {}, field('constructor', 'x')],
  ])('%s', (_what, expected, one) => {
    const found = fields(card([one]));
    expect(Object.entries(found)).toEqual(Object.entries(expected));
  });

  it("include the price, the card's fields and the main contact's other fields", () => {
    const one = card([field('City', 'Riga')], { price: 5000 });
    const anna = crmContact('Anna', field('City', 'Tallinn'), field('Position', 'Chef'));
    const boris = crmContact('Boris', field('Hobby', 'Fishing'));
    expect(fields(one, anna, boris)).toEqual({ price: 5000, City: 'Riga', Position: 'Chef' });
  });

  it('are those of the contact that is written to', () => {
    const anna = crmContact('Anna', field('Position', 'Chef'));
    const boris = crmContact('Boris', field('Hobby', 'Fishing'), field('telegram', 'boris_k'));
    expect(fields(card(), anna, boris)).toEqual({ Hobby: 'Fishing' });
  });

  it('are limited to two hundred, each shortened', () => {
    const many = Array.from({ length: 300 }, (_none, index) => field(`Field ${index}`, 'x'.repeat(20_000)));
    const found = Object.values(fields(card(many)));
    expect([found.length, String(found[0]).length]).toEqual([200, 10_000]);
  });
});
