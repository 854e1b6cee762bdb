/** Lists the available models: those the vendor lists for a company's key, else a built-in list. */
import type { AppContext } from '../platform/appContext.ts';
import { DEFAULT_PRODUCT_CONFIG, type LlmVendor, llmVendors } from '../products/contract.ts';
import { modelFor } from '../products/product.ts';
import { openCredential } from './complete.ts';
import { vendorReason } from './modelAttempt.ts';
import { FALLBACK_MODELS, type LlmSettings } from './settingsContract.ts';
import { activeCredential } from './store.ts';
import { vendors } from './vendors.ts';
import { errorMessage } from './wire/vendorError.ts';
import type { ModelAccess } from './wire/wire.ts';

const namedModels = (vendor: LlmVendor): readonly string[] => FALLBACK_MODELS[vendor] ?? [];

/** Used where no key is active or the vendor does not answer: the specification's models first. */
const FALLBACK_LISTS: Readonly<Record<LlmVendor, readonly string[]>> = {
  chatgpt: [...namedModels('chatgpt'), 'gpt-4o-mini', 'gpt-4o', 'gpt-4.1-mini', 'gpt-4.1', 'gpt-5-mini', 'gpt-5'],
  gemini: ['gemini-2.5-flash', 'gemini-2.5-pro'],
  anthropic: [...namedModels('anthropic'), 'claude-haiku-4-5', 'claude-sonnet-4-5'],
};

const LIST_TIMEOUT_MS = 8000;
const CACHE_MS = 10 * 60_000;
/** How long to wait before a vendor that failed or rejected the key is called again. */
const CACHE_FAILURE_MS = 30_000;

const cache = new Map<string, { until: number; names: readonly string[] }>();

/** List a vendor's chat models. Throws with the vendor's error text. */
async function listModels(context: AppContext, vendor: LlmVendor, access: ModelAccess): Promise<string[]> {
  const { url, headers } = vendors[vendor].listRequest(access);
  const answer = await context.modelOutbound.request(url, { method: 'GET', headers, timeoutMs: LIST_TIMEOUT_MS });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${vendorReason(errorMessage(answer.text) ?? '')}`);
  return vendors[vendor].parseNames(JSON.parse(answer.text)).toSorted();
}

/** List the chat models under a key; empty if its server does not list them. */
export const listedModels = (context: AppContext, vendor: LlmVendor, access: ModelAccess): Promise<readonly string[]> =>
  listModels(context, vendor, access).catch(() => []);

/** Return a vendor's models for a company, cached for some minutes per credential and its current key and address. */
async function modelsOf(
  context: AppContext,
  companyId: number | undefined,
  vendor: LlmVendor,
): Promise<readonly string[]> {
  const credential = companyId === undefined ? undefined : await activeCredential(context.reader, companyId, vendor);
  if (!credential) return FALLBACK_LISTS[vendor];
  const name = `${credential.id} ${credential.api_key_sealed} ${credential.config.base_url ?? ''}`;
  const cached = cache.get(name);
  if (cached && performance.now() < cached.until) return cached.names;
  try {
    const access = openCredential(context, vendor, credential);
    if (!access) return FALLBACK_LISTS[vendor];
    const names = await listModels(context, vendor, access);
    return remember(name, names.length > 0 ? names : FALLBACK_LISTS[vendor], CACHE_MS);
  } catch (error) {
    context.log.warn({ vendor, error: String(error) }, 'the vendor does not list its models');
    return remember(name, FALLBACK_LISTS[vendor], CACHE_FAILURE_MS);
  }
}

function remember(name: string, names: readonly string[], forMs: number): readonly string[] {
  cache.set(name, { until: performance.now() + forMs, names });
  return names;
}

export async function llmSettingsFor(context: AppContext, companyId: number | undefined): Promise<LlmSettings> {
  const lists = await Promise.all(llmVendors.map((vendor) => modelsOf(context, companyId, vendor)));
  const defaultOf = (purpose: Parameters<typeof modelFor>[2]) => {
    const { vendor, model, temperature } = modelFor(context, DEFAULT_PRODUCT_CONFIG, purpose);
    return { vendor, model, temperature };
  };
  return {
    models: Object.fromEntries(llmVendors.map((vendor, index) => [vendor, [...(lists[index] ?? [])]])),
    default_chatbot_model: defaultOf('chatbot'),
    default_classification_model: defaultOf('classification'),
    default_ping_model: defaultOf('ping'),
    default_document_model: defaultOf('document'),
    default_judge_model: defaultOf('judge'),
  };
}
