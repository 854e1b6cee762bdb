/** The API document, from the endpoints themselves: OpenAPI 3.1 and a page to read it. */
import { z } from 'zod';
import { type Endpoint, endpoint, sentence } from '../contract.ts';
import { ok, type Route, route } from './routes.ts';
import { type JsonSchema, jsonSchemaOf } from './shapes.ts';

const openapiJson = endpoint({
  method: 'GET',
  path: '/openapi.json',
  access: 'document',
  summary: 'This document',
  replies: { 200: z.unknown() },
});
const docsPage = endpoint({
  method: 'GET',
  path: '/docs',
  access: 'document',
  summary: 'This document as a page',
  replies: { 200: z.string() },
});

/** Routes of the document about `routes` and itself. */
export function documentRoutes(routes: readonly Route[], version: string): Route[] {
  let made: { json: string; html: string } | null = null;
  const own: Route[] = [
    route(openapiJson, async ({ reply }) => {
      reply.type('application/json; charset=utf-8');
      return ok(200, document().json);
    }),
    route(docsPage, async ({ reply }) => {
      reply.type('text/html; charset=utf-8');
      return ok(200, document().html);
    }),
  ];
  // Made when first asked for: a start should not pay for it.
  const document = () => {
    made ??= (() => {
      const endpoints = [...routes, ...own].map((one) => one.endpoint);
      return { json: JSON.stringify(openapi(endpoints, version)), html: page(endpoints, version) };
    })();
    return made;
  };
  return own;
}

function clean(schema: JsonSchema): JsonSchema {
  const { $schema: _schema, ...rest } = schema;
  return rest;
}

const GUARDED = ['session', 'admin', 'session-or-hook', 'document'];

const WRITES = ['PUT', 'PATCH', 'DELETE'];
const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag of what was read. When the row has changed since, the answer is 409 and nothing changes.',
  schema: { type: 'string' },
  example: '"3"',
};
const ETag = { description: 'The version of the row, in quotes', schema: { type: 'string' } };

function openapi(endpoints: readonly Endpoint[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const one of endpoints) {
    const parameters = [
      ...parametersOf(jsonSchemaOf(one.params, 'input'), 'path'),
      ...parametersOf(jsonSchemaOf(one.query, 'input'), 'query'),
      ...(one.versioned && WRITES.includes(one.method) ? [IF_MATCH] : []),
    ];
    const body = jsonSchemaOf(one.body, 'input');
    const hasBody =
      one.method !== 'GET' &&
      one.method !== 'DELETE' &&
      (body.properties === undefined || Object.keys(body.properties).length > 0);
    const responses: Record<string, object> = {};
    for (const [status, shape] of Object.entries(one.replies)) {
      const schema = clean(jsonSchemaOf(shape, 'output'));
      const type = schema.type === 'string' ? 'text/plain' : 'application/json';
      responses[status] = {
        description: Number(status) < 300 ? 'Success' : 'Refused',
        ...(one.versioned && Number(status) < 300 && schema.type !== 'null' ? { headers: { ETag } } : {}),
        ...(schema.type === 'null' ? {} : { content: { [type]: { schema } } }),
      };
    }
    for (const status of impliedBy(one, hasBody)) responses[status] ??= refused('Refused');
    responses['422'] ??= {
      description: 'Not the declared shape',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Invalid' } } },
    };
    paths[one.path] = {
      ...paths[one.path],
      [one.method.toLowerCase()]: {
        summary: one.summary,
        operationId: `${one.method.toLowerCase()}${one.path.replace(/[^a-zA-Z0-9]+(.)?/g, (_all, next: string | undefined) => (next ?? '').toUpperCase())}`,
        tags: [one.path.split('/')[one.path.startsWith('/v1/') ? 2 : 1] ?? 'other'],
        ...(parameters.length > 0 ? { parameters } : {}),
        ...(hasBody
          ? { requestBody: { required: true, content: { 'application/json': { schema: clean(body) } } } }
          : {}),
        responses,
        ...(GUARDED.includes(one.access) ? { security: [{ session: [] }] } : { security: [] }),
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Rapport', version, description: 'Lists answer {items, total, page, limit}; errors {detail}.' },
    paths,
    components: {
      schemas: { Refused: clean(jsonSchemaOf(sentence, 'output')), Invalid: VALIDATION },
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'rapport_session' } },
    },
  };
}

/** What the server itself may answer before an endpoint's handler is asked. */
function impliedBy(one: Endpoint, hasBody: boolean): string[] {
  return [
    ...(GUARDED.includes(one.access) || one.access === 'metrics' ? ['401'] : []),
    // A member where an admin is wanted, or a page that is not ours.
    ...(one.access === 'admin' || (one.method !== 'GET' && one.access !== 'hook') ? ['403'] : []),
    ...(hasBody ? ['413', '415'] : []),
  ];
}

const refused = (description: string): object => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Refused' } } },
});

const VALIDATION = {
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

function parametersOf(schema: JsonSchema, where: 'path' | 'query'): object[] {
  return Object.entries(schema.properties ?? {}).map(([name, one]) => ({
    name,
    in: where,
    required: where === 'path' || (schema.required?.includes(name) ?? false),
    schema: one,
  }));
}

const escape = (value: string): string => value.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

function page(endpoints: readonly Endpoint[], version: string): string {
  const sections = endpoints.map((one) => {
    const query = Object.keys(jsonSchemaOf(one.query, 'input').properties ?? {});
    const body = jsonSchemaOf(one.body, 'input');
    const fields = Object.entries(body.properties ?? {}).map(([name, schema]) => `${name}: ${typeName(schema)}`);
    return `<section id="${escape(`${one.method} ${one.path}`)}">
<h2><b>${one.method}</b> <code>${escape(one.path)}</code></h2>
<p>${escape(one.summary)}. Access: ${escape(one.access)}. Answers ${Object.keys(one.replies).join(', ')}.</p>
${query.length > 0 ? `<p>Query: <code>${escape(query.join(', '))}</code></p>` : ''}
${fields.length > 0 ? `<pre>${escape(fields.join('\n'))}</pre>` : ''}
</section>`;
  });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Rapport API</title><style>:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:820px;margin:2rem auto;padding:0 1rem}
h2{font-size:1rem;margin:2rem 0 .25rem;border-top:1px solid #8884;padding-top:1rem}p{margin:.25rem 0}pre{background:#8881;padding:.5rem .75rem;border-radius:8px;overflow:auto}code{overflow-wrap:anywhere}</style></head>
<body><h1>Rapport API ${escape(version)}</h1><p>The machine-readable form is <a href="/openapi.json">/openapi.json</a>.</p>${sections.join('\n')}</body></html>`;
}

function typeName(schema: JsonSchema): string {
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map(typeName).join(' | ');
  if (schema.enum) return schema.enum.map(String).join(' | ');
  if (schema.type === 'array') return `${schema.items ? typeName(schema.items) : 'any'}[]`;
  if (schema.type === 'object' && schema.properties) {
    return `{${Object.entries(schema.properties)
      .map(([name, one]) => `${name}: ${typeName(one)}`)
      .join(', ')}}`;
  }
  return Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? 'any');
}
