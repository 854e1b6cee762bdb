/** Things that a wish names, found among the rows that the page shows. */
import { stem } from '../language.ts';
import { isDeed, terms } from './lexicon.ts';
import { isId, type Page, type Row } from './page.ts';
import type { Clause } from './wish.ts';

export interface Named {
  readonly id: number | string;
  /** The name by which it was found; null: by its number, or because there is no other. */
  readonly name: string | null;
  /** The higher the surer. */
  readonly score: number;
}

/**
 * The id that a parameter such as `lead_id` or `id` wants; null when the wish names none.
 * @param about what the tool's name speaks of: a plain `id` is such a thing's.
 */
export function idFor(
  parameter: string,
  clause: Clause,
  page: Page,
  about: ReadonlySet<string> = new Set(),
): Named | null {
  return byNumber(parameter, clause) ?? byName(parameter, clause, page, about);
}

/** The only one that the page shows: «this lead». */
export function onlyId(parameter: string, page: Page): Named | null {
  const noun = nounOf(parameter);
  const leaves = page.leaves.filter(
    ({ path, value }) =>
      isId(value) &&
      (path.at(-1) === parameter ||
        (path.at(-1) === 'id' && (noun === '' || path.length === 1 || path.at(-2) === noun))),
  );
  const ids = new Set(leaves.map(({ value }) => value));
  const [only] = ids;
  return ids.size === 1 && only !== undefined && isId(only) ? { id: only, name: null, score: 0 } : null;
}

const nounOf = (parameter: string): string => parameter.replace(/_?id$/, '');

const NUMBER =
  /(?:(\p{L}+)\s+)?(id\s*[:=]?\s*|#|№\s*|number\s+|no\.\s*|номер\s+)?(?<![\d:.-])(\d+)(?![\d:.-])(\s*\p{L}+)?/giu;

function byNumber(parameter: string, clause: Clause): Named | null {
  const wanted = terms(nounOf(parameter));
  const numbers = [...clause.bare.toLowerCase().matchAll(NUMBER)].filter(([, , , , unit]) => !MEASURE.test(unit ?? ''));
  const marked = numbers.find(([, word, mark]) => mark !== undefined && fitting(word, wanted));
  const found =
    marked ??
    numbers.find(([, word]) => {
      const meant = terms(word ?? '').filter((one) => !isDeed(one));
      return wanted.length === 0 ? meant.some((one) => NUMBERED.has(one)) : meant.some((one) => wanted.includes(one));
    });
  return found?.[3] === undefined ? null : { id: Number(found[3]), name: null, score: wanted.length === 0 ? 5 : 6 };
}

/** A number before such a word counts something. */
const MEASURE =
  /^\s*(?:seconds?|minutes?|hours?|days?|weeks?|symbols?|characters?|percent|секунд|минут|час|дн|день|недел|символ|знак)/iu;

/** Things that people call by their number. */
const NUMBERED = new Set([
  'lead',
  'channel',
  'prompt',
  'message',
  'dialogue',
  'contact',
  'product',
  'company',
  'row',
  'key',
  'group',
  'document',
  'event',
  'run',
  'integration',
  'credential',
]);

/** «lead id 7» is no prompt's. */
function fitting(word: string | undefined, wanted: readonly string[]): boolean {
  if (word === undefined || wanted.length === 0) return true;
  const meant = terms(word);
  return meant.length === 0 || meant.some((one) => wanted.includes(one) || one.startsWith('!'));
}

function byName(parameter: string, clause: Clause, page: Page, about: ReadonlySet<string>): Named | null {
  const wanted = terms(nounOf(parameter));
  const spoken = spokenOf(clause);
  const best = page.rows
    .flatMap((row) => {
      const id = idOf(row, parameter, wanted, about);
      if (id === null) return [];
      return row.names.map((name) => ({ name, id, meant: match(name, clause, spoken) }));
    })
    .filter(({ meant }) => meant > 0)
    .map(({ name, id, meant }) => ({ id: id.value, name, score: meant + id.near }))
    .toSorted((a, b) => b.score - a.score)[0];
  return best ?? null;
}

/** Keys under which rows of any kind stand. */
const ROWS = new Set(['row', 'rows', 'items', 'item', 'list', 'found', 'results', '!show']);

function idOf(
  row: Row,
  parameter: string,
  wanted: readonly string[],
  about: ReadonlySet<string>,
): { value: number; near: number } | null {
  const own = row.entries[parameter];
  if (typeof own === 'number') return { value: own, near: 0.6 };
  const { id } = row.entries;
  const last = terms(row.path.at(-1) ?? '');
  // The id of a message is none of a lead's.
  if (
    wanted.length === 0 &&
    about.size > 0 &&
    !last.some((one) => ROWS.has(one) || about.has(one)) &&
    last.length > 0
  ) {
    return about.has('row') ? null : typeof id === 'number' ? { value: id, near: -1.5 } : null;
  }
  const related = wanted.length > 0 && wanted.every((one) => last.includes(one));
  if (typeof id === 'number') return { value: id, near: related ? 0.8 : wanted.length === 0 ? 0.5 : 0 };
  const [other] = Object.entries(row.entries).filter(
    ([key, value]) => key.endsWith('_id') && typeof value === 'number',
  );
  return wanted.length === 0 && typeof other?.[1] === 'number' ? { value: other[1], near: 0.2 } : null;
}

interface Spoken {
  readonly words: ReadonlySet<string>;
  readonly plain: string;
}

function spokenOf(clause: Clause): Spoken {
  const plain = clause.bare.toLowerCase();
  return { plain, words: new Set((plain.match(/[\p{L}\p{N}]+/gu) ?? []).map(stem)) };
}

/** How well a name is meant: the whole of it, or its first words; 0: not at all. */
function match(name: string, clause: Clause, { plain, words }: Spoken): number {
  const own = name.toLowerCase();
  if (clause.literals.some((one) => one.trim().toLowerCase() === own)) return 4 + own.length / 1_000;
  if (clause.literals.some((one) => within(one, own))) return 2.5;
  if (own.length > 2 && bounded(plain, own)) return 3 + own.length / 1_000;
  const parts = own.match(/[\p{L}\p{N}]+/gu) ?? [];
  const telling = parts.filter((part) => part.length > 2);
  if (telling.length === 0) return 0;
  const said = telling.filter((part) => words.has(stem(part)) || [...words].some((word) => inflected(word, part)));
  const share = said.length / telling.length;
  return share >= 0.5 ? 1 + share : 0;
}

/** A quotation may be a part of a name: whole words of it. */
const within = (literal: string, name: string): boolean =>
  /^[\p{L}\p{N} .'-]{3,}$/u.test(literal) && bounded(name, literal.trim().toLowerCase());

/** Whole words only. */
function bounded(text: string, part: string): boolean {
  const at = text.indexOf(part);
  if (at === -1) return false;
  return !/[\p{L}\p{N}]/u.test(text.charAt(at - 1)) && !/[\p{L}\p{N}]/u.test(text.charAt(at + part.length));
}

/** «Анну» is «Анна»: endings of names are short. */
function inflected(spoken: string, name: string): boolean {
  if (!/\p{Script=Cyrillic}/u.test(name) || name.length < 3) return false;
  return (
    spoken.length >= 3 && stem(name).slice(0, 5) === spoken.slice(0, 5) && Math.abs(spoken.length - name.length) < 3
  );
}
