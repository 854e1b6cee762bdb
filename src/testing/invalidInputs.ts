/**
 * Generates invalid input for a call from its schema: every constraint violated one at a time, and random bodies that
 * are sometimes wrong. A new endpoint is covered once it is declared.
 */
import fc from 'fast-check';
import { REFERENCE } from '../platform/contract.ts';
import type { JsonSchema } from '../platform/http/shapes.ts';

export interface InvalidInput {
  readonly path: readonly string[];
  /** The violated constraint, such as `maxLength`. */
  readonly bound: string;
  readonly value: unknown;
}

const ABSENT = Symbol('absent');
/** Beyond this limit the whole body would be too large. */
const LARGEST_TEXT = 250_000;

const optionsOf = (schema: JsonSchema): JsonSchema[] => (schema.anyOf ?? schema.oneOf)?.flatMap(optionsOf) ?? [schema];
const typesOf = (schema: JsonSchema): unknown[] =>
  optionsOf(schema).flatMap((one) => one.type ?? (one.enum ? ['string'] : []));
const isNullable = (schema: JsonSchema): boolean => typesOf(schema).includes('null');

/** Return every constraint of a schema, violated; `withInvalidInput` removes `ABSENT` fields. */
export function invalidInputsOf(schema: JsonSchema, path: readonly string[] = []): InvalidInput[] {
  const found: InvalidInput[] = [];
  const add = (bound: string, value: unknown) => found.push({ path, bound, value });
  const options = optionsOf(schema).filter((one) => one.type !== 'null');
  const types = typesOf(schema);
  if (path.length > 0 && types.length > 0) {
    if (!isNullable(schema)) add('null', null);
    if (!types.includes('string')) add('type', 'a text');
    else if (!types.includes('integer') && !types.includes('number')) add('type', 12_345);
    if (!types.includes('boolean')) add('type', true);
    if (!types.includes('array')) add('type', [[]]);
    if (!types.includes('object')) add('type', { surprise: 1 });
  }
  const [only] = options;
  if (options.length !== 1 || !only) return found;
  if (only.enum) add('enum', 'none of them');
  if (typeof only['minLength'] === 'number' && only['minLength'] > 0) add('minLength', '');
  if (typeof only['maxLength'] === 'number' && only['maxLength'] < LARGEST_TEXT)
    add('maxLength', 'x'.repeat(only['maxLength'] + 1));
  if (only.type === 'string' && typeof only['format'] === 'string') add('format', 'not that');
  if (only.type === 'integer') add('integer', 1.5);
  for (const [bound, step] of [
    ['minimum', -1],
    ['maximum', 1],
  ] as const) {
    const limit = only[bound];
    if (typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER) add(bound, limit + step);
  }
  if (typeof only['exclusiveMinimum'] === 'number') add('exclusiveMinimum', only['exclusiveMinimum']);
  if (only[REFERENCE]) for (const value of [0, -1]) add('id', value);
  if (only.type === 'array') {
    if (typeof only['minItems'] === 'number' && only['minItems'] > 0) add('minItems', []);
    if (only.items) add('items', [{ surprise: [] }]);
  }
  for (const key of only.required ?? []) found.push({ path: [...path, key], bound: 'required', value: ABSENT });
  for (const [key, inner] of Object.entries(only.properties ?? {}))
    found.push(...invalidInputsOf(inner, [...path, key]));
  return found;
}

/** Return the value with the invalid input in its place. */
export function withInvalidInput(
  value: unknown,
  { path, value: invalid }: Pick<InvalidInput, 'path' | 'value'>,
): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return invalid;
  const base: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {};
  if (rest.length === 0 && invalid === ABSENT) delete base[key];
  else base[key] = withInvalidInput(base[key], { path: rest, value: invalid });
  return base;
}

/** A key that no schema declares. */
export const UNKNOWN_KEY = 'zz_unknown';

/** Generate values of a schema, mostly valid; sometimes with wrong types, exceeded limits or unknown keys. */
export function inputsOf(schema: JsonSchema, idOf: (resource: string) => number): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 12, arbitrary: validInputsOf(schema, idOf) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );
}

function validInputsOf(schema: JsonSchema, idOf: (resource: string) => number): fc.Arbitrary<unknown> {
  const resource = schema[REFERENCE];
  if (resource)
    return fc.oneof({ weight: 8, arbitrary: fc.constant(idOf(resource)) }, fc.integer({ min: -2, max: 50 }));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return fc.oneof(...options.map((one) => inputsOf(one, idOf)));
  switch (schema.type) {
    case 'object':
      return objectOf(schema, idOf);
    case 'array':
      return fc.array(inputsOf(schema.items ?? {}, idOf), { maxLength: 3 });
    case 'integer':
      return fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 100 }) }, fc.integer(), fc.maxSafeInteger());
    case 'number':
      return fc.oneof({ weight: 5, arbitrary: fc.double({ min: 0, max: 2, noNaN: true }) }, fc.double({ noNaN: true }));
    case 'boolean':
      return fc.boolean();
    case 'string':
      return fc.oneof(
        fc.string({ minLength: 1, maxLength: 40 }),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
        fc.constantFrom(
          '09:30',
          '2026-01-02',
          '2026-01-02T03:04:05.000Z',
          'https://example.com/x',
          'UTC',
          '79991234567',
        ),
      );
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf(schema: JsonSchema, idOf: (resource: string) => number): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required);
  const declared = fc.record(Object.fromEntries(properties.map(([key, inner]) => [key, inputsOf(inner, idOf)])), {
    requiredKeys: properties.map(([key]) => key).filter((key) => required.has(key)),
  });
  if (properties.length === 0)
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 10 }), fc.string(), { maxKeys: 3 });
  return fc.oneof(
    { weight: 9, arbitrary: declared },
    { weight: 1, arbitrary: declared.map((value) => ({ ...value, [UNKNOWN_KEY]: UNKNOWN_KEY })) },
  );
}
