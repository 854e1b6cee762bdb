/** A template is filled in: bounded in time, size and reach. Pure, so that it can run in any thread. */
import { Context, Liquid, RenderError, Tokenizer, TypeGuards } from 'liquidjs';

/** Processor time that one template may take; a loop that does nothing takes it too. */
export const RENDER_MS = 50;
/** Characters of a filled-in template: more than any model reads. */
const MAX_OUTPUT = 1_000_000;
/** Asking for the time costs as much as half a turn of an empty loop. */
const ITERATIONS_PER_CHECK = 32;

export interface TemplateInput {
  readonly text: string;
  /** What the template may name. Nothing else is in reach. */
  readonly values: object;
  /** Texts of subprompts by name, as far as they exist. */
  readonly parts: Readonly<Record<string, string>>;
  /** Nothing may be put out empty. */
  readonly forbidEmpty: boolean;
}

export type TemplateResult =
  | { readonly kind: 'filled'; readonly text: string }
  /** With `whole`: the variable that is empty. */
  | { readonly kind: 'empty'; readonly variable: string }
  | { readonly kind: 'refused'; readonly reason: string };

const FILTERS = [
  'default',
  'upcase',
  'downcase',
  'capitalize',
  'strip',
  'truncate',
  'date',
  'join',
  'first',
  'last',
  'size',
  'round',
  'plus',
  'minus',
  'times',
  'divided_by',
  'replace',
  'escape',
];
const TAGS = ['if', 'for', 'case', 'render', 'unless', 'comment', 'raw'];

/** A variable that is put out empty: rendering ends there, and the engine tells which place it is at. */
class EmptyOutput extends Error {}

/** Names of subprompts that a text includes. They stand in quotes: no value chooses one. */
export function subpromptNames(text: string): string[] {
  return [...text.matchAll(/\{%-?\s*render\s*(?:'([^']*)'|"([^"]*)")/g)].map((found) => found[1] ?? found[2] ?? '');
}

/** Fills a template in. */
export function renderTemplate({ text, values, parts, forbidEmpty }: TemplateInput): TemplateResult {
  let output = 0;
  const emit = (value: unknown): string => {
    const rendered = forbidEmpty && Array.isArray(value) ? String(value) : toText(value);
    if (forbidEmpty && rendered.trim() === '') throw new EmptyOutput();
    output += rendered.length;
    if (output > MAX_OUTPUT) throw new Error(`The text is longer than ${MAX_OUTPUT} characters`);
    return rendered;
  };
  const engine = new Liquid({
    relativeReference: false,
    ownPropertyOnly: true,
    strictFilters: true,
    parseLimit: 200_000,
    memoryLimit: 2_000_000,
    outputEscape: emit,
    fs: subpromptFiles(new Map(Object.entries(parts))),
  });
  for (const filter of Object.keys(engine.filters)) if (!FILTERS.includes(filter)) delete engine.filters[filter];
  for (const tag of Object.keys(engine.tags)) if (!TAGS.includes(tag)) delete engine.tags[tag];
  try {
    const parsed = engine.parse(text);
    // As globals: an included subprompt sees these and nothing else of its includer.
    const context = new Context({}, engine.options, { sync: true, globals: { ...values } }, { liquid: engine });
    context.renderLimit.check = createTimeBudget();
    const filled: unknown = engine.renderSync(parsed, context);
    if (typeof filled !== 'string') return { kind: 'refused', reason: 'The template gives no text' };
    if (filled.length > MAX_OUTPUT)
      return { kind: 'refused', reason: `The text is longer than ${MAX_OUTPUT} characters` };
    return { kind: 'filled', text: filled };
  } catch (error) {
    if (RenderError.is(error) && error.originalError instanceof EmptyOutput)
      return { kind: 'empty', variable: variableAt(error) };
    return { kind: 'refused', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** As the engine writes a value. */
function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.map(toText).join('') : String(value);
}

/** The engine's file system: the subprompts that were read before. */
function subpromptFiles(parts: ReadonlyMap<string, string>) {
  const readFileSync = (name: string) => parts.get(name) ?? '';
  const existsSync = (name: string) => parts.has(name);
  return {
    readFileSync,
    readFile: async (name: string) => readFileSync(name),
    existsSync,
    exists: async (name: string) => existsSync(name),
    resolve: (_root: string, name: string) => name,
    containsSync: () => true,
    contains: async () => true,
  };
}

/** Called by the engine before each block and each element. Time of this thread alone: a busy machine takes none of it. */
function createTimeBudget(): () => void {
  const startedAt = process.threadCpuUsage();
  let iterations = 0;
  return () => {
    if (iterations++ % ITERATIONS_PER_CHECK !== 0) return;
    const { user, system } = process.threadCpuUsage(startedAt);
    if ((user + system) / 1000 > RENDER_MS)
      throw new Error(`The template takes longer than ${RENDER_MS} ms to fill in: it has too many or too long loops`);
  };
}

/** What stands in the braces at which rendering ended, without its filters: as it is written, in a subprompt too. */
function variableAt({ token }: RenderError): string {
  if (!TypeGuards.isOutputToken(token)) return 'A variable';
  const [begin, end] = token.contentRange;
  const { initial } = new Tokenizer(token.input, undefined, token.file, [begin, end]).readFilteredValue();
  const written = token.input.slice(begin, Math.max(begin, ...initial.postfix.map((one) => one.end)));
  return written.trim().slice(0, 200) || 'A variable';
}
