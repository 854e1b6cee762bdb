/**
 * Asks a model to judge a conversation: returns an answer of the required shape, after at most one repair, or a
 * reason.
 */
import type { AppContext } from '../platform/appContext.ts';
import { renderPrompt, TemplateError, type TemplateValues } from '../prompts/prompt.ts';
import {
  buildJudgePrompt,
  buildRepairRequest,
  formatConversation,
  type JudgeQuestion,
  parseAnswer,
} from './judgeQuestions.ts';
import { type PromptRunInput, runPrompt } from './runPrompt.ts';
import { type ConversationMessage } from './systemPrompt.ts';

export interface JudgeInput {
  readonly product: PromptRunInput['product'];
  /** The dialogue that its runs belong to; none for the studio. */
  readonly dialogueId?: number;
  readonly turn?: number;
  /** By default the conversation is classified. */
  readonly purpose?: 'classification' | 'summary' | 'studio';
  /** The company's credentials, if they were just read. */
  readonly credentials?: PromptRunInput['credentials'];
  /** Without id and version for a built-in prompt. */
  readonly prompt: { readonly id?: number; readonly name: string; readonly version?: number; readonly text: string };
  readonly values: TemplateValues;
  readonly messages: readonly (ConversationMessage & { readonly id?: number })[];
  /** By default those of the product for its conversations. */
  readonly model?: Pick<PromptRunInput, 'vendor' | 'model' | 'temperature'>;
  /** Calls the model and sees to the run; by default the run is stored at once. */
  readonly callModel?: (call: PromptRunInput) => Promise<JudgeCompletion>;
}

/** What a model has answered to a question. */
export type JudgeCompletion =
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly isPermanent: boolean; readonly paused?: boolean };

export type JudgeResult<T> =
  | { readonly kind: 'judged'; readonly value: T }
  /** `isPermanent`: a retry will not help until somebody changes something. `paused`: the day's budget is spent. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isPermanent: boolean; readonly paused: boolean };

/** Ask a question about a conversation. Each call of the model is stored as a run of the dialogue. */
export async function judge<T>(
  context: AppContext,
  input: JudgeInput,
  question: JudgeQuestion<T>,
): Promise<JudgeResult<T>> {
  const { product, prompt, values, purpose = 'classification', credentials = null } = input;
  let system: string;
  try {
    system = buildJudgePrompt(await renderPrompt(context, { product, text: prompt.text, values }), values, question);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const reason = `The prompt ${prompt.name} cannot be rendered: ${error.message.slice(0, 300)}`;
    return { kind: 'failed', reason, isPermanent: true, paused: false };
  }
  const call = {
    product,
    purpose,
    credentials,
    name: prompt.name,
    metadata: {
      ...(prompt.id === undefined ? {} : { prompt_id: prompt.id, prompt_version: prompt.version }),
      ...(input.turn === undefined ? {} : { turn: input.turn }),
    },
    system,
    ...input.model,
    ...(input.dialogueId === undefined ? {} : { dialogueId: input.dialogueId }),
  };
  const callModel = input.callModel ?? (async (one) => (await runPrompt(context, one)).completion);
  return askQuestion(question, { call, content: formatConversation(input.messages), callModel });
}

/** A question's data, and how a model is called with it. */
export interface Asking {
  /** All of the call but its messages. */
  readonly call: Omit<PromptRunInput, 'messages' | 'invalidReplyReason'>;
  readonly content: string;
  readonly callModel: NonNullable<JudgeInput['callModel']>;
}

/** Ask a question, and once more if the answer is not of the required shape. */
export async function askQuestion<T>(
  question: JudgeQuestion<T>,
  { call, content, callModel }: Asking,
): Promise<JudgeResult<T>> {
  const ask = (messages: PromptRunInput['messages'], isRepair: boolean) =>
    callModel({
      ...call,
      metadata: { ...call.metadata, ...(isRepair ? { repair: isRepair } : {}) },
      messages,
      invalidReplyReason: (answer) => problemOf(parseAnswer(question, answer)),
    });
  const data = { role: 'user', content } as const;
  const first = await ask([data], false);
  if (first.kind === 'failed') return toFailure(first);
  const parsed = parseAnswer(question, first.text);
  if (parsed.ok) return { kind: 'judged', value: parsed.value };
  const second = await ask(
    [
      data,
      // Vendors reject an empty turn.
      { role: 'assistant', content: first.text.slice(0, 10_000).trim() || '(nothing)' },
      { role: 'user', content: buildRepairRequest(question, parsed.problem) },
    ],
    true,
  );
  if (second.kind === 'failed') return toFailure(second);
  const repaired = parseAnswer(question, second.text);
  if (repaired.ok) return { kind: 'judged', value: repaired.value };
  // Asking the same question again would most likely get the same answer, at the same cost.
  const reason = `The answer to ${call.name} cannot be used: ${repaired.problem}`;
  return { kind: 'failed', reason, isPermanent: true, paused: false };
}

const problemOf = (parsed: { readonly ok: true } | { readonly ok: false; readonly problem: string }): string | null =>
  parsed.ok ? null : parsed.problem;

function toFailure(completion: { readonly reason: string; readonly isPermanent: boolean; readonly paused?: boolean }) {
  const { reason, isPermanent, paused } = completion;
  return { kind: 'failed', reason, isPermanent, paused: paused ?? false } as const;
}
