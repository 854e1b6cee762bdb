/** An operator's words in clauses, each one wish; what he quotes is kept out of what he wishes. */
import { isDeed, terms } from './lexicon.ts';

export interface Clause {
  /** As he wrote it. */
  readonly text: string;
  /** The same with one mark in place of each quotation. */
  readonly bare: string;
  /** The quotations in their order. */
  readonly literals: readonly string[];
  /** The last of them is no quotation but all that follows a colon. */
  readonly tail: boolean;
}

/** Stands for a quotation; nobody types it. */
export const MARK = '\uE000';

const QUOTED =
  /"([^"\n]+)"|«([^»]+)»|“([^”]+)”|„([^“”]+)[“”]|`([^`]+)`|(?<![\p{L}\p{N}])['‘]([^'’\n]+(?:['’](?=\p{L})[^'’\n]*)*)['’](?!\p{L})/gu;

/** How the words may be read: what follows a colon as a quotation (where there is one), and as words like the others. */
export function readings(words: string): Clause[][] {
  const { bare, literals, written } = quoted(words.replaceAll(MARK, ' '));
  const plain = split(bare, literals, false);
  const colon = /:\s+(?=\S)/.exec(bare);
  if (colon === null || terms(bare.slice(0, colon.index)).length === 0) return [plain];
  const after = bare.slice(colon.index + colon[0].length);
  if (after.startsWith(MARK)) return [plain];
  const before = bare.slice(0, colon.index);
  const kept = literals.slice(0, marksIn(before));
  let next = kept.length;
  const tail = after.replaceAll(MARK, () => written[next++] ?? '');
  return [split(`${before} ${MARK}`, [...kept, tail.trim()], true), plain];
}

/** The words without their quotations; these, and how they were written. */
function quoted(words: string): { bare: string; literals: string[]; written: string[] } {
  const literals: string[] = [];
  const written: string[] = [];
  const bare = words.replaceAll(QUOTED, (whole, ...groups: unknown[]) => {
    literals.push(groups.slice(0, 6).find((one) => typeof one === 'string') ?? '');
    written.push(whole);
    return MARK;
  });
  return { bare, literals, written };
}

const marksIn = (text: string): number => text.split(MARK).length - 1;

function restored(bare: string, literals: readonly string[]): string {
  let next = 0;
  return bare.replaceAll(MARK, () => `"${literals[next++] ?? ''}"`);
}

const BREAK =
  /([.;!?]+\s+|[.;!?]*\n+\s*)|(,?\s+(?:and then|and also|and|then|but|after that|а затем|а потом|и затем|и потом|затем|потом|и|а)\s+|,\s+)/giu;

/** Sentences are always apart, parts of one only where another deed begins. */
function split(bare: string, literals: readonly string[], tail: boolean): Clause[] {
  const pieces: string[] = [];
  let from = 0;
  for (const found of bare.matchAll(BREAK)) {
    const rest = bare.slice(found.index + found[0].length);
    if (found[1] === undefined && !beginsDeed(rest)) continue;
    pieces.push(bare.slice(from, found.index));
    from = found.index + found[0].length;
  }
  pieces.push(bare.slice(from));
  let used = 0;
  const clauses = pieces.map((piece) => {
    const own = literals.slice(used, used + marksIn(piece));
    used += own.length;
    return { bare: piece.trim(), text: restored(piece, own).trim(), literals: own, tail: false };
  });
  return clauses
    .map((clause, index) => ({ ...clause, tail: tail && index === clauses.length - 1 }))
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
}

const POLITE = /^(?:please|also|now|just|to|let'?s|пожалуйста|ещё|еще|также|теперь|сразу)\s+/iu;

function beginsDeed(rest: string): boolean {
  const plain = rest.replace(POLITE, '').replace(POLITE, '');
  if (/^(?:another|one more|again|ещё|еще)\b/iu.test(rest) && /\d|\b(?:hours?|days?|minutes?)\b/.test(rest))
    return true;
  const first = /^[\p{L}'-]+(?:\s+(?:to|up|off|on|away|over|for)\b)?/iu.exec(plain)?.[0];
  if (first === undefined || NOUNS.test(first)) return false;
  return terms(first).some(isDeed);
}

/** Begin like deeds, but stand as nouns after «and». */
const NOUNS = /^(?:test|tests|search|order|draft|drafts|import|reason|reasons|link|links|changes|working|list)$/iu;

/** Polite openings, which make no question of a wish. */
export function plainly(text: string): string {
  return text
    .replace(/^\s*(?:hi|hello|hey|привет|здравствуйте)[,!.]?\s+/iu, '')
    .replace(/^(?:please,?|пожалуйста,?)\s+/iu, '')
    .replace(/^(?:can|could|would|will) you(?: please)?\s+/iu, '')
    .replace(/^(?:can|could) (?:i|we)\s+/iu, '')
    .replace(/^(?:не мог(?:ли|ла|) бы (?:ты|вы)|можешь|можете|мог бы ты)\s+/iu, '');
}

/** Whether it wants to be told something, rather than done. */
export function isQuestion(text: string): boolean {
  const plain = plainly(text);
  if (/^(?:do not|don'?t)(?!\p{L})/iu.test(plain)) return false;
  return /^(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|does|do|did|has|have|any|tell me|что|какой|какая|какое|какие|кто|когда|где|почему|зачем|сколько|как|есть ли|скажи|расскажи)(?!\p{L})/iu.test(
    plain,
  );
}
