/** The product as conversations use it. */

import type { AppContext } from '../platform/appContext.ts';
import type { Reader, Tx } from '../platform/db.ts';
import {
  DEFAULT_JUDGE_TEMPERATURE,
  DEFAULT_TEMPERATURE,
  type Gate,
  type LlmVendor,
  llmVendors,
  type ModelConfig,
  type ProductConfig,
} from './contract.ts';
import { countFirstMessageUses, findGate, findProduct, findTagRules, type ProductFacts } from './store.ts';
import type { TagRule } from './tagContract.ts';

export type ModelPurpose = 'chatbot' | 'classification' | 'ping' | 'document' | 'judge';

const PRODUCTS_OF_COMPANIES = 'select id from products where company_id = any($)';

/** Condition of a product's rows: `$` holds the caller's companies. */
export const OF_COMPANIES = `t.product_id in (${PRODUCTS_OF_COMPANIES})`;

/** Scope of a list of products' rows. */
export const PRODUCT_SCOPE = {
  scopeCondition: OF_COMPANIES,
  scopeFilter: 'product_id',
  owner: { column: 't.product_id', ofCompanies: PRODUCTS_OF_COMPANIES },
} as const;

export type { ProductFacts };

export interface ChosenModel {
  readonly vendor: LlmVendor;
  readonly model: string;
  readonly temperature: number;
  readonly isDefault: boolean;
}

/** Model used if neither the product nor the installation names one. */
const FALLBACK = 'chatgpt/gpt-4o-mini';

/**
 * Return the installation's default model, from `RAPPORT_DEFAULT_PING_MODEL=vendor/model` and the like, else the
 * chatbot's.
 */
function defaultModel(context: AppContext, purpose: ModelPurpose): { vendor: LlmVendor; model: string } {
  const { defaultModels } = context.config;
  for (const candidate of [defaultModels[purpose], defaultModels.chatbot, FALLBACK]) {
    const [vendor, ...rest] = (candidate ?? '').split('/');
    const matched = llmVendors.find((one) => one === vendor);
    if (matched && rest.length > 0) return { vendor: matched, model: rest.join('/') };
  }
  throw new Error('The fallback model is not vendor/model');
}

/** Return the model a product uses for a purpose: its own, else the installation's default. */
export function modelFor(context: AppContext, config: ProductConfig, purpose: ModelPurpose): ChosenModel {
  const ownConfig: ModelConfig | null | undefined =
    purpose === 'judge' ? config.judge_model_config : config.models_config?.[`${purpose}_model_config`];
  if (ownConfig?.vendor && ownConfig.model) {
    return { vendor: ownConfig.vendor, model: ownConfig.model, temperature: ownConfig.temperature, isDefault: false };
  }
  return {
    ...defaultModel(context, purpose),
    temperature: ownConfig?.temperature ?? (purpose === 'judge' ? DEFAULT_JUDGE_TEMPERATURE : DEFAULT_TEMPERATURE),
    isDefault: true,
  };
}

/** What the names of the queues of models begin with. */
export const MODEL_QUEUE = 'model ';

const queueOf = ({ vendor, model }: { vendor: LlmVendor; model: string }): string => `${vendor}/${model}`;

/**
 * Return the queue of work that waits for the model of a product. It is the company's own, because a vendor may be slow
 * for one company's API key (429, a base URL of its own) and not for others.
 */
export const modelQueue = (
  context: AppContext,
  { company_id: company, config }: Pick<ProductFacts, 'company_id' | 'config'>,
  purpose: ModelPurpose,
): string => `${MODEL_QUEUE}${company} ${queueOf(modelFor(context, config, purpose))}`;

/** Return what the queues of products without a model of their own end with. */
export const defaultModelQueue = (context: AppContext, purpose: ModelPurpose): string =>
  queueOf(defaultModel(context, purpose));

/** Read a product with its company. */
export function readProduct(reader: Reader, id: number): Promise<ProductFacts | undefined> {
  return findProduct(reader, id);
}

/** Read the rules that give tags to a product's new leads. */
export function readTagRules(reader: Reader, id: number): Promise<TagRule[]> {
  return findTagRules(reader, id);
}

/** Read what saving a prompt of a product does. */
export function readGate(reader: Reader, id: number): Promise<Gate> {
  return findGate(reader, id);
}

/** Count the first-message settings of the product that refer to a prepared message or document prompt. */
export function countFirstMessages(
  tx: Tx,
  { resource, id, productId }: { resource: 'prepared_message' | 'document_prompt'; id: number; productId: number },
): Promise<number> {
  return countFirstMessageUses(tx, { resource, id, productId });
}
