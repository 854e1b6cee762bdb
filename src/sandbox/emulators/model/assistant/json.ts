/** Reading of JSON of which nothing is known. */

export type Entries = Readonly<Record<string, unknown>>;

export const isEntries = (value: unknown): value is Entries =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const stringsOf = (values: readonly unknown[]): string[] => values.filter((one) => typeof one === 'string');

/** Undefined when the text is none. */
export function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

const LONGEST = 200_000;
/** Brackets that nothing closes, as in a text that was cut: so many are looked into. */
const MOST_OPEN = 40;

/** All objects and lists that stand in a text, and the text around them. */
export function jsonIn(text: string): { values: unknown[]; prose: string } {
  const values: unknown[] = [];
  let prose = '';
  let at = 0;
  let open = 0;
  while (at < text.length && open < MOST_OPEN) {
    const from = text.slice(at).search(/[{[]/);
    if (from === -1) break;
    const start = at + from;
    const end = closing(text, start);
    const value = end === -1 ? undefined : parsed(text.slice(start, end));
    prose += text.slice(at, value === undefined ? start + 1 : start);
    if (value !== undefined) values.push(value);
    else open += 1;
    at = value === undefined ? start + 1 : end;
  }
  return { values, prose: prose + text.slice(at) };
}

/** Where the bracket at `start` is closed; -1: nowhere. */
function closing(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  const last = Math.min(text.length, start + LONGEST);
  for (let at = start; at < last; at += 1) {
    const char = text[at];
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}
