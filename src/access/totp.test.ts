import { expect, it } from 'vitest';
import { authenticatorUri, base32, codeOf, fromBase32, matchingStep, stepAt } from './totp.ts';

/** Test vector of RFC 6238, appendix B: `12345678901234567890`, SHA-1; the last six of its eight digits. */
const SECRET = base32(Buffer.from('12345678901234567890'));

it.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('computes the code of RFC 6238 at %i: %s', (seconds, code) => {
  expect(codeOf(SECRET, stepAt(seconds))).toBe(code);
});

it('encodes base32 as RFC 4648 does', () => {
  expect([base32(Buffer.from('f')), base32(Buffer.from('foobar'))]).toEqual(['MY', 'MZXW6YTBOI']);
  expect(fromBase32('MZXW6YTBOI').toString()).toBe('foobar');
});

it('accepts the codes of the current and adjacent steps, never a used one', () => {
  const at = (step: number) => codeOf(SECRET, step);
  expect(
    [98, 99, 100, 101, 102].map((step) =>
      matchingStep({ secret: SECRET, code: at(step), present: 100, lastStep: null }),
    ),
  ).toEqual([null, 99, 100, 101, null]);
  expect(
    [99, 100, 101].map((step) => matchingStep({ secret: SECRET, code: at(step), present: 100, lastStep: 100 })),
  ).toEqual([null, null, 101]);
  for (const code of ['', at(100).slice(1), `${at(100)}0`])
    expect(matchingStep({ secret: SECRET, code, present: 100, lastStep: null })).toBeNull();
});

it("names the account in the app's URI", () => {
  expect(authenticatorUri('ABC', 'vera & co', 'Rapport')).toBe(
    'otpauth://totp/Rapport:vera%20%26%20co?secret=ABC&issuer=Rapport',
  );
});
