/** One question of the operator, with the rounds of tool calls that its answer takes. It can be stored and resumed. */
import { z } from 'zod';
import type { PromptRunInput } from '../conversations/runPrompt.ts';
import { runPrompt } from '../conversations/runPrompt.ts';
import type { ModelCall } from '../llm/wire/answer.ts';
import type { ModelMessage, ToolResultPart } from '../llm/wire/message.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { PageSnapshot, ToolDefinition } from './contract.ts';
import { systemPrompt } from './prompt.ts';
import { checkCall, modelTools } from './tools.ts';

/** Limit of answers with tool calls per question. */
const MAX_ROUNDS = 8;
/** Token limit per question, input and output of all rounds. */
const MAX_TOKENS = 400_000;
/** Token limit per answer. */
const MAX_ANSWER_TOKENS = 8_000;
/** Limit of calls per answer. Further calls are refused with a message to the model. */
const MAX_CALLS = 10;

const message = z.custom<ModelMessage>((value) => typeof value === 'object' && value !== null && 'role' in value);

/** State of a question, stored as JSON. */
export const question = z.object({
  words: z.string(),
  page: z.custom<PageSnapshot>((value) => typeof value === 'object' && value !== null),
  /** The conversation so far, including this question's message and everything after it. */
  messages: z.array(message),
  /** Index of this question's message in `messages`. */
  from: z.int(),
  rounds: z.int(),
  tokens: z.int(),
  /** Calls refused as invalid or too many, with the reason for the model. The operator is not asked about them. */
  refused: z.array(z.object({ id: z.string(), tool: z.string(), reason: z.string() })),
});
export type Question = z.output<typeof question>;

/** A call for the page to execute. */
export interface Proposal {
  /** The model's id of the call. */
  readonly id: string;
  readonly definition: ToolDefinition;
  readonly args: Readonly<Record<string, unknown>>;
}

export type Step =
  | { readonly kind: 'answered'; readonly text: string; readonly question: Question }
  | {
      readonly kind: 'proposes';
      readonly text: string;
      readonly question: Question;
      readonly proposals: readonly Proposal[];
    }
  | { readonly kind: 'failed'; readonly reason: string };

interface StepOptions {
  readonly product: PromptRunInput['product'];
  readonly operator: string;
  readonly onText: (piece: string) => void;
  readonly signal: AbortSignal;
}

/** Run the model until it answers or calls a tool of the page. A round takes up to 120 s. */
export async function advance(context: AppContext, initial: Question, options: StepOptions): Promise<Step> {
  let now = initial;
  for (;;) {
    const { page_tools: tools } = now.page;
    const { completion } = await runPrompt(context, {
      product: options.product,
      purpose: 'assistant',
      name: 'Master LLM',
      metadata: { operator: options.operator, round: now.rounds + 1 },
      system: systemPrompt(now.page),
      messages: now.messages,
      maxTokens: MAX_ANSWER_TOKENS,
      tools: modelTools(tools),
      onText: options.onText,
      signal: options.signal,
    });
    if (completion.kind === 'failed') return { kind: 'failed', reason: completion.reason };
    const { text, calls } = completion;
    const tokens = now.tokens + (completion.inputTokens ?? 0) + (completion.outputTokens ?? 0);
    now = { ...now, tokens, messages: [...now.messages, ...completion.messages], refused: [] };
    if (calls.length === 0) return { kind: 'answered', text, question: now };
    if (now.rounds >= MAX_ROUNDS) return { kind: 'failed', reason: `Stopped after ${MAX_ROUNDS} rounds of tools` };
    if (tokens > MAX_TOKENS) return { kind: 'failed', reason: `Stopped after ${MAX_TOKENS} tokens` };
    const { proposals, refused } = partitionCalls(tools, calls);
    now = { ...now, rounds: now.rounds + 1, refused };
    if (proposals.length > 0) return { kind: 'proposes', text, question: now, proposals };
    now = withResults(now, []);
  }
}

function partitionCalls(tools: readonly ToolDefinition[], calls: readonly ModelCall[]) {
  const proposals: Proposal[] = [];
  const refused: Question['refused'] = [];
  for (const { id, tool, input, fault } of calls) {
    const checked = fault === null ? checkCall(tools, tool, input) : { ok: false as const, reason: fault };
    if (checked.ok && proposals.length < MAX_CALLS)
      proposals.push({ id, definition: checked.definition, args: checked.args });
    else refused.push({ id, tool, reason: checked.ok ? `At most ${MAX_CALLS} calls in one answer` : checked.reason });
  }
  return { proposals, refused };
}

interface Result {
  readonly id: string;
  readonly tool: string;
  readonly result: unknown;
}

/** Add the results of all calls in the last answer to the question. */
export function withResults(now: Question, results: readonly Result[]): Question {
  const content: ToolResultPart[] = [
    ...results.map(({ id, tool, result }) => ({
      type: 'tool-result' as const,
      toolCallId: id,
      toolName: tool,
      output: { type: 'json' as const, value: z.json().parse(result) },
    })),
    ...now.refused.map(({ id, tool, reason }) => ({
      type: 'tool-result' as const,
      toolCallId: id,
      toolName: tool,
      output: { type: 'error-text' as const, value: reason },
    })),
  ];
  return { ...now, refused: [], messages: [...now.messages, { role: 'tool', content }] };
}
