/** The disconnect hook's signature: hex HMAC-SHA256 of `client_id|account_id` under the client secret. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Check the signature against the secret, in constant time. */
export function isSignedBy({
  secret,
  clientId,
  accountId,
  signature,
}: {
  secret: string;
  clientId: string;
  accountId: number;
  signature: string;
}): boolean {
  const expected = createHmac('sha256', secret).update(`${clientId}|${accountId}`).digest();
  const actual = /^[0-9a-f]{64}$/i.test(signature) ? Buffer.from(signature, 'hex') : Buffer.alloc(0);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
