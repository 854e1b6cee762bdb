/** Reads what vendors and model servers say went wrong, in whatever shape they say it. */
import { plainName } from './fields.ts';

/** The vendor reported an error, by status or within the stream. */
export class VendorError extends Error {
  /** The status of the answer, or the one that belongs to an error within the stream. */
  readonly status: number;
  /** All that the vendor sent about it. */
  readonly body: string;
  /** How long the vendor asks to wait; null if it does not say. */
  readonly retryAfterSeconds: number | null;

  constructor(error: { status: number; message: string; body: string; retryAfterSeconds?: number | null }) {
    super(error.message);
    this.status = error.status;
    this.body = error.body;
    this.retryAfterSeconds = error.retryAfterSeconds ?? null;
  }
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const texts = (value: unknown): string[] => (typeof value === 'string' && value.trim() !== '' ? [value.trim()] : []);

/** Return the fields of an object by their plain names, however they are spelled: `Message`, `error_msg`, `errorMessage`. */
const plainFields = (value: Fields): Fields =>
  Object.fromEntries(Object.entries(value).map(([name, field]) => [plainName(name), field]));

/** Fields that hold an error, from the most telling to the least. */
const MESSAGE_FIELDS = [
  'error',
  'errors',
  'message',
  'msg',
  'faultstring',
  'detail',
  'errordescription',
  'errormessage',
  'errormsg',
  'statusmsg',
  'baseresp',
  'reason',
  'title',
  'description',
  'fault',
  'result',
  'data',
] as const;
/** Most of several errors that are shown. */
const MAX_ERRORS = 3;
const MAX_DEPTH = 6;

/** Return the sentences of an error, or of a list of them. */
function messagesIn(value: unknown, depth = 0): string[] {
  if (depth > MAX_DEPTH) return [];
  // Some put an error as JSON, or as Python's text of it, into the message of another one.
  if (typeof value === 'string') {
    const inner = /^\s*[[{]/.test(value) ? messagesIn(parseJson(value), depth + 1) : [];
    return inner.length > 0 ? inner : texts(value);
  }
  if (Array.isArray(value)) return value.slice(0, MAX_ERRORS).flatMap((one) => messagesIn(one, depth + 1));
  if (!isObject(value)) return [];
  // FastAPI names the place of what it refuses: `body.stream_options.include_usage`.
  const place = Array.isArray(value['loc']) ? value['loc'].filter((one) => one !== 'body').join('.') : '';
  const fields = plainFields(value);
  for (const field of MESSAGE_FIELDS) {
    const [first, ...rest] = messagesIn(fields[field], depth + 1);
    if (first === undefined) continue;
    // OpenRouter: "Provider returned error", with the provider's own words beside it.
    const raw = isObject(value['metadata']) ? messagesIn(value['metadata']['raw'], depth + 1) : [];
    return [place === '' ? first : `${place}: ${first}`, ...rest, ...raw.filter((one) => one !== first)];
  }
  return codeIn(fields);
}

/** Return what an error without a sentence is called: its code or its type. */
function codeIn(fields: Fields): string[] {
  const code = fields['code'] ?? fields['errorcode'];
  if (typeof code === 'number' && code !== 0 && statusOf(code) === undefined) return [`code ${code}`];
  const words = texts(code).filter((one) => statusOf(one) === undefined);
  return words.length > 0 ? words : texts(fields['type']).filter((one) => one !== 'error');
}

/** Parse a text; undefined if it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Return a body without what may come before it: a byte order mark, and comments of a page or a stream. */
export const withoutPreamble = (body: string): string => body.replace(/^(?:\s|<!--[^]*?-->|:[^\n]*(?:\n|$))+/, '');

const PAGE = /^\s*(?:<!doctype html|<html|<\?xml|<head|<body)/i;
const TITLES = [/<title[^>]*>([^<]+)/i, /<h1[^>]*>([^<]+)/i, /<message[^>]*>([^<]+)/i] as const;

/** Whether a body is a web page. */
export const isPage = (body: string): boolean => PAGE.test(withoutPreamble(body));

/** Return what a body says about an error: the vendor's sentence, the title of a page, a plain text; null if nothing. */
export function errorMessage(text: string): string | null {
  const body = withoutPreamble(text);
  if (isPage(body))
    return TITLES.map((title) => title.exec(body)?.[1]?.replace(/\s+/g, ' ').trim()).find(Boolean) ?? null;
  const value = parseJson(body);
  if (value === undefined) return texts(body.slice(0, 300))[0] ?? null;
  const found = messagesIn(value);
  return found.length > 0 ? found.join('; ') : null;
}

/** Statuses that belong to the codes, types and words of errors that come without one. */
const STATUSES: readonly (readonly [RegExp, number])[] = [
  [/insufficient_quota|rate_?limit|resource_exhausted|too many requests|throttl/i, 429],
  [/overloaded_error/i, 529],
  [/authentication|unauthenticated|invalid_api_key|unauthori[sz]ed|(?:invalid|incorrect|wrong) (?:api[ _])?key/i, 401],
  [/insufficient.{0,3}(?:balance|credit|funds)|billing|payment required/i, 402],
  [/permission|forbidden/i, 403],
  [/not_found|not found|unexpected endpoint|no route|does not exist|unknown model/i, 404],
  [/request_too_large|context.length|maximum context/i, 413],
  [/content_filter|content_policy|invalid_argument|invalid_request|bad_?request|failed_precondition/i, 400],
];

const statusOf = (value: unknown): number | undefined => {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && status >= 400 && status <= 599 ? status : undefined;
};

/**
 * Return the error that an event, or an answer with the status of a success, reports; null if it reports none. Without a
 * status, one that belongs to its code, type or words; else 500.
 */
export function readVendorError(value: unknown, body: string): VendorError | null {
  if (Array.isArray(value)) return value.length > 0 ? readVendorError(value[0], body) : null;
  if (!isObject(value)) return null;
  // OpenRouter reports what happens in mid-answer within the choice.
  const [choice] = Array.isArray(value['choices']) ? value['choices'] : [];
  if (isObject(choice) && isTrue(choice['error'])) return readVendorError({ error: choice['error'] }, body);
  if (!isError(value)) return null;
  const { error } = plainFields(value);
  const inner = isObject(error) ? error : isObject(value['base_resp']) ? value['base_resp'] : value;
  const code = [inner['code'], inner['status'], inner['status_code'], value['code'], value['status']];
  const named = [inner['code'], inner['type'], inner['status'], value['error_type'], ...messagesIn(value)];
  const status =
    code.map(statusOf).find((one) => one !== undefined) ??
    STATUSES.find(([words]) => named.some((one) => typeof one === 'string' && words.test(one)))?.[1] ??
    500;
  return new VendorError({ status, message: messagesIn(value).join('; '), body });
}

/** Whether an object reports an error. What has an answer reports one only by `error`. */
function isError(value: Fields): boolean {
  const { error, choices, candidates, type, object } = value;
  if (isTrue(error)) return true;
  const failed = isObject(value['base_resp']) ? value['base_resp']['status_code'] : 0;
  if (failed !== undefined && failed !== 0) return true;
  if (choices !== undefined || candidates !== undefined || value['usage'] || value['usageMetadata']) return false;
  if (object === 'error' || object === 'Error' || type === 'error') return true;
  if (typeof value['status'] === 'string' && FAILED.test(value['status'])) return true;
  const fields = plainFields(value);
  if (isTrue(fields['error']) || isTrue(fields['fault'])) return true;
  if ([value['result'], value['data']].some((inner) => isObject(inner) && isTrue(inner['error']))) return true;
  // Events of Anthropic have a type; its `message` is an object.
  return WORDS_OF_ERRORS.some((name) => {
    const field = fields[name];
    return field !== undefined && !isObject(field) && messagesIn(field).some((words) => !SUCCEEDED.test(words));
  });
}

const isTrue = (value: unknown): boolean => value !== undefined && value !== null && value !== '' && value !== false;
/** Fields in which only an error has words. */
const WORDS_OF_ERRORS = ['detail', 'errors', 'message', 'msg', 'errormessage', 'errormsg', 'errordescription'];
const FAILED = /^(?:error|fail(?:ed|ure)?)$/i;
const SUCCEEDED = /^(?:ok|success(?:ful(?:ly)?)?)[.!]?$/i;
