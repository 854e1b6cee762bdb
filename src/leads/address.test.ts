import fc from 'fast-check';
import {
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  isValidPhoneNumber,
  parsePhoneNumber,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, it } from 'vitest';
import {
  addressFromVendor,
  addressVariants,
  normaliseAddress,
  personKey,
  phoneFromVendor,
  readAddress,
  readAddresses,
  storedNumberRefusal,
} from './address.ts';
import { addressRefusalText } from './addressRefusal.ts';

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

it.each(['79161234567', '4791234567', '84912345678', '85251234567', '380501234567', '14155552671', '13812345678'])(
  'keeps the number %s from a vendor unchanged',
  (digits) => {
    expect(normaliseAddress('whatsapp', phoneFromVendor(digits))).toBe(digits);
    expect(addressFromVendor('whatsapp', phoneFromVendor(digits))).toBe(digits);
  },
);

it('keeps the digits from a vendor as they came, whether or not the library knows them', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[1-9]\d{4,14}$/),
      fc.constantFrom('', '@c.us', '@s.whatsapp.net'),
      (digits, suffix) => {
        expect(addressFromVendor('whatsapp', `${digits}${suffix}`)).toBe(digits);
        expect(addressFromVendor('telegram', phoneFromVendor(digits))).toBe(digits);
      },
    ),
  );
  expect(addressFromVendor('whatsapp', '200000000000001@lid')).toBeNull();
  expect(addressFromVendor('telegram', '@Anna_Shop')).toBe('anna_shop');
  expect(addressFromVendor('telegram', 'id:123456')).toBeNull();
});

it.each([
  ['5511961234567', '551161234567'],
  ['5215512345678', '525512345678'],
  ['5491123456789', '541123456789'],
  ['2290197123456', '22997123456'],
])('treats the national variants %s and %s as one person', (one, other) => {
  expect(personKey(one)).toBe(personKey(other));
  expect(addressVariants(one)).toEqual([one, other]);
  expect(addressVariants(other)).toEqual([other, one]);
});

it('treats the numbers of eight and ten digits of an Ivorian as one person', () => {
  expect(addressVariants('2250707123456')).toContain('22507123456');
  expect(addressVariants('22507123456')).toContain('2250707123456');
});

it('gives every variant of an address the same key', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^(55|52|521|54|549|225|229|7)\d{8,11}$/), (address) => {
      const variants = addressVariants(address);
      expect(variants[0]).toBe(address);
      expect(new Set(variants.map(personKey))).toEqual(new Set([personKey(address)]));
    }),
  );
});

/** The library's example of a mobile number of each region, digits with country code. */
const EXAMPLES = getCountries().flatMap((country) => {
  const example = getExampleNumber(country, examples);
  return example
    ? [
        {
          country,
          digits: example.number.slice(1),
          international: example.formatInternational(),
          national: example.formatNational(),
        },
      ]
    : [];
});
const anExample = fc.constantFrom(...EXAMPLES);

/** What people's devices put between, before and behind the digits. */
const aFormat = fc.record({
  separators: fc.array(fc.constantFrom('', ' ', '-', '.', '\u00a0', '\u2011', '\u2013', '\u200b', '\u2009'), {
    minLength: 8,
    maxLength: 16,
  }),
  around: fc.constantFrom(
    ['', ''],
    ['\u202a', '\u202c'],
    ['\ufeff', ''],
    ['tel:', ''],
    ['Anna: ', ''],
    ['', ' (Anna)'],
  ),
  plus: fc.constantFrom('+', '\uff0b', '00', '+00'),
  zero: fc.constantFrom(0x30, 0x660, 0x6f0, 0x966, 0xff10),
});

const formatted = (
  digits: string,
  { separators, around, plus, zero }: typeof aFormat extends fc.Arbitrary<infer T> ? T : never,
) =>
  around[0] +
  plus +
  Array.from(digits)
    .map(
      (digit, index) =>
        (index < 2 ? '' : (separators[index % separators.length] ?? '')) + String.fromCharCode(zero + Number(digit)),
    )
    .join('') +
  around[1];

describe('a number', () => {
  it('of any region keeps its digits', () => {
    expect(EXAMPLES.length).toBeGreaterThan(200);
    for (const { digits, international } of EXAMPLES) {
      expect([international, normaliseAddress('whatsapp', international)]).toEqual([international, digits]);
      expect(normaliseAddress('telegram', `+${digits}`)).toBe(digits);
      expect(normaliseAddress('whatsapp', `https://wa.me/${digits}`)).toBe(digits);
      expect(normaliseAddress('whatsapp', `${digits}@c.us`)).toBe(digits);
      expect(storedNumberRefusal(digits)).toBeNull();
    }
  });

  it('is the same however it is written', () => {
    fc.assert(
      fc.property(anExample, aFormat, ({ digits }, format) => {
        expect(normaliseAddress('whatsapp', formatted(digits, format))).toBe(digits);
      }),
    );
  });

  it('never keeps the prefix that is dialled within its country', () => {
    for (const { country, digits, national } of EXAMPLES) {
      const code = getCountryCallingCode(country);
      for (const text of [`+${code} ${national}`, `+${code} (0)${digits.slice(code.length)}`]) {
        const address = normaliseAddress('whatsapp', text);
        // Where a number may begin with 0, that is another one.
        if (address !== `${code}0${digits.slice(code.length)}`) expect([digits, null]).toContain(address);
      }
    }
  });

  it('with a digit more or less is refused, or another number that the library knows', () => {
    fc.assert(
      fc.property(anExample, fc.nat(9), fc.nat(12), ({ country, digits }, digit, place) => {
        const code = getCountryCallingCode(country);
        const at = code.length + (place % (digits.length - code.length));
        for (const changed of [
          digits + digit,
          digits.slice(0, at) + digit + digits.slice(at),
          digits.slice(0, at) + digits.slice(at + 1),
        ]) {
          const address = normaliseAddress('whatsapp', `+${changed}`);
          if (address !== null) expect(storedNumberRefusal(address)).toBeNull();
        }
      }),
      { numRuns: 300 },
    );
  });

  it('with a digit behind it is refused, or valid with that digit', () => {
    for (const [index, { digits }] of EXAMPLES.entries()) {
      const longer = `${digits}${index % 10}`;
      const isNumber = isValidPhoneNumber(`+${longer}`) && parsePhoneNumber(`+${longer}`).number === `+${longer}`;
      expect([longer, normaliseAddress('whatsapp', `+${longer}`)]).toEqual([longer, isNumber ? longer : null]);
      expect([longer, storedNumberRefusal(longer) === null]).toEqual([longer, isNumber]);
    }
  });

  it('has no other digits than those that were written, in their order', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.stringMatching(/^\+?\d{7,16}$/),
          anExample.map(({ digits }) => `+${digits}`),
        ),
        fc.stringMatching(/^[ ().,/-]?$/),
        (text, mark) => {
          const written = text.slice(0, 6) + mark + text.slice(6);
          const { addresses } = readAddresses('whatsapp', written);
          for (const { address } of addresses) {
            // The library turns the Argentinian 15 into a 9, and 8 or nothing before a Russian number is a 7 here.
            if (address.startsWith('54')) continue;
            let rest = text.replace(/\D/g, '');
            // What follows a comma or a slash may be a number of its own, without the plus of the one before it.
            const mayLackPlus = !text.startsWith('+') || mark === ',' || mark === '/';
            const digits = mayLackPlus && address.startsWith('7') ? address.slice(1) : address;
            for (const digit of digits) {
              expect(rest).toContain(digit);
              rest = rest.slice(rest.indexOf(digit) + 1);
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('that is stored is read as itself', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\+?[1-9]\d{8,13}$/), (text) => {
        const address = normaliseAddress('whatsapp', text);
        if (address === null) return;
        expect(normaliseAddress('whatsapp', `+${address}`)).toBe(address);
        expect(storedNumberRefusal(address)).toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it.each(['+378886377', '+2612034567', '+67223456'])('that the library would complete is refused: %s', (text) =>
    expect(normaliseAddress('whatsapp', text)).toBeNull(),
  );

  it.each([
    ['4407911123456', '+4407911123456 has a digit too many for a number in the United Kingdom'],
    ['3752912345670', '+3752912345670 has a digit too many for a number in Belarus'],
    ['7916123456', '+7916123456 has too few digits for a number in Russia'],
    ['999123456789', '+999123456789 begins with a country code that does not exist'],
    ['71234567890', '+71234567890 is not a valid number in Russia'],
  ])('that was stored as %s is not written to first', (address, sentence) => {
    const refusal = storedNumberRefusal(address);
    expect(refusal && addressRefusalText('whatsapp', refusal)).toBe(sentence);
  });

  it('that was stored under a national variant is written to', () => {
    for (const address of ['5215512345678', '553188887777', '5491123456789', 'anna_shop', 'id:200000000000001@lid'])
      expect(storedNumberRefusal(address)).toBeNull();
  });
});

describe('a cell', () => {
  it('with the numbers of two people holds both, in order', () => {
    const separator = fc.constantFrom(', ', '; ', ' / ', '\n', ' | ', ' или ', ' and ', ' ::: ');
    fc.assert(
      fc.property(anExample, anExample, separator, (one, other, between) => {
        fc.pre(personKey(one.digits) !== personKey(other.digits));
        const { addresses, refused } = readAddresses('whatsapp', `+${one.digits}${between}+${other.digits}`);
        expect(addresses.map(({ address }) => address)).toEqual([one.digits, other.digits]);
        expect(refused).toEqual([]);
      }),
    );
  });

  it('is one address only if it holds one', () => {
    expect(readAddress('whatsapp', '+7 916 123-45-67, +7 903 123-45-67')).toMatchObject({
      refusal: { code: 'several' },
    });
    expect(readAddress('whatsapp', '+7 916 123-45-67, +7 903 123-45-678')).toMatchObject({
      refusal: { code: 'several' },
    });
    expect(readAddress('whatsapp', '+7 916 123-45-67, 89161234567')).toEqual({ address: '79161234567' });
  });

  it('of any kind is read without an error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc.stringMatching(/^[+\d ().,;/@:a-zа-я?=&#*-]{0,60}$/),
        ),
        (text) => {
          const { addresses, refused } = readAddresses('telegram', text);
          expect(addresses.length + refused.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
