import { describe, expect, it } from 'vitest';
import { createSecretCipher, mask } from './secretCipher.ts';

const KEY = 'a secret key of at least thirty-two characters';
const cipher = createSecretCipher(KEY);
const PLACE = 'vendor_accounts.api_key_sealed.1';

describe('an encrypted secret', () => {
  it('decrypts a secret in its own row and column', () => {
    for (const plain of ['', 'key', 'ключ 🔑', 'x'.repeat(10_000)])
      expect(cipher.decryptSecret(cipher.encryptSecret(plain, PLACE), PLACE)).toBe(plain);
  });

  it('encrypts the same secret differently each time', () => {
    const [first, other] = [cipher.encryptSecret('the-api-key', PLACE), cipher.encryptSecret('the-api-key', PLACE)];
    expect(first).not.toBe(other);
    expect(first).toMatch(/^v2\.[\w-]{8}\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/);
    expect(Buffer.from(first.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain('api');
  });

  it('does not decrypt a secret moved to another row, column or table', () => {
    const [one, two] = [cipher.encryptSecret('one', 't.c.1'), cipher.encryptSecret('two', 't.c.2')];
    for (const [encrypted, place] of [
      [one, 't.c.2'],
      [two, 't.c.1'],
      [one, 't.d.1'],
      [one, 'u.c.1'],
      [one, 't.c.11'],
    ] as const)
      expect(() => cipher.decryptSecret(encrypted, place)).toThrow();
  });

  it('does not decrypt under another key', () => {
    expect(() => createSecretCipher(`${KEY}!`).decryptSecret(cipher.encryptSecret('one', PLACE), PLACE)).toThrow();
  });

  it('does not decrypt a changed value', () => {
    const parts = cipher.encryptSecret('the secret', PLACE).split('.');
    for (let index = 0; index < parts.length; index++) {
      const changed = parts.with(index, `${parts[index]?.startsWith('A') ? 'B' : 'A'}${parts[index]?.slice(1)}`);
      expect(() => cipher.decryptSecret(changed.join('.'), PLACE)).toThrow();
    }
    // A shortened tag must be rejected, not accepted as a weaker one.
    expect(() => cipher.decryptSecret(parts.with(4, (parts[4] ?? '').slice(0, 6)).join('.'), PLACE)).toThrow();
    for (const text of ['', 'plain', 'v1', 'v1.a.b', 'v1.a.b.c', 'v2.a.b.c', 'v2.a.b.c.d', 'v3.a.b.c.d'])
      expect(() => cipher.decryptSecret(text, PLACE)).toThrow();
  });

  it('decrypts each value under the key it names, and encrypts under the current one', () => {
    const next = createSecretCipher(`next ${KEY}`, { others: [KEY] });
    const former = cipher.encryptSecret('one', PLACE);
    expect(next.decryptSecret(former, PLACE)).toBe('one');
    const current = next.encryptSecret('one', PLACE);
    expect(current.startsWith(next.currentPrefix)).toBe(true);
    expect(former.startsWith(next.currentPrefix)).toBe(false);
    expect(() => cipher.decryptSecret(current, PLACE)).toThrow('under a key that is not known');
    // A value relabelled with another key's id cannot be decrypted under either key.
    const [version, , ...rest] = former.split('.');
    expect(() => next.decryptSecret([version, next.currentPrefix.split('.')[1], ...rest].join('.'), PLACE)).toThrow();
  });

  it('decrypts values of 1.0.0, which name no key, in their own place only', () => {
    // Encrypted by 1.0.0 with KEY for PLACE.
    const old = 'v1.lhu6-i3THp_WArNF.5DQu0ilbN5rCrUg.NxKjEscobX6G_eu8LQHcSQ';
    for (const knows of [cipher, createSecretCipher(`next ${KEY}`, { others: [KEY] })]) {
      expect(knows.decryptSecret(old, PLACE)).toBe('the-api-key');
      expect(() => knows.decryptSecret(old, 'vendor_accounts.api_key_sealed.2')).toThrow();
    }
    expect(() => createSecretCipher(`next ${KEY}`).decryptSecret(old, PLACE)).toThrow('No known key opens');
  });

  it('requires a key of at least 32 characters', () => {
    expect(() => createSecretCipher('x'.repeat(31))).toThrow('A secret key needs at least 32 characters.');
    expect(() => createSecretCipher('x'.repeat(32))).not.toThrow();
  });

  it('hashes equal secrets equally under one key and differently under another', () => {
    expect(cipher.hash('a').equals(createSecretCipher(KEY).hash('a'))).toBe(true);
    expect(cipher.hash('a').equals(cipher.hash('b'))).toBe(false);
    expect(cipher.hash('a').equals(createSecretCipher(`${KEY}!`).hash('a'))).toBe(false);
  });
});

describe('a masked secret', () => {
  it.each([
    ['sk-1234567890abcd', '…abcd'],
    ['123456789', '…6789'],
    ['12345678', '…'],
    ['abcd', '…'],
    ['', '…'],
  ])('masks %s as %s', (secret, masked) => {
    expect(mask(secret)).toBe(masked);
  });
});
