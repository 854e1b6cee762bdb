/** What other rooms ask about prompts and prepared messages. */
import type { Reader, Tx } from '../platform/db.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { ProductConfig } from '../products/contract.ts';
import { countFirstMessages } from '../products/product.ts';
import { promptRefusals } from './contract.ts';
import {
  findDescribed,
  findDocumentPrompt,
  findPrepared,
  findPromptText,
  foreignRows,
  type PromptText,
} from './store.ts';

/** Nouns of this room that settings elsewhere point to. */
export type Usable = 'prompt' | 'prepared_message' | 'document_prompt';

const TABLES = {
  prompt: 'prompts',
  prompt_group: 'prompt_groups',
  prepared_message: 'prepared_messages',
  document_prompt: 'document_prompts',
} as const;

/** Refuses (404) ids that are not the product's: within reach is not enough, a setting stays within its product. */
export async function mustBelong(
  tx: Tx,
  noun: keyof typeof TABLES,
  ids: readonly (number | null | undefined)[],
  productId: number,
): Promise<void> {
  const wanted = ids.filter((id) => id !== null && id !== undefined);
  if (wanted.length === 0) return;
  const foreign = await foreignRows(tx, TABLES[noun], wanted, productId);
  if (foreign.length > 0) throw refuse(commonRefusals, 'not_found', { noun: noun.replaceAll('_', ' ') });
}

/** Counts the settings of one kind that point to a row: `{ what: 'ping step(s)', count: 2 }`. */
export type CountUses = (
  tx: Tx,
  noun: Usable,
  id: number,
  productId: number,
) => Promise<{ what: string; count: number }>;

/** Refuses (409) to delete what settings still point to, and says which and how many. */
export async function refuseUsed(
  tx: Tx,
  uses: readonly CountUses[],
  noun: Usable,
  id: number,
  productId: number,
): Promise<void> {
  const found: string[] = [];
  for (const use of uses) {
    const { what, count } = await use(tx, noun, id, productId);
    if (count > 0) found.push(`${count} ${what}`);
  }
  if (found.length > 0)
    throw refuse(promptRefusals, 'prompt.used', { noun: noun.replaceAll('_', ' '), uses: found.join(', ') });
}

/** Refuses a product's config that points to messages or documents of another product. */
export async function checkProductConfig(tx: Tx, config: ProductConfig, productId: number | null): Promise<void> {
  const messaging = config.messaging_config;
  // A product that is about to be made has nothing yet: whatever is named is another's.
  await mustBelong(tx, 'prepared_message', [messaging?.initial_message_prepared_message_id], productId ?? 0);
  await mustBelong(tx, 'document_prompt', [messaging?.initial_message_document_prompt_id], productId ?? 0);
}

/** First messages that point to a prepared message or document prompt. */
export const initialUses: CountUses = async (tx, noun, id, productId) => ({
  what: 'first message setting(s)',
  count: noun === 'prompt' ? 0 : await countFirstMessages(tx, noun, id, productId),
});

/** A prepared message of a product. */
export function preparedMessageOf(
  reader: Reader,
  id: number,
  productId: number,
): Promise<{ id: number; name: string; message: string } | undefined> {
  return findPrepared(reader, id, productId);
}

/** A document prompt of a product, with its prompt. */
export async function documentPromptOf(
  reader: Reader,
  id: number,
  productId: number,
): Promise<{ name: string; document_type: string; prompt: PromptText } | undefined> {
  const found = await findDocumentPrompt(reader, id, productId);
  const prompt = found ? await findPromptText(reader, found.prompt_id) : undefined;
  return found && prompt ? { name: found.name, document_type: found.document_type, prompt } : undefined;
}

/** Texts of a product that the model may look up by their descriptions. */
export function describedPrompts(reader: Reader, productId: number): ReturnType<typeof findDescribed> {
  return findDescribed(reader, productId);
}
