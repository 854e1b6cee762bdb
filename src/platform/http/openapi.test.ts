import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../testing/samples.ts';
import { createWorld, type World } from '../../testing/world.ts';
import type { Endpoint } from '../contract.ts';
import { type JsonSchema, jsonSchemaOf } from './shapes.ts';

interface Operation {
  summary: string;
  operationId: string;
  tags: string[];
  parameters?: { name: string; in: string; required: boolean; schema: JsonSchema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: JsonSchema }> }>;
  security: Record<string, string[]>[];
}
interface Document {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, unknown>; schemas: Record<string, JsonSchema> };
}

let world: World;
let endpoints: readonly Endpoint[];
let document: Document;
let operations: { path: string; method: string; operation: Operation }[];

beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  endpoints = world.house?.routes.map((one) => one.endpoint) ?? [];
  const answer = await send(world.url, 'GET', '/openapi.json');
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  document = JSON.parse(answer.text) as Document;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
});
afterAll(() => world.close());

/** Every schema in the document, with where it stands. */
function schemas(): [string, JsonSchema][] {
  return operations.flatMap(({ path, method, operation }) => {
    const at = `${method} ${path}`;
    const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((one) =>
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

/** What is not JSON Schema 2020-12 in a schema. */
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
  it('is OpenAPI 3.1 with a name and a version', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/);
    expect(document.info).toMatchObject({ title: 'Rapport', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    expect(Object.keys(document).sort()).toEqual(['components', 'info', 'openapi', 'paths']);
  });

  it('holds every endpoint, and no other', () => {
    expect(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
      endpoints.map((one) => `${one.method} ${one.path}`).sort(),
    );
    expect(operations.length).toBeGreaterThan(50);
  });

  it('names each operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/);
    for (const { operation } of operations)
      expect([operation.summary !== '', operation.tags.length]).toEqual([true, 1]);
  });

  it('declares every parameter of a path, as required', () => {
    for (const { path, method, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').sort();
      const declared = (operation.parameters ?? []).filter((one) => one.in === 'path');
      expect([method, path, declared.map((one) => one.name).sort()]).toEqual([method, path, named]);
      expect(declared.every((one) => one.required)).toBe(true);
      const all = (operation.parameters ?? []).map((one) => `${one.in} ${one.name}`);
      expect(new Set(all).size).toBe(all.length);
    }
  });

  it('gives a body where one is read, and none to GET and DELETE', () => {
    for (const { path, method, operation } of operations) {
      const one = endpoints.find((each) => each.path === path && each.method === method.toUpperCase());
      const fields = one ? jsonSchemaOf(one.body, 'input') : {};
      const wants =
        !['get', 'delete'].includes(method) &&
        (fields.properties === undefined || Object.keys(fields.properties).length > 0);
      expect([method, path, operation.requestBody !== undefined]).toEqual([method, path, wants]);
    }
  });

  it('tells replies and who may ask', () => {
    for (const { path, method, operation } of operations) {
      const statuses = Object.keys(operation.responses);
      expect([path, statuses.some((status) => /^(2\d\d|302|101)$/.test(status))]).toEqual([path, true]);
      for (const [status, response] of Object.entries(operation.responses)) {
        expect([path, status, status.length, response.description !== '']).toEqual([path, status, 3, true]);
      }
      const one = endpoints.find((each) => each.path === path && each.method === method.toUpperCase());
      const guarded = ['session', 'admin', 'session-or-hook', 'document'].includes(one?.access ?? '');
      expect([path, operation.security]).toEqual([path, guarded ? [{ session: [] }] : []]);
      expect([path, guarded && !statuses.includes('401')]).toEqual([path, false]);
      const changes = method !== 'get' && one?.access !== 'hook';
      expect([method, path, changes && !statuses.includes('403')]).toEqual([method, path, false]);
      expect([method, path, statuses.includes('415')]).toEqual([method, path, operation.requestBody !== undefined]);
      expect([path, statuses.includes('422')]).toEqual([path, true]);
      for (const requirement of operation.security)
        for (const name of Object.keys(requirement)) expect(document.components.securitySchemes).toHaveProperty(name);
    }
  });

  it('speaks JSON Schema throughout', () => {
    const all = schemas();
    expect(all.length).toBeGreaterThan(150);
    for (const [name, schema] of Object.entries(document.components.schemas)) all.push([name, schema]);
    expect(all.flatMap(([at, schema]) => faults(schema, at))).toEqual([]);
  });

  it('describes what is answered: a list of companies', async () => {
    const list = document.paths['/v1/companies/']?.get?.responses['200']?.content?.['application/json']?.schema;
    expect(Object.keys(list?.properties ?? {}).sort()).toEqual(['items', 'limit', 'page', 'total']);
    expect(list?.properties?.items).toMatchObject({
      type: 'array',
      items: { required: ['id', 'name', 'created_at', 'version'] },
    });
  });
});

describe('its page', () => {
  it('is readable without a script, and shows every endpoint', async () => {
    const answer = await send(world.url, 'GET', '/docs');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.text).toMatch(/^<!doctype html><html lang="en">/);
    expect(answer.text).not.toContain('<script');
    for (const one of endpoints) expect(answer.text).toContain(`<section id="${one.method} ${one.path}">`);
  });
});
