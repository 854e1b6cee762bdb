/** Read a product's prompt and render it. */
import type { Reader, Tx } from '../platform/db.ts';
import { isSameText } from '../platform/lineEndings.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { BudgetExceeded, type Threads } from '../platform/threads.ts';
import type { PromptType } from './contract.ts';
import { type CheckGate, type Publication, publishVersion } from './publish.ts';
import { renderKind } from './renderKind.ts';
import { insertPublication, setLive } from './store/publications.ts';
import {
  findPromptVersion,
  insertPrompt,
  insertVersion,
  type LockedPrompt,
  lockPrompt,
  newestPrompt,
  type PromptText,
  type PromptTexts,
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

/** Read 'the product's prompt' of a type: the newest without a group that is live, with its live text. */
export function readProductPrompt(
  reader: Reader,
  productId: number,
  type: PromptType,
): Promise<PromptText | undefined> {
  return newestPrompt(reader, productId, type);
}

/** Read the text of a prompt as leads get it, with the product it belongs to; undefined if it was never published. */
export function readLivePrompt(reader: Reader, id: number): Promise<(PromptText & { product_id: number }) | undefined> {
  return promptById(reader, id, 'live');
}

/** Read the text of a prompt as it was saved last, which leads may not get yet: for trying it. */
export function readPrompt(reader: Reader, id: number): Promise<(PromptText & { product_id: number }) | undefined> {
  return promptById(reader, id, 'saved');
}

/** Read a version of a product's prompt; undefined if there is none. */
export function readPromptVersion(
  reader: Reader,
  version: { promptId: number; version: number; productId: number },
): Promise<PromptText | undefined> {
  return findPromptVersion(reader, version);
}

/**
 * Save a text of a prompt as its next version, unless it is its text already, and publish it. Refuses (409) if the row's
 * `revision` is not the expected one, and what publishing refuses. Returns the prompt before and after.
 */
export async function publishText(
  tx: Tx,
  {
    id,
    text,
    revision,
    author,
    confirmed,
  }: { id: number; text: string; revision: number; author: string } & Pick<Publication, 'confirmed'>,
  checkGate: CheckGate,
): Promise<{ before: LockedPrompt; after: LockedPrompt }> {
  const before = await lockPrompt(tx, id);
  if (!before) throw refuse(commonRefusals, 'not_found', { noun: 'prompt' });
  if (before.revision !== revision) throw refuse(commonRefusals, 'changed_meanwhile');
  const version = isSameText(before.text, text) ? before.version : before.version + 1;
  if (version !== before.version) {
    await insertVersion(tx, { promptId: id, version, text, author });
    await updatePromptText(tx, { id, text, version, author });
  }
  await publishVersion(tx, { prompt: before, version, author, overrideReason: null, confirmed }, checkGate);
  return { before, after: (await lockPrompt(tx, id)) ?? before };
}

/** Store a new prompt with its first version, which is live whatever the product's gate is. */
export async function createPrompt(
  tx: Tx,
  prompt: { productId: number; name: string; type: PromptType; text: string; author: string | null },
): Promise<number> {
  const id = await insertPrompt(tx, prompt);
  await setLive(tx, { promptId: id, version: 1 });
  await insertPublication(tx, { promptId: id, version: 1, kind: 'saved', author: prompt.author });
  return id;
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

/** A template and what fills it in. */
interface Template {
  readonly product: Owner;
  readonly text: string;
  readonly values: TemplateValues;
  /** Which texts of subprompts are included; by default those that are live. */
  readonly includes?: PromptTexts;
}

/**
 * Render a prompt once. Values are never rendered again, so nothing that a lead wrote becomes a template. An empty
 * variable renders empty. `{% render 'Name' %}` includes a subprompt of the product. Throws TemplateError.
 */
export async function renderPrompt(renderer: Renderer, template: Template): Promise<string> {
  return render(renderer, { ...template, forbidEmpty: false });
}

/**
 * Render a prepared message, in which no variable may be empty unless it has a `default`. Throws EmptyVariable with its
 * name, or TemplateError.
 */
export async function renderMessage(renderer: Renderer, template: Template): Promise<string> {
  return render(renderer, { ...template, forbidEmpty: true });
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
  { product, text, values, includes = 'live', forbidEmpty }: Template & { readonly forbidEmpty: boolean },
): Promise<string> {
  const parts = await readSubprompts(reader, { productId: product.id, text, texts: includes });
  const templateInput = { text, values, forbidEmpty, parts };
  const isCheap = text.length <= MAX_INLINE_LENGTH && !/\{%-?\s*(?:for|render)\b/.test(text);
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
async function readSubprompts(
  reader: Reader,
  { productId, text, texts }: { productId: number; text: string; texts: PromptTexts },
): Promise<Record<string, string>> {
  const parts = new Map<string, string>();
  let pendingNames = new Set(subpromptNames(text));
  for (let depth = 0; pendingNames.size > 0; depth++) {
    if (depth >= MAX_DEPTH || parts.size + pendingNames.size > MAX_SUBPROMPTS)
      throw new TemplateError(`More than ${MAX_SUBPROMPTS} subprompts, or more than ${MAX_DEPTH} levels of them`);
    const found = await subprompts(reader, { productId, names: [...pendingNames], texts });
    for (const one of found) parts.set(one.name, one.text);
    pendingNames = new Set(found.flatMap((one) => subpromptNames(one.text)).filter((name) => !parts.has(name)));
  }
  return Object.fromEntries(parts);
}
