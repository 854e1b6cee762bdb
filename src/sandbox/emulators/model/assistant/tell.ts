/** Answers to questions about what the page shows. */
import { type Language, sentencesOf } from '../language.ts';
import { isDeed, terms } from './lexicon.ts';
import type { Leaf, Page } from './page.ts';
import { capital, inWords, sentences, shortly } from './say.ts';

/** A plain sentence; null when the page shows nothing of what is asked. */
export function told(question: string, page: Page, language: Language): string | null {
  const asked = new Set(terms(question).map((one) => one.replace(/^!/, '')));
  if (asked.size === 0) return null;
  const counting = /how many|number of|сколько|количество/iu.test(question) ? counted(asked, page, language) : null;
  return counting ?? valued(question, asked, page, language) ?? spokenOf(asked, page);
}

function counted(asked: ReadonlySet<string>, page: Page, language: Language): string | null {
  const say = sentences[language];
  const total = page.leaves.find(
    ({ path, value }) => /^(?:total|count)$/.test(path.at(-1) ?? '') && typeof value === 'number',
  );
  const list = page.lists.find(({ path }) => path.some((key) => terms(key).some((one) => asked.has(one))));
  if (list !== undefined) return say.count(capital(nameOf(list.path)), list.count);
  return typeof total?.value === 'number' ? say.count(capital(inWords(total.path.at(-1) ?? '')), total.value) : null;
}

const MOST = 4;

/** Values whose keys, or whose row's name, share most with the question. */
function valued(question: string, asked: ReadonlySet<string>, page: Page, language: Language): string | null {
  const say = sentences[language];
  const rows = page.rows.filter(({ names }) =>
    names.some((name) => question.toLowerCase().includes(name.toLowerCase())),
  );
  const shown = rows.flatMap(({ entries, names, path }) =>
    Object.entries(entries).flatMap(([key, value]) =>
      typeof value === 'object' && value !== null
        ? []
        : [{ leaf: { path: [...path, key], value: plain(value) }, name: names[0] ?? '' }],
    ),
  );
  const all = [...shown, ...page.leaves.map((leaf) => ({ leaf, name: '' }))];
  const scores = all.map((one) => ({ ...one, score: shared(asked, one.leaf) + (one.name === '' ? 0 : 0.4) }));
  const best = Math.max(0, ...scores.filter(({ score }) => score >= 0.6).map(({ score }) => score));
  if (best === 0) return null;
  const found = scores.filter(({ score }) => score > best - 0.05).slice(0, MOST);
  return found
    .map(({ leaf, name }) => {
      const what = inWords(leaf.path.slice(found.length > 1 ? -2 : -1).join(' '));
      return capital(say.isValue(name === '' ? what : `${what} (${name})`, inPlain(leaf.value, language)));
    })
    .join(' ');
}

const plain = (value: unknown): Leaf['value'] =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;

/** How much of a key is asked for, its last part most; words of the question that it lacks weigh against it. */
function shared(asked: ReadonlySet<string>, { path }: Leaf): number {
  const own = [...new Set(terms(path.at(-1) ?? '').map((one) => one.replace(/^!/, '')))];
  const around = path.slice(0, -1).flatMap((key) => terms(key).map((one) => one.replace(/^!/, '')));
  const hit = own.filter((one) => asked.has(one));
  if (hit.length === 0) return 0;
  const context = [...asked].filter((one) => !own.includes(one) && around.includes(one)).length;
  return (hit.length + context * 0.8) / asked.size + (hit.length / own.length) * 0.3;
}

function inPlain(value: Leaf['value'], language: Language): string {
  const say = sentences[language];
  if (value === null || value === '') return say.empty;
  if (typeof value === 'boolean') return value ? say.yes : say.no;
  return shortly(value).replace(/[.!?]+$/, '');
}

/** A sentence of the page's own words. */
function spokenOf(asked: ReadonlySet<string>, page: Page): string | null {
  const [best] = sentencesOf(page.prose)
    .map((text) => ({ text, score: terms(text).filter((one) => !isDeed(one) && asked.has(one)).length }))
    .toSorted((a, b) => b.score - a.score);
  return best !== undefined && best.score >= Math.max(2, asked.size * 0.5) ? best.text : null;
}

const nameOf = (path: readonly string[]): string => inWords(path.at(-1) ?? 'rows');
