/** A tool's parameters as JSON Schema has them, read with patience: vendors and libraries write them differently. */
import { z } from 'zod';
import { stringsOf } from './json.ts';

export interface Schema {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'any';
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly choices: readonly unknown[] | null;
  readonly items: unknown;
  /** Of a map: what its keys may be; null: anything. */
  readonly keys: readonly string[] | null;
  /** Of a map: what stands under each key. */
  readonly values: unknown;
  readonly description: string;
  readonly format: string;
  readonly nullable: boolean;
}

const shape = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
  propertyNames: z.unknown().optional(),
  additionalProperties: z.unknown().optional(),
  description: z.string().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
});

const TYPES = ['object', 'array', 'string', 'integer', 'number', 'boolean'] as const;
const typeSchema = z.enum(TYPES).catch('string');

const known = new WeakMap<object, Schema>();

export function schemaOf(raw: unknown): Schema {
  if (typeof raw !== 'object' || raw === null) return readSchema(raw);
  const before = known.get(raw) ?? readSchema(raw);
  known.set(raw, before);
  return before;
}

function readSchema(raw: unknown): Schema {
  const read = shape.catch({}).parse(raw);
  const options = [...(read.anyOf ?? []), ...(read.oneOf ?? [])];
  const real = options.filter((one) => shape.catch({}).parse(one).type !== 'null');
  const consts = real.map((one) => shape.catch({}).parse(one).const);
  const [first] = real;
  if (real.length > 0 && consts.every((one) => one !== undefined)) {
    return { ...plain(read), choices: consts, type: 'string' };
  }
  if (first !== undefined) {
    const inner = schemaOf(first);
    const nullable = inner.nullable || real.length < options.length;
    return { ...inner, nullable, description: read.description ?? inner.description };
  }
  return plain(read);
}

function plain(read: z.infer<typeof shape>): Schema {
  const types = typeof read.type === 'string' ? [read.type] : (read.type ?? []);
  const named = types.find((one) => one !== 'null');
  const choices = read.const !== undefined ? [read.const] : (read.enum?.filter((one) => one !== null) ?? null);
  const isMap = read.properties !== undefined || typeof read.additionalProperties === 'object';
  const known = named === undefined ? undefined : typeSchema.parse(named);
  return {
    type: known ?? (isMap ? 'object' : read.items !== undefined ? 'array' : 'any'),
    properties: read.properties ?? {},
    required: read.required ?? [],
    choices,
    items: read.items,
    keys: read.propertyNames === undefined ? null : stringsOf(shape.catch({}).parse(read.propertyNames).enum ?? []),
    values: typeof read.additionalProperties === 'object' ? read.additionalProperties : undefined,
    description: read.description ?? '',
    format: read.format ?? (/\\d\{?2?\}?\)?:|:\[?\[?0-5/.test(read.pattern ?? '') ? 'HH:MM' : ''),
    nullable: types.includes('null'),
  };
}
