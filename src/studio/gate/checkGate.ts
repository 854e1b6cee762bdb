/** What the gate says of a version before it is published. */
import type { AppContext } from '../../platform/appContext.ts';
import type { Tx } from '../../platform/db.ts';
import { modelFor, readProduct } from '../../products/product.ts';
import type { PromptType } from '../../prompts/contract.ts';
import { readPromptVersion } from '../../prompts/prompt.ts';
import { readCasesOfPrompt } from '../store/cases.ts';
import { findNewestGate } from '../store/gates.ts';
import { readTriedPrompt } from '../store/prompts.ts';

/** `none`: there is no enabled case for the prompt. `missing`: the cases were not tried with this text as they are now. */
export interface GateCheck {
  readonly state: 'green' | 'red' | 'missing' | 'none';
  readonly red: { readonly case_id: number; readonly name: string; readonly reasons: string[] }[];
  /** The run that says so; null without one. */
  readonly run_id: number | null;
}

/**
 * Return the function that says what the newest ended gate has found in a version. It counts only if it tried exactly this
 * text with the product's model, against what is live now, on the cases that are enabled now, as they are now.
 */
export function createCheckGate(context: AppContext) {
  return async (
    tx: Tx,
    {
      prompt: { id, product_id: productId, type },
      version,
    }: {
      readonly prompt: { readonly id: number; readonly product_id: number; readonly type: PromptType };
      readonly version: number;
    },
  ): Promise<GateCheck> => {
    const cases = await readCasesOfPrompt(tx, { productId, id, type }, null);
    if (cases.length === 0) return { state: 'none', red: [], run_id: null };
    const missing: GateCheck = { state: 'missing', red: [], run_id: null };
    const [tried, saved, product] = [
      await readTriedPrompt(tx, id),
      await readPromptVersion(tx, { promptId: id, version, productId }),
      await readProduct(tx, productId),
    ];
    if (!tried || !saved || !product) return missing;
    const { vendor, model } = modelFor(
      context,
      product.config,
      type === 'classification' ? 'classification' : 'chatbot',
    );
    const gate = await findNewestGate(tx, { promptId: id, text: saved.text, liveText: tried.live_text, vendor, model });
    if (!gate) return missing;
    const key = ({ case_id, revision }: { case_id: number; revision: number }) => `${case_id}/${revision}`;
    const present = new Set(cases.map((one) => key({ case_id: one.id, revision: one.version })));
    const isSame = gate.cases.length === present.size && gate.cases.every((one) => present.has(key(one)));
    const state = gate.state === 'green' || gate.state === 'red' ? gate.state : 'missing';
    return isSame ? { state, red: gate.red, run_id: gate.run_id } : missing;
  };
}
