/**
 * Values that break programs, put into every field of every endpoint. Generated from the routes. In `npm test` each
 * field gets a twelfth of the values, and the next field the next twelfth; in `npm run test:all` each gets all.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CompanyRowIds, createCompanyWithEveryResource } from '../../testing/everyResource.ts';
import { partOf } from '../../testing/partOf.ts';
import { endpointTitle, responseFault, sampleOf, send, sendSample } from '../../testing/sampleRequests.ts';
import { createWorld, type World } from '../../testing/world.ts';
import type { Endpoint } from '../contract.ts';
import { type JsonSchema, jsonSchemaOf } from './shapes.ts';

let world: World;
let endpoints: readonly Endpoint[];
let rows: CompanyRowIds;
let admin: Record<string, string>;

beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  endpoints = world.app?.routes.map((one) => one.endpoint) ?? [];
  rows = await createCompanyWithEveryResource(world.pool, 'Amber');
  admin = { cookie: (await world.operator('root')).cookie, origin: world.url };
});
afterAll(() => world.close());

const idOf = (resource: string): number => rows[resource] ?? 1;

const HOSTILE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e300,
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u200b',
  "'; drop table leads; --",
  '%',
  '\\',
  '0000-01-01',
  '9999-12-31',
  '0000-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '2026-01-01T00:00:00.000+23:59',
  'x'.repeat(201_000),
  [],
  [null],
  [[]],
  {},
  { a: '\u0000' },
  { a: '\ud800' },
  { '\u0000': 'a' },
  { toString: 1 },
];

/** List every field of a shape, including those of nested objects. */
function fieldsOf(schema: JsonSchema, path: readonly string[] = []): string[][] {
  const found: string[][] = [];
  for (const option of schema.anyOf ?? schema.oneOf ?? [schema]) {
    for (const [key, inner] of Object.entries(option.properties ?? {}))
      found.push([...path, key], ...fieldsOf(inner, [...path, key]));
  }
  return found;
}

function withField(value: unknown, path: readonly string[], field: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return field;
  const base = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  return { ...base, [key]: withField(base[key], rest, field) };
}

describe('hostile values', () => {
  it('accepts or refuses hostile values in any field of a body or query, without a server error', async () => {
    const faults: string[] = [];
    let tried = 0;
    let fields = 0;
    for (const one of endpoints) {
      // Moves the clock as far as requested, and waits while it moves.
      if (one.path === '/sandbox/clock') continue;
      const sample = sampleOf(one, idOf);
      for (const part of ['query', 'body'] as const) {
        for (const path of fieldsOf(jsonSchemaOf(one[part], 'input'))) {
          const turn = fields++;
          const values = partOf(HOSTILE, turn, 12).filter(
            (one) => part === 'body' || typeof one !== 'string' || one.length < 5000,
          );
          tried += values.length;
          const hostile = values.map((value) => ({ ...sample, [part]: withField(sample[part], path, value) }));
          const answers = await Promise.all(hostile.map((each) => sendSample(world.url, one, each, admin)));
          for (const [index, answer] of answers.entries()) {
            const fault = responseFault(answer);
            const reply = JSON.stringify(values[index])?.slice(0, 40);
            if (fault) faults.push(`${endpointTitle(one)} ${part}.${path.join('.')} = ${reply}: ${fault}`);
          }
        }
      }
    }
    expect(faults).toEqual([]);
    expect(tried).toBeGreaterThan(1000);
    expect((await send(world.url, 'GET', '/readyz')).status).toBe(200);
  });
});
