/**
 * Messages for invalid values: one place for the server's 422, the sockets and the console's forms. Browser-safe.
 * Importing `contract.ts` applies them to every shape.
 */
import { z } from 'zod';
import { countOf } from './numericText.ts';

/** A violation and the path of the value. */
export interface Violation {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Machine-readable kind, as on the wire: `too_small`, `extra_forbidden`, … */
  readonly type: string;
}

const KIND_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'empty',
  date: 'a date',
};

const FORMAT_MESSAGES: Readonly<Record<string, string>> = {
  date: 'Enter a date as YYYY-MM-DD',
  datetime: 'Enter a date and time with a time zone, like 2026-01-31T09:30:00Z',
  time: 'Enter a time as HH:MM',
  url: 'Enter a full web address, like https://example.com',
  email: 'Enter an email address',
  uuid: 'Enter a UUID',
  guid: 'Enter a UUID',
};

const kindOf = (expected: string): string => KIND_NAMES[expected] ?? 'another kind of value';

/** Join words as `a, b or c`. */
const joinWithOr = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;

function boundMessage(
  issue: { origin: string; inclusive?: boolean | undefined },
  limit: number | bigint,
  side: 'least' | 'most',
): string {
  const inclusive = issue.inclusive !== false;
  if (issue.origin === 'string') return `Enter at ${side} ${countOf(limit, 'character')}`;
  if (issue.origin === 'array' || issue.origin === 'set' || issue.origin === 'map')
    return side === 'least' ? `Add at least ${countOf(limit, 'item')}` : `Use at most ${countOf(limit, 'item')}`;
  if (inclusive) return side === 'least' ? `Enter ${limit} or more` : `Enter ${limit} or less`;
  return side === 'least' ? `Enter a number greater than ${limit}` : `Enter a number less than ${limit}`;
}

/** Return the message of an issue for which the shape has none of its own. */
function messageOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'This field is required';
      return issue.expected === 'null' ? 'This must be empty' : `This must be ${kindOf(issue.expected)}`;
    case 'too_small':
      return boundMessage(issue, issue.minimum, 'least');
    case 'too_big':
      return boundMessage(issue, issue.maximum, 'most');
    case 'invalid_format':
      return FORMAT_MESSAGES[issue.format] ?? 'This does not have the expected format';
    case 'not_multiple_of':
      return `Enter a multiple of ${issue.divisor}`;
    case 'invalid_value': {
      if (issue.input === undefined) return 'This field is required';
      const values = issue.values.map(String);
      return values.length === 1 ? `This must be ${values.join('')}` : `Choose one of: ${values.join(', ')}`;
    }
    case 'unrecognized_keys':
      return 'This field is unknown';
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues[0]?.message ?? 'This is not allowed here';
    case 'invalid_union':
      return 'This matches none of the allowed forms';
    case 'custom':
      return 'This value is not allowed';
    default:
      return issue satisfies never;
  }
}

z.config({ customError: messageOf });

/** Whether the value is of another kind altogether, so this form was hardly meant. */
const isOtherKind = (issue: z.core.$ZodIssue): boolean => issue.code === 'invalid_type' && issue.path.length === 0;

function distance(branch: readonly z.core.$ZodIssue[]): number {
  return branch.reduce((sum, issue) => {
    if (isOtherKind(issue)) return sum + 100;
    return sum + (issue.code === 'unrecognized_keys' ? 3 * issue.keys.length : 1);
  }, 0);
}

function violationsIn(issues: readonly z.core.$ZodIssue[], above: readonly PropertyKey[]): Violation[] {
  return issues.flatMap((issue): Violation[] => {
    const at = [...above, ...issue.path];
    const path = at.map((step) => (typeof step === 'number' ? step : String(step)));
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ path: [...path, key], message: issue.message, type: 'extra_forbidden' }));
    if (issue.code !== 'invalid_union' || issue.errors.length === 0)
      return [{ path, message: issue.message, type: issue.code }];
    if (issue.errors.every((branch) => branch.every(isOtherKind))) {
      const kinds = issue.errors.flatMap((branch) =>
        branch.flatMap((one) => (one.code === 'invalid_type' ? [kindOf(one.expected)] : [])),
      );
      const message =
        issue.input === undefined && kinds.length === 0
          ? issue.message
          : `This must be ${joinWithOr([...new Set(kinds)])}`;
      return [{ path, message, type: 'invalid_type' }];
    }
    // Choose the form of a union that was most likely meant; among equals the last, which requires more.
    const [closest = []] = issue.errors.toReversed().toSorted((one, other) => distance(one) - distance(other));
    return violationsIn(closest, at);
  });
}

/** List the violations by path. For a union, list only those of its closest form. */
export function violationsOf(error: z.core.$ZodError): Violation[] {
  return violationsIn(error.issues, []);
}
