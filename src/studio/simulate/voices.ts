/**
 * Who writes in a simulated talk. Our side makes the same call as for a real lead; the lead is played by the run's model as
 * well. Each call goes through the runner, which pays for it once.
 */
import { z } from 'zod';
import { generateAnswer, renderSystemText } from '../../conversations/generateAnswer.ts';
import { buildRepairRequest, parseAnswer } from '../../conversations/judgeQuestions.ts';
import { promptLookupOf } from '../../conversations/promptLookup.ts';
import { askForReply, runPrompt } from '../../conversations/runPrompt.ts';
import { HISTORY_LIMIT, toModelMessages } from '../../conversations/systemPrompt.ts';
import { buildTemplateValues } from '../../conversations/templateValues.ts';
import { botHandOverReasons } from '../../leads/lead.ts';
import type { RunRow } from '../../llm/runs.ts';
import type { ModelMessage } from '../../llm/wire/message.ts';
import { FOLLOW_UP_REQUEST } from '../../outreach/messageText.ts';
import type { AppContext } from '../../platform/appContext.ts';
import {
  EmptyVariable,
  renderMessage,
  renderPrompt,
  TemplateError,
  type TemplateValues,
} from '../../prompts/prompt.ts';
import type { Persona } from '../personaContract.ts';
import type { CallFailure, CallResult, Work } from '../run.ts';
import type { Beat } from './beats.ts';
import { FAULT_SENTENCES, findPlayFault, plainWords, tidyPlay } from './playFaults.ts';
import { buildPlayPrompt, buildPlayRequest, type Line, PLAY_QUESTION } from './playPrompt.ts';
import type { OurText, Spoken, VoiceState, Voices } from './talk.ts';
import { LEAD_CONTACT, LEAD_NAME, type TalkWorld } from './talkWorld.ts';

/** How strongly a lead varies, whatever the run's own temperature: leads differ from each other. */
const LEAD_TEMPERATURE = 0.8;

/** An answer of our side as the runner stores it. */
const storedAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('written'), text: z.string(), tools: z.array(z.string()) }),
  z.object({
    kind: z.literal('hand_over'),
    reason: z.enum(botHandOverReasons),
    detail: z.string().nullable(),
    tools: z.array(z.string()),
  }),
  /** What the model wrote cannot be sent to a person. */
  z.object({ kind: z.literal('unusable'), text: z.string(), reason: z.string(), tools: z.array(z.string()) }),
]);
type StoredAnswer = z.output<typeof storedAnswer>;

/** How well the lead was played. */
export interface PlayCounts {
  /** Turns that had to be written again, and those that were replaced by the step's own words. */
  repaired: number;
  replaced: number;
}

interface Talking {
  readonly context: AppContext;
  readonly work: Work;
  readonly world: TalkWorld;
  readonly persona: Persona;
}

/** The facts of a simulated lead, for templates. */
export const valuesOf = ({ run }: Work, world: TalkWorld, now: number): TemplateValues =>
  buildTemplateValues({
    product: run.product,
    lead: { id: null, name: LEAD_NAME, stage: 'ongoing', crm_fields: {} },
    contact: { contact: LEAD_CONTACT, contact_type: world.channel.type },
    document: {},
    now: new Date(now).toISOString(),
  });

/** Create the voices of a talk. `counts` is filled while they speak. */
export function createVoices(talking: Talking, counts: PlayCounts): Voices<CallFailure> {
  return {
    answer: (state) => answer(talking, state),
    followUp: (step, state) => followUp(talking, step, state),
    play: (lines, beat) => play(talking, { lines, beat, counts }),
  };
}

/** Have our side answer the lead. */
async function answer(talking: Talking, state: VoiceState): Promise<Spoken<OurText, CallFailure>> {
  const { context, work, world } = talking;
  const { run } = work;
  const product = run.product;
  const values = withStage(valuesOf(work, world, state.now), state);
  const text = work.text ?? '';
  const rendered = await renderSystemText(context, { product, text, values, notes: [] });
  if (rendered.kind === 'failed') return permanentFailure(`The prompt cannot be rendered: ${rendered.detail}`);
  const render = (template: string) => renderPrompt(context, { product, text: template, values });
  const lookup = promptLookupOf(
    world.texts.map(({ description, ...one }) => ({ ...one, rag_description: description })),
    render,
  );
  return callOurSide(talking, async () => {
    const { reply, run: row } = await generateAnswer(context, {
      product,
      ...run.model,
      purpose: 'studio',
      prompt: run.prompt,
      metadata: { prompt_id: run.prompt.id, arm: work.arm },
      system: rendered.system,
      history: toHistory(state),
      lookup,
      mayRequestHuman: world.hand_over,
      signal: work.signal,
    });
    const tools = (lookup?.promptsRead.length ?? 0) > 0 ? ['read_prompts'] : [];
    return toCallResult(reply, row, tools);
  });
}

/** Have our side write a follow-up. */
async function followUp(
  talking: Talking,
  stepNumber: number,
  state: VoiceState,
): Promise<Spoken<OurText, CallFailure>> {
  const { context, work, world } = talking;
  const { run } = work;
  const prompt = world.steps.find(({ step_number }) => step_number === stepNumber)?.prompt;
  const output = { text: '', hand_over: null, stage: null, tools: [] };
  if (!prompt)
    return {
      kind: 'said',
      value: { output, written: { kind: 'none', reason: 'The step has no text' }, problem: null },
    };
  const values = withStage(valuesOf(work, world, state.now), state);
  const rendered = await renderSystemText(context, { product: run.product, text: prompt.text, values, notes: [] });
  if (rendered.kind === 'failed') return permanentFailure(`A follow-up cannot be rendered: ${rendered.detail}`);
  return callOurSide(talking, async () => {
    const { reply, run: row } = await askForReply(context, {
      product: run.product,
      ...run.model,
      purpose: 'studio',
      name: prompt.name,
      metadata: { prompt_id: prompt.id, arm: work.arm, step: stepNumber },
      system: rendered.system,
      messages: [...toModelMessages(toHistory(state)), FOLLOW_UP_REQUEST],
      signal: work.signal,
    });
    return toCallResult(reply, row, []);
  });
}

async function callOurSide(
  { work, world }: Talking,
  make: () => Promise<CallResult>,
): Promise<Spoken<OurText, CallFailure>> {
  const called = await work.call(make);
  if (called.kind === 'failed') return called;
  return toOurText(storedAnswer.parse(called.value), world);
}

type Reply = Awaited<ReturnType<typeof askForReply>>['reply'];

/** Convert what a model has answered to what the runner stores. An answer that cannot be sent is one too. */
function toCallResult(reply: Reply, row: RunRow | null, tools: string[]): CallResult {
  const runs = row ? [row] : [];
  const stored = (value: StoredAnswer): CallResult => ({ kind: 'answered', value, runs });
  switch (reply.kind) {
    case 'written':
      return stored({ kind: 'written', text: reply.text, tools });
    case 'human_requested':
      return stored({ kind: 'hand_over', reason: reply.reason, detail: reply.detail, tools });
    case 'failed': {
      const { reason, isPermanent, paused: isPaused, invalidAnswer } = reply;
      if (invalidAnswer !== undefined)
        return stored({ kind: 'unusable', text: invalidAnswer, reason: reason.replace(/^Unusable: /, ''), tools });
      return { kind: 'failed', reason, isPermanent, isPaused, runs };
    }
    default:
      return reply satisfies never;
  }
}

/** Return what our side says, and how it is scored. */
function toOurText(stored: StoredAnswer, world: TalkWorld): Spoken<OurText, CallFailure> {
  const output = { text: '', hand_over: null, stage: null, tools: stored.tools };
  switch (stored.kind) {
    case 'written':
      return {
        kind: 'said',
        value: {
          output: { ...output, text: stored.text },
          written: { kind: 'text', text: stored.text },
          problem: null,
        },
      };
    case 'hand_over': {
      const { reason, detail } = stored;
      const written = { kind: 'hand_over', reason, detail, sentence: world.hand_over_text } as const;
      const tools = [...stored.tools, 'request_human'];
      return { kind: 'said', value: { output: { ...output, hand_over: reason, tools }, written, problem: null } };
    }
    case 'unusable': {
      const { text, reason } = stored;
      return {
        kind: 'said',
        value: { output: { ...output, text }, written: { kind: 'none', reason }, problem: reason },
      };
    }
    default:
      return stored satisfies never;
  }
}

/** Have the lead write its step: once more if there is a fault in it, and in the step's own words after that. */
async function play(
  { context, work, persona }: Talking,
  { lines, beat, counts }: { lines: readonly Line[]; beat: Beat; counts: PlayCounts },
): Promise<Spoken<readonly string[], CallFailure>> {
  const ours = lines.filter(({ side }) => side === 'bot').map(({ text }) => text);
  const messages: ModelMessage[] = [{ role: 'user', content: buildPlayRequest(lines, beat) }];
  for (let attempt = 0; attempt < 2; attempt++) {
    const called = await work.call(() => askLead(context, { work, system: buildPlayPrompt(persona), messages }));
    if (called.kind === 'failed') return called;
    const text = z.string().parse(called.value);
    const parsed = parseAnswer(PLAY_QUESTION, text);
    const written = parsed.ok ? tidyPlay(parsed.value.messages) : [];
    const fault = parsed.ok ? findPlayFault(written, beat, ours) : null;
    if (parsed.ok && fault === null) {
      counts.repaired += attempt;
      return { kind: 'said', value: written };
    }
    const problem = fault === null ? (parsed.ok ? '' : parsed.problem) : FAULT_SENTENCES[fault];
    messages.push(
      { role: 'assistant', content: text.slice(0, MAX_QUOTED).trim() || '(nothing)' },
      { role: 'user', content: buildRepairRequest(PLAY_QUESTION, problem) },
    );
  }
  counts.replaced++;
  return { kind: 'said', value: plainWords(beat, persona.language) };
}

/** Longest part of an answer that the model sees again, characters. */
const MAX_QUOTED = 2000;

async function askLead(
  context: AppContext,
  { work, system, messages }: { work: Work; system: string; messages: readonly ModelMessage[] },
): Promise<CallResult> {
  const { product, model } = work.run;
  const runs: RunRow[] = [];
  const { completion } = await runPrompt(context, {
    product,
    vendor: model.vendor,
    model: model.model,
    temperature: LEAD_TEMPERATURE,
    purpose: 'studio',
    name: 'Simulated lead',
    metadata: { arm: work.arm },
    system,
    messages,
    signal: work.signal,
    onRun: (row) => runs.push(row),
  });
  if (completion.kind === 'answered') return { kind: 'answered', value: completion.text, runs };
  const { reason, isPermanent, paused: isPaused = false } = completion;
  return { kind: 'failed', reason, isPermanent, isPaused, runs };
}

/** Render a message of the team; null: it cannot be rendered for this lead, so it would not be sent. */
export async function renderForLead(
  context: AppContext,
  { work, world, text }: { work: Work; world: TalkWorld; text: string },
): Promise<string | null> {
  try {
    const values = valuesOf(work, world, world.from);
    return (await renderMessage(context, { product: work.run.product, text, values })).trim() || null;
  } catch (error) {
    if (error instanceof EmptyVariable || error instanceof TemplateError) return null;
    throw error;
  }
}

const withStage = (values: TemplateValues, { stage }: VoiceState): TemplateValues => ({
  ...values,
  lead: { ...values.lead, stage },
});

const toHistory = ({ history }: VoiceState) => history.slice(-HISTORY_LIMIT).map((line) => ({ ...line, kind: 'text' }));

const permanentFailure = (reason: string): CallFailure => ({
  kind: 'failed',
  reason,
  isPermanent: true,
  isPaused: false,
});
