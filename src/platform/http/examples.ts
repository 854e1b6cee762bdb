/** Example values generated from a schema, for the API document and for tests that call every endpoint. */
import { REFERENCE } from '../contract.ts';
import type { JsonSchema } from './shapes.ts';

interface ExampleOptions {
  /** Return the id of a row of the given noun. */
  readonly idOf: (resource: string) => number;
  /** Whether to include every field, or only the required ones. */
  readonly isWhole: boolean;
}

/** Sample texts; the first that matches the pattern is used. */
const TEXTS = [
  'Sample text',
  '10:30',
  'sample',
  '123456',
  '7f4df38a-3f5c-4b53-9c13-2c1b7f0a9d11',
  // Key and secret of a browser.
  'B'.padEnd(87, 'A'),
  'A'.repeat(22),
  // Secret of a webhook.
  `whsec_${'A'.repeat(43)}=`,
];

/** Generate a value that matches the schema, as far as a schema can tell. */
export function exampleOf(schema: JsonSchema, exampleOptions: ExampleOptions): unknown {
  const resource = schema[REFERENCE];
  if (resource) return exampleOptions.idOf(resource);
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options[0] ? exampleOf(options[0], exampleOptions) : null;
  switch (typeof schema.type === 'string' ? schema.type : schema.type?.[0]) {
    case 'object': {
      const properties = schema.properties ?? {};
      const keys = exampleOptions.isWhole ? Object.keys(properties) : (schema.required ?? []);
      return Object.fromEntries(keys.map((key) => [key, exampleOf(properties[key] ?? {}, exampleOptions)]));
    }
    case 'array': {
      const count = Math.max(Number(schema.minItems ?? 0), exampleOptions.isWhole ? 1 : 0);
      return Array.from({ length: count }, () => exampleOf(schema.items ?? {}, exampleOptions));
    }
    case 'integer':
    case 'number':
      // Shares are below 1.
      return Number(schema.exclusiveMaximum ?? 2) <= 1 ? 0.2 : 1;
    case 'boolean':
      return true;
    case 'string':
      return textOf(schema);
    case 'null':
      return null;
    default:
      return {};
  }
}

function textOf(schema: JsonSchema): string {
  if (schema.format === 'date') return '2026-01-02';
  if (schema.format === 'date-time') return '2026-01-02T03:04:05.000Z';
  if (schema.format === 'uri') return 'https://example.com/';
  const pattern = typeof schema.pattern === 'string' ? new RegExp(schema.pattern, 'u') : /^/;
  const text = TEXTS.find((one) => pattern.test(one)) ?? 'Sample text';
  return text.padEnd(Number(schema.minLength ?? 0), '.');
}
