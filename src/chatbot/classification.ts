/** What becomes of a conversation: the stage that the product's prompts find in it, confirmed where it must be. */
import type { Reader, Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { productPrompt, promptOf } from '../prompts/prompt.ts';
import type { ClassificationResult } from './contract.ts';
import { type Judged, type Judging, judge } from './judge.ts';
import { insertResult, settingsOfProduct } from './store.ts';
import { CONFIRM_REFUSAL, CONFIRM_SUCCESS, type Confirmed, NAME_STAGE, type Refusal } from './verdict.ts';

export interface Verdict {
  readonly configId: number;
  readonly result: ClassificationResult['result'];
  /** The lead wishes to hear nothing more. */
  readonly optOut: boolean;
}

/** How a product classifies its dialogues; undefined: it does not. */
export const classificationOf = (
  reader: Reader,
  productId: number,
): Promise<{ id: number; prompt_id: number } | undefined> => settingsOfProduct(reader, productId);

/** Keeps the result of a turn; the index refuses a second one. */
export const keepResult = (tx: Tx, row: Parameters<typeof insertResult>[1]): Promise<void> => insertResult(tx, row);

/**
 * Names the stage of a conversation. `success` is put before the product's newest qualification prompt, `refused` before
 * its refusal_qualification, where there is one: what that does not confirm is not so.
 */
export async function classifyConversation(
  ground: Ground,
  judging: Omit<Judging, 'prompt'>,
  config: { readonly id: number; readonly prompt_id: number },
): Promise<Judged<Verdict>> {
  const prompt = await promptOf(ground.reader, config.prompt_id);
  if (!prompt) return { kind: 'failed', reason: 'The prompt of classification is gone', lasting: true, paused: false };
  const named = await judge(ground, { ...judging, prompt }, NAME_STAGE);
  if (named.kind === 'failed') return named;
  const { stage, reason } = named.value;
  const settled = (answer: Confirmed | Refusal | null): Judged<Verdict> => ({
    kind: 'judged',
    value: {
      configId: config.id,
      result: { stage, reason, confirmed: answer?.confirmed ?? null, confirmation: answer?.reason ?? null },
      optOut: answer !== null && 'opt_out' in answer && answer.opt_out,
    },
  });
  if (stage !== 'success' && stage !== 'refused') return settled(null);
  const type = stage === 'success' ? 'qualification' : 'refusal_qualification';
  const confirming = await productPrompt(ground.reader, judging.product.id, type);
  if (!confirming) return settled(null);
  const asked = { ...judging, prompt: confirming };
  const answer: Judged<Confirmed | Refusal> =
    stage === 'success' ? await judge(ground, asked, CONFIRM_SUCCESS) : await judge(ground, asked, CONFIRM_REFUSAL);
  return answer.kind === 'failed' ? answer : settled(answer.value);
}
