/** Render a template with limits on time, size and accessible data. Pure, so that it can run in any thread. */
import { Context, type FilterImplOptions, Liquid, RenderError, Tokenizer, TypeGuards } from 'liquidjs';
import { TEMPLATE_FILTERS, TEMPLATE_TAGS } from './templateContract.ts';

/** CPU time limit of one template in milliseconds. Even an empty loop uses CPU time. */
export const RENDER_MS = 50;
/** Length limit of a template and the subprompts that it includes, in characters. */
const MAX_PARSED = 200_000;
/** Length limit of a rendered template, in characters. More than any model reads. */
const MAX_OUTPUT = 1_000_000;
/** Number of iterations per time check. Reading the CPU time costs as much as half an iteration of an empty loop. */
const ITERATIONS_PER_CHECK = 32;

export interface TemplateInput {
  readonly text: string;
  /** Variables available to the template. Nothing else is accessible. */
  readonly values: object;
  /** Texts of the existing subprompts, by name. */
  readonly parts: Readonly<Record<string, string>>;
  /** Refuse to render an empty value. */
  readonly forbidEmpty: boolean;
}

export type TemplateResult =
  | { readonly kind: 'filled'; readonly text: string }
  /** With `forbidEmpty`: the variable that is empty. */
  | { readonly kind: 'empty'; readonly variable: string }
  | { readonly kind: 'refused'; readonly reason: string };

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name);

/** Filters that read a list as a list. All others get its text. */
const LIST_FILTERS: readonly string[] = ['default', 'join', 'first', 'last', 'size'];

/** An empty value was rendered. Thrown to stop rendering; the engine adds the position. */
class EmptyOutput extends Error {}

/** Return the names of the subprompts that a text includes. Names are quoted literals, so no value can choose one. */
export function subpromptNames(text: string): string[] {
  return [...text.matchAll(/\{%-?\s*render\s*(?:'([^']*)'|"([^"]*)")/g)].map((found) => found[1] ?? found[2] ?? '');
}

const readSubprompt = (name: string): string => rendering.parts.get(name) ?? '';
const hasSubprompt = (name: string): boolean => rendering.parts.has(name);
/** The engine's file system, which contains the preloaded subprompts. */
const SUBPROMPTS = {
  readFileSync: readSubprompt,
  readFile: async (name: string) => readSubprompt(name),
  existsSync: hasSubprompt,
  exists: async (name: string) => hasSubprompt(name),
  resolve: (_root: string, name: string) => name,
  containsSync: () => true,
  contains: async () => true,
};

/** The rendering under way. Rendering is synchronous: a thread has one at a time. */
let rendering: { readonly forbidEmpty: boolean; readonly parts: ReadonlyMap<string, string>; length: number } = {
  forbidEmpty: false,
  parts: new Map(),
  length: 0,
};

/** Set up once: it takes some 0.3 ms, several times what rendering a message takes. */
const engine = createEngine();

function createEngine(): Liquid {
  const created = new Liquid({
    relativeReference: false,
    ownPropertyOnly: true,
    strictFilters: true,
    parseLimit: MAX_PARSED,
    memoryLimit: 2_000_000,
    outputEscape: emit,
    fs: SUBPROMPTS,
  });
  for (const filter of Object.keys(created.filters))
    if (!isOneOf(TEMPLATE_FILTERS, filter)) delete created.filters[filter];
  for (const [name, filter] of Object.entries(created.filters))
    if (!LIST_FILTERS.includes(name)) created.registerFilter(name, withTextOfLists(name, filter));
  for (const tag of Object.keys(created.tags)) if (!isOneOf(TEMPLATE_TAGS, tag)) delete created.tags[tag];
  return created;
}

/** Render a template. */
export function renderTemplate({ text, values, parts, forbidEmpty }: TemplateInput): TemplateResult {
  if (!/\{[{%]/.test(text) && text.length <= MAX_PARSED) return { kind: 'filled', text };
  rendering = { forbidEmpty, parts: new Map(Object.entries(parts)), length: 0 };
  try {
    const parsed = engine.parse(text);
    // Passed as globals, so that an included subprompt sees these values and nothing else of its includer.
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

/** Convert an output to text, within the limits of the rendering. */
function emit(value: unknown): string {
  const rendered = toText(value);
  if (rendering.forbidEmpty && rendered.trim() === '') throw new EmptyOutput();
  rendering.length += rendered.length;
  if (rendering.length > MAX_OUTPUT) throw new Error(`The text is longer than ${MAX_OUTPUT} characters`);
  return rendered;
}

/** Convert a value to text. A list prints as `a, b`; what is a group of values (`lead`) has no text. */
function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(toText).join(', ');
  return typeof value === 'object' ? '' : String(value);
}

/** Let a filter read lists as they print. */
function withTextOfLists(name: string, filter: FilterImplOptions): FilterImplOptions {
  const handler = typeof filter === 'function' ? filter : filter.handler;
  return function textFilter(value, ...values) {
    const [first, ...others] = [value, ...values].map((one) => (Array.isArray(one) ? toText(one) : one));
    // A day is a day in every zone. The engine would read it as midnight in UTC.
    const day = name === 'date' && typeof first === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(first);
    return handler.call(this, day ? `${first}T00:00` : first, ...others);
  };
}

/**
 * Create a time check that the engine calls before each block and each element. It measures CPU time of this thread
 * only, so load on the machine does not count.
 */
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

/**
 * Return the source text of the output at which rendering stopped, without its filters. Works inside subprompts too.
 */
function variableAt({ token }: RenderError): string {
  if (!TypeGuards.isOutputToken(token)) return 'A variable';
  const [begin, end] = token.contentRange;
  const { initial } = new Tokenizer(token.input, undefined, token.file, [begin, end]).readFilteredValue();
  const written = token.input.slice(begin, Math.max(begin, ...initial.postfix.map((one) => one.end)));
  return written.trim().slice(0, 200) || 'A variable';
}
