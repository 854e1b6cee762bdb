/**
 * Declarations of what crosses the wire. Browser-safe: server, console and API document are all derived from them, so
 * that a path, a bound or an access rule is written once.
 */
import { z } from 'zod';
import { normalizeLineEndings } from './lineEndings.ts';
import './validationMessages.ts';

/**
 * Who may call an endpoint.
 * - `session`: any signed-in operator, within the companies they belong to
 * - `admin`: a signed-in admin
 * - `public`: anybody, without authentication; a test pins the literal list of such endpoints
 * - `hook`: a vendor, authenticated by the secret in the address or a bearer token
 * - `session-or-hook`: an operator, or a vendor account's secret as bearer token
 * - `metrics`: the bearer token of the metrics reader; open in the sandbox
 * - `document`: open in the sandbox, a session in production
 * - `sandbox`: exists in the sandbox only, open there
 */
export type Access = 'session' | 'admin' | 'public' | 'hook' | 'session-or-hook' | 'metrics' | 'document' | 'sandbox';

/**
 * What a request waits for.
 * - `call`: our own database
 * - `outside`: an outside service (a model, a messenger's vendor, the CRM), so it may take minutes
 * - `login`: a password check
 * - `session`: nothing but the lookup of the session
 * - `hook`: storing a vendor's hook
 * - `public`: work that a caller without session or secret may start
 * - `stream`: its response stays open
 * - `probe`: nothing; it reports the health of the process, also when all other requests are refused
 */
export type Load = 'call' | 'outside' | 'login' | 'session' | 'hook' | 'public' | 'stream' | 'probe';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Media = 'application/json' | 'text/html' | 'text/plain' | 'text/event-stream' | 'application/x-ndjson';
type Shape = z.ZodType;
type Replies = Readonly<Record<number, Shape>>;

export interface Endpoint<
  P extends Shape = Shape,
  Q extends Shape = Shape,
  B extends Shape = Shape,
  R extends Replies = Replies,
> {
  /** Unique name in the API document; clients' functions are named after it. `listLeads`, `changeLeadStage` */
  readonly operation: string;
  readonly method: Method;
  /** `/v1/leads/{id}`; a trailing slash is accepted too. */
  readonly path: string;
  readonly access: Access;
  readonly summary: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly replies: R;
  /**
   * Whether the body is read loosely, as for vendors: what cannot be stored is removed from it, and JSON and form are
   * accepted. `json`: no form.
   */
  readonly loose: boolean | 'json';
  /** Body limit in bytes. */
  readonly limit: number;
  /** Whether the request is upgraded to a socket; a plain call of it is 426. */
  readonly socket: boolean;
  /** Media type of a successful reply. */
  readonly media: Media;
  /** What a request waits for; admission classifies requests by it. */
  readonly load: Load;
  /** Why a reply may take minutes, for example because a model writes it; null when a client gives up after seconds. */
  readonly slowReason: string | null;
  /**
   * Whether it changes credentials: the session must have confirmed its operator's identity recently. A function
   * decides by the body.
   */
  readonly reauthentication: boolean | ((body: unknown) => boolean);
  /** Whether it is open to an operator who still has to add the second factor that the installation requires. */
  readonly enrolling: boolean;
  /**
   * Whether it is open to an operator whose password another operator has set, and who has to choose a new one first.
   */
  readonly choosingPassword: boolean;
  /**
   * Whether it concerns one row that has a version: its reply carries `ETag`, and `If-Match` is honoured where it
   * writes.
   */
  readonly versioned: boolean;
}

export const emptyObject = z.strictObject({});
export type EmptyObject = typeof emptyObject;

/** 1 MB: the limit on every body for which no endpoint sets a smaller one. */
const BODY_LIMIT = 1024 * 1024;

interface Declaration<P extends Shape, Q extends Shape, B extends Shape, R extends Replies> {
  operation: string;
  method: Method;
  path: string;
  access: Access;
  summary: string;
  params?: P;
  query?: Q;
  body?: B;
  replies: R;
  loose?: Endpoint['loose'];
  limit?: number;
  socket?: boolean;
  media?: Media;
  load?: Load;
  slowReason?: string;
  versioned?: boolean;
  reauthentication?: Endpoint['reauthentication'];
  enrolling?: boolean;
  choosingPassword?: boolean;
}

/** Declare one endpoint. Without `access` it does not compile. */
export function endpoint<
  R extends Replies,
  P extends Shape = EmptyObject,
  Q extends Shape = EmptyObject,
  B extends Shape = EmptyObject,
>(declaration: Declaration<P, Q, B, R>): Endpoint<P, Q, B, R> {
  return {
    operation: declaration.operation,
    method: declaration.method,
    path: declaration.path,
    access: declaration.access,
    summary: declaration.summary,
    // The defaults are `EmptyObject`, which is what an omitted P, Q or B is inferred as.
    params: declaration.params ?? (emptyObject as unknown as P),
    query: declaration.query ?? (emptyObject as unknown as Q),
    body: declaration.body ?? (emptyObject as unknown as B),
    replies: declaration.replies,
    loose: declaration.loose ?? false,
    limit: declaration.limit ?? BODY_LIMIT,
    socket: declaration.socket ?? false,
    media: declaration.media ?? 'application/json',
    load: declaration.load ?? 'call',
    slowReason: declaration.slowReason ?? null,
    versioned: declaration.versioned ?? false,
    reauthentication: declaration.reauthentication ?? false,
    enrolling: declaration.enrolling ?? false,
    choosingPassword: declaration.choosingPassword ?? false,
  };
}

/**
 * Whether a call made with the session's cookie must carry our own Origin: it may change something, or it opens a
 * socket, which any page may try.
 */
export function needsOrigin(one: Endpoint): boolean {
  return one.access !== 'hook' && (one.method !== 'GET' || one.socket);
}

export type ParamsOf<E extends Endpoint> = z.output<E['params']>;
export type QueryOf<E extends Endpoint> = z.output<E['query']>;
export type BodyOf<E extends Endpoint> = z.output<E['body']>;
export type ParamsInput<E extends Endpoint> = z.input<E['params']>;
export type QueryInput<E extends Endpoint> = z.input<E['query']>;
export type BodyInput<E extends Endpoint> = z.input<E['body']>;
/** The body of a successful reply (the union over 2xx replies). */
export type AnswerOf<E extends Endpoint> = {
  [S in keyof E['replies']]: `${S & number}` extends `2${string}` ? z.output<E['replies'][S]> : never;
}[keyof E['replies']];

/** JSON Schema keyword that names the resource of an id; the scope check finds ids by it. */
export const REFERENCE = 'x-reference';

/**
 * Declare a positive integer id of `resource` in a path, query or body. The server answers 404 when the row does not
 * exist or belongs to a company that the caller cannot access, so handlers do not check it again.
 */
export function reference(resource: string): z.ZodInt {
  return z
    .int()
    .positive()
    .max(Number.MAX_SAFE_INTEGER)
    .meta({ [REFERENCE]: resource });
}

/** A positive integer id that is not checked: the row itself decides (lists of ids of other systems). */
export const uncheckedId = z.int().positive().max(Number.MAX_SAFE_INTEGER);

/**
 * An id of another system, stored as text: a text, or a number with some systems. Larger numbers are not what was sent,
 * because JSON's readers round them.
 */
export function externalId(text: z.ZodString): z.ZodType<string, string | number> {
  const error = ({ code }: { code: string }) =>
    code === 'too_big' || code === 'too_small' ? 'Send an id this long as text' : undefined;
  return z.union([text, z.int({ error }).transform(String)]);
}

/** ISO-8601 UTC with milliseconds and `Z`. */
export const instant = z.iso.datetime({ precision: 3 });
/** The earliest instant: the database counts from the year 1. */
const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00.000Z');
/** A time sent by a client: any ISO-8601 instant with a zone; read as UTC with milliseconds. */
export const instantInput = z.iso
  .datetime({ offset: true })
  .refine((value) => Date.parse(value) >= FIRST_INSTANT, 'Enter a time after the year 1')
  .transform((value) => new Date(value).toISOString());
/** The time to send a message. Delays are added to it, and ISO-8601 ends with the year 9999. */
export const sendTime = instantInput.refine((value) => value < '9999', 'Enter a time before the year 9999');
/** `YYYY-MM-DD`, UTC. */
export const day = z.iso.date().refine((value) => value >= '0001-01-01', 'Enter a date after the year 1');
/** A positive count that fits into a 32-bit column. */
export const smallCount = z
  .int()
  .positive()
  .max(2 ** 31 - 1);
/** 24-hour `HH:MM`. */
export const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Please use 24-hour HH:MM format.');

/** A trimmed text of at least one character. */
export const name = z.string().trim().min(1).max(300);
/** A text kept as typed but for its line endings; blank counts as empty. */
export const text = z
  .string()
  .overwrite(normalizeLineEndings)
  .max(100_000)
  .refine((value) => value.trim() !== '', 'Enter at least 1 character');

/** The errors that the caller accepts, each as the refusal (422, `confirmable_error`) words it in `msg`. */
export const confirmErrors = z.array(z.string().max(500)).max(1000).optional();

/**
 * A key or token: sent in a header, so visible ASCII only. A leading `…` marks the mask that a read returned, sent
 * back.
 */
export const secretKey = z
  .string()
  .trim()
  .min(1)
  .max(1000)
  .regex(/^…?[\x21-\x7e]*$/, 'Only Latin letters, digits and signs, without spaces');

const keyBody = z.object({ credentials: z.object({ api_key: z.string() }) });

/** Whether a body contains a new key, not the mask in its place. */
export function hasNewKey(body: unknown): boolean {
  const parsed = keyBody.safeParse(body);
  return parsed.success && !parsed.data.credentials.api_key.startsWith('…');
}

const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype'];

/** A free map whose keys can never reach an object's prototype. */
export function freeMap<V extends Shape>(value: V): z.ZodRecord<z.ZodString, V> {
  const key = z
    .string()
    .min(1)
    .max(200)
    .refine((candidate) => !FORBIDDEN_KEYS.includes(candidate), 'This key is not allowed');
  return z.record(key, value);
}

/**
 * Name a shape in the API document; clients' types are named after it. Wherever the shape is used, the document refers
 * to it by this name.
 */
export function nameShape(name: string, shape: Shape): void {
  z.globalRegistry.add(shape, { ...z.globalRegistry.get(shape), id: name });
}

/** The shape of every error except 422. */
export const errorReply = z.object({ detail: z.string() });
nameShape('Refused', errorReply);

/**
 * Declare a page of a list, named after its items: `LeadList`. `total` is null when the caller asked for
 * `with_total=false`.
 */
export function listReply<T extends Shape>(item: T) {
  const list = z.object({
    items: z.array(item),
    total: z.int().nullable(),
    page: z.int(),
    limit: z.int(),
  });
  const name = z.globalRegistry.get(item)?.id;
  if (name !== undefined) nameShape(`${name}List`, list);
  return list;
}

/** Accept one value, or a repeated parameter that means any of them. */
export function oneOrMany<T extends Shape>(value: T): z.ZodOptional<z.ZodArray<T>> {
  return z.array(value).max(100).optional();
}
