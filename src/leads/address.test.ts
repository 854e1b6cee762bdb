import fc from 'fast-check';
import { expect, it } from 'vitest';
import { normaliseAddress, phoneFromVendor } from './address.ts';

it.each([
  ['84951234567', '74951234567'],
  ['4951234567', '74951234567'],
  ['8121234567', '78121234567'],
  ['(916) 123-45-67', '79161234567'],
  ['8 (916) 123-45-67', '79161234567'],
  ['+7 916 123-45-67', '79161234567'],
  ['+47 912 34 567', '4791234567'],
  ['+84 912 345 678', '84912345678'],
  ['0501234567', null],
  ['12345', null],
])('normalizes %s to %s', (contact, address) => {
  expect(normaliseAddress('whatsapp', contact)).toBe(address);
  expect(normaliseAddress('telegram', contact)).toBe(address);
});

it('adds a plus to the digits from a vendor exactly where they would be taken for other ones', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\d{7,15}$|^8\d{10}$|^\d{10}$/), (digits) => {
      const typed = normaliseAddress('whatsapp', digits);
      expect(phoneFromVendor(digits)).toBe(typed === null || typed === digits ? digits : `+${digits}`);
    }),
  );
});

it.each(['79161234567', '4791234567', '84912345678', '85212345678', '380501234567', '14155552671'])(
  'keeps the number %s from a vendor unchanged',
  (digits) => expect(normaliseAddress('whatsapp', phoneFromVendor(digits))).toBe(digits),
);
