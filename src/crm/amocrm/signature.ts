/** The disconnect hook's signature: hex HMAC-SHA256 of `client_id|account_id` under the client secret. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether the signature is the secret's, compared in constant time. */
export function isSignedBy(secret: string, clientId: string, accountId: number, signature: string): boolean {
  const wanted = createHmac('sha256', secret).update(`${clientId}|${accountId}`).digest();
  const given = /^[0-9a-f]{64}$/i.test(signature) ? Buffer.from(signature, 'hex') : Buffer.alloc(0);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
