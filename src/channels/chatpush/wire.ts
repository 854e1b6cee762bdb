/**
 * ChatPush's API on the wire: envelope, forms, addresses. The vendor does not document the following; decided here:
 * - what the answer to a repeated `external_id` is: nothing is ever resent automatically;
 * - whether a LID includes its `@lid`: it does not;
 * - how a bot's chat is addressed: like a personal number's, by `tdlib_user_id`;
 * - whether a webhook is changed with PUT or PATCH: PUT, and PATCH where PUT does not exist;
 * - how often it may be polled: the account once a minute, a message a few times in all.
 * The text goes in a form body, not in the query as documented, so that it stays out of access logs; checked live by
 * others, 2026-07.
 */
import { z } from 'zod';
import type { OutboundAnswer } from '../../platform/outbound.ts';
import type { ChannelType } from '../contract.ts';
import { type SendRequest, type VendorCall, VendorRefused } from '../driver.ts';

const CALL_TIMEOUT_MS = 15_000;

/** The vendor's names for the kinds of channels. */
export const routings = ['whatsapp', 'tdlib', 'telegram'] as const;
export type Routing = (typeof routings)[number];

export const MESSENGERS: Readonly<Record<Routing, ChannelType>> = {
  whatsapp: 'whatsapp',
  tdlib: 'telegram',
  telegram: 'telegram',
};

/**
 * Build a channel reference. The vendor has no channel id: a channel is an account's number plus one of its messengers.
 */
export const channelRefOf = (customerId: string, routing: Routing): string => `${customerId}:${routing}`;

/** Return the messenger of a reference; null if we did not build the reference. */
export function routingOf(ref: string): Routing | null {
  const routing = ref.split(':').at(-1);
  return routings.find((one) => one === routing) ?? null;
}

type Form = readonly (readonly [string, string])[];

/** Make one call. The answer may be a failure, even with status 200. */
export async function call({
  vendor,
  method,
  path,
  form = [],
  timeoutMs = CALL_TIMEOUT_MS,
}: {
  vendor: VendorCall;
  method: string;
  path: string;
  form?: Form | undefined;
  timeoutMs?: number | undefined;
}): Promise<OutboundAnswer> {
  const body = new URLSearchParams(form.map(([key, value]) => [key, value])).toString();
  return vendor.outbound.request(`${vendor.baseUrl}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${vendor.apiKey}`,
      ...(body === '' ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(body === '' ? {} : { body }),
    timeoutMs,
  });
}

const optionalText = z.string().nullish().catch(null);
const envelope = z.object({
  meta: z.object({
    code: z.coerce.number().nullish().catch(null),
    status: optionalText,
    message: optionalText,
    errors: z.record(z.string(), z.unknown()).nullish().catch(null),
  }),
});

export interface Failure {
  readonly code: string;
  readonly reason: string;
  /** The wrong parameters. */
  readonly fields: readonly string[];
  /** The HTTP status, or the one in the body where HTTP says 200. */
  readonly status: number;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Return the failure that an answer describes, or null for success. `fail` and `failed` both occur, also with HTTP 200.
 */
export function failureOf(answer: Pick<OutboundAnswer, 'status' | 'text'>): Failure | null {
  const parsed = envelope.safeParse(parseJson(answer.text));
  const isOk = answer.status >= 200 && answer.status < 300;
  if (!parsed.success) {
    if (isOk) return null;
    return {
      code: `HTTP_${answer.status}`,
      reason: `The vendor answered ${answer.status}`,
      fields: [],
      status: answer.status,
    };
  }
  const { meta } = parsed.data;
  if (isOk && !(meta.status ?? '').startsWith('fail')) return null;
  const fields = Object.keys(meta.errors ?? {});
  const status = isOk ? (meta.code ?? 422) : answer.status;
  const messages = [meta.message, ...fields.map((field) => `${field}: ${errorText(meta.errors?.[field])}`)];
  return {
    code: fields[0] === undefined ? `HTTP_${status}` : `wrong_${fields[0]}`,
    reason:
      messages
        .filter((one) => one)
        .join('; ')
        .slice(0, 500) || `The vendor answered ${status}`,
    fields,
    status,
  };
}

function errorText(errors: unknown): string {
  return Array.isArray(errors) ? errors.map(String).join(', ') : String(errors);
}

/** Return the body of a successful call. Throws VendorRefused. */
export function requireSuccess(answer: Pick<OutboundAnswer, 'status' | 'text'>): unknown {
  const failure = failureOf(answer);
  if (failure) throw new VendorRefused(failure.code, failure.reason);
  return parseJson(answer.text);
}

/** Return the form field that names the recipient. An address `id:…` is a lead whose number and name are hidden. */
function recipientOf({ channelType, chatId, address }: SendRequest): readonly [string, string] {
  const chat = chatId ?? (address.startsWith('id:') ? address.slice(3) : null);
  if (channelType === 'whatsapp') {
    const [, lid] = /^(\d+)@(?:hosted\.)?lid$/.exec(chat ?? '') ?? [];
    return lid === undefined ? ['phone', chat ?? address] : ['whatsapp_lid', lid];
  }
  if (chat !== null) return ['tdlib_user_id', chat];
  return /^\d+$/.test(address) ? ['phone', address] : ['username', address];
}

/**
 * Build the form of a send. It names one messenger only: the vendor would otherwise try the next one when the first
 * fails.
 */
export function formOf(request: SendRequest): Form {
  return [
    ['text', request.text],
    recipientOf(request),
    ['dispatch_routing[]', routingOf(request.channelRef) ?? MESSENGER_OF[request.channelType]],
    ['external_id', request.key],
    ...(request.callbackUrl === null ? [] : [['callback_url', request.callbackUrl] as const]),
  ];
}

const MESSENGER_OF: Readonly<Record<ChannelType, Routing>> = { whatsapp: 'whatsapp', telegram: 'tdlib' };
