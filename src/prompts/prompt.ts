/** The prompt of a product, and how it is filled in. */
import { Liquid, RenderError, Tokenizer, TypeGuards } from 'liquidjs';
import type { Reader, Tx } from '../platform/db.ts';
import type { PromptType } from './contract.ts';
import { insertPrompt, newestPrompt, type PromptText, promptById, promptByName } from './store.ts';

/** What a template may name. Nothing else is in reach. */
export interface TemplateValues {
  readonly lead: { name: string; first_name: string; stage: string; crm_fields: Record<string, unknown> };
  readonly contact: { contact: string; type: string };
  readonly product: { name: string };
  readonly company: { name: string };
  /** Text of the lead's newest document of each type. */
  readonly document: Readonly<Record<string, string>>;
  readonly now: string;
}

/** The template cannot be rendered; the message says where. */
export class TemplateError extends Error {}

/** A message would go out with a hole in it. */
export class EmptyVariable extends Error {
  readonly variable: string;
  constructor(variable: string) {
    super(`${variable} is empty`);
    this.variable = variable;
  }
}

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

/** 'The product's prompt' of a type: the newest without a group. */
export function productPrompt(reader: Reader, productId: number, type: PromptType): Promise<PromptText | undefined> {
  return newestPrompt(reader, productId, type);
}

/** A prompt by its id, with the product it belongs to. */
export function promptOf(reader: Reader, id: number): Promise<(PromptText & { product_id: number }) | undefined> {
  return promptById(reader, id);
}

/** Stores a new prompt with its first version. */
export function createPrompt(
  tx: Tx,
  prompt: { productId: number; name: string; type: PromptType; text: string; author: string | null },
): Promise<number> {
  return insertPrompt(tx, prompt);
}

/**
 * Renders a prompt once: values are never rendered again, so nothing that a lead wrote is ever a template. An empty
 * variable renders empty. `{% render 'Name' %}` includes a subprompt of the product. Throws TemplateError.
 */
export async function renderPrompt(
  reader: Reader,
  productId: number,
  text: string,
  values: TemplateValues,
): Promise<string> {
  return fill(reader, productId, text, values, false);
}

/**
 * Renders a prepared message, in which no variable may be empty unless it has a `default`. Throws EmptyVariable with
 * its name, or TemplateError.
 */
export async function renderMessage(
  reader: Reader,
  productId: number,
  text: string,
  values: TemplateValues,
): Promise<string> {
  return fill(reader, productId, text, values, true);
}

/** Once a variable that is put out empty is known for one, rendering ends there: the engine tells which place it is at. */
class Hole extends Error {}

/** With `whole`, nothing may be put out empty. */
async function fill(
  reader: Reader,
  productId: number,
  text: string,
  values: TemplateValues,
  whole: boolean,
): Promise<string> {
  const engine = new Liquid({
    relativeReference: false,
    ownPropertyOnly: true,
    strictFilters: true,
    parseLimit: 200_000,
    renderLimit: 500,
    memoryLimit: 2_000_000,
    ...(whole
      ? {
          outputEscape: (value: unknown) => {
            const shown = value === null || value === undefined ? '' : String(value);
            if (shown.trim() === '') throw new Hole();
            return shown;
          },
        }
      : {}),
    fs: {
      readFileSync: () => {
        throw new TemplateError('not read at once');
      },
      readFile: async (name) => (await promptByName(reader, productId, 'subprompt', name))?.text ?? '',
      existsSync: () => true,
      exists: async (name) => (await promptByName(reader, productId, 'subprompt', name)) !== undefined,
      resolve: (_root, name) => name,
      contains: async () => true,
    },
  });
  for (const filter of Object.keys(engine.filters)) if (!FILTERS.includes(filter)) delete engine.filters[filter];
  for (const tag of Object.keys(engine.tags)) if (!TAGS.includes(tag)) delete engine.tags[tag];
  try {
    // As globals: an included subprompt sees these and nothing else of its includer.
    return await engine.parseAndRender(text, {}, { globals: { ...values } });
  } catch (error) {
    if (RenderError.is(error) && error.originalError instanceof Hole) throw new EmptyVariable(variableAt(error));
    throw new TemplateError(error instanceof Error ? error.message : String(error));
  }
}

/** What stands in the braces at which rendering ended, without its filters: as it is written, in a subprompt too. */
function variableAt({ token }: RenderError): string {
  if (!TypeGuards.isOutputToken(token)) return 'A variable';
  const [begin, end] = token.contentRange;
  const { initial } = new Tokenizer(token.input, undefined, token.file, [begin, end]).readFilteredValue();
  const written = token.input.slice(begin, Math.max(begin, ...initial.postfix.map((one) => one.end)));
  return written.trim().slice(0, 200) || 'A variable';
}
