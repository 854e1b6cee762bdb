/** The product as the conversation needs it. */
import type { Reader, Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { DEFAULT_TEMPERATURE, type LlmVendor, llmVendors, type ModelConfig, type ProductConfig } from './contract.ts';
import { countInitialUses, findProduct, type ProductFacts } from './store.ts';

type ModelPurpose = 'chatbot' | 'classification' | 'ping' | 'document';

export interface ChosenModel {
  readonly vendor: LlmVendor;
  readonly model: string;
  readonly temperature: number;
  readonly isDefault: boolean;
}

/** Used where neither the product nor the installation names a model. */
const FALLBACK = 'chatgpt/gpt-4o-mini';

/** The installation's default, from `RAPPORT_DEFAULT_PING_MODEL=vendor/model` and the like, else the chatbot's. */
function defaultModel(ground: Ground, purpose: ModelPurpose): { vendor: LlmVendor; model: string } {
  const { defaultModels } = ground.config;
  for (const given of [defaultModels[purpose], defaultModels.chatbot, FALLBACK]) {
    const [vendor, ...rest] = (given ?? '').split('/');
    const known = llmVendors.find((one) => one === vendor);
    if (known && rest.length > 0) return { vendor: known, model: rest.join('/') };
  }
  throw new Error('The fallback model is not vendor/model');
}

/** The model a product uses for a purpose: its own, else the installation's default. */
export function modelFor(ground: Ground, config: ProductConfig, purpose: ModelPurpose): ChosenModel {
  const own: ModelConfig | null | undefined = config.models_config?.[`${purpose}_model_config`];
  if (own?.vendor && own.model) {
    return { vendor: own.vendor, model: own.model, temperature: own.temperature, isDefault: false };
  }
  return { ...defaultModel(ground, purpose), temperature: own?.temperature ?? DEFAULT_TEMPERATURE, isDefault: true };
}

/** Reads a product with its company. */
export function readProduct(reader: Reader, id: number): Promise<ProductFacts | undefined> {
  return findProduct(reader, id);
}

/** How many first-message settings of the product point to a prepared message or document prompt. */
export function countFirstMessages(
  tx: Tx,
  noun: 'prepared_message' | 'document_prompt',
  id: number,
  productId: number,
): Promise<number> {
  return countInitialUses(tx, noun, id, productId);
}
