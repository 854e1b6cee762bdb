import { hash, randomBytes, randomUUID } from 'node:crypto';

export const ids = {
  /** Return a random UUID: for idempotency keys, batches, instances. */
  next: (): string => randomUUID(),
  /** Return 256 random bits as 43 URL-safe characters: for sessions, hook addresses. */
  secret: (): string => randomBytes(32).toString('base64url'),
};

/** Hash with SHA-256, for secrets that are looked up but never read back. */
export function fingerprint(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
