/**
 * A corpus: cases of what people and vendors really send, kept as data (`*.corpus.json`) beside the code that has to
 * understand them. Each kind of case names the public report that it comes from; all texts are our own. A new report is a
 * new row.
 */

/** The content of a `*.corpus.json`. */
export interface CorpusFile<Case extends CorpusCase> {
  /** Kinds by name: what they are, and the address of the public report, if there is one. */
  readonly kinds: Readonly<Record<string, { readonly what: string; readonly report?: string }>>;
  readonly cases: readonly Case[];
}

interface CorpusCase {
  readonly kind: string;
  readonly language?: string;
}

/** A case and what became of it. `expected` and `actual` are compared as texts. */
export interface Judged {
  readonly kind: string;
  /** ISO 639-1; null where the case has none. */
  readonly language: string | null;
  readonly input: string;
  readonly expected: string;
  readonly actual: string;
}

export interface Corpus {
  readonly name: string;
  judge(): readonly Judged[] | Promise<readonly Judged[]>;
  /** Whether a wrong answer is the worst kind of error: printed first, by that name. */
  isWorst?(one: Judged): boolean;
}

/** Declare the corpus of a file. `judge` returns the input as a text, what is expected of it, and what the code makes of it. */
export function corpusOf<Case extends CorpusCase>(
  name: string,
  file: CorpusFile<Case>,
  judge: (one: Case) => Pick<Judged, 'input' | 'expected' | 'actual'>,
): Corpus {
  return {
    name,
    judge: () =>
      file.cases.map((one) => {
        if (file.kinds[one.kind] === undefined) throw new Error(`${name}: no kind is named ${one.kind}`);
        return { kind: one.kind, language: one.language ?? null, ...judge(one) };
      }),
  };
}

export interface Score {
  readonly name: string;
  readonly cases: number;
  readonly right: number;
}

/** Count the right answers by `keyOf`, in the order of the names. */
export function scoresBy(judged: readonly Judged[], keyOf: (one: Judged) => string): Score[] {
  return [...Map.groupBy(judged, keyOf)]
    .map(([name, ones]) => ({ name, cases: ones.length, right: ones.filter(isRight).length }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

export const isRight = ({ expected, actual }: Judged): boolean => expected === actual;

export interface Verdict {
  readonly verdict: string;
  /** Of the cases that got this verdict, the share that should have; null if none got it. */
  readonly precision: number | null;
  /** Of the cases that should get this verdict, the share that did. */
  readonly recall: number;
}

/** Compute precision and recall of each expected verdict. */
export function verdictsOf(judged: readonly Judged[]): Verdict[] {
  return [...new Set(judged.map(({ expected }) => expected))].toSorted().map((verdict) => {
    const got = judged.filter(({ actual }) => actual === verdict);
    const wanted = judged.filter(({ expected }) => expected === verdict);
    const right = got.filter(isRight).length;
    return {
      verdict,
      precision: got.length === 0 ? null : right / got.length,
      recall: right / wanted.length,
    };
  });
}
