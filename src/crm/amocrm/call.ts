/** One call of an account's API: its pace held across nodes, its token fresh, every way it can end a value. */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { bookSlot } from '../../jobs/pace.ts';
import type { Ground } from '../../platform/ground.ts';
import type { OutboundAnswer } from '../../platform/outbound.ts';
import { needReconnect } from '../store/pairs.ts';
import { accountUrl } from './host.ts';
import { parseJson } from './json.ts';
import { tokenOf } from './tokens.ts';

const CALL_MS = 20_000;
/** 7 calls in any second and integration by the vendor: two saved up, and one each 200 ms. */
const EVERY_MS = 200;
const BURST = 2;
/** Who would wait longer comes again later. */
const LONGEST_WAIT_MS = 20_000;

/** How a call of the API ended. */
export type Answer =
  /** 2xx; null: an empty answer, as for an empty list (204). */
  | { readonly kind: 'ok'; readonly body: unknown }
  /** 404: there is no such row. */
  | { readonly kind: 'missing' }
  /** Another 4xx: the same call would be refused again. */
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }
  /** No answer, 429 or 5xx: what was to be written may have been written. */
  | { readonly kind: 'away'; readonly reason: string; readonly retryAfterSeconds: number | null }
  /** The tokens open nothing any more. */
  | { readonly kind: 'reconnect'; readonly reason: string };

const problem = z.object({
  title: z.string().optional(),
  detail: z.string().optional(),
  'validation-errors': z
    .array(z.object({ errors: z.array(z.object({ path: z.string().optional(), detail: z.string().optional() })) }))
    .optional(),
});

/** Calls `path` (with its query) of the account. A 401 is followed by one refresh and one repeat. */
export async function call(
  ground: Ground,
  integrationId: number,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Answer> {
  let refused: number | null = null;
  for (;;) {
    const token = await tokenOf(ground, integrationId, refused);
    if (token.kind === 'away') return { kind: 'away', reason: token.reason, retryAfterSeconds: null };
    if (token.kind !== 'token') return { kind: 'reconnect', reason: token.reason };
    const { account } = token;
    const wait = await bookSlot(ground, `amocrm ${account.client_id}`, EVERY_MS, BURST);
    if (wait > LONGEST_WAIT_MS) return { kind: 'away', reason: 'Too many calls wait', retryAfterSeconds: 5 };
    if (wait > 0) await pause(wait);
    let answer: OutboundAnswer;
    try {
      answer = await ground.outbound.request(`${accountUrl(ground, account.host)}/api/v4${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: CALL_MS,
      });
    } catch {
      return { kind: 'away', reason: 'amoCRM does not answer', retryAfterSeconds: null };
    }
    if (answer.status !== 401) return outcomeOf(answer);
    if (refused !== null) {
      const reason = 'amoCRM refuses a token it has just given';
      await needReconnect(ground.reader, integrationId, account.pair, reason);
      return { kind: 'reconnect', reason };
    }
    refused = account.pair;
  }
}

function outcomeOf({ status, text, headers }: OutboundAnswer): Answer {
  if (status === 204 || (status >= 200 && status < 300 && text === '')) return { kind: 'ok', body: null };
  if (status >= 200 && status < 300) {
    const body = parseJson(text);
    return body === null
      ? { kind: 'away', reason: "amoCRM's answer is unreadable", retryAfterSeconds: null }
      : { kind: 'ok', body };
  }
  if (status === 404) return { kind: 'missing' };
  if (status === 429 || status >= 500) {
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    const retryAfterSeconds = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 3600) : null;
    return { kind: 'away', reason: `amoCRM answered ${status}`, retryAfterSeconds };
  }
  return { kind: 'refused', status, reason: reasonOf(status, text) };
}

function reasonOf(status: number, text: string): string {
  if (status === 402) return 'The subscription of the amoCRM account has ended (402)';
  const said = problem.safeParse(parseJson(text));
  const first = said.success ? said.data['validation-errors']?.[0]?.errors[0] : undefined;
  const words = first
    ? `${first.path ?? ''} ${first.detail ?? ''}`.trim()
    : said.success
      ? (said.data.detail ?? said.data.title ?? '')
      : '';
  return `amoCRM refuses (${status})${words === '' ? '' : `: ${words.slice(0, 300)}`}`;
}
