/** Sends one encrypted message to one browser through its push service (RFC 8030, 8188, 8291, 8292). */
import { z } from 'zod';
import type { AppContext } from '../../platform/appContext.ts';
import { isLoopback } from '../../platform/config.ts';
import { failureReason, refusalReason } from '../../platform/outbound.ts';
import { retryAfterSeconds } from '../../platform/retryAfter.ts';
import type { PushMessage } from '../pushMessageContract.ts';
import type { StoredSubscription } from './store/subscriptions.ts';
import { vapidKeys } from './vapid.ts';

/** Hosts of the push services of Chrome and Chromium, Firefox, Edge and Safari; with a dot: of their subdomains. */
const PUSH_SERVICES = [
  'fcm.googleapis.com',
  '.push.services.mozilla.com',
  '.notify.windows.com',
  '.push.apple.com',
] as const;

const subscription = z.object({ endpoint: z.string(), keys: z.object({ p256dh: z.string(), auth: z.string() }) });
export type PushSubscription = z.output<typeof subscription>;

/** Whether messages may be sent to this address: a known service; in the sandbox, the emulated one alone. */
export function isPushService({ mode }: Pick<AppContext, 'mode'>, address: string): boolean {
  const { protocol, hostname } = new URL(address);
  if (mode === 'sandbox') return isLoopback(hostname);
  return (
    protocol === 'https:' &&
    PUSH_SERVICES.some((host) => (host.startsWith('.') ? hostname.endsWith(host) : hostname === host))
  );
}

const locationOf = (endpointHash: Buffer): string =>
  `push_subscriptions.subscription_sealed.${endpointHash.toString('hex')}`;

/** Encrypt a subscription for its row. */
export function sealSubscription({ cipher }: Pick<AppContext, 'cipher'>, plain: PushSubscription): StoredSubscription {
  const endpointHash = cipher.hash(plain.endpoint);
  return { endpointHash, sealed: cipher.encryptSecret(JSON.stringify(plain), locationOf(endpointHash)) };
}

/** What became of a message. `gone`: the push service does not know the browser any more. */
export type PushOutcome =
  | { readonly kind: 'accepted' | 'gone' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'later'; readonly reason: string; readonly retryAfterSeconds: number | null };

/** Some of `web-push`'s headers are numbers. */
const sentHeaders = z.record(z.string(), z.coerce.string());

const TIMEOUT_MS = 10_000;
/** Seconds that a push service keeps a message for a browser that it cannot reach: a working day. */
const TIME_TO_LIVE_SECONDS = 12 * 3600;

/**
 * Send a message. A later one with the same tag replaces it at the push service while the browser cannot be reached,
 * and in the browser.
 */
export async function sendPush(
  context: Pick<AppContext, 'cipher' | 'config' | 'mode' | 'outbound' | 'reader'>,
  { endpointHash, sealed }: StoredSubscription,
  message: PushMessage,
): Promise<PushOutcome> {
  const plain = subscription.parse(JSON.parse(context.cipher.decryptSecret(sealed, locationOf(endpointHash))));
  if (!isPushService(context, plain.endpoint)) return { kind: 'refused', reason: 'not a known push service' };
  const { default: webPush } = await import('web-push');
  const { endpoint, headers, body } = webPush.generateRequestDetails(plain, JSON.stringify(message), {
    vapidDetails: { subject: subjectOf(context), ...(await vapidKeys(context)) },
    contentEncoding: 'aes128gcm',
    TTL: TIME_TO_LIVE_SECONDS,
    urgency: message.type === 'show' ? 'high' : 'normal',
    topic: message.tag,
  });
  try {
    const { status, headers: answer } = await context.outbound.request(endpoint, {
      method: 'POST',
      headers: sentHeaders.parse(headers),
      body: body ?? '',
      timeoutMs: TIMEOUT_MS,
    });
    return outcomeOf(status, retryAfterSeconds(answer));
  } catch (error) {
    if (refusalReason(error) === 'rule') return { kind: 'refused', reason: 'the address is not allowed' };
    return { kind: 'later', reason: failureReason(error), retryAfterSeconds: null };
  }
}

/** Push services contact the sender of messages by it: an https URL or a mail address. */
const subjectOf = ({ config: { publicUrl } }: Pick<AppContext, 'config'>): string =>
  publicUrl.startsWith('https://') ? publicUrl : 'mailto:sandbox@rapport.invalid';

function outcomeOf(status: number, seconds: number | null): PushOutcome {
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  const reason = `the push service answered ${status}`;
  if (status !== 429 && status < 500) return { kind: 'refused', reason };
  return { kind: 'later', reason, retryAfterSeconds: seconds };
}
