/** Parsing of bodies: removes or refuses JSON that programs or the database cannot handle. */
import { isUtf8 } from 'node:buffer';
import { ValidationError } from './errors.ts';

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);
const MAX_DEPTH = 30;

const malformed = (msg: string): ValidationError => new ValidationError([{ loc: ['body'], msg, type: 'json_invalid' }]);

/** PostgreSQL stores neither NUL nor an unpaired surrogate. */
const isStorable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** Decode a body. Throws `ValidationError` on bytes that are no UTF-8: each would become U+FFFD. */
export function decodeStrict(body: Buffer): string {
  if (!isUtf8(body)) throw malformed('The body is not valid UTF-8');
  return body.toString();
}

/**
 * Parse JSON sent by our own console. Throws `ValidationError` on malformed JSON, on keys that reach an object's
 * prototype, on excessive nesting and on text that cannot be stored.
 */
export function parseStrict(text: string): unknown {
  const parsed = parse(text);
  refuseUnstorable('body', parsed);
  return parsed;
}

/**
 * Parse JSON sent by a vendor. What `parseStrict` refuses is removed or replaced: a message must not be lost because of
 * a NUL in it, and the vendor would only repeat the same bytes.
 */
export function parseLenient(text: string): unknown {
  return sanitize(parse(text), 0);
}

/** Parse a form sent by a vendor, as leniently as `parseLenient`. */
export function parseForm(text: string): unknown {
  return sanitize(Object.fromEntries(new URLSearchParams(text)), 0);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('The body is not valid JSON');
  }
}

/** Throw `ValidationError` if a key or text anywhere in `value` cannot be stored. */
export function refuseUnstorable(
  where: 'body' | 'query' | 'path',
  value: unknown,
  path: (string | number)[] = [],
): void {
  const rejection = (msg: string): ValidationError =>
    new ValidationError([{ loc: [where, ...path], msg, type: 'string_invalid' }]);
  if (typeof value === 'string') {
    if (!isStorable(value)) throw rejection('This text has a character that cannot be stored');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (path.length > MAX_DEPTH)
    throw new ValidationError([{ loc: [where], msg: 'This is nested too deeply', type: 'too_deep' }]);
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) refuseUnstorable(where, one, [...path, index]);
    return;
  }
  for (const [key, one] of Object.entries(value)) {
    if (!isStorable(key)) throw rejection('A field’s name has a character that cannot be stored');
    if (where === 'body' && FORBIDDEN.has(key))
      throw new ValidationError([
        { loc: [where, ...path, key], msg: 'This key is not allowed', type: 'extra_forbidden' },
      ]);
    refuseUnstorable(where, one, [...path, key]);
  }
}

const sanitizeText = (text: string): string => text.replaceAll('\u0000', '').toWellFormed();

function sanitize(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return sanitizeText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((one) => sanitize(one, depth + 1));
  const allowed = Object.entries(value).filter(([key]) => !FORBIDDEN.has(key));
  return Object.fromEntries(allowed.map(([key, one]) => [sanitizeText(key), sanitize(one, depth + 1)]));
}
