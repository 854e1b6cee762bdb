import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { freeMap, oneOrMany, reference } from '../contract.ts';
import { coerce, collectReferences, findReferences, jsonSchemaOf, replySchema } from './shapes.ts';

describe('the strings of a query', () => {
  const schema = jsonSchemaOf(
    z.strictObject({
      id: z.int().positive(),
      ratio: z.number(),
      on: z.boolean().default(true),
      name: z.string().optional(),
      ids: oneOrMany(reference('lead')),
      flags: oneOrMany(z.boolean()),
      either: z.union([z.int(), z.string()]),
      text_or_id: z.union([z.string(), z.int()]),
      maybe: z.int().nullable(),
    }),
    'input',
  );

  it.each([
    [{ id: '7' }, { id: 7 }],
    [{ id: '-7' }, { id: -7 }],
    [{ id: '1.5' }, { id: '1.5' }],
    [{ id: '1e3' }, { id: '1e3' }],
    [{ id: '' }, { id: '' }],
    [{ id: ' 1' }, { id: ' 1' }],
    [{ id: '12345678901234567' }, { id: '12345678901234567' }],
    [{ ratio: '1.5' }, { ratio: 1.5 }],
    [{ ratio: '.5' }, { ratio: '.5' }],
    [{ ratio: 'Infinity' }, { ratio: 'Infinity' }],
    [{ on: 'true' }, { on: true }],
    [{ on: 'false' }, { on: false }],
    [{ on: 'TRUE' }, { on: true }],
    [{ on: 'False' }, { on: false }],
    [{ on: '1' }, { on: true }],
    [{ on: '0' }, { on: false }],
    [{ on: '2' }, { on: '2' }],
    [{ on: 'yes' }, { on: 'yes' }],
    [{ name: '7' }, { name: '7' }],
    [{ name: 'true' }, { name: 'true' }],
    [{ ids: '7' }, { ids: [7] }],
    [{ ids: ['7', '8', 'x'] }, { ids: [7, 8, 'x'] }],
    [{ flags: ['true', 'false'] }, { flags: [true, false] }],
    [{ either: '7' }, { either: 7 }],
    [{ text_or_id: '007' }, { text_or_id: '007' }],
    [{ maybe: '7' }, { maybe: 7 }],
    [{ id: ['1', '2'] }, { id: ['1', '2'] }],
    [{ unknown: '7' }, { unknown: '7' }],
    [{ toString: '7' }, { toString: '7' }],
  ])('parses the query %j as %j', (raw, value) => {
    expect(coerce(raw, schema)).toEqual(value);
  });

  it('keeps a query parameter named __proto__', () => {
    const raw = JSON.parse('{"__proto__": ["1", "2"]}') as Record<string, unknown>;
    const byEntity = coerce(raw, schema);
    expect(Object.keys(byEntity)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(byEntity)).toBe(Object.prototype);
  });
});

describe('ids', () => {
  const shape = z.strictObject({
    lead_id: reference('lead'),
    other: reference('lead').nullable().default(null),
    many: z.array(reference('contact')).max(10).optional(),
    within: z.strictObject({ product_id: reference('product') }).nullable(),
    rows: z.array(z.strictObject({ id: reference('dialogue'), plain: z.int() })),
    either: z.union([reference('channel'), z.string()]),
    map: freeMap(z.number()),
  });
  const places = findReferences(jsonSchemaOf(shape, 'input'));

  it('finds ids at every depth of a body', () => {
    expect(places.map((one) => `${one.resource} ${one.path.join('.')}`).sort()).toEqual([
      'channel either',
      'contact many.*',
      'dialogue rows.*.id',
      'lead lead_id',
      'lead other',
      'product within.product_id',
    ]);
  });

  it('collects ids by resource, once each', () => {
    const into = new Map<string, Set<number>>();
    const value = {
      lead_id: 1,
      other: 1,
      many: [2, 3],
      within: { product_id: 4 },
      rows: [
        { id: 5, plain: 99 },
        { id: 6, plain: 98 },
      ],
      either: 'text',
      map: { a: 97 },
    };
    collectReferences(value, places, into);
    expect(Object.fromEntries([...into].map(([resource, ids]) => [resource, [...ids]]))).toEqual({
      lead: [1],
      contact: [2, 3],
      product: [4],
      dialogue: [5, 6],
    });
  });

  it('collects no missing ids', () => {
    const into = new Map<string, Set<number>>();
    collectReferences({ lead_id: 1, other: null, within: null, rows: [], either: 7, map: {} }, places, into);
    expect([...into.keys()].sort()).toEqual(['channel', 'lead']);
  });
});

describe('a reply', () => {
  it('serializes replies by a schema without bounds and formats, and passes other unions unchanged', () => {
    const shape = z.object({
      id: z.int().positive(),
      at: z.iso.datetime().nullable(),
      list: z.array(z.object({ name: z.string().min(3) })),
      either: z.union([z.string(), z.number()]),
      free: z.record(z.string(), z.unknown()),
      kind: z.enum(['a', 'b']).optional(),
    });
    expect(replySchema(jsonSchemaOf(shape, 'output'))).toEqual({
      type: 'object',
      properties: {
        id: { type: 'integer' },
        at: { type: 'string', nullable: true },
        list: {
          type: 'array',
          items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        },
        either: {},
        free: { type: 'object', additionalProperties: true },
        kind: { type: 'string' },
      },
      required: ['id', 'at', 'list', 'either', 'free'],
    });
  });
});
