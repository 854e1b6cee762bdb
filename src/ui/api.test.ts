import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { endpoint, errorReply } from '../platform/contract.ts';
import { ApiError, call, onSessionExpired, parseError } from './api.ts';

const read = endpoint({
  operation: 'getThing',
  method: 'GET',
  path: '/v1/things/{id}',
  access: 'session',
  summary: 'Read a thing',
  params: z.strictObject({ id: z.int() }),
  query: z.strictObject({ kind: z.array(z.string()).optional(), search: z.string().optional() }),
  replies: { 200: z.object({ id: z.int() }), 404: errorReply },
});
const enter = endpoint({
  operation: 'enter',
  method: 'POST',
  path: '/v1/enter',
  access: 'public',
  summary: 'Enter',
  body: z.strictObject({ word: z.string() }),
  replies: { 204: z.null(), 401: z.string() },
});

/** Stub the network's responses. Returns the requests that were made. */
function answer(respond: (request: Request) => Response | Promise<Response>): Request[] {
  const asked: Request[] = [];
  vi.stubGlobal('fetch', (address: string, init: RequestInit) => {
    const request = new Request(new URL(address, 'http://console.test'), init);
    asked.push(request);
    return Promise.resolve(request).then(respond);
  });
  return asked;
}

async function failureOf(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`Not an ApiError: ${String(error)}`);
  return error;
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  onSessionExpired(() => {});
});

describe('call', () => {
  test('sends JSON and answers the parsed body', async () => {
    const asked = answer(() => new Response(null, { status: 204 }));
    await expect(call(enter, { body: { word: 'hello' } })).resolves.toBeNull();
    expect(asked[0]?.method).toBe('POST');
    expect(asked[0]?.headers.get('content-type')).toBe('application/json');
    await expect(asked[0]?.json()).resolves.toEqual({ word: 'hello' });
  });

  test('treats a response that violates the contract as an error', async () => {
    answer(() => Response.json({ id: 'seven' }));
    const error = await failureOf(call(read, { params: { id: 7 } }));
    expect(error.title).toBe('Failed to parse server response');
    expect(error.sentence).toBe('The page may be older than the server: reload it and try again.');
  });

  /** A server that never responds. Like `fetch`, it rejects as soon as the signal aborts. */
  const silent = () =>
    vi.stubGlobal('fetch', (_address: string, { signal }: RequestInit) => {
      const { promise, reject } = Promise.withResolvers<Response>();
      signal?.addEventListener('abort', () => reject(signal.reason));
      return promise;
    });

  test('fails a call without an answer after 15 s, and a slow one after 3 min', async () => {
    vi.useFakeTimers();
    silent();
    const reading = failureOf(call(read, { params: { id: 7 } }));
    const writing = failureOf(call(enter, { body: { word: 'hello' } }));
    const slow = failureOf(call({ ...read, slowReason: 'A model writes the answer.' }, { params: { id: 7 } }));
    vi.advanceTimersByTime(14_999);
    const pending = Symbol('pending');
    await expect(Promise.race([reading, writing, Promise.resolve(pending)])).resolves.toBe(pending);
    vi.advanceTimersByTime(1);
    const error = await reading;
    expect([error.status, error.title]).toEqual([408, 'No answer from the server']);
    expect(error.sentence).toBe('The server has not answered within 15 s. Try again.');
    expect((await writing).sentence).toContain('check before you try again');
    vi.advanceTimersByTime(165_000);
    expect((await slow).sentence).toBe('The server has not answered within 180 s. Try again.');
  });

  test('reports a network failure as status 0', async () => {
    answer(() => Promise.reject(new TypeError('fetch failed')));
    const error = await failureOf(call(read, { params: { id: 7 } }));
    expect(error.status).toBe(0);
    expect(error.title).toBe('Network error');
  });

  test('does not report an aborted call as a network failure', async () => {
    const abort = new AbortController();
    silent();
    const called = call(read, { params: { id: 7 }, signal: abort.signal });
    abort.abort();
    await expect(called).rejects.toHaveProperty('name', 'AbortError');
  });

  test('ends the session on 401, except from a public endpoint', async () => {
    let ended = 0;
    onSessionExpired(() => {
      ended += 1;
    });
    answer(() => new Response('The login or the password is wrong.', { status: 401 }));
    const error = await failureOf(call(enter, { body: { word: 'x' } }));
    expect(error.message).toBe('The login or the password is wrong.');
    expect(ended).toBe(0);
    await failureOf(call(read, { params: { id: 7 } }));
    expect(ended).toBe(1);
  });
});

describe('errorOf', () => {
  test('puts the sentence beneath the title', () => {
    const error = parseError(409, '{"detail":"This company still has 2 product(s)."}', {
      requestId: 'req-1',
      code: 'company.in_use',
    });
    expect(error.title).toBe('Backend error 409: Conflict');
    expect(error.sentence).toBe('This company still has 2 product(s).');
    expect(error.requestId).toBe('req-1');
    expect(error.code).toBe('company.in_use');
  });

  test('keeps and describes the invalid fields', () => {
    const detail = [{ loc: ['body', 'config', 0, 'name'], msg: 'Required', type: 'missing' }];
    const error = parseError(422, JSON.stringify({ detail }));
    expect(error.title).toBe('Backend error 422: Unprocessable Entity');
    expect(error.fields).toEqual(detail);
    expect(error.sentence).toBe('config.0.name: Required');
  });

  test("uses a text body as the sentence, but not a proxy's page", () => {
    expect(parseError(429, 'Too many wrong logins.').message).toBe('Too many wrong logins.');
    expect(parseError(502, '<html>nginx</html>').message).toBe('Backend error 502: Bad Gateway');
    expect(parseError(500, '').message).toBe('Backend error 500: Internal Server Error');
  });

  test('has a text for an unknown status', () => {
    expect(parseError(599, '').title).toBe('Backend error 599: Server Error');
  });
});
