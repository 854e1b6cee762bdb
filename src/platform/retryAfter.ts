/** Reads how long a server asks to be left alone: the one rule for all servers. */
import type { OutboundAnswer } from './outbound.ts';

/** A server that asks for more than a day has made a mistake, or its clock has. */
const MAX_SECONDS = 86_400;

/**
 * Return the seconds of `Retry-After` (RFC 9110: seconds, or a date, which is compared with the answer's own) or of
 * `retry-after-ms`; null if there is no readable one.
 */
export function retryAfterSeconds(headers: OutboundAnswer['headers'], now = Date.now()): number | null {
  const ms = amountIn(firstOf(headers['retry-after-ms']));
  if (ms !== null) return Math.min(ms / 1000, MAX_SECONDS);
  const header = firstOf(headers['retry-after']);
  const seconds = amountIn(header) ?? secondsUntil(header, firstOf(headers['date']), now);
  return seconds === null ? null : Math.min(Math.max(seconds, 0), MAX_SECONDS);
}

const firstOf = (header: string | string[] | undefined): string => (Array.isArray(header) ? header[0] : header) ?? '';

/** Read `30`, `30s`, and `30, 30`, as a header that two servers have set. */
function amountIn(header: string): number | null {
  const amount = /^\s*(\d+(?:\.\d+)?)\s*s?\s*(?:,|$)/i.exec(header)?.[1];
  return amount === undefined ? null : Number(amount);
}

/** An HTTP date begins with the day of the week. */
function secondsUntil(header: string, sentAt: string, now: number): number | null {
  const at = /^[a-z]{3,9},? /i.test(header) ? Date.parse(header) : Number.NaN;
  if (Number.isNaN(at)) return null;
  const from = Date.parse(sentAt);
  return (at - (Number.isNaN(from) ? now : from)) / 1000;
}
