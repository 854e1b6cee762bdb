/** Free texts of a wish: what is quoted, named or searched for; and small edits of a text that the page shows. */
import type { Property } from './arguments.ts';
import { terms } from './lexicon.ts';
import { type Clause, MARK } from './wish.ts';

export interface Said {
  readonly text: string;
  readonly tail: boolean;
}

/**
 * @param used quotations that named a row: they are no texts.
 * @param finds whether the tool searches: then its text is what is sought.
 */
export function textsFor(
  properties: readonly Property[],
  required: readonly string[],
  clause: Clause,
  { used, finds }: { readonly used: ReadonlySet<string>; readonly finds: boolean },
): [name: string, said: Said][] {
  const left = clause.literals
    .map((text, index) => ({
      text,
      tail: clause.tail && index === clause.literals.length - 1,
      before: before(clause, index),
    }))
    .filter(({ text }) => !used.has(text.trim().toLowerCase()));
  const given = new Map<string, Said>();
  for (const literal of left) {
    const open = properties.filter(({ name }) => !given.has(name));
    const [best] = open
      .map((property) => ({ property, score: nearTo(property, literal.before, required) }))
      .toSorted((a, b) => b.score - a.score);
    if (best === undefined) continue;
    const { name } = best.property;
    const wanted = required.includes(name) || best.score >= 1;
    if (wanted || (!literal.tail && (best.score > 0.35 || FREE.test(name) || open.length === 1)))
      given.set(best.property.name, { text: literal.text, tail: literal.tail });
  }
  for (const property of properties) {
    if (given.has(property.name)) continue;
    const text = spoken(property, clause, used, finds);
    if (text !== null) given.set(property.name, { text, tail: false });
  }
  return [...given];
}

/** The words before a quotation, up to the one before it. */
function before(clause: Clause, index: number): string {
  return clause.bare.split(MARK)[index] ?? '';
}

function nearTo({ name, about }: Property, words: string, required: readonly string[]): number {
  const heard = terms(words).map((one) => one.replace(/^!/, ''));
  const named = terms(name).map((one) => one.replace(/^!/, ''));
  const last = heard.at(-1);
  const shared =
    heard.filter((one) => named.includes(one)).length + heard.filter((one) => about.includes(one)).length * 0.3;
  return (
    shared +
    (last !== undefined && named.includes(last) ? 1 : 0) +
    (required.includes(name) ? 0.5 : 0) +
    (FREE.test(name) ? 0.4 : 0) +
    (name === 'name' ? 0.5 : 0)
  );
}

/** Names of parameters that hold whatever is written. */
export const FREE = /^(?:text|message|content|body|search|query)$|_text$/;
const NAMING = /^(?:name|title)$|_name$/;
const SEARCHING = /^(?:search|query|q|find)$/;

const END = String.raw`(?=\s+(?:and|with|for|of type|as|in|to|и|для|с типом)\s|[,;.!?]?\s*$|[,;])`;
const CALLED = new RegExp(
  String.raw`(?:called|named|titled|by the name of|name(?: is|:)?(?: to)?|по имени|с именем|назван\p{L}*|имя|название)\s+(.+?)${END}`,
  'iu',
);
const SOUGHT =
  /(?:search(?:es|ed)?(?:\s+\p{L}+){0,4}? for|look(?:ing)? for|find(?: me)?|search|filter by|where is|найди(?:те)?(?: мне)?|найти|поищи|ищи|отыщи|где)\s+(.+?)[.?!]*$/iu;
const NOUN =
  /^(?:all|the|a|an|any|every|leads?|contacts?|dialogues?|messages?|prompts?|channels?|products?|companies|company|called|named|with|лид\p{L}*|контакт\p{L}*|диалог\p{L}*|сообщени\p{L}*|промпт\p{L}*|канал\p{L}*|продукт\p{L}*|по имени)\s+/iu;

/** A text that stands without quotation marks. */
function spoken({ name }: Property, clause: Clause, used: ReadonlySet<string>, finds: boolean): string | null {
  const text = clause.text.trim();
  if (clause.literals.length > 0 && !used.size) return null;
  if (SEARCHING.test(name) || finds) return sought(text);
  if (NAMING.test(name)) return name === 'name' ? (CALLED.exec(text)?.[1] ?? null) : fieldValue(name, text);
  if (FREE.test(name)) return stated(text);
  return fieldValue(name, text);
}

export function sought(text: string): string | null {
  let found = SOUGHT.exec(text)?.[1] ?? null;
  while (found !== null && NOUN.test(found)) found = found.replace(NOUN, '');
  return found === null || found.trim() === '' || NOUN.test(`${found} `) ? null : found.trim();
}

/** «…, saying we deliver on Monday»; «ask whether it fits». */
function stated(text: string): string | null {
  const said =
    /(?:saying|reply that|write that|tell (?:her|him|them) that|that says|with the (?:text|words)|которое говорит|с текстом|о том,? что)\s+(.+)$/isu.exec(
      text,
    )?.[1];
  if (said !== undefined) return said.trim();
  const asked = /^(?:ask|спроси)(?:\s+(?:the models?|them|it|модел\p{L}*|их))?\s+(.+)$/isu.exec(text)?.[1];
  return asked?.trim() ?? null;
}

/** «The timezone to X», «CRM id is X»: the name of the parameter, then its value. */
function fieldValue(name: string, text: string): string | null {
  const words = name.split('_').filter((word) => word !== 'id').length > 0 ? name.replaceAll('_', '[ _-]') : name;
  const found = new RegExp(String.raw`${words}\s*(?:\s(?:to|is|as|на|в)|=|:)\s+([^\s,;]+)`, 'iu').exec(text)?.[1];
  return found ?? null;
}

const LINE =
  /(?<!\p{L})(?:lines?|sentences?|paragraphs?|rules?|phrases?|bullet|point|строк\p{L}*|строчк\p{L}*|предложени\p{L}*|абзац\p{L}*|правил\p{L}*|фраз\p{L}*|пункт)(?!\p{L})/iu;

/** The text with the small change that is wished; null when none is, or it does not apply. */
export function edited(text: string, clause: Clause): string | null {
  return replaced(text, clause) ?? removed(text, clause) ?? (ADDING.test(clause.bare) ? added(text, clause) : null);
}

const REPLACING =
  /(?<!\p{L})(?:replace|swap|substitute|change|rename|correct|замени\p{L}*|поменя\p{L}*|измени\p{L}*|исправь\p{L}*|исправи\p{L}*)\s+(?:the (?:word|words|phrase|text|line)\s+|слов[оа]\s+|фразу\s+)?(.+?)\s+(?:by|with|for|to|into|на|→)\s+(.+?)(?:\s+in the (?:prompt|text|message)|\s+everywhere|\s+везде)?[.!]?$/isu;
const INSTEAD = /(.+?)\s+(?:instead of|rather than|вместо)\s+(.+?)[.!]?$/isu;

function replaced(text: string, clause: Clause): string | null {
  const direct = REPLACING.exec(clause.bare);
  const turned = direct === null ? INSTEAD.exec(clause.bare) : null;
  const old = direct?.[1] ?? turned?.[2];
  const now =
    direct?.[2] ?? turned?.[1]?.replace(/^(?:(?:please|say|write|put|use|пожалуйста|напиши|скажи|поставь)\s+)+/iu, '');
  if (old === undefined || now === undefined) return null;
  const [from, to] = direct ? [old, now] : [old, now];
  // The quotations stand in the order of the words; in the turned form what is new comes first.
  const literals = [...clause.literals];
  const first = direct ? unquoted(from, literals) : unquoted(to, literals);
  const second = direct ? unquoted(to, literals) : unquoted(from, literals);
  const [search, put] = direct ? [first, second] : [second, first];
  if (search === '') return null;
  if (text.includes(search)) return text.replaceAll(search, () => put);
  const at = text.toLowerCase().indexOf(search.toLowerCase());
  return at === -1 ? null : text.slice(0, at) + put + text.slice(at + search.length);
}

function unquoted(part: string, literals: string[]): string {
  return part.includes(MARK) ? (literals.shift() ?? '') : part.trim();
}

function removed(text: string, clause: Clause): string | null {
  if (!terms(clause.bare).includes('!delete')) return null;
  const [literal] = clause.literals;
  const lines = text.split('\n');
  if (literal !== undefined) {
    const kept = lines.filter((line) => line.trim() !== literal.trim());
    if (kept.length < lines.length) return kept.join('\n');
    return text.includes(literal) ? text.replaceAll(literal, '') : null;
  }
  if (!LINE.test(clause.bare)) return null;
  const about = new Set(terms(clause.bare.replace(LINE, ' ')).filter((one) => one !== '!delete'));
  const scores = lines.map((line) => terms(line).filter((one) => about.has(one)).length);
  const best = Math.max(0, ...scores);
  return best === 0 ? null : lines.filter((_line, index) => index !== scores.indexOf(best)).join('\n');
}

const ADDING =
  /(?<!\p{L})(?:add|append|insert|include|mention|write|put|добав\p{L}*|допиш\p{L}*|допис\p{L}*|впиш\p{L}*|встав\p{L}*|упомян\p{L}*)(?!\p{L})/iu;
const THAT = /(?<!\p{L})(?:that|saying|which says|что|о том,? что|где сказано)\s+(.+)$/isu;

function added(text: string, clause: Clause): string | null {
  const line = clause.tail ? clause.literals.at(-1) : (lineOf(clause) ?? undefined);
  if (line === undefined || line.trim() === '') return null;
  const after =
    clause.literals.length > 1 &&
    /(?:after|below|under|после|под)\s*(?:the (?:line|heading)\s*)?\uE000/iu.test(clause.bare);
  const anchor = after ? clause.literals.find((one) => one !== line && text.includes(one)) : undefined;
  if (anchor !== undefined) {
    return text
      .split('\n')
      .flatMap((one) => (one.includes(anchor) ? [one, line] : [one]))
      .join('\n');
  }
  if (/\b(?:top|beginning|start)\b|в начал/iu.test(clause.bare)) return `${line}\n${text}`;
  return text === '' ? line : `${text.replace(/\n+$/, '')}\n${line}`;
}

function lineOf(clause: Clause): string | null {
  if (clause.literals.length > 0) {
    const anchored = /(?:after|below|under|после|под)\s*(?:the (?:line|heading)\s*)?\uE000/iu.exec(clause.bare);
    const first = anchored !== null && anchored.index < clause.bare.indexOf(MARK);
    return (first ? clause.literals[1] : clause.literals[0]) ?? null;
  }
  return THAT.exec(clause.bare)?.[1]?.trim() ?? null;
}
