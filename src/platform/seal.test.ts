import { describe, expect, it } from 'vitest';
import { createSeal, mask } from './seal.ts';

const KEY = 'a secret key of at least thirty-two characters';
const seal = createSeal(KEY);
const PLACE = 'vendor_accounts.api_key_sealed.1';

describe('a seal', () => {
  it('opens what it closed, at its place', () => {
    for (const plain of ['', 'key', 'ключ 🔑', 'x'.repeat(10_000)])
      expect(seal.open(seal.close(plain, PLACE), PLACE)).toBe(plain);
  });

  it('closes the same secret differently each time, and shows nothing of it', () => {
    const [first, other] = [seal.close('the-api-key', PLACE), seal.close('the-api-key', PLACE)];
    expect(first).not.toBe(other);
    expect(first).toMatch(/^v2\.[\w-]{8}\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/);
    expect(Buffer.from(first.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain('api');
  });

  it('does not open in another row, column or table: two swapped rows are both unreadable', () => {
    const [one, two] = [seal.close('one', 't.c.1'), seal.close('two', 't.c.2')];
    for (const [sealed, place] of [
      [one, 't.c.2'],
      [two, 't.c.1'],
      [one, 't.d.1'],
      [one, 'u.c.1'],
      [one, 't.c.11'],
    ] as const)
      expect(() => seal.open(sealed, place)).toThrow();
  });

  it('does not open under another key', () => {
    expect(() => createSeal(`${KEY}!`).open(seal.close('one', PLACE), PLACE)).toThrow();
  });

  it('does not open when anything of it was changed', () => {
    const parts = seal.close('the secret', PLACE).split('.');
    for (let index = 0; index < parts.length; index++) {
      const changed = parts.with(index, `${parts[index]?.startsWith('A') ? 'B' : 'A'}${parts[index]?.slice(1)}`);
      expect(() => seal.open(changed.join('.'), PLACE)).toThrow();
    }
    // A shortened tag must not be taken for a weaker one.
    expect(() => seal.open(parts.with(4, (parts[4] ?? '').slice(0, 6)).join('.'), PLACE)).toThrow();
    for (const text of ['', 'plain', 'v1', 'v1.a.b', 'v1.a.b.c', 'v2.a.b.c', 'v2.a.b.c.d', 'v3.a.b.c.d'])
      expect(() => seal.open(text, PLACE)).toThrow();
  });

  it('names its key: with several known each value opens under its own, and new ones are under the current', () => {
    const next = createSeal(`next ${KEY}`, { others: [KEY] });
    const former = seal.close('one', PLACE);
    expect(next.open(former, PLACE)).toBe('one');
    const current = next.close('one', PLACE);
    expect(current.startsWith(next.current)).toBe(true);
    expect(former.startsWith(next.current)).toBe(false);
    expect(() => seal.open(current, PLACE)).toThrow('under a key that is not known');
    // Told to be another key's, it opens under neither.
    const [version, , ...rest] = former.split('.');
    expect(() => next.open([version, next.current.split('.')[1], ...rest].join('.'), PLACE)).toThrow();
  });

  it('opens what 1.0.0 closed, which names no key, at its place alone', () => {
    // Sealed by 1.0.0 under KEY at PLACE.
    const old = 'v1.lhu6-i3THp_WArNF.5DQu0ilbN5rCrUg.NxKjEscobX6G_eu8LQHcSQ';
    for (const knows of [seal, createSeal(`next ${KEY}`, { others: [KEY] })]) {
      expect(knows.open(old, PLACE)).toBe('the-api-key');
      expect(() => knows.open(old, 'vendor_accounts.api_key_sealed.2')).toThrow();
    }
    expect(() => createSeal(`next ${KEY}`).open(old, PLACE)).toThrow('No known key opens');
  });

  it('needs a key of at least 32 characters', () => {
    expect(() => createSeal('x'.repeat(31))).toThrow('A secret key needs at least 32 characters.');
    expect(() => createSeal('x'.repeat(32))).not.toThrow();
  });

  it('hashes under its key: the same for the same, another under another key', () => {
    expect(seal.hash('a').equals(createSeal(KEY).hash('a'))).toBe(true);
    expect(seal.hash('a').equals(seal.hash('b'))).toBe(false);
    expect(seal.hash('a').equals(createSeal(`${KEY}!`).hash('a'))).toBe(false);
  });
});

describe('a shown secret', () => {
  it.each([
    ['sk-1234567890abcd', '…abcd'],
    ['123456789', '…6789'],
    ['12345678', '…'],
    ['abcd', '…'],
    ['', '…'],
  ])('%s is %s', (secret, shown) => {
    expect(mask(secret)).toBe(shown);
  });
});
