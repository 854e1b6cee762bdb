/** One answer outside any dialogue, asked for by an operator or the team's own program; a run as any other. */
import type { ModelMessage, ToolSet } from 'ai';
import { type Completion, complete } from '../llm/complete.ts';
import { storeRun } from '../llm/runs.ts';
import { llmSettingsFor } from '../llm/settings.ts';
import type { Ground } from '../platform/ground.ts';
import { type LlmVendor, llmVendors, type ProductConfig } from '../products/contract.ts';
import { modelFor } from '../products/product.ts';
import { type LookUp, MOST_ROUNDS } from './rag.ts';

type Purpose = 'chatbot' | 'classification' | 'ping' | 'document' | 'playground' | 'assistant';

export interface Speaking {
  readonly product: { readonly id: number; readonly company_id: number; readonly config: ProductConfig };
  readonly purpose: Purpose;
  /** For the run: the prompt's name, or what it was for. */
  readonly name: string;
  readonly metadata: Record<string, unknown>;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly vendor: LlmVendor | null;
  readonly model: string | null;
  readonly temperature: number | null;
  /** The dialogue that it is about; the run goes with it. */
  readonly dialogueId?: number;
  /** The lead it is written for outside a dialogue: its costs count it. */
  readonly leadId?: number;
  /** Why an answer cannot be used, for the run; null: it can. */
  readonly unusable?: (answer: string) => string | null;
  /** What the model may look up. */
  readonly lookUp?: LookUp | null;
  /** What the model may ask to have done; the calls are handed over with its answer. */
  readonly tools?: ToolSet;
  /** The longest answer, tokens. */
  readonly mostTokens?: number;
  readonly onText?: (text: string) => void;
  readonly signal?: AbortSignal;
}

interface Spoken {
  readonly completion: Completion;
  readonly vendor: LlmVendor;
  readonly model: string;
  /** Null: no model was asked. */
  readonly runId: number | null;
}

/** Nobody sells a model of this name, as far as is known here. */
export class UnknownModel extends Error {}

/** The vendor whose list holds a model. Throws `UnknownModel`. */
async function vendorOf(ground: Ground, companyId: number, model: string): Promise<LlmVendor> {
  const { models } = await llmSettingsFor(ground, companyId);
  const vendor = llmVendors.find((one) => models[one]?.includes(model));
  if (!vendor) throw new UnknownModel(`No vendor lists the model ${model}`);
  return vendor;
}

export async function speak(ground: Ground, speaking: Speaking): Promise<Spoken> {
  const { product, purpose } = speaking;
  const own = modelFor(
    ground,
    product.config,
    purpose === 'playground' || purpose === 'assistant' ? 'chatbot' : purpose,
  );
  const model = speaking.model ?? own.model;
  const vendor =
    speaking.vendor ?? (speaking.model === null ? own.vendor : await vendorOf(ground, product.company_id, model));
  const completion = await complete(
    ground,
    {
      companyId: product.company_id,
      vendor,
      model,
      temperature: speaking.temperature ?? own.temperature,
      system: speaking.system,
      messages: speaking.messages,
      ...(speaking.onText ? { onText: speaking.onText } : {}),
      ...(speaking.tools ? { tools: speaking.tools, handsOver: true } : {}),
      ...(speaking.mostTokens ? { mostTokens: speaking.mostTokens } : {}),
      ...(speaking.lookUp ? { tools: speaking.lookUp.tools, rounds: MOST_ROUNDS } : {}),
    },
    speaking.signal,
  );
  const asked = completion.kind === 'answered' || !completion.paused;
  const runId = asked
    ? await storeRun(ground.reader, {
        product_id: product.id,
        dialogue_id: speaking.dialogueId ?? null,
        lead_id: speaking.leadId ?? null,
        message_id: null,
        purpose,
        name: speaking.name,
        model_vendor: vendor,
        model_name: model,
        execution_ms: completion.ms,
        token_input_usage: completion.inputTokens,
        token_output_usage: completion.outputTokens,
        metadata: {
          ...completion.metadata,
          ...speaking.metadata,
          ...(speaking.lookUp ? { read: speaking.lookUp.read } : {}),
        },
        error: errorOf(completion, speaking.unusable),
      })
    : null;
  return { completion, vendor, model, runId };
}

function errorOf(completion: Completion, unusable: Speaking['unusable']): string | null {
  if (completion.kind === 'failed') return completion.reason;
  const fault = unusable?.(completion.text) ?? null;
  return fault === null ? null : `Unusable: ${fault}`;
}
