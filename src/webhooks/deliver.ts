/**
 * Sends what webhooks are owed, at least once: a process that dies between an answer and storing it sends the delivery
 * again, with the same event id. What is not received is tried again for three days, less and less often.
 */
import type { SweepTools } from '../jobs/sweeps.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { failpoint } from '../platform/failpoint.ts';
import { refusalReason } from '../platform/outbound.ts';
import { retryAfterSeconds } from '../platform/retryAfter.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { envelopeOf } from './envelope.ts';
import { secretLocation } from './secret.ts';
import { signatureHeaders } from './signature.ts';
import {
  type ClaimedDelivery,
  claimDelivery,
  DELIVERIES,
  findDueDeliveries,
  recordAttempt,
  releaseDelivery,
  retryDelivery,
  settleDelivery,
} from './store/deliveries.ts';

const LIMIT = 200;
const TIMEOUT_MS = 10_000;
/** Longest time between two attempts. */
const MAX_DELAY_SECONDS = 6 * 3600;

/** Start the deliveries that are due. One receiver that hangs does not delay the others. */
export async function sendDeliveries(context: AppContext, { start }: SweepTools): Promise<void> {
  for (const { id, webhookId } of await findDueDeliveries(context.reader, LIMIT))
    start(`webhook ${webhookId}`, `webhook delivery ${id}`, () => deliver(context, id));
}

async function deliver(context: AppContext, id: number): Promise<void> {
  const claimed = await claimDelivery(context.reader, id, context);
  if (claimed === null) return;
  failpoint('webhook.afterClaim');
  try {
    await context.claims.hold(DELIVERIES, [{ id }], () => attempt(context, claimed));
  } finally {
    await retryWhileDatabaseUnavailable(context, () => releaseDelivery(context.reader, id, context.instanceId));
  }
  failpoint('webhook.afterSettle');
}

async function attempt(context: AppContext, claimed: ClaimedDelivery): Promise<void> {
  const { reader, instanceId } = context;
  const { id, attempts } = claimed;
  if (!(await recordAttempt(reader, id, instanceId))) return;
  failpoint('webhook.beforeRequest');
  const outcome = await send(context, claimed);
  failpoint('webhook.afterAnswer');
  if (outcome.kind !== 'later') return settleDelivery(reader, id, outcome);
  const delay = retryDelaySeconds(context, attempts, MAX_DELAY_SECONDS);
  const seconds = Math.max(delay, Math.min(outcome.retryAfterSeconds, MAX_DELAY_SECONDS));
  return retryDelivery(reader, id, { ...outcome, seconds });
}

/** What an attempt came to. `refused`: our own rules forbid the address, so that trying again is of no use. */
type Outcome =
  | { readonly kind: 'received'; readonly status: number; readonly error: null }
  | { readonly kind: 'refused'; readonly status: null; readonly error: string }
  | {
      readonly kind: 'later';
      readonly status: number | null;
      readonly error: string;
      readonly retryAfterSeconds: number;
    };

async function send(
  { cipher, outbound }: Pick<AppContext, 'cipher' | 'outbound'>,
  { webhookId, url, sealed, eventId, ...event }: ClaimedDelivery,
): Promise<Outcome> {
  const secret = cipher.decryptSecret(sealed, secretLocation(webhookId));
  const body = JSON.stringify(envelopeOf(event));
  const timestamp = Math.floor(Date.now() / 1000);
  try {
    const { status, headers } = await outbound.request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signatureHeaders(secret, { id: eventId, timestamp, body }) },
      body,
      timeoutMs: TIMEOUT_MS,
    });
    if (status >= 200 && status < 300) return { kind: 'received', status, error: null };
    return {
      kind: 'later',
      status,
      error: `The receiver answered ${status}`,
      retryAfterSeconds: retryAfterSeconds(headers) ?? 0,
    };
  } catch (error) {
    // The text of the error might reveal what this network looks like.
    if (refusalReason(error) === 'rule') return { kind: 'refused', status: null, error: 'The address is not allowed' };
    return { kind: 'later', status: null, error: `${new URL(url).host} did not answer`, retryAfterSeconds: 0 };
  }
}
