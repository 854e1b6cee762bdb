/** Runs a prompt: the one way from a rendered prompt to a model's answer, stored as a run. */
import { type Completion, complete } from '../llm/complete.ts';
import { type RunRow, storeRun } from '../llm/runs.ts';
import { llmSettingsFor } from '../llm/settings.ts';
import type { CredentialsWithinBudget } from '../llm/store/withinBudget.ts';
import type { ModelMessage, ModelTool } from '../llm/wire/message.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Reader } from '../platform/db.ts';
import { type LlmVendor, llmVendors, type ProductConfig } from '../products/contract.ts';
import { modelFor } from '../products/product.ts';
import { type HumanRequest, humanRequestIn, REQUEST_HUMAN } from './humanRequest.ts';
import { invalidReplyReason } from './invalidReply.ts';
import { toLeadText } from './markup.ts';
import { MAX_TOOL_ROUNDS, type PromptLookup } from './promptLookup.ts';
import { hasStopCall, STOP_WRITING } from './stopWriting.ts';
import { type ProductForPrompt, readProductForPrompt } from './store/productForPrompt.ts';

const ownModelPurposes = ['chatbot', 'classification', 'ping', 'document'] as const;
type OwnModelPurpose = (typeof ownModelPurposes)[number];
/** What a model is called for. */
type Purpose = OwnModelPurpose | 'summary' | 'playground' | 'studio' | 'assistant';

export interface PromptRunInput {
  readonly product: { readonly id: number; readonly company_id: number; readonly config: ProductConfig };
  readonly purpose: Purpose;
  /** Name of the run: the prompt's name, or its purpose. */
  readonly name: string;
  readonly metadata: Record<string, unknown>;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** By default, vendor, model and temperature are those of the product for this purpose. */
  readonly vendor?: LlmVendor | null;
  readonly model?: string | null;
  readonly temperature?: number | null;
  /** The dialogue it is about; the run is deleted with it. */
  readonly dialogueId?: number;
  /** The lead it is written for outside a dialogue; its cost counts toward this lead. */
  readonly leadId?: number;
  /** Returns why an answer cannot be used, for the run; null if it can. */
  readonly invalidReplyReason?: (answer: string) => string | null;
  /** What the model may look up. */
  readonly lookup?: PromptLookup | null;
  /** Whether the model may hand the dialogue over to a human instead of answering. */
  readonly mayRequestHuman?: boolean;
  /** Whether the model may say that the person wants no more messages. */
  readonly mayStopWriting?: boolean;
  /** Tools the model may call; the calls are returned with its answer, not executed. */
  readonly tools?: readonly ModelTool[];
  /** The longest answer, tokens. */
  readonly maxTokens?: number;
  readonly onText?: (text: string) => void;
  readonly signal?: AbortSignal;
  /** The company's credentials, if they were just read. */
  readonly credentials?: CredentialsWithinBudget | null;
  /** Receives the run instead of the table of runs: the caller stores it, with what depends on it. */
  readonly onRun?: (run: RunRow) => void;
}

interface ModelAnswer {
  readonly completion: Completion;
  readonly vendor: LlmVendor;
  readonly model: string;
  /** To be stored by the caller; null if no model was called. */
  readonly run: RunRow | null;
}

interface PromptRunResult extends ModelAnswer {
  /** Null if no model was called. */
  readonly runId: number | null;
  /** Of the run, US dollars; null: not known. */
  readonly cost: number | null;
}

export type { ProductForPrompt };

/** Read a product, with what a question to its models needs; undefined if there is none. */
export function findProductForPrompt(reader: Reader, id: number): Promise<ProductForPrompt | undefined> {
  return readProductForPrompt(reader, id);
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

/** Run a prompt and store the run. Every outcome of the model is a value; throws `UnknownModelError`. */
export async function runPrompt(context: AppContext, input: PromptRunInput): Promise<PromptRunResult> {
  const answer = await askModel(context, input);
  if (answer.run && input.onRun) {
    input.onRun(answer.run);
    return { ...answer, runId: null, cost: null };
  }
  const stored = answer.run && (await storeRun(context, answer.run));
  return { ...answer, runId: stored?.id ?? null, cost: stored?.cost ?? null };
}

async function askModel(context: AppContext, input: PromptRunInput): Promise<ModelAnswer> {
  const { product, purpose } = input;
  // The others use the chatbot's.
  const defaults = modelFor(context, product.config, ownModelPurposes.find((one) => one === purpose) ?? 'chatbot');
  const model = input.model ?? defaults.model;
  const vendor =
    input.vendor ?? (input.model ? await findVendorOfModel(context, product.company_id, model) : defaults.vendor);
  const carriedOut = [
    ...(input.lookup?.tools ?? []),
    ...(input.mayRequestHuman ? [REQUEST_HUMAN] : []),
    ...(input.mayStopWriting ? [STOP_WRITING] : []),
  ];
  const completion = await complete(
    context,
    {
      companyId: product.company_id,
      productId: product.id,
      ...(input.credentials ? { credentials: input.credentials } : {}),
      vendor,
      model,
      temperature: input.temperature ?? defaults.temperature,
      system: input.system,
      messages: input.messages,
      ...(input.onText ? { onText: input.onText } : {}),
      ...(input.tools ? { tools: input.tools, returnsToolCalls: true } : {}),
      ...(input.maxTokens ? { maxTokens: input.maxTokens } : {}),
      ...(carriedOut.length > 0 ? { tools: carriedOut, rounds: MAX_TOOL_ROUNDS } : {}),
    },
    input.signal,
  );
  const humanRequest = requestIn(completion);
  const stops = completion.kind === 'answered' && hasStopCall(completion.calls);
  const modelCalled = completion.kind === 'answered' || completion.requests.length > 0 || !completion.isRefusedByBudget;
  const run = modelCalled
    ? {
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
          ...(humanRequest ? { request_human: humanRequest.reason } : {}),
          ...(stops ? { stop_writing: true } : {}),
        },
        reservations: completion.reservations,
        error: humanRequest || stops ? null : runErrorOf(completion, input.invalidReplyReason),
      }
    : null;
  return { completion, vendor, model, run };
}

const requestIn = (completion: Completion): HumanRequest | null =>
  completion.kind === 'answered' ? humanRequestIn(completion) : null;

export type GeneratedText =
  | {
      readonly kind: 'written';
      readonly text: string;
      readonly model: { readonly vendor: LlmVendor; readonly name: string };
    }
  /** `isPermanent`: a retry will not help until somebody changes something. `paused`: the day's budget is spent. */
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly isPermanent: boolean;
      readonly paused: boolean;
      /** What the model has answered, if that cannot be sent to a person. */
      readonly invalidAnswer?: string;
    };

type TextInput = Omit<PromptRunInput, 'invalidReplyReason'>;

/** Ask a model for a text for a person. An answer that cannot be sent to one is a failure; a retry may help. */
async function askForText(context: AppContext, input: TextInput): Promise<ModelAnswer & { text: GeneratedText }> {
  // Marks within the words would hide from the check what the lead reads without them.
  const invalidReason = (answer: string) =>
    invalidReplyReason(answer, input.system) ?? invalidReplyReason(toLeadText(answer, 'plain'), input.system);
  const answer = await askModel(context, { ...input, invalidReplyReason: invalidReason });
  const { completion, vendor, model } = answer;
  if (completion.kind === 'failed') {
    const { reason, isPermanent, paused = false } = completion;
    return { ...answer, text: { kind: 'failed', reason, isPermanent, paused } };
  }
  const error = runErrorOf(completion, invalidReason);
  if (error !== null) {
    const { text: invalidAnswer } = completion;
    return { ...answer, text: { kind: 'failed', reason: error, isPermanent: false, paused: false, invalidAnswer } };
  }
  return { ...answer, text: { kind: 'written', text: completion.text.trim(), model: { vendor, name: model } } };
}

/** A model's answer to a lead. `stops`: it says as well that the person wants no more messages. */
type GeneratedReply =
  | GeneratedText
  | ({ readonly kind: 'human_requested'; readonly stops: boolean } & HumanRequest)
  | { readonly kind: 'stop_requested' };

/**
 * Have a model answer a lead, ask for a human to do so, or say that the person wants no more messages. Returns the run as
 * well, to be stored by the caller: a paid call is never forgotten.
 */
export async function askForReply(
  context: AppContext,
  input: TextInput,
): Promise<{ reply: GeneratedReply; run: RunRow | null }> {
  const { text, completion, run } = await askForText(context, input);
  const request = requestIn(completion);
  const stops = completion.kind === 'answered' && hasStopCall(completion.calls);
  if (request) return { reply: { kind: 'human_requested', ...request, stops }, run };
  return { reply: stops ? { kind: 'stop_requested' } : text, run };
}

export type WrittenText =
  | (Extract<GeneratedText, { kind: 'written' }> & { readonly runId: number | null })
  | Extract<GeneratedText, { kind: 'failed' }>;

/** Have a model write a text for a person, and store the run. */
export async function writeText(context: AppContext, input: TextInput): Promise<WrittenText> {
  const { text, run } = await askForText(context, input);
  const stored = run && (await storeRun(context, run));
  return text.kind === 'written' ? { ...text, runId: stored?.id ?? null } : text;
}

function runErrorOf(completion: Completion, invalidReplyReason: PromptRunInput['invalidReplyReason']): string | null {
  if (completion.kind === 'failed') return completion.reason;
  const invalidReason = invalidReplyReason?.(completion.text) ?? null;
  return invalidReason === null ? null : `Unusable: ${invalidReason}`;
}
