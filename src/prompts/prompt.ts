/** The prompt of a product, and how it is filled in. */
import type { Reader, Tx } from '../platform/db.ts';
import { OverBudget, type Threads } from '../platform/threads.ts';
import type { PromptType } from './contract.ts';
import { renderKind } from './renderKind.ts';
import { insertPrompt, newestPrompt, type PromptText, promptById, subprompts } from './store.ts';
import { type Filled, type Filling, fillIn, includedIn } from './template.ts';

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

/** What a template is rendered with. */
export interface Renderer {
  readonly reader: Reader;
  /** Null: this runs in a thread already, or the template is our own. */
  readonly threads: Threads | null;
}

/** Whose template it is: subprompts are the product's, threads are shared fairly between companies. */
export interface Owner {
  readonly id: number;
  readonly company_id: number;
}

/**
 * Renders a prompt once: values are never rendered again, so nothing that a lead wrote is ever a template. An empty
 * variable renders empty. `{% render 'Name' %}` includes a subprompt of the product. Throws TemplateError.
 */
export async function renderPrompt(
  renderer: Renderer,
  product: Owner,
  text: string,
  values: TemplateValues,
): Promise<string> {
  return render(renderer, product, { text, values, whole: false });
}

/**
 * Renders a prepared message, in which no variable may be empty unless it has a `default`. Throws EmptyVariable with
 * its name, or TemplateError.
 */
export async function renderMessage(
  renderer: Renderer,
  product: Owner,
  text: string,
  values: TemplateValues,
): Promise<string> {
  return render(renderer, product, { text, values, whole: true });
}

/** Subprompts of one template, and how deep they may include each other. */
const MOST_PARTS = 100;
const MOST_DEPTH = 10;
/**
 * A text of this length without loops and subprompts takes a millisecond or two at most, less than a thread would have
 * to be waited for.
 */
const MOST_AT_ONCE = 20_000;

async function render(
  { reader, threads }: Renderer,
  product: Owner,
  asked: { readonly text: string; readonly values: TemplateValues; readonly whole: boolean },
): Promise<string> {
  const filling = { ...asked, parts: await partsOf(reader, product.id, asked.text) };
  const isPlain = asked.text.length <= MOST_AT_ONCE && !/\{%-?\s*(?:for|render)\b/.test(asked.text);
  const filled =
    threads === null || isPlain ? fillIn(filling) : await inThread(threads, String(product.company_id), filling);
  if (filled.kind === 'empty') throw new EmptyVariable(filled.variable);
  if (filled.kind === 'refused') throw new TemplateError(filled.reason);
  return filled.text;
}

async function inThread(threads: Threads, key: string, input: Filling): Promise<Filled> {
  try {
    return await threads.run(renderKind, { key, input });
  } catch (error) {
    if (error instanceof OverBudget) throw new TemplateError('The template takes too long to fill in');
    throw error;
  }
}

/** The subprompts that a text includes, and those that these include. */
async function partsOf(reader: Reader, productId: number, text: string): Promise<Record<string, string>> {
  const parts = new Map<string, string>();
  let wanted = new Set(includedIn(text));
  for (let depth = 0; wanted.size > 0; depth++) {
    if (depth >= MOST_DEPTH || parts.size + wanted.size > MOST_PARTS)
      throw new TemplateError(`More than ${MOST_PARTS} subprompts, or more than ${MOST_DEPTH} levels of them`);
    const found = await subprompts(reader, productId, [...wanted]);
    for (const one of found) parts.set(one.name, one.text);
    wanted = new Set(found.flatMap((one) => includedIn(one.text)).filter((name) => !parts.has(name)));
  }
  return Object.fromEntries(parts);
}
