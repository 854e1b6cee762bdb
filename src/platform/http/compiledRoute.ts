/** What a route's declaration is compiled to: its schemas and parsers, and how its replies are written. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type Endpoint, emptyObject } from '../contract.ts';
import type { AccessOptions, Authorized } from './authorize.ts';
import type { Route } from './routes.ts';
import { findReferences, jsonSchemaOf, replySchema } from './shapes.ts';

export interface RouteOptions extends AccessOptions {
  readonly strictReplies: boolean;
}

const EMPTY = { success: true, data: {} } as const;

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

/** Create a parser for the shape. An empty object where no fields are declared is accepted without parsing. */
function createParser(shape: Endpoint['body']): (value: unknown) => z.ZodSafeParseResult<unknown> {
  if (shape !== emptyObject) return (value) => shape.safeParse(value);
  return (value) => (isEmptyObject(value) ? EMPTY : shape.safeParse(value));
}

/**
 * A route with what its declaration is compiled to when it is first called: compiling all of some two hundred takes
 * longer than the rest of a start.
 */
export interface CompiledRoute {
  readonly route: Route;
  readonly options: RouteOptions;
  readonly shapes: () => RequestShapes;
  /** Whether this status is answered with a sentence as text instead of JSON. */
  readonly isText: (status: number) => boolean;
  /** How a reply with this status is written; undefined: as JSON, or as it is. */
  readonly serializerOf: (status: number, reply: FastifyReply) => Serializer | undefined;
  /** What was found out before a request's body was read. */
  readonly authorizedRequests: WeakMap<FastifyRequest, { readonly params: unknown; readonly authorized: Authorized }>;
}

export const REQUEST_PARTS = ['params', 'query', 'body'] as const;
export type RequestPart = (typeof REQUEST_PARTS)[number];

interface RequestShapes {
  readonly schemas: Readonly<Record<RequestPart, ReturnType<typeof jsonSchemaOf>>>;
  readonly referencePaths: Readonly<Record<RequestPart, ReturnType<typeof findReferences>>>;
  readonly parsers: Readonly<Record<RequestPart, ReturnType<typeof createParser>>>;
  /** Fields of the body that are accepted and ignored. */
  readonly readOnlyFields: readonly string[];
}

type Serializer = Parameters<FastifyReply['serializer']>[0];

export function compileRoute(route: Route, options: RouteOptions): CompiledRoute {
  const { endpoint } = route;
  let shapes: RequestShapes | null = null;
  const replySchemas = new Map<number, ReturnType<typeof replySchema>>();
  const replySchemaOf = (status: number): ReturnType<typeof replySchema> => {
    const shape = endpoint.replies[status];
    const schema = replySchemas.get(status) ?? (shape ? replySchema(jsonSchemaOf(shape, 'output')) : {});
    replySchemas.set(status, schema);
    return schema;
  };
  return {
    route,
    options,
    shapes: () => (shapes ??= compileRequest(endpoint)),
    isText: (status) => endpoint.media === 'application/json' && replySchemaOf(status).type === 'string',
    serializerOf(status, reply) {
      const schema = replySchemaOf(status);
      // Compiled once for each schema.
      return schema.type === 'object' ? reply.compileSerializationSchema(schema) : undefined;
    },
    authorizedRequests: new WeakMap(),
  };
}

function compileRequest({ params, query, body }: Endpoint): RequestShapes {
  const schemas = {
    params: jsonSchemaOf(params, 'input'),
    query: jsonSchemaOf(query, 'input'),
    body: jsonSchemaOf(body, 'input'),
  };
  return {
    schemas,
    referencePaths: {
      params: findReferences(schemas.params),
      query: findReferences(schemas.query),
      body: findReferences(schemas.body),
    },
    parsers: { params: createParser(params), query: createParser(query), body: createParser(body) },
    readOnlyFields: Object.entries(schemas.body.properties ?? {}).flatMap(([field, schema]) =>
      schema['readOnly'] === true ? [field] : [],
    ),
  };
}
