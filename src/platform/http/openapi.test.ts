import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointTitle, idPlaces, sampleOf, send, sendSample, urlOf, withId } from '../../testing/sampleRequests.ts';
import { createWorld, type World } from '../../testing/world.ts';
import type { Endpoint } from '../contract.ts';
import type { OpenApi, OpenApiOperation, OpenApiResponse } from './openapi.ts';
import { type JsonSchema, jsonSchemaOf } from './shapes.ts';

let world: World;
let endpoints: readonly Endpoint[];
let document: OpenApi;
let operations: { path: string; method: string; operation: OpenApiOperation }[];

beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  endpoints = world.app?.routes.map((one) => one.endpoint) ?? [];
  const answer = await send(world.url, 'GET', '/openapi.json');
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  document = JSON.parse(answer.text) as OpenApi;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
});
afterAll(() => world.close());

const responseOf = (one: OpenApiOperation['responses'][string]): OpenApiResponse =>
  '$ref' in one ? (document.components.responses[one.$ref.split('/').at(-1) ?? ''] ?? { description: '' }) : one;

/** List every schema in the document with its location. */
function schemas(): [string, JsonSchema][] {
  return operations.flatMap(({ path, method, operation }) => {
    const at = `${method} ${path}`;
    const contents = [operation.requestBody, ...Object.values(operation.responses).map(responseOf)].flatMap((one) =>
      Object.values(one?.content ?? {}),
    );
    return [
      ...(operation.parameters ?? []).map((one): [string, JsonSchema] => [`${at} ${one.name}`, one.schema]),
      ...contents.map((one): [string, JsonSchema] => [at, one.schema]),
    ];
  });
}

const KEYWORDS = new Set(
  `type properties items prefixItems anyOf oneOf allOf not required additionalProperties propertyNames enum const default format
   pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems description title readOnly x-reference`.split(
    /\s+/,
  ),
);
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

function isPattern(text: string): boolean {
  try {
    return RegExp(text, 'u').source !== '';
  } catch {
    return false;
  }
}

/** List what is not valid JSON Schema 2020-12 in a schema. */
function faults(schema: unknown, at: string): string[] {
  if (typeof schema === 'boolean') return [];
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [`${at} is no schema`];
  const one = schema as JsonSchema;
  if (typeof one.$ref === 'string') {
    const name = /^#\/components\/schemas\/(\w+)$/.exec(one.$ref)?.[1] ?? '';
    return name in document.components.schemas ? [] : [`${at} refers to ${one.$ref}`];
  }
  const found = Object.keys(one)
    .filter((key) => !KEYWORDS.has(key))
    .map((key) => `${at} has ${key}`);
  for (const type of [one.type ?? []].flat()) if (!TYPES.has(type)) found.push(`${at} is a ${type}`);
  if (typeof one.pattern === 'string' && !isPattern(one.pattern)) found.push(`${at} has the pattern ${one.pattern}`);
  for (const key of one.required ?? []) if (!(key in (one.properties ?? {}))) found.push(`${at} requires ${key}`);
  for (const [key, inner] of Object.entries(one.properties ?? {})) found.push(...faults(inner, `${at}.${key}`));
  for (const key of ['items', 'additionalProperties', 'propertyNames', 'not'] as const)
    if (one[key] !== undefined) found.push(...faults(one[key], `${at}.${key}`));
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const)
    for (const inner of one[key] ?? []) found.push(...faults(inner, `${at}.${key}`));
  return found;
}

describe('the API document', () => {
  it('is an OpenAPI 3.1 document with a name and a version', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/);
    expect(document.info).toMatchObject({ title: 'Rapport', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    expect(Object.keys(document).sort()).toEqual(['components', 'info', 'openapi', 'paths', 'servers', 'tags']);
  });

  it('documents every endpoint and no other', () => {
    expect(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
      endpoints.map((one) => `${one.method} ${one.path}`).sort(),
    );
    expect(operations.length).toBeGreaterThan(50);
  });

  it('gives each operation a unique id', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/);
    expect(ids).toEqual(
      expect.arrayContaining([
        'listLeads',
        'getLead',
        'createLead',
        'replaceLead',
        'updateLead',
        'deleteLead',
        'changeLeadStage',
        'listCompanyLlms',
        'listPromptVersions',
      ]),
    );
    for (const { operation } of operations)
      expect([operation.summary !== '', operation.tags.length]).toEqual([true, 1]);
  });

  it('declares every path parameter as required', () => {
    for (const { path, method, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').sort();
      const declared = (operation.parameters ?? []).filter((one) => one.in === 'path');
      expect([method, path, declared.map((one) => one.name).sort()]).toEqual([method, path, named]);
      expect(declared.every((one) => one.required)).toBe(true);
      const all = (operation.parameters ?? []).map((one) => `${one.in} ${one.name}`);
      expect(new Set(all).size).toBe(all.length);
    }
  });

  it('declares a body where one is read, and none for GET and DELETE', () => {
    for (const { path, method, operation } of operations) {
      const one = endpoints.find((each) => each.path === path && each.method === method.toUpperCase());
      const fields = one ? jsonSchemaOf(one.body, 'input') : {};
      const wants =
        !['get', 'delete'].includes(method) &&
        (fields.properties === undefined || Object.keys(fields.properties).length > 0);
      expect([method, path, operation.requestBody !== undefined]).toEqual([method, path, wants]);
    }
  });

  it('declares the responses and the required role', () => {
    for (const { path, method, operation } of operations) {
      const statuses = Object.keys(operation.responses);
      expect([path, statuses.some((status) => /^(2\d\d|302|101)$/.test(status))]).toEqual([path, true]);
      for (const [status, entry] of Object.entries(operation.responses)) {
        const response = responseOf(entry);
        expect([path, status, status.length, response.description !== '']).toEqual([path, status, 3, true]);
      }
      const one = endpoints.find((each) => each.path === path && each.method === method.toUpperCase());
      const guarded = !['public', 'hook', 'sandbox'].includes(one?.access ?? '');
      expect([path, guarded && !statuses.includes('401')]).toEqual([path, false]);
      const proves = (method !== 'get' || statuses.includes('101')) && one?.access !== 'hook';
      expect([method, path, proves && !statuses.includes('403')]).toEqual([method, path, false]);
      const ways = operation.security.map((way) => Object.keys(way));
      for (const way of ways)
        if (way.includes('session')) expect([path, way.includes('origin')]).toEqual([path, proves]);
      if (one?.access === 'session' || one?.access === 'admin')
        expect([path, ways.length, ways[0]?.[0]]).toEqual([path, 1, 'session']);
      expect([path, statuses.includes('500'), statuses.includes('503')]).toEqual([path, true, true]);
      expect([method, path, statuses.includes('415')]).toEqual([method, path, method !== 'get']);
      expect([path, statuses.includes('422')]).toEqual([path, true]);
      for (const requirement of operation.security)
        for (const name of Object.keys(requirement)) expect(document.components.securitySchemes).toHaveProperty(name);
    }
  });

  describe('declares every status that the server answers by itself', () => {
    const NOWHERE = 999_999;
    const idOf = () => NOWHERE;
    const statusesOf = (one: Endpoint) =>
      Object.keys(document.paths[one.path]?.[one.method.toLowerCase()]?.responses ?? {});
    /** Endpoints of operators; a socket answers an ordinary call before it looks for one. */
    const guarded = () => endpoints.filter((one) => ['session', 'admin'].includes(one.access) && !one.socket);
    const headersOf = async (login: string) => ({ cookie: (await world.operator(login)).cookie, origin: world.url });
    const undeclared = (one: Endpoint, status: number): string[] =>
      statusesOf(one).includes(String(status)) ? [] : [`${endpointTitle(one)}: ${status}`];

    it('without a session, and to an operator who has to choose a password', async () => {
      const fresh = await headersOf('fresh');
      await world.pool.query("update operators set must_change_password = true where login = 'fresh'");
      const statuses = new Map<number, number>();
      const missing: string[] = [];
      for (const one of guarded().filter(({ choosingPassword }) => !choosingPassword)) {
        const sample = sampleOf(one, idOf);
        for (const headers of [{ origin: world.url }, fresh]) {
          const { status } = await sendSample(world.url, one, sample, headers);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          missing.push(...undeclared(one, status));
        }
      }
      expect(missing).toEqual([]);
      expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual([401, 403]);
    });

    it('to an id of no row anywhere in a request', async () => {
      const headers = await headersOf('reader');
      const missing: string[] = [];
      let asked = 0;
      for (const one of guarded()) {
        const sample = sampleOf(one, idOf);
        for (const place of idPlaces(one)) {
          const { status } = await sendSample(world.url, one, withId(one, sample, place, NOWHERE, idOf), headers);
          missing.push(...undeclared(one, status));
          if (status === 404) asked += 1;
        }
      }
      expect(missing).toEqual([]);
      expect(asked).toBeGreaterThan(200);
      const lists = endpoints.filter(({ operation }) => ['listLeads', 'streamLiveEvents'].includes(operation));
      expect(lists.flatMap((one) => undeclared(one, 404))).toEqual([]);
    });

    it('to a body that is no JSON, or too large, also where none is declared', async () => {
      const headers = await headersOf('writer');
      const wrong: string[] = [];
      for (const one of guarded().filter(({ method }) => method !== 'GET')) {
        const url = urlOf(
          one,
          sampleOf(one, () => 1),
        );
        const text = { headers: { ...headers, 'content-type': 'text/plain' }, body: 'x' };
        const { status } = await send(world.url, one.method, url, text);
        if (status !== 415) wrong.push(`${endpointTitle(one)}: ${status}`);
        wrong.push(...undeclared(one, status), ...undeclared(one, 413));
      }
      expect(wrong).toEqual([]);
    });

    it('to more calls than a caller may have in progress', () => {
      for (const one of guarded()) expect([endpointTitle(one), undeclared(one, 429)]).toEqual([endpointTitle(one), []]);
    });
  });

  it('uses valid JSON Schema throughout', () => {
    const all = schemas();
    expect(all.length).toBeGreaterThan(150);
    for (const [name, schema] of Object.entries(document.components.schemas)) all.push([name, schema]);
    expect(all.flatMap(([at, schema]) => faults(schema, at))).toEqual([]);
  });

  it('describes the response of the list of companies', async () => {
    const entry = document.paths['/v1/companies/']?.['get']?.responses['200'];
    expect(entry && responseOf(entry).content?.['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/CompanyList',
    });
    const { CompanyList: list, Company: company } = document.components.schemas;
    expect(Object.keys(list?.properties ?? {}).sort()).toEqual(['items', 'limit', 'page', 'total']);
    expect(list?.properties?.['items']).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Company' } });
    expect(company).toMatchObject({ required: ['id', 'name', 'created_at', 'version'] });
  });

  it('names every object that is sent or answered as a schema', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(
        `Company Product Prompt PromptGroup PromptVersion Lead LeadEvent Contact Message LlmRun PreparedMessage Channel
         Dialogue ProductChannel PingConfig Schedule CrmIntegration ProductIntegration CompanyLlm LeadDocument
         DocumentPrompt ClassificationConfig ClassificationResult LlmSettings Operator AuditEntry LiveEvent
         LeadList CreateLeadBody Refused Invalid`.split(/\s+/),
      ),
    );
    const anonymous = operations.flatMap(({ path, method, operation }) =>
      [operation.requestBody, ...Object.values(operation.responses).map(responseOf)].flatMap((one) =>
        Object.entries(one?.content ?? {})
          .filter(([, { schema }]) => schema.properties !== undefined)
          .map(() => `${method} ${path}`),
      ),
    );
    expect(anonymous).toEqual([]);
  });

  it("declares the server's address and the authentication of vendors and metrics readers", () => {
    expect(document.servers).toEqual([{ url: world.url }]);
    expect(document.paths['/v1/chatbot/webhook']?.['post']?.security).toEqual([
      { session: [], origin: [] },
      { hookSecret: [] },
    ]);
    expect(document.paths['/metrics']?.['get']?.security).toContainEqual({ metricsToken: [] });
    expect(document.paths['/v1/auth/login']?.['post']?.security).toEqual([{ origin: [] }]);
  });

  it('has no two paths that match one address by the same method, except a word in place of an id', () => {
    const steps = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method, ...path.split('/').filter(Boolean)]),
    );
    const isOpen = (step: string | undefined) => step?.startsWith('{') === true;
    const clashes = steps.flatMap((one, at) =>
      steps
        .slice(at + 1)
        .filter(
          (other) =>
            one.length === other.length &&
            one.every((step, index) => step === other[index] || isOpen(step) || isOpen(other[index])) &&
            one.some((step, index) => isOpen(step) && !isOpen(other[index])) &&
            one.some((step, index) => !isOpen(step) && isOpen(other[index])),
        )
        .map((other) => `${one.join('/')} and ${other.join('/')}`),
    );
    expect(clashes).toEqual([]);
  });

  it('declares the media types of pages, streams, metrics and forms', () => {
    const media = (path: string, status = '200') => {
      const entry = document.paths[path]?.['get']?.responses[status];
      return entry ? Object.keys(responseOf(entry).content ?? {}) : [];
    };
    expect(media('/v1/live')).toEqual(['text/event-stream']);
    expect(media('/docs')).toEqual(['text/html']);
    expect(media('/metrics')).toEqual(['text/plain']);
    expect([media('/v1/amocrm/oauth/callback'), media('/v1/amocrm/oauth/callback', '400')]).toEqual([
      ['text/html'],
      ['text/html'],
    ]);
    const bodies = operations.filter(({ operation }) => operation.requestBody);
    for (const { path, method, operation } of bodies) {
      const one = endpoints.find((each) => each.path === path && each.method === method.toUpperCase());
      expect([path, Object.keys(operation.requestBody?.content ?? {})]).toEqual([
        path,
        ['application/json', ...(one?.loose === true ? ['application/x-www-form-urlencoded'] : [])],
      ]);
    }
  });
});

describe('the API page', () => {
  it('shows every endpoint without a script', async () => {
    const answer = await send(world.url, 'GET', '/docs');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.text).toMatch(/^<!doctype html><html lang="en">/);
    expect(answer.text).not.toContain('<script');
    for (const one of endpoints) expect(answer.text).toContain(`<section id="${one.method} ${one.path}">`);
  });

  it('shows responses, parameter types and examples', async () => {
    const { text } = await send(world.url, 'GET', '/docs');
    const [, section = ''] = /<section id="POST \/v1\/leads\/\{id\}\/change_stage">(.*?)<\/section>/s.exec(text) ?? [];
    expect(section).toContain('initial | started | ongoing');
    expect(section).toContain('boolean, default true');
    expect(section).toContain('<b>200</b> Success</td><td><a href="#schema-Lead">Lead</a><pre>');
    expect(section).toContain('&#34;stage&#34;: &#34;initial&#34;');
    expect(section).toContain('<b>422</b> Unprocessable Entity');
    expect(text).toContain('<section id="schema-Lead">');
  });
});
