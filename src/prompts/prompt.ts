/** Read a product's prompt and render it. */
import type { Reader, Tx } from '../platform/db.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { BudgetExceeded, type Threads } from '../platform/threads.ts';
import type { PromptType } from './contract.ts';
import { renderKind } from './renderKind.ts';
import {
  findPromptVersion,
  insertPrompt,
  insertVersion,
  type LockedPrompt,
  lockPrompt,
  newestPrompt,
  type PromptText,
  promptById,
  subprompts,
  updatePromptText,
} from './store.ts';
import { renderTemplate, subpromptNames, type TemplateInput, type TemplateResult } from './template.ts';

/** Variables available to a template. Nothing else is accessible. */
export interface TemplateValues {
  readonly lead: { name: string; first_name: string; stage: string; crm_fields: Record<string, unknown> };
  readonly contact: { contact: string; type: string };
  readonly product: { name: string };
  readonly company: { name: string };
  /** Text of the lead's newest document of each type. */
  readonly document: Readonly<Record<string, string>>;
  readonly now: string;
}

/** The template cannot be rendered. The message says where. */
export class TemplateError extends Error {}

/** A message would be sent with an empty variable. */
export class EmptyVariable extends Error {
  readonly variable: string;
  constructor(variable: string) {
    super(`${variable} is empty`);
    this.variable = variable;
  }
}

/** Read 'the product's prompt' of a type: the newest without a group. */
export function readProductPrompt(
  reader: Reader,
  productId: number,
  type: PromptType,
): Promise<PromptText | undefined> {
  return newestPrompt(reader, productId, type);
}

/** Read a prompt by its id, with the product it belongs to. */
export function readPrompt(reader: Reader, id: number): Promise<(PromptText & { product_id: number }) | undefined> {
  return promptById(reader, id);
}

/** Read a version of a product's prompt; undefined if there is none. */
export function readPromptVersion(
  reader: Reader,
  version: { promptId: number; version: number; productId: number },
): Promise<PromptText | undefined> {
  return findPromptVersion(reader, version);
}

/**
 * Save a text of a prompt as its next version, unless it is its text already. Refuses (409) if the row's `revision` is not
 * the expected one. Returns the prompt before and after.
 */
export async function savePromptText(
  tx: Tx,
  { id, text, revision, author }: { id: number; text: string; revision: number; author: string },
): Promise<{ before: LockedPrompt; after: LockedPrompt }> {
  const before = await lockPrompt(tx, id);
  if (!before) throw refuse(commonRefusals, 'not_found', { noun: 'prompt' });
  if (before.revision !== revision) throw refuse(commonRefusals, 'changed_meanwhile');
  if (before.text === text) return { before, after: before };
  const version = before.version + 1;
  await insertVersion(tx, { promptId: id, version, text, author });
  const after = await updatePromptText(tx, { id, text, version, author });
  return { before, after: after ?? before };
}

/** Store a new prompt with its first version. */
export function createPrompt(
  tx: Tx,
  prompt: { productId: number; name: string; type: PromptType; text: string; author: string | null },
): Promise<number> {
  return insertPrompt(tx, prompt);
}

/** Dependencies for rendering a template. */
export interface Renderer {
  readonly reader: Reader;
  /** Null: rendering already runs in a thread, or the template is our own. */
  readonly threads: Threads | null;
}

/** The product of a template. Its subprompts can be included, and its company gets a fair share of the threads. */
export interface Owner {
  readonly id: number;
  readonly company_id: number;
}

/**
 * Render a prompt once. Values are never rendered again, so nothing that a lead wrote becomes a template. An empty
 * variable renders empty. `{% render 'Name' %}` includes a subprompt of the product. Throws TemplateError.
 */
export async function renderPrompt(
  renderer: Renderer,
  { product, text, values }: { product: Owner; text: string; values: TemplateValues },
): Promise<string> {
  return render(renderer, product, { text, values, forbidEmpty: false });
}

/**
 * Render a prepared message, in which no variable may be empty unless it has a `default`. Throws EmptyVariable with its
 * name, or TemplateError.
 */
export async function renderMessage(
  renderer: Renderer,
  { product, text, values }: { product: Owner; text: string; values: TemplateValues },
): Promise<string> {
  return render(renderer, product, { text, values, forbidEmpty: true });
}

/** Limits on the subprompts of one template and on their nesting. */
const MAX_SUBPROMPTS = 100;
const MAX_DEPTH = 10;
/**
 * Length up to which a text without loops and subprompts is rendered inline. That takes at most a millisecond or two,
 * less than waiting for a thread.
 */
const MAX_INLINE_LENGTH = 20_000;

async function render(
  { reader, threads }: Renderer,
  product: Owner,
  input: { readonly text: string; readonly values: TemplateValues; readonly forbidEmpty: boolean },
): Promise<string> {
  const templateInput = { ...input, parts: await readSubprompts(reader, product.id, input.text) };
  const isCheap = input.text.length <= MAX_INLINE_LENGTH && !/\{%-?\s*(?:for|render)\b/.test(input.text);
  const result =
    threads === null || isCheap
      ? renderTemplate(templateInput)
      : await renderInThread(threads, String(product.company_id), templateInput);
  if (result.kind === 'empty') throw new EmptyVariable(result.variable);
  if (result.kind === 'refused') throw new TemplateError(result.reason);
  return result.text;
}

async function renderInThread(threads: Threads, key: string, input: TemplateInput): Promise<TemplateResult> {
  try {
    return await threads.run(renderKind, { key, input });
  } catch (error) {
    if (error instanceof BudgetExceeded) throw new TemplateError('The template takes too long to fill in');
    throw error;
  }
}

/** Read the subprompts that a text includes, recursively. */
async function readSubprompts(reader: Reader, productId: number, text: string): Promise<Record<string, string>> {
  const parts = new Map<string, string>();
  let pendingNames = new Set(subpromptNames(text));
  for (let depth = 0; pendingNames.size > 0; depth++) {
    if (depth >= MAX_DEPTH || parts.size + pendingNames.size > MAX_SUBPROMPTS)
      throw new TemplateError(`More than ${MAX_SUBPROMPTS} subprompts, or more than ${MAX_DEPTH} levels of them`);
    const found = await subprompts(reader, productId, [...pendingNames]);
    for (const one of found) parts.set(one.name, one.text);
    pendingNames = new Set(found.flatMap((one) => subpromptNames(one.text)).filter((name) => !parts.has(name)));
  }
  return Object.fromEntries(parts);
}
