/**
 * Wazzup24, API v3. One key is one account with many channels and a single hook address. Idempotency: `crmMessageId`,
 * recognised for 60 s; a repeat is answered with 400 REPEATED_CRM_MESSAGE_ID and without the first id.
 */
import { z } from 'zod';
import { failureReason, wasNotSent } from '../../platform/outbound.ts';
import { retryAfterSeconds } from '../../platform/retryAfter.ts';
import type { ChannelType } from '../contract.ts';
import { type Driver, type SendOutcome, type SendRequest, type VendorCall, VendorRefused } from '../driver.ts';
import { messengerMarkup } from '../markup.ts';
import { isRepeated, refusalAboutOf } from './codes.ts';
import { parseHook } from './hooks.ts';

const CALL_TIMEOUT_MS = 15_000;
const bot = z.object({ transport: z.literal('telegram') });

/** WhatsApp 10,000, Telegram 4,096 (the vendor's pages contradict each other; these are the lower figures). */
const TEXT_LIMITS: Record<ChannelType, number> = { whatsapp: 10_000, telegram: 4096 };

const answerId = z.object({ messageId: z.string().min(1), chatId: z.string().nullish() });
const refusal = z.object({
  error: z.string().catch('UNKNOWN'),
  description: z.string().catch(''),
});
const channelList = z.array(
  z.object({
    channelId: z.string(),
    transport: z.string(),
    plainId: z.coerce.string().nullish(),
    state: z.string().catch('unknown'),
    name: z.string().nullish(),
  }),
);
const hookSettings = z.object({ webhooksUri: z.string().nullish() });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function refusalOf(status: number, text: string): { code: string; reason: string } {
  const parsed = refusal.safeParse(parseJson(text));
  if (!parsed.success) return { code: `HTTP_${status}`, reason: `The vendor answered ${status}` };
  return { code: parsed.data.error, reason: parsed.data.description || parsed.data.error };
}

async function call({
  vendor,
  method,
  path,
  body,
  timeoutMs = CALL_TIMEOUT_MS,
}: {
  vendor: VendorCall;
  method: string;
  path: string;
  body?: object | undefined;
  timeoutMs?: number | undefined;
}) {
  return vendor.outbound.request(`${vendor.baseUrl}/v3${path}`, {
    method,
    headers: {
      authorization: `Bearer ${vendor.apiKey}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    timeoutMs,
  });
}

/** Return the fields that name the recipient: the chat as the messenger named it, else the address. */
function recipientOf({ channelType, chatId, address }: SendRequest): Record<string, string> {
  // An address `id:…` is a chat id: the lead's number and username are hidden.
  const chat = chatId ?? (address.startsWith('id:') ? address.slice(3) : null);
  if (chat !== null) return { chatId: chat };
  if (channelType === 'whatsapp') return { chatId: address };
  return /^\d+$/.test(address) ? { phone: address } : { username: address };
}

/** Send one message. Every outcome is returned as a value. */
const send: Driver['send'] = async (vendor, request) => {
  const recipient = recipientOf(request);
  let answer: Awaited<ReturnType<typeof call>>;
  try {
    answer = await call({
      vendor,
      method: 'POST',
      path: '/message',
      body: {
        channelId: request.channelRef,
        chatType: request.channelType,
        ...recipient,
        text: request.text,
        crmMessageId: request.key,
        // The vendor advises false for automatic messages, so that its 'unanswered' counter stays for humans.
        clearUnanswered: false,
      },
      timeoutMs: request.timeoutMs,
    });
  } catch (error) {
    const reason = failureReason(error);
    if (wasNotSent(error))
      return { kind: 'rejected', about: 'passing', code: 'NOT_CONNECTED', reason, retryAfterSeconds: null };
    return { kind: 'unknown', reason };
  }
  return outcomeOf(answer.status, answer.text, retryAfterSeconds(answer.headers));
};

/** `seconds`: how long the vendor asks to wait; null if it does not say. */
function outcomeOf(status: number, text: string, seconds: number | null): SendOutcome {
  if (status >= 200 && status < 300) {
    const parsed = answerId.safeParse(parseJson(text));
    // The status says accepted, but without an id the message cannot be tracked.
    if (!parsed.success) return { kind: 'unknown', reason: 'The vendor accepted, but its answer is unreadable' };
    return { kind: 'accepted', messageId: parsed.data.messageId, chatId: parsed.data.chatId ?? null };
  }
  const { code, reason } = refusalOf(status, text);
  if (status === 429) {
    return {
      kind: 'rejected',
      about: 'passing',
      code: 'TOO_MANY_REQUESTS',
      reason: 'The vendor asks to slow down',
      retryAfterSeconds: seconds,
    };
  }
  if (status === 401 || status === 403) {
    return {
      kind: 'rejected',
      about: 'account',
      code,
      reason: `The vendor refuses the key: ${reason}`,
      retryAfterSeconds: null,
    };
  }
  if (status >= 500) return { kind: 'unknown', reason: `The vendor failed with ${status}` };
  if (isRepeated(code)) return { kind: 'accepted', messageId: null, chatId: null };
  return { kind: 'rejected', about: refusalAboutOf(code), code, reason, retryAfterSeconds: null };
}

function channelTypeOf(transport: string): ChannelType | null {
  if (transport === 'whatsapp' || transport === 'wapi') return 'whatsapp';
  return transport === 'tgapi' || transport === 'telegram' ? 'telegram' : null;
}

function requireSuccess(status: number, text: string): unknown {
  if (status >= 200 && status < 300) return parseJson(text);
  const { code, reason } = refusalOf(status, text);
  throw new VendorRefused(code, reason);
}

export const wazzup24: Driver = {
  name: 'Wazzup24',
  // The vendor documents 60 s; ten less, so that a delayed repeat still arrives within the window.
  keyWindowMs: 50_000,
  // The vendor allows 500 calls per 5 s and key; we use half: 200 per 5 s evenly plus a burst of 50.
  rateLimit: { clock: 'real', everyMs: 25, burst: 50 },
  pollsSessions: false,
  reportsRead: true,
  textLimit: (type) => TEXT_LIMITS[type],
  // https://wazzup24.com/help/api-en/sending-messages/: WhatsApp takes its usual signs, personal accounts of Telegram none.
  // The signs that bots take are not on the page that can be read, so bots get plain text, too.
  markupOf: (type) => messengerMarkup[type],
  // Transport `telegram` is a bot, which cannot write first to a stranger.
  canWriteFirst: ({ type, config }) => type !== 'telegram' || !bot.safeParse(config).success,
  send,
  parseHook,
  async readHookAddress(vendor) {
    const answer = await call({ vendor, method: 'GET', path: '/webhooks' });
    const parsed = hookSettings.safeParse(requireSuccess(answer.status, answer.text));
    return parsed.success ? parsed.data.webhooksUri || null : null;
  },
  async registerHook(vendor, address) {
    const answer = await call({
      vendor,
      method: 'PATCH',
      path: '/webhooks',
      body: {
        webhooksUri: address,
        subscriptions: {
          messagesAndStatuses: true,
          contactsAndDealsCreation: false,
          channelsUpdates: true,
          templateStatus: false,
        },
      },
    });
    requireSuccess(answer.status, answer.text);
  },
  async listChannels(vendor) {
    const answer = await call({ vendor, method: 'GET', path: '/channels' });
    const parsed = channelList.safeParse(requireSuccess(answer.status, answer.text));
    if (!parsed.success) throw new VendorRefused('UNREADABLE', "The vendor's list of channels is unreadable");
    return parsed.data.map((one) => ({
      ref: one.channelId,
      title: one.name ?? `${one.transport} ${one.plainId ?? ''}`.trim(),
      address: one.plainId ?? null,
      state: one.state,
      transport: one.transport,
      type: channelTypeOf(one.transport),
    }));
  },
};
