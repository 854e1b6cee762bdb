/**
 * What is wrong with a template: what prints nothing, prints its own code, or keeps the whole text from being filled in.
 * Pure; server and editor show the same. One pass, so that no text takes long.
 */

import { isTemplateVariable, TEMPLATE_GROUPS, TEMPLATE_TAGS } from './templateContract.ts';
import { type Part, readExpression, type ValueKind } from './templateExpression.ts';

/** Sentences of the errors by code; `{{name}}` is what is wrong, as it is written. */
export const TEMPLATE_ERRORS = {
  unknown_variable: 'Unknown variable {{name}}',
  group: '{{name}} is a group of variables and prints nothing',
  unknown_filter: 'Unknown filter {{name}}',
  unknown_tag: 'Unknown tag {{name}}',
  unknown_subprompt: 'No subprompt is named {{name}}',
  unclosed_braces: '{{name}} is not closed',
  unclosed_quote: 'The quotation mark in {{name}} is not closed',
  unclosed_tag: '{{name}} has no end tag',
  unopened_tag: '{{name}} closes or divides nothing',
  single_braces: '{{name}} needs two braces on each side',
  empty: '{{name}} is empty',
  unreadable: '{{name}} cannot be read',
} as const;
type TemplateErrorCode = keyof typeof TEMPLATE_ERRORS;

export interface TemplateError {
  readonly code: TemplateErrorCode;
  /** What is wrong, as it is written. */
  readonly name: string;
  /** Position in the text, in UTF-16 code units. */
  readonly from: number;
  readonly to: number;
}

/** Return the error as a sentence. It is the name by which it can be confirmed. */
export const templateErrorText = ({ code, name }: Pick<TemplateError, 'code' | 'name'>): string =>
  TEMPLATE_ERRORS[code].replace('{{name}}', () => name);

/** Return the errors of a template, in order. `subprompts`: the names that it may include; null: not checked. */
export function findTemplateErrors(text: string, subprompts: ReadonlySet<string> | null = null): TemplateError[] {
  return new Checker(text, subprompts).check();
}

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name);

const MAX_NAME = 60;
/** Characters that are checked. No prompt has more, and each variable is looked for in all blocks around it. */
const MAX_CHECKED = 100_000;
/** What the engine skips. Other invisible characters are part of a name. */
const BLANK = /[\t-\r \u00a0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/u;
/** A name in any alphabet, with `-`, `_` and a final `?`, as the engine reads it. */
const WORD =
  /[\w\-\u0080-\u009f\u00a1-\u167f\u1681-\u180d\u180f-\u1fff\u200b-\u201b\u201e-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-\u{10ffff}]+\??/uy;
const NUMBER = /-?\d+(?:\.\d+)?(?![\w\-\u00a1-\uffff])/uy;
const OPERATOR = /(?:==|!=|<>|>=|<=|>|<|(?:and|or|contains|not)(?![\w-]))/y;
const LITERALS = new Set(['true', 'false', 'nil', 'null', 'empty', 'blank']);
/** A variable within single braces, as other systems write it. */
const SINGLE = /(?<!\{\s*)\{\s*([a-z]+(?:\.[\p{L}\w-]+)+)\s*\}(?!\})/giu;

/** The blocks that a tag divides. */
const DIVIDED: Readonly<Record<'elsif' | 'else' | 'when', readonly string[]>> = {
  elsif: ['if', 'unless'],
  else: ['if', 'unless', 'case', 'for'],
  when: ['case'],
};

interface OpenTag {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** The variable of a loop. */
  readonly variable: string | null;
  /** It has its `else`, which nothing but its end may follow. */
  hasElse?: true;
}

/** Reads one text. */
class Checker {
  readonly #text: string;
  readonly #subprompts: ReadonlySet<string> | null;
  readonly #found: TemplateError[] = [];
  readonly #open: OpenTag[] = [];

  constructor(text: string, subprompts: ReadonlySet<string> | null) {
    this.#text = text.slice(0, MAX_CHECKED);
    this.#subprompts = subprompts;
  }

  check(): TemplateError[] {
    const text = this.#text;
    let outside = 0;
    for (const opening = /\{[{%]/g; ; ) {
      const start = opening.exec(text)?.index ?? text.length;
      this.#checkPlain(outside, start);
      if (start === text.length) break;
      opening.lastIndex = outside = text[start + 1] === '{' ? this.#readOutput(start) : this.#readTag(start);
    }
    for (const { name, from, to } of this.#open)
      this.#addNamed({ code: 'unclosed_tag', from, to, name: `{% ${name} %}` });
    return this.#found.toSorted((one, other) => one.from - other.from);
  }

  #add(code: TemplateErrorCode, from: number, to: number): void {
    this.#addNamed({ code, from, to, name: this.#text.slice(from, to) });
  }

  #addNamed({ code, from, to, name }: TemplateError): void {
    const line = name.replace(/\s+/g, ' ').trim();
    const short = line.length > MAX_NAME ? `${line.slice(0, MAX_NAME)}…` : line;
    this.#found.push({ code, name: short, from, to });
  }

  #checkPlain(from: number, to: number): void {
    for (const found of this.#text.slice(from, to).matchAll(SINGLE)) {
      const [whole, path = ''] = found;
      if (isTemplateVariable(path)) this.#add('single_braces', from + found.index, from + found.index + whole.length);
    }
  }

  /** Find the end of what begins at `start`: before `close`, or null if another opening or the end comes first. */
  #findEnd(start: number, close: '}}' | '%}'): number | null {
    const text = this.#text;
    for (let at = start + 2; at < text.length; at++) {
      if (text.startsWith(close, at)) return at;
      if (text[at] === '{' && (text[at + 1] === '{' || text[at + 1] === '%')) return null;
      if (close === '}}' && (text[at] === '"' || text[at] === "'")) at = this.#endOfQuote(at) ?? at;
    }
    return null;
  }

  /** Return the index of the closing quotation mark on the same line; null if there is none. */
  #endOfQuote(at: number): number | null {
    const text = this.#text;
    for (let end = at + 1; end < text.length && end - at < 1000 && text[end] !== '\n'; end++) {
      if (text[end] === '\\') end++;
      else if (text[end] === text[at]) return end;
    }
    return null;
  }

  /** Mark an opening without its end. Returns where to read on. */
  #markUnclosed(start: number): number {
    const rest = /^.{0,40}?(?=\}|\n|\{[{%]|$)/u.exec(this.#text.slice(start + 2, start + 60))?.[0] ?? '';
    this.#add('unclosed_braces', start, start + 2 + rest.length);
    return start + 2;
  }

  #readOutput(start: number): number {
    const end = this.#findEnd(start, '}}');
    if (end === null) return this.#markUnclosed(start);
    const [from, to] = this.#trimmed(start + 2, end);
    if (from === to) this.#add('empty', start, end + 2);
    else this.#checkValue(from, to, 'printed');
    return end + 2;
  }

  /** Leave out whitespace control and blanks. */
  #trimmed(start: number, end: number): [number, number] {
    let [from, to] = [start, end];
    if (this.#text[from] === '-') from++;
    if (to > from && this.#text[to - 1] === '-') to--;
    while (from < to && BLANK.test(this.#text[from] ?? '')) from++;
    while (to > from && BLANK.test(this.#text[to - 1] ?? '')) to--;
    return [from, to];
  }

  #readTag(start: number): number {
    const end = this.#findEnd(start, '%}');
    if (end === null) return this.#markUnclosed(start);
    const [from, to] = this.#trimmed(start + 2, end);
    const after = end + 2;
    if (from === to) {
      this.#add('empty', start, after);
      return after;
    }
    const name = this.#wordAt(from, to);
    const inside = from + name.length;
    if (name === 'raw' || name === 'comment') return this.#skipBlock({ name, from: start, to: after });
    this.#checkTag(name, { start, inside, to, after });
    return after;
  }

  #wordAt(from: number, to: number): string {
    WORD.lastIndex = from;
    const word = WORD.exec(this.#text)?.[0] ?? '';
    return word.slice(0, to - from);
  }

  #skipBlock({ name, from, to }: { name: string; from: number; to: number }): number {
    const ending = new RegExp(`\\{%-?\\s*end${name}\\s*-?%\\}`, 'g');
    ending.lastIndex = to;
    if (ending.exec(this.#text)) return ending.lastIndex;
    this.#addNamed({ code: 'unclosed_tag', from, to, name: `{% ${name} %}` });
    // What is behind it is read by nobody.
    return this.#text.length;
  }

  #checkTag(
    name: string,
    { start, inside, to, after }: { start: number; inside: number; to: number; after: number },
  ): void {
    const last = this.#open.at(-1);
    switch (name) {
      case 'if':
      case 'unless':
      case 'case':
        this.#checkValue(inside, to);
        this.#open.push({ name, from: start, to: after, variable: null });
        return;
      case 'for': {
        const head = /^\s*([^\s.|:,{}%'"]+)\s+in\s+/u.exec(this.#text.slice(inside, to));
        if (head) this.#checkValue(inside + head[0].length, to, 'loop');
        else this.#add('unreadable', start, after);
        this.#open.push({ name, from: start, to: after, variable: head?.[1] ?? null });
        return;
      }
      case 'elsif':
      case 'else':
      case 'when':
        if (!last || last.hasElse || !DIVIDED[name].includes(last.name)) this.#add('unopened_tag', start, after);
        if (last && name === 'else') last.hasElse = true;
        if (name !== 'else') this.#checkValue(inside, to, name === 'when' ? 'choices' : 'condition');
        else if (inside < to) this.#add('unreadable', start, after);
        return;
      case 'render':
        this.#checkRender({ start, inside, to, after });
        return;
      default:
        if (name.startsWith('end') && isOneOf(TEMPLATE_TAGS, name.slice(3))) {
          if (inside < to) this.#add('unreadable', start, after);
          if (last?.name === name.slice(3)) this.#open.pop();
          else this.#add('unopened_tag', start, after);
        } else if (name === '') this.#add('unreadable', start, after);
        else {
          const [written = name] = this.#text.slice(inside - name.length, to).split(/\s/u);
          this.#addNamed({ code: 'unknown_tag', from: start, to: after, name: written });
        }
    }
  }

  #checkRender({ start, inside, to, after }: { start: number; inside: number; to: number; after: number }): void {
    const target = /^\s*(?:'([^']*)'|"([^"]*)")/.exec(this.#text.slice(inside, to));
    if (!target) {
      const written = this.#text.slice(inside, to).trim();
      if (written === '') this.#add('unreadable', start, after);
      else this.#addNamed({ code: 'unknown_subprompt', from: start, to: after, name: written });
      return;
    }
    const name = target[1] ?? target[2] ?? '';
    if (this.#subprompts !== null && !this.#subprompts.has(name))
      this.#addNamed({ code: 'unknown_subprompt', from: start, to: after, name });
    const rest = inside + target[0].length;
    if (this.#text.slice(rest, to).trim() !== '') this.#checkValue(rest, to, 'render');
  }

  /** Check what follows the name of a tag, or what is within braces. */
  #checkValue(from: number, to: number, kind: ValueKind = 'condition'): void {
    const parts = this.#read(from, to);
    if (parts === null) return;
    if (parts.length === 0) {
      this.#add('empty', this.#text.lastIndexOf('{', from), this.#text.indexOf('}', to) + 1);
      return;
    }
    const { errors, isReadable } = readExpression(parts, kind, (path) => this.#isKnown(path));
    for (const error of errors) this.#add(error.code, error.from, error.to);
    if (!isReadable) this.#add('unreadable', from, to);
    const [only, more] = parts;
    if (kind === 'printed' && more === undefined && only?.kind === 'word' && TEMPLATE_GROUPS.includes(only.text))
      this.#add('group', only.from, only.to);
  }

  /** Read the parts of an expression; null if it cannot be read, which is marked then. */
  #read(from: number, to: number): Part[] | null {
    const text = this.#text;
    const parts: Part[] = [];
    for (let at = from; at < to; ) {
      const sign = text[at] ?? '';
      if (BLANK.test(sign)) {
        at++;
        continue;
      }
      const part = this.#partAt(at, to);
      if (part === null) return null;
      parts.push(part);
      at = part.to;
    }
    return parts;
  }

  #partAt(at: number, to: number): Part | null {
    const text = this.#text;
    const sign = text[at] ?? '';
    const upTo = (end: number, kind: Part['kind']): Part => ({ kind, from: at, to: end, text: text.slice(at, end) });
    if (sign === '"' || sign === "'") {
      const end = this.#endOfQuote(at);
      if (end !== null && end < to) return upTo(end + 1, 'text');
      this.#add('unclosed_quote', at, to);
      return null;
    }
    if (text.startsWith('..', at)) return upTo(at + 2, 'sign');
    if ('|:,()'.includes(sign)) return upTo(at + 1, 'sign');
    for (const [kind, pattern] of [
      ['operator', OPERATOR],
      ['number', NUMBER],
    ] as const) {
      pattern.lastIndex = at;
      const found = pattern.exec(text)?.[0];
      if (found !== undefined && at + found.length <= to) return upTo(at + found.length, kind);
    }
    const end = this.#endOfPath(at, to);
    if (end > at) return upTo(end, 'word');
    this.#add('unreadable', at, to);
    return null;
  }

  /** Return the end of `lead.crm_fields.city` or `lead.crm_fields["Any name"][0]`; `at` if there is none. */
  #endOfPath(start: number, to: number): number {
    const text = this.#text;
    let at = start + this.#wordAt(start, to).length;
    if (at === start) return start;
    for (;;) {
      const word = text[at] === '.' && text[at + 1] !== '.' ? this.#wordAt(at + 1, to) : '';
      if (word !== '') {
        at += 1 + word.length;
        continue;
      }
      if (text[at] !== '[') return at;
      const quote = text[at + 1] ?? '';
      const isQuoted = quote === '"' || quote === "'";
      const end = isQuoted ? (this.#endOfQuote(at + 1) ?? at) + 1 : this.#endOfPath(at + 1, to);
      if (end >= to || end <= at + 1 || text[end] !== ']') return at;
      at = end + 1;
    }
  }

  #isKnown(written: string): boolean {
    // `lead["name"]` is `lead.name`; an index does not matter.
    const path = written.replace(/\[\s*(?:"([^"]*)"|'([^']*)'|[^\]]*)\s*\]/g, (_all, one?: string, other?: string) => {
      const name = one ?? other;
      return name === undefined ? '' : `.${name}`;
    });
    const [head = ''] = path.split('.');
    if (LITERALS.has(path)) return true;
    const loops = this.#open.filter((one) => one.name === 'for');
    if (head === 'forloop' && loops.length > 0) return true;
    return loops.some(({ variable }) => variable === head) || isTemplateVariable(path);
  }
}
