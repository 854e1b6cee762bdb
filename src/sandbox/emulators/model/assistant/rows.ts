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

/** The id that a parameter such as `lead_id` or `id` wants; null when the wish names none. */
export function idFor(parameter: string, numeric: boolean, clause: Clause, page: Page): Named | null {
  return byNumber(parameter, numeric, clause) ?? byName(parameter, numeric, clause, page);
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

function byNumber(parameter: string, numeric: boolean, clause: Clause): Named | null {
  if (!numeric) return null;
  const wanted = terms(nounOf(parameter));
  const numbers = [...clause.bare.toLowerCase().matchAll(NUMBER)].filter(([, , , , unit]) => !MEASURE.test(unit ?? ''));
  const marked = numbers.find(([, word, mark]) => mark !== undefined && fitting(word, wanted));
  const found =
    marked ??
    numbers.find(([, word]) => {
      const meant = terms(word ?? '').filter((one) => !isDeed(one));
      return wanted.length === 0 ? meant.some((one) => NUMBERED.has(one)) : meant.some((one) => wanted.includes(one));
    });
  return found?.[3] === undefined ? null : { id: Number(found[3]), name: null, score: 5 };
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

function byName(parameter: string, numeric: boolean, clause: Clause, page: Page): Named | null {
  const wanted = terms(nounOf(parameter));
  const spoken = spokenOf(clause);
  const best = page.rows
    .flatMap((row) => {
      const id = idOf(row, parameter, wanted);
      if (id === null || (numeric && typeof id.value !== 'number')) return [];
      return row.names.map((name) => ({
        id: id.value,
        name,
        score: match(name, clause, spoken) + (match(name, clause, spoken) > 0 ? id.near : 0),
      }));
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)[0];
  return best ?? null;
}

function idOf(row: Row, parameter: string, wanted: readonly string[]): { value: number | string; near: number } | null {
  const own = row.entries[parameter];
  if (isId(own)) return { value: own, near: 0.6 };
  const { id } = row.entries;
  const last = terms(row.path.at(-1) ?? '');
  const related = wanted.length > 0 && wanted.every((one) => last.includes(one));
  if (isId(id)) return { value: id, near: related ? 0.8 : wanted.length === 0 ? 0.5 : 0 };
  const [other] = Object.entries(row.entries).filter(([key, value]) => key.endsWith('_id') && isId(value));
  return wanted.length === 0 && other && isId(other[1]) ? { value: other[1], near: 0.2 } : null;
}

interface Spoken {
  readonly words: ReadonlySet<string>;
  readonly plain: string;
}

function spokenOf(clause: Clause): Spoken {
  const plain = clause.text.toLowerCase();
  return { plain, words: new Set((plain.match(/[\p{L}\p{N}]+/gu) ?? []).map(stem)) };
}

/** How well a name is meant: the whole of it, or its first words; 0: not at all. */
function match(name: string, clause: Clause, { plain, words }: Spoken): number {
  const own = name.toLowerCase();
  if (clause.literals.some((one) => one.trim().toLowerCase() === own)) return 4 + own.length / 1_000;
  if (own.length > 2 && bounded(plain, own)) return 3 + own.length / 1_000;
  const parts = own.match(/[\p{L}\p{N}]+/gu) ?? [];
  const telling = parts.filter((part) => part.length > 2);
  if (telling.length === 0) return 0;
  const said = telling.filter((part) => words.has(stem(part)) || [...words].some((word) => inflected(word, part)));
  const share = said.length / telling.length;
  return share >= 0.5 ? 1 + share : 0;
}

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
