/**
 * Phrases, written as data, and where they stand in a message. A phrase is a row of words:
 *
 * - `(a|b c)` one of these, `[a|b c]` one of these or nothing, `<name>` one of the language's class of that name;
 * - `@` a word with a capital letter that the language does not know, as names are; `0` a number;
 * - `...` one to three words of any kind but the language's `turns`, up to the end of the clause;
 * - `/` a comma or full stop may stand here: else a phrase ends with its clause;
 * - `=` before a phrase: it is a clause of its own; `?` after it: it may be asked as a question.
 *
 * Each language is one automaton. Words that carry no meaning here (courtesy, greetings, 'again') may stand between any two
 * words of a phrase; they are the language's `free` phrases. The work for a message is limited by its number of words times
 * `WINDOW`.
 */
import { foldWord, NUMBER, separateElisions, type Words } from './words.ts';

/** The phrases of a language, by what they are. */
export interface LanguageData {
  /** Groups of words and phrases that others refer to by `<name>`. */
  readonly classes?: Readonly<Record<string, readonly string[]>>;
  /** What may stand anywhere and means nothing. */
  readonly free?: readonly string[];
  /** Free phrases after which a name may follow: greetings, and the last line of a letter. */
  readonly addresses?: readonly string[];
  /** Words that are an answer of their own before a comma: 'no, please write'. */
  readonly negations?: readonly string[];
  /** Words after which something else is said: no open end of a phrase goes beyond them. */
  readonly turns?: readonly string[];
  /** Negations that people write together with the next word. */
  readonly glued?: readonly string[];
  /** Words that are spelled nearly as a word of a phrase and mean something else: no typing errors. */
  readonly distinct?: readonly string[];
  /** Phrases by kind. */
  readonly phrases: Readonly<Record<string, readonly string[]>>;
}

/** A phrase that ends before the word `end`. */
export interface Found {
  readonly end: number;
  readonly kind: string;
  /** Whether it stands in a question, and is none by itself. */
  readonly isAsked: boolean;
}

/** Counts steps of the automaton. */
export interface Meter {
  steps: number;
}

interface State {
  /** Where a word leads, or one of a class. */
  next?: Step[];
  /** Where the classes lead that have phrases of several words. */
  classes?: Step[];
  /** `next` by its symbols, where there are many. */
  index?: Map<string, Step[]>;
  ends?: Ending[];
  /** The symbols of the words with which a way from here begins; null: any word. Of the starts alone. */
  firsts?: ReadonlySet<string> | null;
  readonly depth: number;
  /** Whether the clause may end here. */
  mayBreak: boolean;
  /** Whether words of any kind lead here: they go on to the end of the clause. */
  isOpen: boolean;
  /** Whether nothing but a negation leads here. */
  isNegation: boolean;
}

interface Step {
  readonly symbol: string;
  readonly to: State;
}

interface Ending {
  readonly kind: string;
  readonly isClause: boolean;
  readonly mayBeAsked: boolean;
}

type Item = { readonly word: string } | { readonly options: readonly Item[][]; readonly isOptional: boolean };

/** The most words that a phrase has, with the free ones in it. */
const WINDOW = 24;
const ANY = '...';
const BREAK = '/';
const NAME = '@';
const DIGITS = '0';
const MOST_ANY = 3;
/** Below this, one letter makes another word. */
const SHORTEST_TYPO = 6;
const CLASS = /^<.*>$/;
/** The most steps of a state that are searched one by one. */
const MOST_STEPS = 8;

export class PhraseGrammar {
  private readonly start = newState(0);
  private readonly freeStart = newState(0);
  private readonly addressStart = newState(0);
  /** The phrases of several words of each class. */
  private readonly classStarts = new Map<string, State>();
  /** The symbols that a word stands for: itself and its classes. */
  private readonly lexicon = new Map<string, string[]>();
  /** Words by their first and last letters, where typing errors are looked up. */
  private readonly alike = new Map<string, string[]>();
  private readonly distinct: ReadonlySet<string>;
  private readonly negations: ReadonlySet<string>;
  private readonly turns: ReadonlySet<string>;

  constructor(data: LanguageData) {
    this.negations = new Set((data.negations ?? []).map(foldWord));
    this.turns = new Set((data.turns ?? []).map(foldWord));
    this.distinct = new Set((data.distinct ?? []).map(foldWord));
    const classes = Object.entries(data.classes ?? {});
    for (const [name] of classes) this.classStarts.set(`<${name}>`, newState(0));
    for (const [name, start] of this.classStarts)
      for (const member of data.classes?.[name.slice(1, -1)] ?? []) {
        const items = parsePhrase(member);
        const [first] = items;
        if (items.length === 1 && first && 'word' in first && !CLASS.test(first.word))
          this.learn(foldWord(first.word), name);
        else this.add(start, member, 'class');
      }
    for (const [kind, phrases] of Object.entries(data.phrases))
      for (const phrase of phrases) this.add(this.start, phrase, kind);
    for (const phrase of data.free ?? []) this.add(this.freeStart, phrase, 'free');
    for (const phrase of data.addresses ?? []) {
      this.add(this.freeStart, phrase, 'free');
      this.add(this.addressStart, phrase, 'address');
    }
    for (const word of this.lexicon.keys()) if (word.length >= SHORTEST_TYPO) push(this.alike, alikeKey(word), word);
    for (const start of [this.start, this.freeStart, this.addressStart, ...this.classStarts.values()])
      start.firsts = this.firstsOf(start, new Set());
  }

  /** Find the symbols with which a way from a state begins. `seen`: states whose symbols are found already. */
  private firstsOf(state: State, seen: Set<State>): ReadonlySet<string> | null {
    seen.add(state);
    const firsts = new Set((state.next ?? []).map(({ symbol }) => symbol));
    if (firsts.has(ANY)) return null;
    for (const { symbol } of state.classes ?? []) {
      const start = this.classStarts.get(symbol);
      if (!start || seen.has(start)) continue;
      const more = this.firstsOf(start, seen);
      if (more === null) return null;
      for (const one of more) firsts.add(one);
    }
    return firsts;
  }

  knows(word: string): boolean {
    return this.lexicon.has(word);
  }

  /** Read the words of a message in this language. */
  read(message: Words, meter: Meter): Reading {
    const symbols = message.words.map((word, index) => {
      const found = this.symbolsOf(word, meter);
      if (found.length > 0) return found;
      if (/^\p{N}+$/u.test(word)) return [DIGITS];
      return message.isCapital[index] ? [NAME] : found;
    });
    return new Reading({
      message,
      symbols,
      meter,
      start: this.start,
      free: this.freeStart,
      address: this.addressStart,
      classes: this.classStarts,
      turns: this.turns,
    });
  }

  private symbolsOf(word: string, meter: Meter): readonly string[] {
    const exact = this.lexicon.get(word);
    if (exact || word.length < SHORTEST_TYPO - 1 || this.distinct.has(word)) return exact ?? [];
    for (const like of this.alike.get(alikeKey(word)) ?? []) {
      meter.steps += 1;
      if (isOneEdit(word, like)) return this.lexicon.get(like) ?? [];
    }
    return [];
  }

  private learn(word: string, symbol: string): void {
    if (!this.lexicon.get(word)?.includes(symbol)) push(this.lexicon, word, symbol);
  }

  private add(start: State, phrase: string, kind: string): void {
    const isClause = phrase.startsWith('=');
    const mayBeAsked = phrase.endsWith('?');
    const items = parsePhrase(phrase.replace(/^=|\?$/g, ''));
    for (const state of this.link(items, [start])) {
      if (state === start) throw new Error(`The phrase '${phrase}' may be empty`);
      const ending = { kind, isClause, mayBeAsked };
      state.ends = state.ends ? [...state.ends, ending] : [ending];
    }
  }

  /**
   * Add a way through the items from each of the states; return where it leads. It ends in the state `to` if there is one,
   * which all options of a group share.
   */
  private link(items: readonly Item[], states: readonly State[], to?: State): State[] {
    let from = [...states];
    items.forEach((item, index) => {
      const target = index === items.length - 1 ? to : undefined;
      if ('word' in item) {
        if (item.word === BREAK) for (const state of from) state.mayBreak = true;
        else from = this.step(item.word, from, target);
        return;
      }
      const joined = target ?? newState(depthAfter(from));
      const ends = new Set(item.options.flatMap((option) => this.link(option, from, joined)));
      from = item.isOptional ? [...new Set([...from, ...ends])] : [...ends];
    });
    return from;
  }

  private step(word: string, from: readonly State[], to?: State): State[] {
    if (word === ANY) {
      const states: State[] = [];
      for (let count = 0, last = [...from]; count < MOST_ANY; count += 1, last = states.slice(-1))
        states.push(
          connect({ from: last, kind: 'next', symbol: ANY, to: { ...newState(depthAfter(last)), isOpen: true } }),
        );
      return states;
    }
    const state = to ?? newState(depthAfter(from));
    if (!CLASS.test(word)) {
      const folded = foldWord(word);
      this.learn(folded, folded);
      if (state.depth === 1 && this.negations.has(folded)) state.isNegation = true;
      return [connect({ from, kind: 'next', symbol: folded, to: state })];
    }
    const start = this.classStarts.get(word);
    if (!start) throw new Error(`No class ${word}`);
    connect({ from, kind: 'next', symbol: word, to: state });
    return [connect({ from, kind: 'classes', symbol: word, to: state })];
  }
}

interface ReadingOf {
  readonly message: Words;
  readonly symbols: readonly (readonly string[])[];
  readonly meter: Meter;
  readonly start: State;
  readonly free: State;
  readonly address: State;
  readonly classes: ReadonlyMap<string, State>;
  readonly turns: ReadonlySet<string>;
}

/** A message as a language understands it. */
export class Reading {
  private readonly of: ReadingOf;
  private readonly phrases: (readonly Found[])[] = [];
  private readonly classEnds = new Map<string, number[][]>();
  /** Where the free phrases end that start at a word. */
  private readonly freeEnds: readonly (readonly number[])[];
  /** Before which words a free phrase ends. */
  private isAfterFree: ReadonlySet<number> = new Set();

  constructor(of: ReadingOf) {
    this.of = of;
    this.freeEnds = of.symbols.map((_, index) => this.findFreeEnds(index));
    this.isAfterFree = new Set(this.freeEnds.flat());
  }

  /** Where the free phrases end that start at this word. */
  freeFrom(index: number): readonly number[] {
    return this.freeEnds[index] ?? [];
  }

  /** The phrases that start at this word. */
  phrasesFrom(index: number): readonly Found[] {
    return (this.phrases[index] ??= this.follow(this.of.start, index, (position) => this.freeFrom(position)));
  }

  /** A phrase goes on after a break where it says so, after courtesy, and after a comma if it has got beyond one word. */
  private mayCross(state: State, position: number): boolean {
    if (state.mayBreak) return true;
    if (state.isNegation) return false;
    return this.isAfterFree.has(position) || (state.depth >= 2 && this.of.message.isComma[position] === true);
  }

  /** Where the phrases of a class end that start at this word and have several. */
  private classFrom(name: string, index: number): readonly number[] {
    const start = this.of.classes.get(name);
    if (!start?.next && !start?.classes) return [];
    const ends = this.classEnds.get(name) ?? [];
    this.classEnds.set(name, ends);
    return (ends[index] ??= [
      ...new Set(this.follow(start, index, (position) => this.freeFrom(position)).map(({ end }) => end)),
    ]);
  }

  private findFreeEnds(index: number): number[] {
    const { message, symbols } = this.of;
    if (message.words[index] === NUMBER) return [index + 1];
    const ends = new Set(this.follow(this.of.free, index, () => []).map(({ end }) => end));
    for (const { end } of this.follow(this.of.address, index, () => [])) {
      // A name of one or two words.
      for (let last = end; last < end + 2 && symbols[last]?.[0] === NAME; last += 1)
        if (message.breaks[last + 1]) ends.add(last + 1);
    }
    return [...ends];
  }

  private follow(start: State, index: number, freeFrom: (position: number) => readonly number[]): readonly Found[] {
    const { message, symbols, meter, turns } = this.of;
    const { firsts = null } = start;
    // Most words begin nothing.
    if (firsts && !symbols[index]?.some((symbol) => firsts.has(symbol))) return NOTHING;
    const found: Found[] = [];
    const active: Set<State>[] = [new Set([start])];
    const reach = (position: number, state: State): void => {
      if (position - index > WINDOW) return;
      const states = (active[position - index] ??= new Set());
      if (states.has(state)) return;
      states.add(state);
    };
    for (let offset = 0; offset < active.length; offset += 1) {
      const position = index + offset;
      for (const state of active[offset] ?? []) {
        meter.steps += 1;
        for (const ending of state.ends ?? []) {
          const isAtEnd = message.breaks[position] === true;
          if ((ending.isClause && !(isAtEnd && message.breaks[index])) || (state.isOpen && !isAtEnd)) continue;
          const isAsked = !ending.mayBeAsked && isAnyAsked(message, index, position);
          found.push({ end: position, kind: ending.kind, isAsked });
        }
        if (position >= message.words.length) continue;
        if (state !== start) for (const end of freeFrom(position)) reach(end, state);
        if (message.breaks[position] && offset > 0 && !this.mayCross(state, position)) continue;
        for (const symbol of symbols[position] ?? []) walk(state, symbol, (to) => reach(position + 1, to));
        for (const { symbol, to } of state.classes ?? [])
          for (const end of this.classFrom(symbol, position)) reach(end, to);
        if ((!message.breaks[position] || offset === 0) && !turns.has(message.words[position] ?? ''))
          walk(state, ANY, (to) => reach(position + 1, to));
      }
    }
    return found;
  }
}

const NOTHING: readonly Found[] = [];

function isAnyAsked(message: Words, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) if (message.isAsked[index]) return true;
  return false;
}

const newState = (depth: number): State => ({ depth, mayBreak: false, isOpen: false, isNegation: false });

const depthAfter = (states: readonly State[]): number => Math.min(...states.map(({ depth }) => depth)) + 1;

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

interface Edge {
  readonly from: readonly State[];
  readonly kind: 'next' | 'classes';
  readonly symbol: string;
  readonly to: State;
}

function connect({ from, kind, symbol, to }: Edge): State {
  for (const one of from) {
    const steps = one[kind];
    // Most states have one step: an array of one takes less memory than one that has grown.
    if (!steps) one[kind] = [{ symbol, to }];
    else if (!steps.some((step) => step.to === to && step.symbol === symbol)) steps.push({ symbol, to });
  }
  return to;
}

/** Call `reach` with the states to which a symbol leads. */
function walk(state: State, symbol: string, reach: (to: State) => void): void {
  if (!state.next) return;
  if (state.next.length > MOST_STEPS) state.index ??= Map.groupBy(state.next, (step) => step.symbol);
  for (const step of state.index?.get(symbol) ?? (state.index ? [] : state.next))
    if (step.symbol === symbol) reach(step.to);
}

/** Read the notation of a phrase. */
function parsePhrase(phrase: string): Item[] {
  const tokens = separateElisions(phrase).match(/\.\.\.|<[^>]+>|[[\]()|]|[^\s[\]()|<>]+/g) ?? [];
  let at = 0;
  const parseOptions = (): Item[][] => {
    const options: Item[][] = [[]];
    for (; at < tokens.length; at += 1) {
      const token = tokens[at] ?? '';
      if (token === ']' || token === ')') break;
      if (token === '|') options.push([]);
      else if (token === '[' || token === '(') {
        at += 1;
        options.at(-1)?.push({ options: parseOptions(), isOptional: token === '[' });
        if (tokens[at] !== (token === '[' ? ']' : ')')) throw new Error(`A bracket is not closed: ${phrase}`);
      } else options.at(-1)?.push({ word: token });
    }
    return options;
  };
  const options = parseOptions();
  if (at < tokens.length) throw new Error(`A bracket is not opened: ${phrase}`);
  return options.length === 1 ? (options[0] ?? []) : [{ options, isOptional: false }];
}

const alikeKey = (word: string): string => `${word.slice(0, 2)}${word.slice(-1)}`;

/**
 * Whether two different words are one letter apart: one more, one less, another one, or two that have changed places. The
 * last two letters are no typing error for each other, since many languages inflect by them.
 */
function isOneEdit(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  let same = 0;
  while (same < short.length && short[same] === long[same]) same += 1;
  if (short.length < long.length) return short.slice(same) === long.slice(same + 1);
  if (one.slice(-2) !== other.slice(-2)) return false;
  if (short.slice(same + 1) === long.slice(same + 1)) return true;
  return (
    short[same] === long[same + 1] && short[same + 1] === long[same] && short.slice(same + 2) === long.slice(same + 2)
  );
}
