/** Signs deliveries as Standard Webhooks describes: whoever has the secret can tell that they come from here, and when. */
import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

interface SignedDelivery {
  /** The id of the event. */
  readonly id: string;
  /** Seconds since 1970, of the attempt: an old request that somebody repeats can be refused. */
  readonly timestamp: number;
  readonly body: string;
}

/** Return the headers of a delivery. */
export function signatureHeaders(secret: string, { id, timestamp, body }: SignedDelivery): Record<string, string> {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` };
}
