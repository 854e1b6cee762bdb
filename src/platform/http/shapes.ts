/**
 * What a declared shape means on the wire, read once off its JSON Schema: how strings of a path or query become numbers
 * and booleans, and where ids stand that name a noun.
 */
import { z } from 'zod';
import { REFERENCE } from '../contract.ts';

/** The part of JSON Schema that we read. */
export interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  enum?: unknown[];
  const?: unknown;
  [REFERENCE]?: string;
  [keyword: string]: unknown;
}

const DEFINITION = '#/$defs/';

/** The same schema with every reference to a definition replaced by what is defined there. */
function inlined(schema: unknown, definitions: Readonly<Record<string, JsonSchema>>): unknown {
  if (Array.isArray(schema)) return schema.map((one) => inlined(one, definitions));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $defs: _defs, $ref, ...rest } = schema as JsonSchema;
  const known = typeof $ref === 'string' ? definitions[$ref.slice(DEFINITION.length)] : undefined;
  return Object.fromEntries(
    Object.entries({ ...known, ...rest }).map(([key, one]) => [key, inlined(one, definitions)]),
  );
}

/** JSON Schema of a shape, as a client sends it (`input`) or as we answer (`output`), without references. */
export function jsonSchemaOf(shape: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const schema = z.toJSONSchema(shape, { io, unrepresentable: 'any', reused: 'inline' }) as JsonSchema;
  return inlined(schema, (schema.$defs ?? {}) as Record<string, JsonSchema>) as JsonSchema;
}

/**
 * JSON Schema of what we answer, in which shapes that have a name (`nameShape`) are references below `base`.
 * `definitions` are those shapes by name.
 */
export function namedSchemaOf(
  shape: z.ZodType,
  base: string,
): { schema: JsonSchema; definitions: Readonly<Record<string, JsonSchema>> } {
  const whole = z.toJSONSchema(shape, { io: 'output', unrepresentable: 'any', reused: 'inline' });
  const moved = JSON.parse(JSON.stringify(whole), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' ? value.replace(DEFINITION, base) : value,
  ) as JsonSchema;
  const { $schema: _schema, $defs = {}, ...schema } = moved;
  return { schema, definitions: $defs as Record<string, JsonSchema> };
}

const alternatives = (schema: JsonSchema): JsonSchema[] => schema.anyOf ?? schema.oneOf ?? [schema];
const hasType = (schema: JsonSchema, type: string): boolean =>
  alternatives(schema).some((one) => one.type === type || (Array.isArray(one.type) && one.type.includes(type)));

function coerceOne(value: string, schema: JsonSchema | undefined): unknown {
  if (!schema) return value;
  if (hasType(schema, 'integer') && /^-?\d{1,16}$/.test(value)) return Number(value);
  if (hasType(schema, 'number') && /^-?\d{1,16}(\.\d{1,16})?$/.test(value)) return Number(value);
  if (hasType(schema, 'boolean') && /^(?:true|false|0|1)$/i.test(value)) return /^(?:true|1)$/i.test(value);
  return value;
}

/**
 * Turns the strings of a query or path into what the shape expects; what does not look like it stays as it is, so that
 * validation says so. A repeated parameter becomes an array.
 */
export function coerce(raw: Record<string, unknown>, schema: JsonSchema): Record<string, unknown> {
  // Not by assignment: a parameter named __proto__ has to stay one, so that it is refused like any unknown one.
  return Object.fromEntries(
    Object.entries(raw).map(([key, value]) => {
      const known = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : undefined;
      if (known && hasType(known, 'array')) {
        const items = alternatives(known).find((one) => one.type === 'array')?.items;
        return [key, (Array.isArray(value) ? value : [value]).map((one) => coerceOne(String(one), items))];
      }
      return [key, Array.isArray(value) ? value : coerceOne(String(value), known)];
    }),
  );
}

interface Place {
  readonly noun: string;
  /** Keys to walk; `*` means every item of an array. */
  readonly path: readonly string[];
}

/** Where in a value of this shape ids of nouns stand. */
export function referencePlaces(schema: JsonSchema, path: readonly string[] = []): Place[] {
  const noun = schema[REFERENCE];
  if (noun) return [{ noun, path }];
  const places: Place[] = [];
  for (const [key, inner] of Object.entries(schema.properties ?? {}))
    places.push(...referencePlaces(inner, [...path, key]));
  if (schema.items) places.push(...referencePlaces(schema.items, [...path, '*']));
  for (const inner of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) {
    places.push(...referencePlaces(inner, path));
  }
  return places;
}

/** Collects the ids at `places` of `value` into `into`, by noun. */
export function collectReferences(value: unknown, places: readonly Place[], into: Map<string, Set<number>>): void {
  for (const place of places) collect(value, place.path, 0, place.noun, into);
}

function collect(
  value: unknown,
  path: readonly string[],
  at: number,
  noun: string,
  into: Map<string, Set<number>>,
): void {
  if (value === null || value === undefined) return;
  const key = path[at];
  if (key === undefined) {
    if (typeof value !== 'number') return;
    const ids = into.get(noun) ?? new Set<number>();
    ids.add(value);
    into.set(noun, ids);
    return;
  }
  if (key === '*') {
    if (Array.isArray(value)) for (const one of value) collect(one, path, at + 1, noun, into);
    return;
  }
  if (typeof value === 'object' && Object.hasOwn(value, key)) {
    collect((value as Record<string, unknown>)[key], path, at + 1, noun, into);
  }
}

/**
 * A reply's schema for the serialiser: unknown fields are dropped, bounds and formats (which only readers need) are
 * gone, `X or null` is the serialiser's own nullable. Other unions are passed through as they are.
 */
export function replySchema(schema: JsonSchema): JsonSchema {
  const options = schema.anyOf ?? schema.oneOf;
  if (options) {
    const [only, ...rest] = options.filter((one) => one.type !== 'null');
    if (!only || rest.length > 0) return {};
    const inner = replySchema(only);
    return inner.type === undefined ? {} : { ...inner, nullable: true };
  }
  if (schema.type === 'object') {
    if (!schema.properties) return { type: 'object', additionalProperties: true };
    const properties = Object.fromEntries(
      Object.entries(schema.properties).map(([key, one]) => [key, replySchema(one)]),
    );
    return { type: 'object', properties, required: schema.required ?? [] };
  }
  if (schema.type === 'array') return { type: 'array', items: schema.items ? replySchema(schema.items) : {} };
  // Dates are strings already; the serialiser must not parse them again.
  if (schema.type === 'string' || schema.type === 'integer' || schema.type === 'number' || schema.type === 'boolean') {
    return { type: schema.type };
  }
  return {};
}

/** Whether no field of an object holds an object with declared fields of its own, at any depth. */
export function isFlat(schema: JsonSchema): boolean {
  const holds = (one: JsonSchema): boolean =>
    one.properties !== undefined ||
    [one.items, ...(one.anyOf ?? []), ...(one.oneOf ?? []), ...(one.allOf ?? [])].some(
      (inner) => inner !== undefined && holds(inner),
    ) ||
    (typeof one.additionalProperties === 'object' && holds(one.additionalProperties));
  return !Object.values(schema.properties ?? {}).some(holds);
}
