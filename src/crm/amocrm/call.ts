/** Call an account's API: rate-limited across instances, with a fresh token, and with every outcome as a value. */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { reserveRate } from '../../jobs/store/rateLimit.ts';
import type { AppContext } from '../../platform/appContext.ts';
import { failureReason, type OutboundAnswer, wasNotSent } from '../../platform/outbound.ts';
import { retryAfterSeconds } from '../../platform/retryAfter.ts';
import { markReconnectNeeded } from '../store/tokens.ts';
import { accountUrl } from './host.ts';
import { parseJson } from './json.ts';
import { getAccessToken } from './tokens.ts';

const CALL_MS = 20_000;
/**
 * Milliseconds between calls: the vendor allows 7 calls in any second per integration, this makes at most 6. No burst:
 * with two calls saved up, 8 were once seen within a second on a busy machine.
 */
const CALL_INTERVAL_MS = 200;
const BURST = 1;
/**
 * A call that is later than this has missed its reserved time and reserves again; after a few misses it is sent anyway.
 */
const MAX_LATENESS_MS = 150;
const MAX_RESERVATIONS = 3;
/** A call that would wait longer is retried later. */
const MAX_WAIT_MS = 20_000;

/** The outcome of an API call. */
export type Answer =
  /** 2xx. The body is null for an empty answer, as for an empty list (204). */
  | { readonly kind: 'ok'; readonly body: unknown }
  /** 404: there is no such row. */
  | { readonly kind: 'missing' }
  /** Another 4xx: the same call would be refused again. */
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }
  /** No answer, 429 or 5xx. `maybeDone`: a write may have been done. */
  | {
      readonly kind: 'away';
      readonly reason: string;
      readonly retryAfterSeconds: number | null;
      readonly maybeDone: boolean;
    }
  /** The tokens are no longer accepted. */
  | { readonly kind: 'reconnect'; readonly reason: string };

const unavailable = { kind: 'away', retryAfterSeconds: null, maybeDone: false } as const;
const withdrawn: Answer = { ...unavailable, reason: 'Another instance does it' };
const tooManyWaiting: Answer = { kind: 'away', reason: 'Too many calls wait', retryAfterSeconds: 5, maybeDone: false };

const problem = z.object({
  title: z.string().optional(),
  detail: z.string().optional(),
  'validation-errors': z
    .array(z.object({ errors: z.array(z.object({ path: z.string().optional(), detail: z.string().optional() })) }))
    .optional(),
});

interface Call {
  readonly integrationId: number;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Milliseconds until the answer has arrived; by default 20 s. */
  readonly timeoutMs?: number;
  /** Runs right before each request leaves. False: it must not leave any more. */
  readonly beforeSend?: () => Promise<boolean>;
}

/** Call `path` (with its query) of the account. A 401 is followed by one refresh and one repeat. */
export async function call(context: AppContext, request: Call): Promise<Answer> {
  const stopTimer = context.metrics.crmCalls.startTimer();
  const answer = await callOnce(context, request);
  stopTimer({ outcome: answer.kind });
  return answer;
}

async function callOnce(context: AppContext, request: Call): Promise<Answer> {
  const { integrationId, method, path, body, timeoutMs = CALL_MS, beforeSend } = request;
  let refusedVersion: number | null = null;
  for (;;) {
    const token = await getAccessToken(context, integrationId, refusedVersion);
    if (token.kind === 'away') return { ...unavailable, reason: token.reason };
    if (token.kind !== 'token') return { kind: 'reconnect', reason: token.reason };
    const { account } = token;
    if (!(await waitForRate(context, account.client_id))) return tooManyWaiting;
    if (beforeSend && !(await beforeSend())) return withdrawn;
    let answer: OutboundAnswer;
    try {
      answer = await context.outbound.request(`${accountUrl(context, account.host)}/api/v4${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs,
      });
    } catch (error) {
      return { ...unavailable, reason: failureReason(error), maybeDone: !wasNotSent(error) };
    }
    if (answer.status !== 401) return outcomeOf(answer);
    if (refusedVersion !== null) {
      const reason = 'amoCRM refuses a token it has just given';
      await markReconnectNeeded(context.reader, { id: integrationId, tokenVersion: account.token_version, reason });
      return { kind: 'reconnect', reason };
    }
    refusedVersion = account.token_version;
  }
}

/**
 * Wait for a reserved time within the integration's rate limit. Returns false if too many calls wait. A call that
 * misses its time on a busy machine reserves again: late calls would collide with those whose time it is.
 */
async function waitForRate(context: AppContext, clientId: string): Promise<boolean> {
  for (let tries = 0; tries < MAX_RESERVATIONS; tries++) {
    const startedAt = performance.now();
    const waitMs = await reserveRate(context, { key: `amocrm ${clientId}`, everyMs: CALL_INTERVAL_MS, burst: BURST });
    if (waitMs > MAX_WAIT_MS) return false;
    if (waitMs > 0) await pause(waitMs);
    if (performance.now() - startedAt - waitMs < MAX_LATENESS_MS) break;
  }
  return true;
}

function outcomeOf({ status, text, headers }: OutboundAnswer): Answer {
  if (status === 204 || (status >= 200 && status < 300 && text === '')) return { kind: 'ok', body: null };
  if (status >= 200 && status < 300) {
    const body = parseJson(text);
    return body === null
      ? { ...unavailable, reason: "amoCRM's answer is unreadable", maybeDone: true }
      : { kind: 'ok', body };
  }
  if (status === 404) return { kind: 'missing' };
  if (status === 429 || status >= 500) {
    const seconds = retryAfterSeconds(headers);
    return {
      kind: 'away',
      reason: `amoCRM answered ${status}`,
      retryAfterSeconds: seconds === null ? null : Math.min(seconds, 3600),
      maybeDone: status !== 429,
    };
  }
  return { kind: 'refused', status, reason: reasonOf(status, text) };
}

function reasonOf(status: number, text: string): string {
  if (status === 402) return 'The subscription of the amoCRM account has ended (402)';
  const parsed = problem.safeParse(parseJson(text));
  const first = parsed.success ? parsed.data['validation-errors']?.[0]?.errors[0] : undefined;
  const message = first
    ? `${first.path ?? ''} ${first.detail ?? ''}`.trim()
    : parsed.success
      ? (parsed.data.detail ?? parsed.data.title ?? '')
      : '';
  return `amoCRM refuses (${status})${message === '' ? '' : `: ${message.slice(0, 300)}`}`;
}
