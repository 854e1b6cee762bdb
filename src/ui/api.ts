/** The typed client of the HTTP contract, with a single error type. */
import { BACKGROUND_HEADER } from '../platform/backgroundHeader.ts';
import { CONFIRMABLE } from '../platform/confirmable.ts';
import type { AnswerOf, BodyInput, Endpoint, ParamsInput, QueryInput } from '../platform/contract.ts';
import { endpointUrl } from '../platform/endpointUrl.ts';
import { etagOf, versionOf } from '../platform/rowVersion.ts';
import { statusText } from '../platform/statusText.ts';
import { t } from './i18n.ts';
import { isOperatorActive } from './operatorActivity.ts';

/** One entry of a 422's `detail`. `loc` begins with `body`, `query` or `path`. */
export interface FieldError {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** Return the `detail` of an error's body: a sentence or field errors; null for a body of another form. */
function detailOf(body: unknown): string | readonly FieldError[] | null {
  if (typeof body !== 'object' || body === null || !('detail' in body)) return null;
  const { detail } = body;
  if (typeof detail === 'string') return detail;
  return Array.isArray(detail) && detail.every(isFieldError) ? detail : null;
}

function isFieldError(value: unknown): value is FieldError {
  if (typeof value !== 'object' || value === null) return false;
  if (!('loc' in value && 'msg' in value && 'type' in value)) return false;
  const { loc, msg, type } = value;
  const isPath = Array.isArray(loc) && loc.every((step) => typeof step === 'string' || typeof step === 'number');
  return isPath && typeof msg === 'string' && typeof type === 'string';
}

/** Headers of a failed response, and a title when it differs from the one of the status. */
interface FailureFacts {
  fields?: readonly FieldError[];
  requestId?: string | null;
  code?: string | null;
  title?: string;
}

/** Timeout of a call in milliseconds. */
const TIMEOUT_MS = 15_000;
/** Timeout of endpoints declared slow, which wait for a model, a vendor or many rows. */
const SLOW_TIMEOUT_MS = 180_000;

/** A failed call. `message` is the server's message, or the title if there is none. */
export class ApiError extends Error {
  /** HTTP status; 0: the server could not be reached, 408: it did not answer in time. */
  readonly status: number;
  /** 'Backend error {status}: {statusText}', or 'Network error' without a response. */
  readonly title: string;
  /** The server's message in one sentence; null if there is none. */
  readonly sentence: string | null;
  readonly fields: readonly FieldError[];
  readonly requestId: string | null;
  /** Refusal code as listed in the contract; null if the error is not a refusal. */
  readonly code: string | null;

  constructor(
    status: number,
    sentence: string | null,
    { fields = [], requestId = null, code = null, title: customTitle }: FailureFacts = {},
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

/** Return why the server rejected the input, to show beside its field. Null for any other error. */
export function refusalOf(error: Error | null): string | null {
  if (!(error instanceof ApiError)) return null;
  return error.status === 409 || error.status === 422 ? (error.fields[0]?.msg ?? error.sentence) : null;
}

/**
 * Query parameters of a call. A query whose names are unknown at compile time (any list seen through `Crud`) accepts
 * any.
 */
type Loose<T> = string extends keyof T
  ? Readonly<Record<string, unknown>>
  : { [K in keyof T]?: T[K] | null | undefined };
/** Makes the property optional if an empty object is valid, else required. */
type OptionalIfEmpty<Name extends string, T> =
  Record<never, never> extends T ? { [K in Name]?: T } : { [K in Name]: T };

export type CallArgs<E extends Endpoint> = OptionalIfEmpty<'params', ParamsInput<E>> &
  OptionalIfEmpty<'body', BodyInput<E>> & {
    /** Null and undefined values are dropped; arrays become repeated parameters. */
    query?: Loose<QueryInput<E>> | undefined;
    signal?: AbortSignal | undefined;
    /** ETag of the version to overwrite; null overwrites any version. */
    ifMatch?: string | null | undefined;
  };
/** `[]` when the endpoint needs no arguments, so that `call(logout)` compiles. */
export type ArgsTail<E extends Endpoint> =
  Record<never, never> extends CallArgs<E> ? [args?: CallArgs<E>] : [args: CallArgs<E>];

let sessionExpiredHandler: () => void = () => {};

/** Register the handler for an expired session. The console registers one. */
export function onSessionExpired(handler: () => void): void {
  sessionExpiredHandler = handler;
}

let reauthenticationHandler: () => Promise<boolean> = async () => false;

/**
 * Register the handler for when the server asks the operator to confirm their identity. If it resolves to true, the
 * call is repeated. The console registers one.
 */
export function onReauthenticationRequired(handler: () => Promise<boolean>): void {
  reauthenticationHandler = handler;
}

let confirmationHandler: (errors: readonly string[]) => Promise<boolean> = async () => false;

/**
 * Register the handler for errors that the operator can confirm. If it resolves to true, the call is repeated with them
 * confirmed. The console registers one.
 */
export function onConfirmationRequired(handler: (errors: readonly string[]) => Promise<boolean>): void {
  confirmationHandler = handler;
}

let connectionRefusedHandler: () => void = () => {};

/** Register the handler for a socket or stream that could not be opened. The console registers one. */
export function onConnectionRefused(handler: () => void): void {
  connectionRefusedHandler = handler;
}

/**
 * Report a socket or stream that could not be opened. Browsers do not expose the reason: the session may have expired.
 */
export function reportConnectionRefused(): void {
  connectionRefusedHandler();
}

/**
 * Call an endpoint with the session cookie and return its parsed 2xx body (null for 204). Throws `ApiError`: status 0
 * when the network fails, 408 when no response arrives within 15 s (3 min for endpoints declared slow). Throws the
 * `AbortError` itself when `signal` aborts.
 */
export async function call<E extends Endpoint>(endpoint: E, ...[args]: ArgsTail<E>): Promise<AnswerOf<E>> {
  const { params, query, ...rest } = untyped(args);
  const send = (more: object = {}) => request(endpoint, endpointUrl(endpoint, params, query), { ...rest, ...more });
  let { response, text } = await send();
  if (response.headers.get('x-refusal') === 'proof_required' && (await reauthenticationHandler()))
    ({ response, text } = await send());
  const confirm_errors: string[] = [];
  // A long list is shown page by page, because a refusal names a limited number of errors.
  for (;;) {
    const errors = confirmableErrors(response, text).filter((error) => !confirm_errors.includes(error));
    if (errors.length === 0 || !(await confirmationHandler(errors))) break;
    confirm_errors.push(...errors);
    ({ response, text } = await send({ body: { ...Object(rest.body), confirm_errors } }));
  }
  if (!response.ok) throw errorFromResponse(endpoint, response, text);
  const answer = endpoint.replies[response.status]?.safeParse(parseJson(text));
  if (!answer?.success) {
    const title = t('Failed to parse server response');
    throw new ApiError(response.status, t('The page may be older than the server: reload it and try again.'), {
      title,
    });
  }
  // The schema was looked up by this status, so its output is in the union of `AnswerOf`.
  return answer.data as AnswerOf<E>;
}

/** Return the errors of a refusal that the operator can confirm; none if it has others. */
function confirmableErrors(response: Response, text: string): string[] {
  const detail = response.status === 422 ? detailOf(parseJson(text)) : null;
  if (!Array.isArray(detail) || !detail.every(({ type }) => type === CONFIRMABLE)) return [];
  return detail.map(({ msg }) => msg);
}

/** The part of an endpoint that a request needs. */
export type RequestFacts = Pick<Endpoint, 'method' | 'path' | 'access' | 'slowReason'>;

/**
 * Call an address without its contract, for the sign-in page, which loads no schemas. Return the status and the body,
 * which nobody has checked. Throws like `call`.
 */
export async function callUnchecked(facts: RequestFacts, body?: object): Promise<{ status: number; answer: unknown }> {
  const { response, text } = await request(facts, facts.path, { body });
  if (!response.ok) throw errorFromResponse(facts, response, text);
  return { status: response.status, answer: parseJson(text) };
}

/** Call an endpoint that returns a text file and return the text unchanged. Throws like `call`. */
export async function callText<E extends Endpoint>(endpoint: E, ...[args]: ArgsTail<E>): Promise<string> {
  const { params, query, ...rest } = untyped(args);
  const { response, text } = await request(endpoint, endpointUrl(endpoint, params, query), rest);
  if (!response.ok) throw errorFromResponse(endpoint, response, text);
  return text;
}

/** Return the `ifMatch` for overwriting a row as it was read; null if the row has no version. */
export function ifMatchOf(row: object): string | null {
  const version = versionOf(row);
  return version === null ? null : etagOf(version);
}

interface UntypedArgs {
  params?: Readonly<Record<string, unknown>> | undefined;
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  ifMatch?: string | null | undefined;
}

/** Drop the types of the arguments, which are unresolved conditional types inside a generic function. */
function untyped(args: object | undefined): UntypedArgs {
  return args ?? {};
}

async function request(
  endpoint: RequestFacts,
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

function timeoutError(endpoint: RequestFacts, limit: number): ApiError {
  const seconds = limit / 1000;
  const sentence =
    endpoint.method === 'GET'
      ? t('The server has not answered within {{seconds}} s. Try again.', { seconds })
      : t(
          'The server has not answered within {{seconds}} s. It may still complete the request: check before you try again.',
          {
            seconds,
          },
        );
  return new ApiError(408, sentence, { title: t('No answer from the server') });
}

function errorFromResponse(endpoint: RequestFacts, response: Response, text: string): ApiError {
  // A 401 from a public endpoint refers to the submitted credentials, not to the session.
  if (response.status === 401 && endpoint.access !== 'public') sessionExpiredHandler();
  const { headers } = response;
  const code = headers.get('x-refusal');
  // The requirement came up after the session began. The console reloads the operator and shows the required step.
  if (code === 'second_factor_missing' || code === 'password_change_due') connectionRefusedHandler();
  return parseError(response.status, text, { requestId: headers.get('x-request-id'), code });
}

/** Convert a failed response into an error. The body is a sentence, a list of field errors, or plain text. */
export function parseError(status: number, text: string, headers: FailureFacts = {}): ApiError {
  const detail = detailOf(parseJson(text));
  if (detail === null) {
    const plain = text.trim();
    const readable = plain !== '' && plain.length <= 500 && !plain.startsWith('<') && !plain.startsWith('{');
    return new ApiError(status, readable ? plain : null, headers);
  }
  if (typeof detail === 'string') return new ApiError(status, detail, headers);
  const sentence = detail.map((one) => `${one.loc.slice(1).join('.') || one.loc.join('.')}: ${one.msg}`).join('\n');
  return new ApiError(status, sentence === '' ? null : sentence, { ...headers, fields: detail });
}

function parseJson(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
