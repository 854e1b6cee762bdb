/**
 * Builds sample requests from declarations: a well-formed call of an endpoint, and where it contains ids. The access
 * and bad-input matrices use them, so that a new endpoint is covered without a new test.
 */
import { request } from 'undici';
import type { Endpoint } from '../platform/contract.ts';
import { endpointUrl } from '../platform/endpointUrl.ts';
import { exampleOf } from '../platform/http/examples.ts';
import { findReferences, type JsonSchema, jsonSchemaOf } from '../platform/http/shapes.ts';
import { PASSWORD, WAZZUP_KEY } from './world.ts';

export type Part = 'params' | 'query' | 'body';

export interface Sample {
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
}

type IdOf = (resource: string) => number;

const DAY_OFF = { is_working_day: false, time_start: '00:00', time_end: '00:00' };
const WEEK = { config: { days: Object.fromEntries(Array.from({ length: 7 }, (_one, day) => [day, DAY_OFF])) } };
const stepOf = (idOf: IdOf) => ({
  config: { steps: [{ step_number: 1, after_minutes: 60, prompt_id: idOf('prompt') }] },
});

const linkOf = (idOf: IdOf) => ({ channel_id: idOf('channel'), config: { delay_messages_seconds: 1 } });

export const IMPORT_KEY = '7f4df38a-3f5c-4b53-9c13-2c1b7f0a9d11';

/** Fields that a schema cannot express: one of several fields, an address of the right kind. */
const SPECIAL_FIELDS: Readonly<Record<string, (idOf: IdOf) => Record<string, unknown>>> = {
  'PUT /v1/alerts/settings': () => ({ quiet_hours: { from: '22:00', to: '08:00', timezone: 'UTC' } }),
  'PUT /v1/alerts/subscription': () => ({ endpoint: 'http://127.0.0.1/push/sample' }),
  'POST /v1/auth/password': () => ({ current: PASSWORD, password: PASSWORD }),
  'POST /v1/operators/': () => ({ password: PASSWORD }),
  'POST /v1/operators/{id}/password': () => ({ password: PASSWORD }),
  'POST /v1/auth/confirm': () => ({ password: PASSWORD }),
  'POST /v1/auth/login/second-factor': () => ({ code: '123456' }),
  'POST /v1/auth/second-factors/authenticator/confirm': () => ({ code: '123456' }),
  'POST /v1/channels/pairing': () => ({ credentials: { api_key: WAZZUP_KEY } }),
  'POST /v1/chatbot/send-new': () => ({ text: 'Sample text' }),
  'POST /v1/contacts/': () => ({ contact: '79991234567', contact_type: 'whatsapp' }),
  'POST /v1/lead-documents/': () => ({ document: { text_data: 'Sample text' } }),
  'POST /v1/leads/import': () => ({
    import_key: IMPORT_KEY,
    rows: [{ line: 2, name: 'Sample text', whatsapp: '79991234567' }],
  }),
  'POST /v1/leads/import/undo': () => ({ import_key: IMPORT_KEY }),
  'POST /v1/leads/bulk': (idOf) => ({ ids: [idOf('lead')] }),
  'POST /v1/leads/bulk/count': (idOf) => ({ ids: [idOf('lead')] }),
  'PATCH /v1/messages/{id}': () => ({ message: 'Sample text' }),
  'PUT /v1/product-channels/': linkOf,
  'PATCH /v1/product-channels/': linkOf,
  'POST /v1/studio/cases/': () => ({ history: [{ side: 'user', text: 'Sample text' }] }),
  'POST /v1/schedules/': () => WEEK,
  'POST /v1/ping-configs/': stepOf,
  'POST /v1/experiments/': () => ({
    kind: 'first_text',
    base_rate: 0.2,
    difference: 0.1,
    arms: ['Good day!', 'Hello!'].map((text) => ({ name: text, content: { source: 'text', text } })),
  }),
  'POST /v1/experiments/{id}/apply': (idOf) => ({ arm: 1, target_id: idOf('product'), target_version: 1 }),
};

/** Ids that require, or exclude, another field. */
const NEIGHBOUR_FIELDS: Readonly<Record<string, Record<string, unknown>>> = {
  prepared_message_id: { text: null },
  document_prompt_id: { text: null },
  initial_message_document_prompt_id: { initial_message_text: 'Sample text' },
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Check whether calls of this endpoint have a body. */
export function takesBody(endpoint: Endpoint): boolean {
  return endpoint.method !== 'GET' && endpoint.method !== 'DELETE';
}

/** Return the title of an endpoint: `GET /v1/leads/{id}`. */
export function endpointTitle(endpoint: Endpoint): string {
  return `${endpoint.method} ${endpoint.path}`;
}

/** Build a well-formed call with the required fields only. `idOf` returns the id of a resource's row. */
export function sampleOf(endpoint: Endpoint, idOf: IdOf): Sample {
  const special = SPECIAL_FIELDS[endpointTitle(endpoint)]?.(idOf) ?? {};
  const values = {
    params: valueOf(jsonSchemaOf(endpoint.params, 'input'), idOf),
    query: valueOf(jsonSchemaOf(endpoint.query, 'input'), idOf),
    body: valueOf(jsonSchemaOf(endpoint.body, 'input'), idOf),
  };
  return {
    params: isRecord(values.params) ? values.params : {},
    query: isRecord(values.query) ? values.query : {},
    body: isRecord(values.body) ? { ...values.body, ...special } : values.body,
  };
}

const valueOf = (schema: JsonSchema, idOf: IdOf): unknown => exampleOf(schema, { idOf, isWhole: false });

export interface IdPlace {
  readonly part: Part;
  readonly resource: string;
  readonly path: readonly string[];
}

/** List every place of a call that may contain an id of a resource. */
export function idPlaces(endpoint: Endpoint): IdPlace[] {
  return (['params', 'query', 'body'] as const).flatMap((part) =>
    findReferences(jsonSchemaOf(endpoint[part], 'input')).map(({ resource, path }) => ({ part, resource, path })),
  );
}

/** Return the sample with `id` at a place; objects on the path are created from the schema. */
export function withId(endpoint: Endpoint, sample: Sample, place: IdPlace, id: number, idOf: IdOf): Sample {
  const schema = jsonSchemaOf(endpoint[place.part], 'input');
  const value = setPath(sample[place.part], schema, place.path, id, idOf);
  return { ...sample, [place.part]: place.path[0] === 'arms' ? asExperiment(value, place.path) : value };
}

/** Complete an experiment whose only arm has the id: with a control, and of the kind that the id is for. */
function asExperiment(value: unknown, path: readonly string[]): unknown {
  if (!isRecord(value) || !Array.isArray(value['arms'])) return value;
  const control = { name: 'Control', content: { source: 'current' } };
  const kind = path.at(-1) === 'prompt_id' ? 'prompt' : 'first_text';
  return { ...value, kind, metric: 'qualified', arms: [control, ...value['arms']] };
}

function setPath(value: unknown, schema: JsonSchema, path: readonly string[], id: number, idOf: IdOf): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return id;
  const options = schema.anyOf ?? schema.oneOf ?? [schema];
  if (key === '*') {
    const list = options.find((one) => one.type === 'array');
    return [setPath(undefined, list?.items ?? {}, rest, id, idOf)];
  }
  const object = options.find((one) => one.properties && key in one.properties) ?? {};
  const isOfKind =
    isRecord(value) &&
    ['kind', 'source'].every((tag) => {
      const only = object.properties?.[tag]?.const;
      return only === undefined || value[tag] === only;
    });
  const base = isOfKind ? value : valueOf(object, idOf);
  const inner = object.properties?.[key] ?? {};
  const neighbours = Object.entries(NEIGHBOUR_FIELDS[key] ?? {}).filter(
    ([neighbour]) => neighbour in (object.properties ?? {}),
  );
  return {
    ...(isRecord(base) ? base : {}),
    ...Object.fromEntries(neighbours),
    [key]: setPath(isRecord(base) ? base[key] : undefined, inner, rest, id, idOf),
  };
}

/** Build the address of a sample's call. Hostile samples have objects in the query, too. */
export function urlOf(endpoint: Endpoint, { params, query }: Pick<Sample, 'params' | 'query'>): string {
  const textOf = (one: unknown) => (typeof one === 'object' ? JSON.stringify(one) : String(one));
  const texts = Object.entries(query).map(([key, value]) => [
    key,
    Array.isArray(value) ? value.map(textOf) : textOf(value),
  ]);
  return endpointUrl(endpoint, params, Object.fromEntries(texts));
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/**
 * Send a request unchanged. A stream is closed as soon as it begins. The matrices send ten thousand requests, each by
 * what `fetch` is built on.
 */
export async function send(
  base: string,
  method: string,
  path: string,
  { headers = {}, body = null }: { headers?: Record<string, string>; body?: string | Buffer | null } = {},
): Promise<Reply> {
  const response = await request(`${base}${path}`, { method, headers, body });
  const replyHeaders = new Headers();
  for (const [name, values] of Object.entries(response.headers))
    for (const value of [values ?? []].flat()) replyHeaders.append(name, value);
  const isStream = (replyHeaders.get('content-type') ?? '').startsWith('text/event-stream');
  if (isStream) response.body.on('error', () => undefined).destroy();
  return { status: response.statusCode, text: isStream ? '' : await response.body.text(), headers: replyHeaders };
}

/** Send a sample of an endpoint as JSON, with further headers. */
export function sendSample(
  base: string,
  endpoint: Endpoint,
  sample: Sample,
  headers: Record<string, string>,
): Promise<Reply> {
  const body = takesBody(endpoint) ? JSON.stringify(sample.body) : undefined;
  return send(base, endpoint.method, urlOf(endpoint, sample), {
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body }),
  });
}

const INTERNALS =
  /\bat .+\.(ts|js|mjs):\d|node_modules|\bselect\b.+\bfrom\b|insert into|\bpg_|postgres|syntax error|duplicate key|violates|ZodError|FST_/i;

/** Check whether a text exposes internals: a stack trace, SQL, a library's error text. */
export const leaksInternals = (text: string): boolean => INTERNALS.test(text);

/**
 * Return what is wrong with a reply: a server error, a refusal that exposes internals or has no request id; null if
 * nothing.
 */
export function responseFault(answer: Reply): string | null {
  if (answer.status >= 500) return `${answer.status} ${answer.text.slice(0, 200)}`;
  if (answer.status < 400) return null;
  if (leaksInternals(answer.text)) return `tells of the inside: ${answer.text.slice(0, 200)}`;
  if (!/^[0-9a-f-]{36}$/.test(answer.headers.get('x-request-id') ?? '')) return 'has no x-request-id';
  return null;
}
