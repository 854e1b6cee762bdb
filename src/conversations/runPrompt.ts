/**
 * Runs one prompt outside the reply flow, for an operator or the team's own program. Stored as a run like any other.
 */
import type { ModelMessage, ToolSet } from 'ai';
import { type Completion, complete } from '../llm/complete.ts';
import { storeRun } from '../llm/runs.ts';
import { llmSettingsFor } from '../llm/settings.ts';
import type { AppContext } from '../platform/appContext.ts';
import { type LlmVendor, llmVendors, type ProductConfig } from '../products/contract.ts';
import { modelFor } from '../products/product.ts';
import { MAX_TOOL_ROUNDS, type PromptLookup } from './promptLookup.ts';

type Purpose = 'chatbot' | 'classification' | 'ping' | 'document' | 'playground' | 'assistant';

export interface PromptRunInput {
  readonly product: { readonly id: number; readonly company_id: number; readonly config: ProductConfig };
  readonly purpose: Purpose;
  /** Name of the run: the prompt's name, or its purpose. */
  readonly name: string;
  readonly metadata: Record<string, unknown>;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly vendor: LlmVendor | null;
  readonly model: string | null;
  readonly temperature: number | null;
  /** The dialogue it is about; the run is deleted with it. */
  readonly dialogueId?: number;
  /** The lead it is written for outside a dialogue; its cost counts toward this lead. */
  readonly leadId?: number;
  /** Returns why an answer cannot be used, for the run; null if it can. */
  readonly invalidReplyReason?: (answer: string) => string | null;
  /** What the model may look up. */
  readonly lookup?: PromptLookup | null;
  /** Tools the model may call; the calls are returned with its answer, not executed. */
  readonly tools?: ToolSet;
  /** The longest answer, tokens. */
  readonly maxTokens?: number;
  readonly onText?: (text: string) => void;
  readonly signal?: AbortSignal;
}

interface PromptRunResult {
  readonly completion: Completion;
  readonly vendor: LlmVendor;
  readonly model: string;
  /** Null if no model was called. */
  readonly runId: number | null;
}

/** No known vendor offers a model of this name. */
export class UnknownModelError extends Error {}

/** Return the vendor whose list contains a model. Throws `UnknownModelError`. */
async function findVendorOfModel(context: AppContext, companyId: number, model: string): Promise<LlmVendor> {
  const { models } = await llmSettingsFor(context, companyId);
  const vendor = llmVendors.find((candidate) => models[candidate]?.includes(model));
  if (!vendor) throw new UnknownModelError(`No vendor lists the model ${model}`);
  return vendor;
}

export async function runPrompt(context: AppContext, input: PromptRunInput): Promise<PromptRunResult> {
  const { product, purpose } = input;
  const defaults = modelFor(
    context,
    product.config,
    purpose === 'playground' || purpose === 'assistant' ? 'chatbot' : purpose,
  );
  const model = input.model ?? defaults.model;
  const vendor =
    input.vendor ??
    (input.model === null ? defaults.vendor : await findVendorOfModel(context, product.company_id, model));
  const completion = await complete(
    context,
    {
      companyId: product.company_id,
      vendor,
      model,
      temperature: input.temperature ?? defaults.temperature,
      system: input.system,
      messages: input.messages,
      ...(input.onText ? { onText: input.onText } : {}),
      ...(input.tools ? { tools: input.tools, returnsToolCalls: true } : {}),
      ...(input.maxTokens ? { maxTokens: input.maxTokens } : {}),
      ...(input.lookup ? { tools: input.lookup.tools, rounds: MAX_TOOL_ROUNDS } : {}),
    },
    input.signal,
  );
  const modelCalled = completion.kind === 'answered' || !completion.paused;
  const runId = modelCalled
    ? await storeRun(context.reader, {
        product_id: product.id,
        dialogue_id: input.dialogueId ?? null,
        lead_id: input.leadId ?? null,
        message_id: null,
        purpose,
        name: input.name,
        model_vendor: vendor,
        model_name: model,
        execution_ms: completion.ms,
        token_input_usage: completion.inputTokens,
        token_output_usage: completion.outputTokens,
        metadata: {
          ...completion.metadata,
          ...input.metadata,
          ...(input.lookup ? { read: input.lookup.promptsRead } : {}),
        },
        error: runErrorOf(completion, input.invalidReplyReason),
      })
    : null;
  return { completion, vendor, model, runId };
}

function runErrorOf(completion: Completion, invalidReplyReason: PromptRunInput['invalidReplyReason']): string | null {
  if (completion.kind === 'failed') return completion.reason;
  const invalidReason = invalidReplyReason?.(completion.text) ?? null;
  return invalidReason === null ? null : `Unusable: ${invalidReason}`;
}
