/** What the emulated vendors do alike over HTTP. */
import type { FastifyReply } from 'fastify';

/** Cut the connection instead of answering. */
export function destroy(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.socket?.destroy();
  return reply;
}

/** Result of a vendor's request; the status is null without an answer, with the reason in `error`. */
export interface Answer {
  readonly status: number | null;
  readonly error?: string;
}

/** Send a request as a vendor does, without following redirects. */
export async function request(
  url: string | URL,
  init: Pick<RequestInit, 'method' | 'headers' | 'body'>,
  timeoutMs: number,
  stop: readonly AbortSignal[] = [],
): Promise<Answer> {
  try {
    const signal = AbortSignal.any([...stop, AbortSignal.timeout(timeoutMs)]);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    await response.arrayBuffer();
    return { status: response.status };
  } catch (error) {
    if (!(error instanceof Error)) return { status: null, error: String(error) };
    const { cause, message } = error;
    return { status: null, error: cause instanceof Error ? `${message}: ${cause.message}` : message };
  }
}

/** Limit the calls per key in a sliding window, on the real clock. */
export function rateLimiter(limit: () => { readonly requests: number; readonly perMs: number }) {
  const windows = new Map<string, number[]>();
  return (key: string): boolean => {
    const { requests, perMs } = limit();
    const now = performance.now();
    const times = (windows.get(key) ?? []).filter((at) => at > now - perMs);
    windows.set(key, times);
    if (times.length >= requests) return false;
    times.push(now);
    return true;
  };
}
