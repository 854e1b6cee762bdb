/**
 * Secrets at rest: AES-256-GCM under the installation's key. Where a secret stands (table, column, row) is bound in as
 * additional data, so a ciphertext moved to another row does not open.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

export interface Seal {
  /** `place` is `table.column.id`. */
  close(plain: string, place: string): string;
  /** Throws when the text was not sealed at this place under this key. */
  open(sealed: string, place: string): string;
  /** A keyed hash, by which a secret can be found again without being readable. */
  hash(plain: string): Buffer;
}

const VERSION = 'v1';
export const MIN_KEY_LENGTH = 32;

/** Makes a seal from the installation's secret key (any string of at least 32 characters). */
export function createSeal(secretKey: string): Seal {
  if (secretKey.length < MIN_KEY_LENGTH) throw new Error(`A secret key needs at least ${MIN_KEY_LENGTH} characters.`);
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secretKey, 'rapport', purpose, 32));
  const key = derive('seal');
  const hashKey = derive('hash');
  const bound = (place: string): Buffer => Buffer.from(place);
  return {
    close(plain, place) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(bound(place));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return [
        VERSION,
        nonce.toString('base64url'),
        body.toString('base64url'),
        cipher.getAuthTag().toString('base64url'),
      ].join('.');
    },
    open(sealed, place) {
      const [version, nonce, body, tag] = sealed.split('.');
      if (version !== VERSION || nonce === undefined || body === undefined || tag === undefined) {
        throw new Error(`Not a sealed secret at ${place}`);
      }
      // Node 24 accepts shortened tags when no length is given.
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), { authTagLength: 16 });
      decipher.setAAD(bound(place));
      decipher.setAuthTag(Buffer.from(tag, 'base64url'));
      return Buffer.concat([decipher.update(Buffer.from(body, 'base64url')), decipher.final()]).toString('utf8');
    },
    hash: (plain) => createHmac('sha256', hashKey).update(plain).digest(),
  };
}

/** How a secret is shown: `…` and its last four characters. */
export function mask(secret: string): string {
  return `…${secret.length > 8 ? secret.slice(-4) : ''}`;
}

/** Whether this is what a read gave in a secret's place. */
export const isMasked = (secret: string): boolean => secret.startsWith('…');
