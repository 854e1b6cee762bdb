/** The functions of this module that other modules call about prompts and prepared messages. */
import { isDeepStrictEqual } from 'node:util';
import type { Reader, Tx } from '../platform/db.ts';
import { isSameText } from '../platform/lineEndings.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { ProductConfig } from '../products/contract.ts';
import { countFirstMessages } from '../products/product.ts';
import { placeOf } from './activePrompts.ts';
import { requireConfirmedErrors } from './confirmedErrors.ts';
import { type PromptUse, promptRefusals, type UseKind } from './contract.ts';
import { requirePreparedType } from './preparedType.ts';
import {
  type DescribedPrompt,
  findDescribed,
  findDocumentPrompt,
  findPlacedPrompts,
  findPrepared,
  findPromptsOfDocuments,
  foreignRows,
  includedNames,
  livePromptsById,
  type PromptText,
  type PromptTexts,
  promptById,
} from './store.ts';

/** Resources of this module that settings of other modules refer to. */
export type ReferencedResource = 'prompt' | 'prepared_message' | 'document_prompt';

const TABLES = {
  prompt: 'prompts',
  prompt_group: 'prompt_groups',
  prepared_message: 'prepared_messages',
  document_prompt: 'document_prompts',
} as const;

/**
 * Require that the ids belong to the product; refuse with 404 otherwise. Access to a row is not enough, because a
 * setting may only refer to rows of its own product.
 */
export async function requireSameProduct(
  tx: Tx,
  {
    noun,
    ids,
    productId,
  }: { noun: keyof typeof TABLES; ids: readonly (number | null | undefined)[]; productId: number },
): Promise<void> {
  const requestedIds = ids.filter((id) => id !== null && id !== undefined);
  if (requestedIds.length === 0) return;
  const foreign = await foreignRows(tx, { table: TABLES[noun], ids: requestedIds, productId });
  if (foreign.length > 0) throw refuse(commonRefusals, 'not_found', { noun: noun.replaceAll('_', ' ') });
}

/**
 * A source of references: the prompts of a product that settings of another module refer to, and whether that feature
 * is on.
 */
export interface PromptReferenceSource {
  readonly use: UseKind;
  readonly read: (reader: Reader, productId: number) => Promise<{ promptIds: readonly number[]; isOn: boolean }>;
}

const documentUse: PromptReferenceSource = {
  use: 'document_prompt',
  read: async (reader, productId) => ({ promptIds: await findPromptsOfDocuments(reader, productId), isOn: true }),
};

/** Return every use of a product's live prompts. `referring`: sources of references in other modules. */
export async function findPromptUses(
  reader: Reader,
  productId: number,
  referring: readonly PromptReferenceSource[],
): Promise<PromptUse[]> {
  const refers = await Promise.all(
    [documentUse, ...referring].map(async ({ use, read }) => ({ use, ...(await read(reader, productId)) })),
  );
  const described = await findDescribed(reader, productId);
  const byReference = [
    ...refers.flatMap(({ use, promptIds, isOn }) => promptIds.map((id) => ({ id, use, is_on: isOn }))),
    ...described.map(({ id }) => ({ id, use: 'lookup' as const, is_on: true })),
  ];
  const referred = await livePromptsById(
    reader,
    byReference.map(({ id }) => id),
  );
  const classifies = refers.some(({ use, promptIds }) => use === 'classification' && promptIds.length > 0);
  const placed = await findPlacedPrompts(reader, productId);
  const included = await includedNames(reader, productId);
  const found: PromptUse[] = [];
  for (const place of new Set(placed.map(placeOf))) {
    const [first, next] = placed.filter((one) => placeOf(one) === place);
    if (!first || (first.type === 'subprompt' && !included.has(first.name))) continue;
    const { id, group_id: _group, ...one } = first;
    found.push({
      ...one,
      prompt_id: id,
      use: one.type === 'subprompt' ? 'included' : 'product',
      // Prompts that confirm a classification are used only when classification is on.
      is_on: one.type === 'prompt' || one.type === 'subprompt' || classifies,
      place,
      next: next ? { id: next.id, name: next.name } : null,
    });
  }
  for (const { id, use, is_on } of byReference) {
    const one = referred.find((prompt) => prompt.id === id);
    if (!one) continue;
    const { name, type, created_at } = one;
    found.push({ prompt_id: id, name, type, created_at, use, is_on, place: null, next: null });
  }
  return found;
}

/** Counts the settings of one kind that refer to a row: `{ what: 'ping step(s)', count: 2 }`. */
export type CountUses = (
  tx: Tx,
  row: { resource: ReferencedResource; id: number; productId: number },
) => Promise<{ what: string; count: number }>;

/** Refuse (409) to delete a row that settings still refer to, and say which and how many. */
export async function refuseIfUsed(
  tx: Tx,
  {
    uses,
    noun,
    id,
    productId,
  }: { uses: readonly CountUses[]; noun: ReferencedResource; id: number; productId: number },
): Promise<void> {
  const found: string[] = [];
  for (const use of uses) {
    const { what, count } = await use(tx, { resource: noun, id, productId });
    if (count > 0) found.push(`${count} ${what}`);
  }
  if (found.length > 0)
    throw refuse(promptRefusals, 'prompt.used', { noun: noun.replaceAll('_', ' '), uses: found.join(', ') });
}

/**
 * Refuse a product config that refers to messages or documents of another product, or to a prepared message that is no
 * first message, or whose first message has errors that were not confirmed. Stored settings that do are kept until they
 * are changed.
 */
export async function checkProductConfig(
  tx: Tx,
  config: ProductConfig,
  {
    before,
    confirmed,
  }: {
    readonly before: { readonly id: number; readonly config: ProductConfig } | null;
    readonly confirmed: readonly string[] | undefined;
  },
): Promise<void> {
  const messaging = config.messaging_config;
  const productId = before?.id;
  // A new product has no rows yet, so any referenced row belongs to another product.
  await requireSameProduct(tx, {
    noun: 'prepared_message',
    ids: [messaging?.initial_message_prepared_message_id],
    productId: productId ?? 0,
  });
  await requireSameProduct(tx, {
    noun: 'document_prompt',
    ids: [messaging?.initial_message_document_prompt_id],
    productId: productId ?? 0,
  });
  if (isDeepStrictEqual(messaging, before?.config.messaging_config)) return;
  const field = 'initial_message_prepared_message_id';
  await requirePreparedType(tx, 'initial', [{ id: messaging?.[field], loc: ['config', 'messaging_config', field] }]);
  const { initial_message_text: text } = messaging ?? {};
  if (text && !isSameText(text, before?.config.messaging_config?.initial_message_text ?? ''))
    await requireConfirmedErrors(tx, {
      productId: productId ?? 0,
      texts: [text],
      confirmed,
      loc: ['config', 'messaging_config', 'initial_message_text'],
    });
}

/** Count the first-message settings that refer to a prepared message or document prompt. */
export const firstMessageUses: CountUses = async (tx, { resource, id, productId }) => ({
  what: 'first message setting(s)',
  count: resource === 'prompt' ? 0 : await countFirstMessages(tx, { resource, id, productId }),
});

/** Read a prepared message of a product. */
export function readPreparedMessage(
  reader: Reader,
  id: number,
  productId: number,
): Promise<{ id: number; name: string; message: string } | undefined> {
  return findPrepared(reader, id, productId);
}

/** Read a document prompt of a product, with its prompt as it is live; null if that was never published. */
export async function readDocumentPrompt(
  reader: Reader,
  id: number,
  productId: number,
): Promise<{ name: string; document_type: string; prompt: PromptText | null } | undefined> {
  const found = await findDocumentPrompt(reader, id, productId);
  if (!found) return undefined;
  const { name, document_type, prompt_id: promptId } = found;
  return { name, document_type, prompt: (await promptById(reader, promptId, 'live')) ?? null };
}

/** Read the texts of a product that the model may look up by description: those that are live, or a preview's. */
export function describedPrompts(
  reader: Reader,
  productId: number,
  texts: PromptTexts = 'live',
): Promise<DescribedPrompt[]> {
  return findDescribed(reader, productId, texts);
}
