/**
 * The meaning of a declared shape on the wire, read once from its JSON Schema: how strings of a path or query become
 * numbers and booleans, and where ids refer to a noun.
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

/** Replace every reference to a definition with the definition itself. */
function inlineDefinitions(schema: unknown, definitions: Readonly<Record<string, JsonSchema>>): unknown {
  if (Array.isArray(schema)) return schema.map((one) => inlineDefinitions(one, definitions));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $defs: _defs, $ref, ...rest } = schema as JsonSchema;
  const definition = typeof $ref === 'string' ? definitions[$ref.slice(DEFINITION.length)] : undefined;
  return Object.fromEntries(
    Object.entries({ ...definition, ...rest }).map(([key, one]) => [key, inlineDefinitions(one, definitions)]),
  );
}

/** What clients send, by shape: the routes keep these schemas anyway, and the matrices of tests read them for each call. */
const inputSchemas = new WeakMap<z.ZodType, JsonSchema>();

/**
 * Return the JSON Schema of a shape, as a client sends it (`input`) or as we answer (`output`), without references. It
 * is shared: do not change it.
 */
export function jsonSchemaOf(shape: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const existing = io === 'input' ? inputSchemas.get(shape) : undefined;
  if (existing) return existing;
  const whole = z.toJSONSchema(shape, { io, unrepresentable: 'any', reused: 'inline' }) as JsonSchema;
  const schema = inlineDefinitions(whole, (whole.$defs ?? {}) as Record<string, JsonSchema>) as JsonSchema;
  if (io === 'input') inputSchemas.set(shape, schema);
  return schema;
}

/**
 * Return the JSON Schema of a reply, in which named shapes (`nameShape`) are references below `base`. `definitions` are
 * those shapes by name.
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
  // Of several forms the first counts: an id that is a text, or a number in a body, keeps its leading zeros.
  if (!schema || alternatives(schema)[0]?.type === 'string') return value;
  if (hasType(schema, 'integer') && /^-?\d{1,16}$/.test(value)) return Number(value);
  if (hasType(schema, 'number') && /^-?\d{1,16}(\.\d{1,16})?$/.test(value)) return Number(value);
  if (hasType(schema, 'boolean') && /^(?:true|false|0|1)$/i.test(value)) return /^(?:true|1)$/i.test(value);
  return value;
}

/**
 * Convert the strings of a query or path to the types the shape expects. A string that does not fit stays as it is, so
 * that validation reports it. A repeated parameter becomes an array.
 */
export function coerce(raw: Record<string, unknown>, schema: JsonSchema): Record<string, unknown> {
  // Do not assign keys: a parameter named __proto__ must stay one, so that it is refused like any unknown one.
  return Object.fromEntries(
    Object.entries(raw).map(([key, value]) => {
      const property = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : undefined;
      if (property && hasType(property, 'array')) {
        const items = alternatives(property).find((one) => one.type === 'array')?.items;
        return [key, (Array.isArray(value) ? value : [value]).map((one) => coerceOne(String(one), items))];
      }
      return [key, Array.isArray(value) ? value : coerceOne(String(value), property)];
    }),
  );
}

interface ReferencePath {
  readonly resource: string;
  /** Keys to follow; `*` means every item of an array. */
  readonly path: readonly string[];
}

/** Find where a value of this shape contains ids of nouns. */
export function findReferences(schema: JsonSchema, path: readonly string[] = []): ReferencePath[] {
  const resource = schema[REFERENCE];
  if (resource) return [{ resource, path }];
  const references: ReferencePath[] = [];
  for (const [key, inner] of Object.entries(schema.properties ?? {}))
    references.push(...findReferences(inner, [...path, key]));
  if (schema.items) references.push(...findReferences(schema.items, [...path, '*']));
  for (const inner of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) {
    references.push(...findReferences(inner, path));
  }
  return references;
}

/** Collect the ids at `references` of `value` into `byEntity`, by noun. */
export function collectReferences(
  value: unknown,
  references: readonly ReferencePath[],
  byEntity: Map<string, Set<number>>,
): void {
  for (const reference of references)
    collect({ value, path: reference.path, at: 0, resource: reference.resource, byEntity });
}

function collect({
  value,
  path,
  at,
  resource,
  byEntity,
}: {
  value: unknown;
  path: readonly string[];
  at: number;
  resource: string;
  byEntity: Map<string, Set<number>>;
}): void {
  if (value === null || value === undefined) return;
  const key = path[at];
  if (key === undefined) {
    if (typeof value !== 'number') return;
    const ids = byEntity.get(resource) ?? new Set<number>();
    ids.add(value);
    byEntity.set(resource, ids);
    return;
  }
  if (key === '*') {
    if (Array.isArray(value)) for (const one of value) collect({ value: one, path, at: at + 1, resource, byEntity });
    return;
  }
  if (typeof value === 'object' && Object.hasOwn(value, key)) {
    collect({ value: (value as Record<string, unknown>)[key], path, at: at + 1, resource, byEntity });
  }
}

/**
 * Convert a reply's schema for the serializer. Unknown fields are dropped, bounds and formats (which only readers need)
 * are removed, and `X or null` becomes the serializer's own nullable. Other unions are passed through as they are.
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
  // Dates are strings already; the serializer must not parse them again.
  if (schema.type === 'string' || schema.type === 'integer' || schema.type === 'number' || schema.type === 'boolean') {
    return { type: schema.type };
  }
  return {};
}

/** Report whether no field of an object contains an object with declared fields of its own, at any depth. */
export function isFlat(schema: JsonSchema): boolean {
  const hasProperties = (one: JsonSchema): boolean =>
    one.properties !== undefined ||
    [one.items, ...(one.anyOf ?? []), ...(one.oneOf ?? []), ...(one.allOf ?? [])].some(
      (inner) => inner !== undefined && hasProperties(inner),
    ) ||
    (typeof one.additionalProperties === 'object' && hasProperties(one.additionalProperties));
  return !Object.values(schema.properties ?? {}).some(hasProperties);
}
