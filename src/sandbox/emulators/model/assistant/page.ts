/** What the sandbox's model sees of a page: its rows, its figures, its texts. */
import { type Entries, isEntries, jsonIn } from './json.ts';

/** A thing with an id and a name that the page shows. */
export interface Row {
  /** Keys on the way to it. */
  readonly path: readonly string[];
  readonly entries: Entries;
  readonly names: readonly string[];
}

/** A value and the keys on the way to it. */
export interface Leaf {
  readonly path: readonly string[];
  readonly value: string | number | boolean | null;
}

export interface Page {
  readonly rows: readonly Row[];
  readonly leaves: readonly Leaf[];
  /** Lists and how many stand in them. */
  readonly lists: readonly { readonly path: readonly string[]; readonly count: number }[];
  /** What is no JSON. */
  readonly prose: string;
}

const MOST = 20_000;
const NAMING = /(?:^|_)(?:name|title|label|contact|lead|number|model|phone|login)$|^(?:name|title|what)/;
const IDENTIFYING = /(?:^|_)id$/;

export function pageOf(data: readonly string[]): Page {
  const rows: Row[] = [];
  const leaves: Leaf[] = [];
  const lists: { path: readonly string[]; count: number }[] = [];
  const visit = (value: unknown, path: readonly string[]): void => {
    if (leaves.length > MOST) return;
    if (Array.isArray(value)) {
      lists.push({ path, count: value.length });
      for (const one of value) visit(one, path);
    } else if (isEntries(value)) {
      const names = Object.entries(value).flatMap(([key, inner]) =>
        NAMING.test(key) && typeof inner === 'string' && inner.trim() !== '' ? [inner.trim()] : [],
      );
      const known = Object.entries(value).some(([key, inner]) => IDENTIFYING.test(key) && isId(inner));
      if (known) rows.push({ path, entries: value, names });
      for (const [key, inner] of Object.entries(value)) visit(inner, [...path, key]);
    } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null) {
      leaves.push({ path, value });
    }
  };
  const prose: string[] = [];
  for (const block of data) {
    const read = jsonIn(block);
    prose.push(read.prose.trim());
    for (const value of read.values) visit(value, []);
  }
  return { rows, leaves, lists, prose: prose.filter((one) => one !== '').join('\n') };
}

export const isId = (value: unknown): value is number | string =>
  typeof value === 'number' || (typeof value === 'string' && value !== '');

/** The text that stands on the page under a key, the outermost first. */
export function textUnder(page: Page, key: string): string | null {
  const found = page.leaves
    .filter(({ path, value }) => path.at(-1) === key && typeof value === 'string')
    .toSorted((a, b) => a.path.length - b.path.length)[0];
  return typeof found?.value === 'string' ? found.value : null;
}
