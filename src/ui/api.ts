/** The typed client of the contract: one function, one kind of error. */
import { z } from 'zod';
import {
  type AnswerOf,
  BACKGROUND_HEADER,
  type BodyInput,
  type Endpoint,
  type ParamsInput,
  type QueryInput,
} from '../platform/contract.ts';
import { etagOf, versionOf } from '../platform/rowVersion.ts';
import { statusText } from '../platform/statusText.ts';
import { t } from './i18n.ts';
import { isOperatorActive } from './operatorActivity.ts';

/** One entry of a 422's `detail`. `loc` begins with `body`, `query` or `path`. */
const fieldError = z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string(), type: z.string() });
export type FieldError = z.output<typeof fieldError>;

const errorBody = z.object({ detail: z.union([z.string(), z.array(fieldError)]) });

/** What the headers of a failed reply tell, and the title where it is not the status's own. */
interface FailureFacts {
  requestId?: string | null;
  code?: string | null;
  title?: string;
}

/** How long an answer may take, milliseconds. */
const TIMEOUT_MS = 15_000;
/** Of an endpoint that is declared slow: a model, a vendor or many rows are at work. */
const SLOW_TIMEOUT_MS = 180_000;

/** Every failed call. `message` is the server's sentence, else the title. */
export class ApiError extends Error {
  /** HTTP status; 0: the server could not be reached, 408: it did not answer in time. */
  readonly status: number;
  /** 'Backend error {status}: {statusText}'; without an answer 'Network error'. */
  readonly title: string;
  /** What the server says, one sentence; null when it says nothing. */
  readonly sentence: string | null;
  readonly fields: readonly FieldError[];
  readonly requestId: string | null;
  /** Which refusal it is, as the contract lists them; null when it is none. */
  readonly code: string | null;

  constructor(
    status: number,
    sentence: string | null,
    fields: readonly FieldError[] = [],
    { requestId = null, code = null, title: customTitle }: FailureFacts = {},
  ) {
    const statusTitle =
      status === 0
        ? t('Network error')
        : t('Backend error {{status}}: {{statusText}}', { status, statusText: statusText(status) });
    const title = customTitle ?? statusTitle;
    super(sentence ?? title);
    this.name = 'ApiError';
    this.status = status;
    this.title = title;
    this.sentence = sentence;
    this.fields = fields;
    this.requestId = requestId;
    this.code = code;
  }
}

/** Why the server refused what was typed, to be said beside its field; null: it was not that. */
export function refusalOf(error: Error | null): string | null {
  if (!(error instanceof ApiError)) return null;
  return error.status === 409 || error.status === 422 ? (error.fields[0]?.msg ?? error.sentence) : null;
}

/** A query whose names are not known to the compiler (any list, seen through `Crud`) takes any. */
type Loose<T> = string extends keyof T
  ? Readonly<Record<string, unknown>>
  : { [K in keyof T]?: T[K] | null | undefined };
/** Optional where an empty object would do, else required. */
type OptionalIfEmpty<Name extends string, T> =
  Record<never, never> extends T ? { [K in Name]?: T } : { [K in Name]: T };

export type CallArgs<E extends Endpoint> = OptionalIfEmpty<'params', ParamsInput<E>> &
  OptionalIfEmpty<'body', BodyInput<E>> & {
    /** Null and undefined values are dropped, arrays repeated. */
    query?: Loose<QueryInput<E>> | undefined;
    signal?: AbortSignal | undefined;
    /** ETag of the version that is written over; null: whatever is there. */
    ifMatch?: string | null | undefined;
  };
/** `[]` when the endpoint needs nothing, so that `call(logout)` reads as it should. */
export type ArgsTail<E extends Endpoint> =
  Record<never, never> extends CallArgs<E> ? [args?: CallArgs<E>] : [args: CallArgs<E>];

let sessionExpiredHandler: () => void = () => {};

/** Registers what happens when a call finds that the session is over. One registration, by the console. */
export function onSessionExpired(handler: () => void): void {
  sessionExpiredHandler = handler;
}

let reauthenticationHandler: () => Promise<boolean> = async () => false;

/**
 * Registers what happens when the server asks the operator to confirm who he is: true once he has, and the call is
 * repeated. One registration, by the console.
 */
export function onReauthenticationRequired(handler: () => Promise<boolean>): void {
  reauthenticationHandler = handler;
}

let connectionRefusedHandler: () => void = () => {};

/** Registers what happens when a socket or stream could not be opened. One registration, by the console. */
export function onConnectionRefused(handler: () => void): void {
  connectionRefusedHandler = handler;
}

/** Reports a socket or stream that the server did not open. A browser does not say why: the session may be over. */
export function reportConnectionRefused(): void {
  connectionRefusedHandler();
}

/**
 * Calls an endpoint with the session's cookie and answers its parsed 2xx body (null for 204).
 * Throws `ApiError`: status 0 when the network fails, 408 when no answer comes within 15 s (3 min where the endpoint is
 * declared slow). Throws the `AbortError` itself when `signal` aborts.
 */
export async function call<E extends Endpoint>(endpoint: E, ...[args]: ArgsTail<E>): Promise<AnswerOf<E>> {
  const { params, query, ...rest } = untyped(args);
  const send = () => request(endpoint, urlOf(endpoint, params, query), rest);
  let { response, text } = await send();
  if (response.headers.get('x-refusal') === 'proof_required' && (await reauthenticationHandler()))
    ({ response, text } = await send());
  if (!response.ok) throw errorFromResponse(endpoint, response, text);
  const answer = endpoint.replies[response.status]?.safeParse(parseJson(text));
  if (!answer?.success) {
    const title = t('Failed to parse server response');
    throw new ApiError(response.status, t('The page may be older than the server: reload it and try again.'), [], {
      title,
    });
  }
  // The schema stands under this very status, so its output is in the union that AnswerOf takes.
  return answer.data as AnswerOf<E>;
}

/** Calls an endpoint whose answer is a text for saving, and gives it as it is. Throws as `call` does. */
export async function callText<E extends Endpoint>(endpoint: E, ...[args]: ArgsTail<E>): Promise<string> {
  const { params, query, ...rest } = untyped(args);
  const { response, text } = await request(endpoint, urlOf(endpoint, params, query), rest);
  if (!response.ok) throw errorFromResponse(endpoint, response, text);
  return text;
}

/** The `ifMatch` of a write over a row as it was read; null: it has no version. */
export function ifMatchOf(row: object): string | null {
  const version = versionOf(row);
  return version === null ? null : etagOf(version);
}

/** `/v1/leads/7?stage=initial&stage=started`: the address of a call. */
export function urlOf(
  endpoint: Endpoint,
  params: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(params[key])));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined) search.append(key, String(one));
    }
  }
  const queryString = search.toString();
  return queryString === '' ? path : `${path}?${queryString}`;
}

interface UntypedArgs {
  params?: Readonly<Record<string, unknown>> | undefined;
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  ifMatch?: string | null | undefined;
}

/** Reads the arguments without their types, which inside a generic function are unresolved conditionals. */
function untyped(args: object | undefined): UntypedArgs {
  return args ?? {};
}

async function request(
  endpoint: Endpoint,
  address: string,
  { body, signal, ifMatch }: Omit<UntypedArgs, 'params' | 'query'>,
): Promise<{ response: Response; text: string }> {
  const limit = endpoint.slowReason === null ? TIMEOUT_MS : SLOW_TIMEOUT_MS;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), limit);
  try {
    const response = await fetch(address, {
      method: endpoint.method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(ifMatch ? { 'if-match': ifMatch } : {}),
        ...(isOperatorActive() ? {} : { [BACKGROUND_HEADER]: 'yes' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
    });
    return { response, text: await response.text() };
  } catch (error) {
    if (signal?.aborted) throw error;
    if (timeout.signal.aborted) throw timeoutError(endpoint, limit);
    throw new ApiError(0, t('The server cannot be reached. Check the connection and try again.'));
  } finally {
    clearTimeout(timer);
  }
}

function timeoutError(endpoint: Endpoint, limit: number): ApiError {
  const seconds = limit / 1000;
  const sentence =
    endpoint.method === 'GET'
      ? t('The server has not answered within {{seconds}} s. Try again.', { seconds })
      : t('The server has not answered within {{seconds}} s. It may still do it: check before you try again.', {
          seconds,
        });
  return new ApiError(408, sentence, [], { title: t('No answer from the server') });
}

function errorFromResponse(endpoint: Endpoint, response: Response, text: string): ApiError {
  // A 401 of a public endpoint speaks of what was sent to it, not of the session.
  if (response.status === 401 && endpoint.access !== 'public') sessionExpiredHandler();
  const { headers } = response;
  const code = headers.get('x-refusal');
  // Required since the session began: the console asks again who is signed in, and shows what has to be done first.
  if (code === 'second_factor_missing' || code === 'password_change_due') connectionRefusedHandler();
  return parseError(response.status, text, { requestId: headers.get('x-request-id'), code });
}

/** Turns a failed reply into an error: a sentence, a list of fields, or a plain text body. */
export function parseError(status: number, text: string, headers: FailureFacts = {}): ApiError {
  const body = errorBody.safeParse(parseJson(text));
  if (!body.success) {
    const plain = text.trim();
    const readable = plain !== '' && plain.length <= 500 && !plain.startsWith('<') && !plain.startsWith('{');
    return new ApiError(status, readable ? plain : null, [], headers);
  }
  const { detail } = body.data;
  if (typeof detail === 'string') return new ApiError(status, detail, [], headers);
  const sentence = detail.map((one) => `${one.loc.slice(1).join('.') || one.loc.join('.')}: ${one.msg}`).join('\n');
  return new ApiError(status, sentence === '' ? null : sentence, detail, headers);
}

function parseJson(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
