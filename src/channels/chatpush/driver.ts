/**
 * ChatPush, API v1. One token is one account with at most one session per messenger; a channel is the account's number
 * plus the messenger. Nothing is idempotent, so a message that may have arrived is never resent automatically. WhatsApp
 * reports statuses by webhook; Telegram reports them only to the callback address and when polled. Unknowns are listed
 * in `wire.ts`, and those of hooks in `hooks.ts`.
 */
import { z } from 'zod';
import { failureReason, type OutboundAnswer, wasNotSent } from '../../platform/outbound.ts';
import { retryAfterSeconds } from '../../platform/retryAfter.ts';
import type { DeliveryStatus, Driver, SendOutcome } from '../driver.ts';
import { messengerMarkup } from '../markup.ts';
import { readChannels } from './account.ts';
import { deliveryStateOf, refusalAboutFields } from './codes.ts';
import { parseHook, readDeliveryStatus } from './hooks.ts';
import { deliveryStatus, statusId } from './shapes.ts';
import { readHookAddress, registerHook } from './webhooks.ts';
import { call, failureOf, formOf, parseJson, requireSuccess, routingOf } from './wire.ts';

const TEXT_LIMIT = 3500;

const id = z.union([z.string().min(1).max(100), z.int()]).transform(String);
const acceptedAnswer = z.object({
  delivery: z.object({ id, status_id: statusId.nullish().catch(null) }),
});
const statusAnswer = z.object({ delivery: deliveryStatus });

/** Send one message. Every outcome is returned as a value. */
const send: Driver['send'] = async (vendor, request) => {
  try {
    return outcomeOf(
      await call({ vendor, method: 'POST', path: '/delivery', form: formOf(request), timeoutMs: request.timeoutMs }),
    );
  } catch (error) {
    const reason = failureReason(error);
    if (wasNotSent(error))
      return { kind: 'rejected', about: 'passing', code: 'NOT_CONNECTED', reason, retryAfterSeconds: null };
    return { kind: 'unknown', reason };
  }
};

function outcomeOf(answer: OutboundAnswer): SendOutcome {
  const failure = failureOf(answer);
  if (failure) {
    const { code, reason, fields, status } = failure;
    const rejection = { kind: 'rejected', code, reason, retryAfterSeconds: null } as const;
    if (status === 429) {
      const seconds = retryAfterSeconds(answer.headers);
      return { ...rejection, about: 'passing', reason: 'The vendor asks to slow down', retryAfterSeconds: seconds };
    }
    if (status === 401 || status === 403)
      return { ...rejection, about: 'account', reason: `The vendor refuses the token: ${reason}` };
    if (status >= 500) return { kind: 'unknown', reason: `The vendor failed with ${status}` };
    return { ...rejection, about: status === 402 ? 'channel' : refusalAboutFields(fields) };
  }
  const parsed = acceptedAnswer.safeParse(parseJson(answer.text));
  // The status says accepted, but without an id the message cannot be tracked.
  if (!parsed.success) return { kind: 'unknown', reason: 'The vendor accepted, but its answer is unreadable' };
  const { delivery } = parsed.data;
  const deliveryState = deliveryStateOf(delivery.status_id ?? 6);
  if (deliveryState?.status === 'error') {
    const reason = deliveryState.reason ?? `The vendor answered status ${delivery.status_id}`;
    return {
      kind: 'rejected',
      about: deliveryState.about,
      code: String(delivery.status_id),
      reason,
      retryAfterSeconds: null,
    };
  }
  // The vendor does not return the chat id: an echo or an inbound message will.
  return { kind: 'accepted', messageId: delivery.id, chatId: null };
}

export const chatpush: Driver = {
  name: 'ChatPush',
  keyWindowMs: 0,
  // The vendor allows about one message a minute; more end in status 35.
  rateLimit: { clock: 'domain', reason: 'ChatPush takes one message a minute from this account' },
  pollsSessions: true,
  reportsRead: true,
  textLimit: () => TEXT_LIMIT,
  // The vendor documents no markup of its own and passes the text on.
  markupOf: (type) => messengerMarkup[type],
  // A bot cannot write first to a stranger.
  canWriteFirst: ({ ref }) => routingOf(ref) !== 'telegram',
  send,
  parseHook,
  readHookAddress,
  registerHook,
  listChannels: readChannels,
  async fetchDeliveryStatus(vendor, messageId): Promise<DeliveryStatus | null> {
    const answer = await call({ vendor, method: 'GET', path: `/delivery/${encodeURIComponent(messageId)}` });
    if (answer.status === 404) return null;
    const parsed = statusAnswer.safeParse(requireSuccess(answer));
    return parsed.success ? readDeliveryStatus(parsed.data.delivery) : null;
  },
};
