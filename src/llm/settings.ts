/** Which models there are: as the vendors list them to a company's keys, else a kept list. */
import type { Ground } from '../platform/ground.ts';
import { DEFAULT_PRODUCT_CONFIG, type LlmVendor, llmVendors } from '../products/contract.ts';
import { modelFor } from '../products/product.ts';
import { vendorReason } from './attempt.ts';
import { accessBy } from './complete.ts';
import type { LlmSettings } from './settingsContract.ts';
import { activeCredential } from './store.ts';
import { type Access, vendors } from './vendors.ts';

/** Used where no key is active or the vendor does not answer. As of November 2026. */
const KEPT: Readonly<Record<LlmVendor, readonly string[]>> = {
  chatgpt: ['gpt-4o-mini', 'gpt-4o', 'gpt-4.1-mini', 'gpt-4.1', 'gpt-5-mini', 'gpt-5', 'gpt-4', 'gpt-3.5-turbo'],
  gemini: ['gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-3.8-flash'],
  anthropic: ['claude-haiku-5-5', 'claude-sonnet-5-5', 'claude-opus-5-5', 'claude-haiku-4-5'],
};

const LIST_TIMEOUT_MS = 8000;
const KEEP_MS = 10 * 60_000;
/** A vendor that did not answer, or refused the key, is not asked again at once. */
const KEEP_FAILURE_MS = 30_000;

const kept = new Map<string, { until: number; names: readonly string[] }>();

/** Asks a vendor which models can talk. Throws with the vendor's words. */
async function listModels(ground: Ground, vendor: LlmVendor, access: Access): Promise<string[]> {
  const { url, headers } = vendors[vendor].listing(access);
  const answer = await ground.outbound.request(url, { method: 'GET', headers, timeoutMs: LIST_TIMEOUT_MS });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${vendorReason(answer.text)}`);
  return vendors[vendor].names(JSON.parse(answer.text)).toSorted();
}

/** The models of a vendor for a company; remembered for some minutes, by the credential as it stands. */
async function modelsOf(ground: Ground, companyId: number | undefined, vendor: LlmVendor): Promise<readonly string[]> {
  const credential = companyId === undefined ? undefined : await activeCredential(ground.reader, companyId, vendor);
  if (!credential) return KEPT[vendor];
  const name = `${credential.id} ${credential.api_key_sealed} ${credential.config.base_url ?? ''}`;
  const known = kept.get(name);
  if (known && performance.now() < known.until) return known.names;
  try {
    const access = accessBy(ground, vendor, credential);
    if (!access) return KEPT[vendor];
    const names = await listModels(ground, vendor, access);
    return keep(name, names.length > 0 ? names : KEPT[vendor], KEEP_MS);
  } catch (error) {
    ground.log.warn({ vendor, error: String(error) }, 'the vendor does not list its models');
    return keep(name, KEPT[vendor], KEEP_FAILURE_MS);
  }
}

function keep(name: string, names: readonly string[], forMs: number): readonly string[] {
  kept.set(name, { until: performance.now() + forMs, names });
  return names;
}

export async function llmSettingsFor(ground: Ground, companyId: number | undefined): Promise<LlmSettings> {
  const lists = await Promise.all(llmVendors.map((vendor) => modelsOf(ground, companyId, vendor)));
  const defaultOf = (purpose: Parameters<typeof modelFor>[2]) => {
    const { vendor, model, temperature } = modelFor(ground, DEFAULT_PRODUCT_CONFIG, purpose);
    return { vendor, model, temperature };
  };
  return {
    models: Object.fromEntries(llmVendors.map((vendor, index) => [vendor, [...(lists[index] ?? [])]])),
    default_chatbot_model: defaultOf('chatbot'),
    default_classification_model: defaultOf('classification'),
    default_ping_model: defaultOf('ping'),
    default_document_model: defaultOf('document'),
  };
}
