/** Reads the parts of an expression of a template. Pure. */
import { TEMPLATE_FILTERS } from './templateContract.ts';

/** What an expression is for: each reads other parts beside values and filters. */
export type ValueKind = 'printed' | 'condition' | 'loop' | 'choices' | 'render';

export interface Part {
  readonly kind: 'word' | 'number' | 'text' | 'operator' | 'sign';
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

interface ExpressionError {
  readonly code: 'unknown_variable' | 'unknown_filter';
  readonly from: number;
  readonly to: number;
}

interface ReadResult {
  readonly errors: readonly ExpressionError[];
  /** False if the engine may refuse it. */
  readonly isReadable: boolean;
}

class Unreadable extends Error {}

/** Words that end a value. */
const ENDINGS: Readonly<Record<ValueKind, readonly string[]>> = {
  printed: [],
  condition: [],
  choices: [],
  loop: ['reversed', 'limit', 'offset'],
  render: ['as'],
};

/** Return the errors of an expression. `isKnown` says whether a path names a variable. */
export function readExpression(
  parts: readonly Part[],
  kind: ValueKind,
  isKnown: (path: string) => boolean,
): ReadResult {
  const errors: ExpressionError[] = [];
  try {
    new Reader(parts, ENDINGS[kind], isKnown, errors).readAll(kind);
    return { errors, isReadable: true };
  } catch (error) {
    if (error instanceof Unreadable) return { errors, isReadable: false };
    throw error;
  }
}

class Reader {
  #at = 0;
  readonly #parts: readonly Part[];
  readonly #endings: readonly string[];
  readonly #isKnown: (path: string) => boolean;
  readonly #errors: ExpressionError[];

  constructor(
    parts: readonly Part[],
    endings: readonly string[],
    isKnown: (path: string) => boolean,
    errors: ExpressionError[],
  ) {
    this.#parts = parts;
    this.#endings = endings;
    this.#isKnown = isKnown;
    this.#errors = errors;
  }

  readAll(kind: ValueKind): void {
    if (kind === 'render') this.#readRender();
    else if (kind === 'choices') this.#readChoices();
    else if (kind === 'loop') this.#readLoop();
    else this.#readFiltered();
    if (this.#peek() !== undefined) throw new Unreadable();
  }

  #peek(ahead = 0): Part | undefined {
    return this.#parts[this.#at + ahead];
  }

  #takes(...texts: string[]): boolean {
    const part = this.#peek();
    const isOne = part !== undefined && part.kind !== 'text' && texts.includes(part.text);
    if (isOne) this.#at++;
    return isOne;
  }

  #need(text: string): void {
    if (!this.#takes(text)) throw new Unreadable();
  }

  #readFiltered(): void {
    this.#readCondition();
    while (this.#takes('|')) {
      const filter = this.#peek();
      if (filter?.kind !== 'word') throw new Unreadable();
      this.#at++;
      const names: readonly string[] = TEMPLATE_FILTERS;
      if (!names.includes(filter.text)) this.#errors.push({ ...filter, code: 'unknown_filter' });
      if (this.#takes(':'))
        do {
          if (this.#peek(1)?.text === ':' && this.#peek()?.kind === 'word') this.#at += 2;
          this.#readValue();
        } while (this.#takes(','));
    }
  }

  /** Read values with operators between them. */
  #readCondition(): void {
    for (;;) {
      while (this.#takes('not'));
      this.#readValue();
      const part = this.#peek();
      if (part?.kind !== 'operator' || part.text === 'not') return;
      this.#at++;
    }
  }

  /** Read a value. Several side by side, without anything between them, are a name with a blank in it. */
  #readValue(): void {
    if (this.#takes('(')) {
      this.#readCondition();
      if (this.#takes('..')) this.#readCondition();
      this.#need(')');
      return;
    }
    const run: Part[] = [];
    for (let part = this.#peek(); part !== undefined; part = this.#peek()) {
      if (part.kind === 'operator' || part.kind === 'sign') break;
      if (run.length > 0 && this.#endings.includes(part.text)) break;
      run.push(part);
      this.#at++;
    }
    const [first] = run;
    const last = run.at(-1);
    if (!first || !last) throw new Unreadable();
    const isUnknown = run.length > 1 || (first.kind === 'word' && !this.#isKnown(first.text));
    if (isUnknown) this.#errors.push({ code: 'unknown_variable', from: first.from, to: last.to });
  }

  #readChoices(): void {
    do this.#readValue();
    while (this.#takes(',', 'or'));
  }

  #readLoop(): void {
    this.#readValue();
    for (;;) {
      this.#takes(',');
      if (this.#takes('reversed')) continue;
      if (!this.#takes('limit', 'offset')) return;
      this.#need(':');
      if (!this.#takes('continue')) this.#readValue();
    }
  }

  #readRender(): void {
    if (this.#takes('with', 'for')) {
      this.#readValue();
      if (this.#takes('as')) this.#readName();
    }
    while (this.#takes(',')) {
      this.#readName();
      this.#need(':');
      this.#readValue();
    }
  }

  #readName(): void {
    if (this.#peek()?.kind !== 'word') throw new Unreadable();
    this.#at++;
  }
}
