import { hash, randomBytes, randomUUID } from 'node:crypto';

export const ids = {
  /** A random UUID: idempotency keys, batches, lives of nodes. */
  next: (): string => randomUUID(),
  /** 256 random bits as 43 URL-safe characters: sessions, hook addresses. */
  secret: (): string => randomBytes(32).toString('base64url'),
};

/** SHA-256, for secrets that are looked up but never read back. */
export function fingerprint(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
