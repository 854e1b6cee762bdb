/**
 * Has a model answer as in production, with the driver removed and nothing in its place: the same rendering, system text,
 * history, tools and guard as for a lead, in runs that belong to no dialogue.
 */

import { z } from 'zod';
import { messengerMarkup } from '../channels/markup.ts';
import { generateAnswer, renderSystemText } from '../conversations/generateAnswer.ts';
import { REQUEST_HUMAN } from '../conversations/humanRequest.ts';
import { type Asking, askQuestion, type JudgeCompletion, type JudgeResult, judge } from '../conversations/judge.ts';
import { type JudgeQuestion, NAME_STAGE_QUESTION } from '../conversations/judgeQuestions.ts';
import { toLeadText } from '../conversations/markup.ts';
import { type PromptLookup, promptLookupOf } from '../conversations/promptLookup.ts';
import { type PromptRunInput, runPrompt } from '../conversations/runPrompt.ts';
import { STOP_WRITING } from '../conversations/stopWriting.ts';
import type { ConversationMessage } from '../conversations/systemPrompt.ts';
import { buildTemplateValues } from '../conversations/templateValues.ts';
import type { RunRow } from '../llm/runs.ts';
import type { AppContext } from '../platform/appContext.ts';
import { renderPrompt, type TemplateValues } from '../prompts/prompt.ts';
import type { CaseFacts } from './caseContract.ts';
import type { CallFailure, CallResult, Json, RunModel, Violation, Work } from './run.ts';
import { type StudioOutput, studioOutput } from './runContract.ts';

/** What an answer is made from. */
export interface AnswerInput {
  /** The prompt's template. */
  readonly text: string;
  readonly facts: CaseFacts;
  readonly history: readonly ConversationMessage[];
}

export type SampleAnswer =
  | {
      readonly kind: 'answered';
      /** Its text is what the lead would see. */
      readonly output: StudioOutput;
      /** What the model wrote. */
      readonly written: string;
      /** Why the answer would not reach the lead; null: it would. */
      readonly unusable: string | null;
      /** The system text. */
      readonly system: string;
    }
  /** The prompt cannot be rendered: it would answer nobody. */
  | { readonly kind: 'no_answer'; readonly violation: Violation }
  | CallFailure;

/** Return the values that templates get in a case. */
export function templateValuesOf({ product }: Work['run'], facts: CaseFacts): TemplateValues {
  const { lead, contact, documents, now } = facts;
  const { contact: address, type } = contact;
  return buildTemplateValues({
    product,
    lead: { id: null, ...lead },
    contact: { contact: address, contact_type: type },
    document: documents,
    now,
  });
}

const storedAnswer = z.object({ output: studioOutput, unusable: z.string().nullable() });

/** Have the run's model answer a conversation. */
export async function answerSample(context: AppContext, work: Work, input: AnswerInput): Promise<SampleAnswer> {
  const { product, prompt, model } = work.run;
  const { text, facts, history } = input;
  const values = templateValuesOf(work.run, facts);
  const rendered = await renderSystemText(context, { product, text, values, notes: facts.notes });
  if (rendered.kind === 'failed') return noAnswer(rendered.detail);
  const { system } = rendered;
  const called = await work.call(async () => {
    const lookup = recordCalls(
      promptLookupOf(
        facts.texts.map(({ description, ...one }) => ({ ...one, rag_description: description })),
        (one) => renderPrompt(context, { product, text: one, values }),
      ),
    );
    const { reply, run } = await generateAnswer(context, {
      product,
      ...model,
      purpose: 'studio',
      prompt,
      metadata: metadataOf(work),
      system,
      history,
      lookup: lookup?.lookup ?? null,
      mayRequestHuman: facts.may_hand_over,
      mayStopWriting: true,
      signal: work.signal,
    });
    const runs = run === null ? [] : [run];
    const tools = lookup?.called ?? [];
    const output = { text: '', hand_over: null, stage: null, tools };
    if (reply.kind === 'written') return answered({ output: { ...output, text: storable(reply.text) }, runs });
    if (reply.kind === 'human_requested') {
      const handOver = { ...output, hand_over: reply.reason, tools: [...tools, REQUEST_HUMAN.name] };
      return answered({ output: reply.stops ? withStop(handOver) : handOver, runs });
    }
    if (reply.kind === 'stop_requested') return answered({ output: withStop(output), runs });
    const { invalidAnswer, reason, isPermanent, paused } = reply;
    if (invalidAnswer === undefined) return { kind: 'failed', reason, isPermanent, isPaused: paused, runs };
    return answered({ output: { ...output, text: storable(invalidAnswer) }, unusable: reason, runs });
  });
  if (called.kind === 'failed') return called;
  const { output, unusable } = storedAnswer.parse(called.value);
  const seen = unusable === null ? toLeadText(output.text, messengerMarkup[facts.contact.type]) : output.text;
  return { kind: 'answered', output: { ...output, text: seen }, written: output.text, unusable, system };
}

const withStop = (output: StudioOutput): StudioOutput => ({
  ...output,
  stop_writing: true,
  tools: [...output.tools, STOP_WRITING.name],
});

const noAnswer = (detail: string): SampleAnswer => ({
  kind: 'no_answer',
  violation: { kind: 'template', detail: `The prompt cannot be filled in: ${detail}` },
});

function answered({
  output,
  unusable = null,
  runs,
}: {
  output: StudioOutput;
  unusable?: string | null;
  runs: readonly RunRow[];
}): CallResult {
  return { kind: 'answered', value: { output, unusable }, runs };
}

const MAX_TEXT = 20_000;

/** Make a text of a model storable: the database takes neither null characters nor lone surrogates. */
const storable = (text: string): string => text.slice(0, MAX_TEXT).toWellFormed().replaceAll('\u0000', '\ufffd');

/** Record which of the lookup's tools the model calls. */
function recordCalls(lookup: PromptLookup | null): { readonly lookup: PromptLookup; readonly called: string[] } | null {
  if (lookup === null) return null;
  const called: string[] = [];
  const tools = lookup.tools.map(({ execute, ...tool }) => ({
    ...tool,
    execute: async (input: unknown) => {
      called.push(tool.name);
      return (await execute?.(input)) ?? '';
    },
  }));
  return { lookup: { ...lookup, tools }, called };
}

/** What a run of a model says about the sample that it was made for. */
const metadataOf = ({ run, arm, subject }: Work): Record<string, unknown> => ({
  ...(run.prompt.id === null ? {} : { prompt_id: run.prompt.id }),
  studio: run.kind,
  arm,
  subject: subject.key,
});

interface JudgedSample {
  /** The prompt's template, and its name for the run. */
  readonly text: string;
  readonly name: string;
  readonly facts: CaseFacts;
  readonly history: readonly ConversationMessage[];
  /** By default the run's. */
  readonly model?: RunModel;
}

type Judged<T> =
  | { readonly kind: 'judged'; readonly value: T }
  /** The model answers, but not as it has to: another try would get the same. */
  | { readonly kind: 'unusable'; readonly reason: string }
  | CallFailure;

/**
 * Ask a model a question about a conversation, as classification does. An answer that cannot be used after a repair is a
 * value.
 */
export function judgeSample<T>(
  context: AppContext,
  work: Work,
  {
    text,
    name,
    facts,
    history,
    question,
    model = work.run.model,
  }: JudgedSample & { readonly question: JudgeQuestion<T> },
): Promise<Judged<T>> {
  return withCalls(context, work, (callModel) =>
    judge(
      context,
      {
        product: work.run.product,
        purpose: 'studio',
        prompt: { ...(work.run.prompt.id === null ? {} : { id: work.run.prompt.id }), name, text },
        values: templateValuesOf(work.run, facts),
        messages: history,
        model: { vendor: model.vendor, model: model.model, temperature: model.temperature },
        callModel,
      },
      question,
    ),
  );
}

/** Ask a model a question about data that is no conversation alone. */
export function askSample<T>(
  context: AppContext,
  work: Work,
  asked: {
    readonly question: JudgeQuestion<T>;
    readonly name: string;
    readonly system: string;
    readonly content: string;
    readonly model: RunModel;
  },
): Promise<Judged<T>> {
  const { question, name, system, content, model } = asked;
  const { vendor, model: modelName, temperature } = model;
  const call = { product: work.run.product, purpose: 'studio' as const, name, metadata: {}, system };
  return withCalls(context, work, (callModel) =>
    askQuestion(question, { call: { ...call, vendor, model: modelName, temperature }, content, callModel }),
  );
}

/** Ask with calls that belong to the sample. */
async function withCalls<T>(
  context: AppContext,
  work: Work,
  ask: (callModel: Asking['callModel']) => Promise<JudgeResult<T>>,
): Promise<Judged<T>> {
  // Set by the last call: a failure of the model is told from an answer that cannot be used.
  let failure: CallFailure | null = null;
  const judged = await ask(async (call) => {
    const result = await callForJudge(context, work, call);
    failure = result.kind === 'failed' ? result : null;
    return result.kind === 'failed' ? { ...result, paused: result.isPaused } : result;
  });
  if (judged.kind === 'judged') return judged;
  return failure ?? { kind: 'unusable', reason: judged.reason };
}

const storedText = z.object({ text: z.string() });

async function callForJudge(
  context: AppContext,
  work: Work,
  call: PromptRunInput,
): Promise<Extract<JudgeCompletion, { kind: 'answered' }> | CallFailure> {
  const result = await work.call(async () => {
    const runs: RunRow[] = [];
    const { completion } = await runPrompt(context, {
      ...call,
      metadata: { ...call.metadata, ...metadataOf(work) },
      signal: work.signal,
      onRun: (run) => runs.push(run),
    });
    if (completion.kind === 'answered') {
      const value: Json = { text: storable(completion.text) };
      return { kind: 'answered', value, runs };
    }
    const { reason, isPermanent, paused = false } = completion;
    return { kind: 'failed', reason, isPermanent, isPaused: paused, runs };
  });
  return result.kind === 'failed' ? result : { kind: 'answered', text: storedText.parse(result.value).text };
}

/** Have the run's model name the stage of a conversation. */
export async function classifySample(context: AppContext, work: Work, input: AnswerInput): Promise<SampleAnswer> {
  const judged = await judgeSample(context, work, {
    ...input,
    name: work.run.prompt.name,
    question: NAME_STAGE_QUESTION,
  });
  const output: StudioOutput = { text: '', hand_over: null, stage: null, tools: [] };
  if (judged.kind === 'failed') return judged;
  if (judged.kind === 'unusable')
    return { kind: 'answered', output, written: '', unusable: judged.reason, system: input.text };
  const { stage, reason } = judged.value;
  return {
    kind: 'answered',
    output: { ...output, stage, text: reason },
    written: reason,
    unusable: null,
    system: input.text,
  };
}
