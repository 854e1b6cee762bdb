/**
 * Secrets at rest: AES-256-GCM under the installation's key. The location of a secret (table, column, row) is bound in
 * as additional data, so a ciphertext moved to another row cannot be decrypted. Each value names its key, so that
 * several keys can be known while `npm run rekey` moves all values to the current one.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

export interface SecretCipher {
  /** Encrypt under the current key. `location` is `table.column.id`; `npm run rekey` builds it from the primary key. */
  encryptSecret(plain: string, location: string): string;
  /** Decrypt a value. Throws when it was not encrypted for this location under a known key. */
  decryptSecret(encrypted: string, location: string): string;
  /** Return a keyed hash, by which a secret can be found without being readable. Stays the same when keys change. */
  hash(plain: string): Buffer;
  /** The key of `hash`, for threads of this process. */
  readonly hashKey: KeyObject;
  /** Prefix of every value that is encrypted under the current key. */
  readonly currentPrefix: string;
}

/** Hashes what may be found again and not read. */
export type Hasher = Pick<SecretCipher, 'hash'>;

/** Create a hasher from the cipher's `hashKey`. */
export const createHasher = (hashKey: KeyObject): Hasher => ({
  hash: (plain) => createHmac('sha256', hashKey).update(plain).digest(),
});

/** `v2.key id.nonce.body.tag`; values of 1.0.0 are `v1.nonce.body.tag`, without a key id. */
const VERSION = 'v2';
const VERSION_WITHOUT_KEY_ID = 'v1';
export const MIN_KEY_LENGTH = 32;

interface Key {
  readonly id: string;
  /** As an object, which Node converts once and not for every secret. [6 µs to decrypt one, instead of 27] */
  readonly key: KeyObject;
}

const derive = (secretKey: string, purpose: string, bytes = 32): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, 'rapport', purpose, bytes));

/** Derive the hash key as 1.0.0 did from its secret key; an installation keeps that of its first key. */
export const firstHashKey = (secretKey: string): Buffer => derive(secretKey, 'hash');

interface CipherOptions {
  /** Further known keys: former ones, or the next one. */
  readonly others?: readonly string[];
  /** Default: the hash key of the current key. */
  readonly hashKey?: Buffer;
}

/** Create a cipher from the installation's secret key (any string of at least 32 characters). */
export function createSecretCipher(
  secretKey: string,
  { others = [], hashKey = firstHashKey(secretKey) }: CipherOptions = {},
): SecretCipher {
  const keys = [secretKey, ...others].map((one): Key => {
    if (one.length < MIN_KEY_LENGTH) throw new Error(`A secret key needs at least ${MIN_KEY_LENGTH} characters.`);
    return { id: derive(one, 'key id', 6).toString('base64url'), key: createSecretKey(derive(one, 'seal')) };
  });
  const [current] = keys;
  if (!current) throw new Error('There is no secret key');
  const prefix = `${VERSION}.${current.id}.`;
  const hmacKey = createSecretKey(hashKey);
  const additionalData = (id: string, location: string): Buffer => Buffer.from(`${VERSION}.${id}.${location}`);

  /** Decrypt a value of 1.0.0 by trying every key: the tag shows which one matches. */
  function decryptWithoutKeyId(parts: readonly string[], location: string): string {
    for (const { key } of keys) {
      try {
        return decrypt(key, parts, Buffer.from(location));
      } catch {
        // Encrypted under another key.
      }
    }
    throw new Error(`No known key opens the secret at ${location}`);
  }

  return {
    currentPrefix: prefix,
    encryptSecret(plain, location) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce);
      cipher.setAAD(additionalData(current.id, location));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return prefix + [nonce, body, cipher.getAuthTag()].map((part) => part.toString('base64url')).join('.');
    },
    decryptSecret(encrypted, location) {
      const [version, ...parts] = encrypted.split('.');
      if (version === VERSION_WITHOUT_KEY_ID && parts.length === 3) return decryptWithoutKeyId(parts, location);
      const [id = '', ...rest] = parts;
      if (version !== VERSION || rest.length !== 3) throw new Error(`Not a sealed secret at ${location}`);
      const matchingKey = keys.find((one) => one.id === id);
      if (!matchingKey) throw new Error(`The secret at ${location} is sealed under a key that is not known`);
      return decrypt(matchingKey.key, rest, additionalData(id, location));
    },
    ...createHasher(hmacKey),
    hashKey: hmacKey,
  };
}

function decrypt(key: KeyObject, parts: readonly string[], additional: Buffer): string {
  const [nonce, body, tag] = parts.map((part) => Buffer.from(part, 'base64url'));
  if (!nonce || !body || !tag) throw new Error('A sealed secret has three parts');
  // Node 24 accepts shortened tags when no length is given.
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  decipher.setAAD(additional);
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
}

/** Mask a secret for display: `…` and its last four characters, which only a secret of more than 8 shows. */
export function mask(secret: string): string {
  return `…${secret.length > 8 ? secret.slice(-4) : ''}`;
}

/** Whether a value is the mask that a read returns in place of a secret. */
export const isMasked = (secret: string): boolean => secret.startsWith('…');
