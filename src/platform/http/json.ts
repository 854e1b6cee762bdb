/** Bodies as they arrive: JSON without what programs or the database stumble over. */
import { Invalid } from './errors.ts';

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);
const MAX_DEPTH = 30;

const malformed = (msg: string): Invalid => new Invalid([{ loc: ['body'], msg, type: 'json_invalid' }]);

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
const isStorable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/**
 * Reads JSON that our own console sent. Throws Invalid on malformed JSON, on keys that reach an object's prototype, on
 * absurd nesting and on text that cannot be stored.
 */
export function parseStrict(text: string): unknown {
  const parsed = parse(text);
  refuseUnstorable('body', parsed);
  return parsed;
}

/**
 * Reads JSON that a vendor sent. What a strict reading refuses is left out or replaced: a message must not be lost for a
 * NUL in it, and the vendor would repeat the same bytes for ever.
 */
export function parseLoose(text: string): unknown {
  return cleaned(parse(text), 0);
}

/** The same for a form. */
export function parseForm(text: string): unknown {
  return cleaned(Object.fromEntries(new URLSearchParams(text)), 0);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('The body is not valid JSON');
  }
}

/** Throws Invalid when a key or text somewhere in `value` cannot be stored. */
export function refuseUnstorable(
  where: 'body' | 'query' | 'path',
  value: unknown,
  path: (string | number)[] = [],
): void {
  const refused = (msg: string): Invalid => new Invalid([{ loc: [where, ...path], msg, type: 'string_invalid' }]);
  if (typeof value === 'string') {
    if (!isStorable(value)) throw refused('This text has a character that cannot be stored');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (path.length > MAX_DEPTH)
    throw new Invalid([{ loc: [where], msg: 'This is nested too deeply', type: 'too_deep' }]);
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) refuseUnstorable(where, one, [...path, index]);
    return;
  }
  for (const [key, one] of Object.entries(value)) {
    if (!isStorable(key)) throw refused('A field’s name has a character that cannot be stored');
    if (where === 'body' && FORBIDDEN.has(key))
      throw new Invalid([{ loc: [where, ...path, key], msg: 'This key is not allowed', type: 'extra_forbidden' }]);
    refuseUnstorable(where, one, [...path, key]);
  }
}

const cleanText = (text: string): string => text.replaceAll('\u0000', '').toWellFormed();

function cleaned(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((one) => cleaned(one, depth + 1));
  const kept = Object.entries(value).filter(([key]) => !FORBIDDEN.has(key));
  return Object.fromEntries(kept.map(([key, one]) => [cleanText(key), cleaned(one, depth + 1)]));
}
