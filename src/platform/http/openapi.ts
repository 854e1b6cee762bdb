/** The API document, generated from the endpoints: OpenAPI 3.1 as JSON, and a page to read it. */
import { z } from 'zod';
import { type Endpoint, errorReply, needsOrigin } from '../contract.ts';
import { statusText } from '../statusText.ts';
import { classOf } from './admission.ts';
import { exampleOf } from './examples.ts';
import { findReferences, type JsonSchema, jsonSchemaOf, namedSchemaOf } from './shapes.ts';

/** Facts about this installation that the document contains. */
export interface ApiInfo {
  readonly version: string;
  /** URL of the API. */
  readonly url: string;
  /** Name of the session cookie. */
  readonly cookie: string;
  readonly isSandbox: boolean;
}

interface Content {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}
export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly description?: string;
  readonly example?: string;
}
export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, Content>>;
}
export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, OpenApiResponse | { readonly $ref: string }>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}
export interface OpenApi {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, OpenApiResponse>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

const SCHEMAS = '#/components/schemas/';
const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const isObject = (schema: JsonSchema): boolean => schema.type === 'object' && schema.properties !== undefined;

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait before the next try', schema: { type: 'integer' } },
};

const WRITES = ['PUT', 'PATCH', 'DELETE'];
const IF_MATCH: OpenApiParameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag of what was read. When the row has changed since, the answer is 409 and nothing changes.',
  schema: { type: 'string' },
  example: '"3"',
};
const ETAG = { description: 'The version of the row, in quotes', schema: { type: 'string' } };

/** Named schemas, collected while generating. Two different ones with one name are a mistake in a contract. */
class Schemas {
  readonly byName: Record<string, JsonSchema> = {};
  /** Replies that many operations share, named after their status. */
  readonly refusals: Record<string, OpenApiResponse> = {};

  add(name: string, schema: JsonSchema): { $ref: string } {
    const before = this.byName[name];
    if (before && JSON.stringify(before) !== JSON.stringify(schema)) throw new Error(`Two shapes are named ${name}`);
    this.byName[name] = schema;
    return { $ref: `${SCHEMAS}${name}` };
  }

  /** Return the schema of a reply. An object without a name of its own is named after the operation. */
  answer(shape: z.ZodType, name: string): JsonSchema {
    const { schema, definitions } = namedSchemaOf(shape, SCHEMAS);
    for (const [each, definition] of Object.entries(definitions)) this.add(each, definition);
    return isObject(schema) ? this.add(name, schema) : schema;
  }

  /** Return a refusal: a sentence, or for 422 a list of what is wrong where. */
  refusal(status: string): { $ref: string } {
    const description = statusText(Number(status));
    const name = description.replaceAll(' ', '');
    const schema = { $ref: `${SCHEMAS}${status === '422' ? 'Invalid' : 'Refused'}` };
    const isPassing = status === '429' || status === '503';
    this.refusals[name] ??= {
      description,
      ...(isPassing ? { headers: RETRY_AFTER } : {}),
      content: { 'application/json': { schema } },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  /** Return the schema of a request body. */
  body(shape: z.ZodType, name: string): JsonSchema {
    const { $schema: _schema, ...schema } = jsonSchemaOf(shape, 'input');
    return isObject(schema) ? this.add(name, schema) : schema;
  }
}

const EXAMPLE = { idOf: () => 1, isWhole: true };

export function openapi(endpoints: readonly Endpoint[], info: ApiInfo): OpenApi {
  const schemas = new Schemas();
  schemas.add('Invalid', VALIDATION);
  schemas.answer(errorReply, 'Refused');
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const one of endpoints)
    paths[one.path] = { ...paths[one.path], [one.method.toLowerCase()]: operationOf(one, schemas, info) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rapport',
      version: info.version,
      license: { name: 'All rights reserved, see LICENSE' },
      description:
        'Lists are answered as `{items, total, page, limit}`, errors as `{detail}`: a sentence, or for 422 a list of what is wrong where. A call with the session’s cookie that changes something carries the header `Origin` with the address of this server; browsers send it by themselves.',
    },
    servers: [{ url: info.url }],
    tags: [...new Set(endpoints.map(tagOf))].sort().map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.byName,
      responses: schemas.refusals,
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: info.cookie, description: 'Set by `POST /v1/auth/login`' },
        origin: {
          type: 'apiKey',
          in: 'header',
          name: 'Origin',
          description: `The address of this server, \`${new URL(info.url).origin}\`; needed beside the session’s cookie`,
        },
        hookSecret: { type: 'http', scheme: 'bearer', description: 'The secret of a messenger account' },
        metricsToken: { type: 'http', scheme: 'bearer', description: '`RAPPORT_METRICS_TOKEN`' },
      },
    },
  };
}

const tagOf = (one: Endpoint): string => one.path.split('/')[one.path.startsWith('/v1/') ? 2 : 1] ?? '';

function operationOf(one: Endpoint, schemas: Schemas, info: ApiInfo): OpenApiOperation {
  const parameters = [
    ...parametersOf(jsonSchemaOf(one.params, 'input'), 'path'),
    ...parametersOf(jsonSchemaOf(one.query, 'input'), 'query'),
    ...(one.versioned && WRITES.includes(one.method) ? [IF_MATCH] : []),
  ];
  const requestBody = bodyOf(one, schemas);
  const responses: Record<string, OpenApiResponse | { $ref: string }> = {};
  for (const [status, shape] of Object.entries(one.replies))
    responses[status] = shape === errorReply ? schemas.refusal(status) : replyOf({ one, status, shape, schemas });
  for (const status of impliedStatuses(one)) responses[status] ??= schemas.refusal(status);
  return {
    operationId: one.operation,
    summary: one.summary,
    tags: [tagOf(one)],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses,
    security: securityOf(one, info),
  };
}

function bodyOf(one: Endpoint, schemas: Schemas): OpenApiOperation['requestBody'] {
  const fields = jsonSchemaOf(one.body, 'input');
  const isRead = one.method !== 'GET' && one.method !== 'DELETE';
  if (!isRead || (fields.properties && Object.keys(fields.properties).length === 0)) return undefined;
  const schema = schemas.body(one.body, `${capitalize(one.operation)}Body`);
  const example = exampleOf(fields, { ...EXAMPLE, isWhole: false });
  const content = { schema, ...(fields.properties ? { example } : {}) };
  return {
    required: !one.body.safeParse({}).success,
    content: {
      'application/json': content,
      // Vendors send forms as well.
      ...(one.loose === true ? { 'application/x-www-form-urlencoded': { schema } } : {}),
    },
  };
}

function replyOf({
  one,
  status,
  shape,
  schemas,
}: {
  one: Endpoint;
  status: string;
  shape: z.ZodType;
  schemas: Schemas;
}): OpenApiResponse {
  const succeeded = Number(status) < 400;
  const schema = schemas.answer(shape, `${capitalize(one.operation)}Reply`);
  const whole = jsonSchemaOf(shape, 'output');
  const media = one.media === 'application/json' && schema.type === 'string' ? 'text/plain' : one.media;
  const type = succeeded || schema.type === 'string' ? media : 'application/json';
  const example = type === 'application/json' && succeeded ? { example: exampleOf(whole, EXAMPLE) } : {};
  return {
    description: succeeded ? 'Success' : statusText(Number(status)),
    ...(status === '429' || status === '503' ? { headers: RETRY_AFTER } : {}),
    ...(one.versioned && succeeded && schema.type !== 'null' ? { headers: { ETag: ETAG } } : {}),
    ...(schema.type === 'null' ? {} : { content: { [type]: { schema, ...example } } }),
  };
}

/**
 * Return the statuses that the server itself may answer before and after the handler runs, besides those of HTTP that no
 * endpoint is found for.
 */
function impliedStatuses(one: Endpoint): string[] {
  const isGuarded = !['public', 'hook', 'sandbox'].includes(one.access);
  const hasCaller = isGuarded && one.access !== 'metrics';
  const namesRows = [one.params, one.query, one.body].some(
    (shape) => findReferences(jsonSchemaOf(shape, 'input')).length > 0,
  );
  return [
    ...(isGuarded ? ['401'] : []),
    // A member called an endpoint for admins, the page is not ours, or the operator has to choose a password first.
    ...(one.access === 'admin' || needsOrigin(one) || (hasCaller && !one.choosingPassword) ? ['403'] : []),
    ...(namesRows ? ['404'] : []),
    // A body is read, and refused, also where none is declared.
    ...(one.method === 'GET' ? [] : ['413', '415']),
    '422',
    ...(one.socket ? ['426'] : []),
    // The look-up of a session or of a bearer's secret has a limit for each address too.
    ...(classOf(one) !== null || hasCaller ? ['429'] : []),
    '500',
    '503',
  ];
}

/** List the accepted ways to authenticate. Everything within one entry is needed together. */
function securityOf(one: Endpoint, info: ApiInfo): OpenApiOperation['security'] {
  const origin = needsOrigin(one) ? { origin: [] } : {};
  switch (one.access) {
    case 'session':
    case 'admin':
      return [{ session: [], ...origin }];
    case 'session-or-hook':
      return [{ session: [], ...origin }, { hookSecret: [] }];
    case 'document':
      return info.isSandbox ? [] : [{ session: [] }];
    case 'metrics':
      return info.isSandbox ? [{}, { metricsToken: [] }] : [{ metricsToken: [] }];
    case 'public':
    case 'sandbox':
      return needsOrigin(one) ? [origin] : [];
    case 'hook':
      return [];
    default:
      return one.access satisfies never;
  }
}

const VALIDATION: JsonSchema = {
  type: 'object',
  properties: {
    detail: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          loc: { type: 'array', items: { type: ['string', 'integer'] } },
          msg: { type: 'string' },
          type: { type: 'string' },
        },
        required: ['loc', 'msg', 'type'],
      },
    },
  },
  required: ['detail'],
};

function parametersOf(schema: JsonSchema, where: 'path' | 'query'): OpenApiParameter[] {
  return Object.entries(schema.properties ?? {}).map(([name, one]) => ({
    name,
    in: where,
    required: where === 'path' || (schema.required?.includes(name) ?? false),
    schema: one,
  }));
}
