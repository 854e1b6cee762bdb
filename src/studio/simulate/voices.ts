/**
 * Who writes in a simulated talk. Our side makes the same call as for a real lead; the lead is played by the run's model as
 * well. Each call goes through the runner, which pays for it once.
 */
import { z } from 'zod';
import { messengerMarkup } from '../../channels/markup.ts';
import { renderSystemText } from '../../conversations/generateAnswer.ts';
import { buildRepairRequest, parseAnswer } from '../../conversations/judgeQuestions.ts';
import { toLeadText } from '../../conversations/markup.ts';
import { askForReply, runPrompt } from '../../conversations/runPrompt.ts';
import { HISTORY_LIMIT, toModelMessages } from '../../conversations/systemPrompt.ts';
import type { RunRow } from '../../llm/runs.ts';
import type { ModelMessage } from '../../llm/wire/message.ts';
import { FOLLOW_UP_REQUEST } from '../../outreach/messageText.ts';
import type { AppContext } from '../../platform/appContext.ts';
import { EmptyVariable, renderMessage, TemplateError } from '../../prompts/prompt.ts';
import { answerSample, templateValuesOf } from '../answerSample.ts';
import type { Persona } from '../personaContract.ts';
import type { CallFailure, CallResult, Work } from '../run.ts';
import type { StudioOutput } from '../runContract.ts';
import type { Beat } from './beats.ts';
import { FAULT_SENTENCES, findPlayFault, plainWords, tidyPlay } from './playFaults.ts';
import { buildPlayPrompt, buildPlayRequest, type Line, PLAY_QUESTION } from './playPrompt.ts';
import type { OurText, Spoken, VoiceState, Voices } from './talk.ts';
import { leadFacts, type TalkWorld } from './talkWorld.ts';

/** How strongly a lead varies, whatever the run's own temperature: leads differ from each other. */
const LEAD_TEMPERATURE = 0.8;

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

/** Create the voices of a talk. `counts` is filled while they speak. */
export function createVoices(talking: Talking, counts: PlayCounts): Voices<CallFailure> {
  return {
    answer: (state) => answer(talking, state),
    followUp: (step, state) => followUp(talking, step, state),
    play: (lines, beat) => play(talking, { lines, beat, counts }),
  };
}

/** Have our side answer the lead. */
async function answer({ context, work, world }: Talking, state: VoiceState): Promise<Spoken<OurText, CallFailure>> {
  const facts = leadFacts(world, state);
  const found = await answerSample(context, work, { text: work.text ?? '', facts, history: toHistory(state) });
  if (found.kind === 'failed') return found;
  if (found.kind === 'no_answer') {
    const { detail: reason } = found.violation;
    return { kind: 'said', value: { output: NOTHING, written: { kind: 'none', reason }, problem: reason } };
  }
  return { kind: 'said', value: toOurText(found, world) };
}

const NOTHING: StudioOutput = { text: '', hand_over: null, stage: null, tools: [] };

/** @param answer `written`: what the model wrote; the text of `output` is what the lead would see */
function toOurText(
  { output, written: text, unusable }: { output: StudioOutput; written: string; unusable: string | null },
  world: TalkWorld,
): OurText {
  const { hand_over: reason } = output;
  if (unusable !== null) return { output, written: { kind: 'none', reason: unusable }, problem: unusable };
  const stops = output.stop_writing ?? false;
  if (reason === null && stops) return { output, written: { kind: 'stop' }, problem: null };
  if (reason === null) return { output, written: { kind: 'text', text }, problem: null };
  const written = { kind: 'hand_over', reason, detail: null, sentence: world.hand_over_text, stops } as const;
  return { output, written, problem: null };
}

const storedFollowUp = z.object({ text: z.string(), unusable: z.string().nullable() });

/** Have our side write a follow-up, from the prompt of its step. */
async function followUp(
  { context, work, world }: Talking,
  stepNumber: number,
  state: VoiceState,
): Promise<Spoken<OurText, CallFailure>> {
  const { product, model } = work.run;
  const nothing = (reason: string): Spoken<OurText, CallFailure> => ({
    kind: 'said',
    value: { output: NOTHING, written: { kind: 'none', reason }, problem: null },
  });
  const prompt = world.steps.find(({ step_number }) => step_number === stepNumber)?.prompt;
  if (!prompt) return nothing('The step has no text');
  const facts = leadFacts(world, state);
  const values = templateValuesOf(work.run, facts);
  const rendered = await renderSystemText(context, { product, text: prompt.text, values, notes: facts.notes });
  if (rendered.kind === 'failed') return nothing(rendered.detail);
  const called = await work.call(async () => {
    const { reply, run } = await askForReply(context, {
      product,
      ...model,
      purpose: 'studio',
      name: prompt.name,
      metadata: { prompt_id: prompt.id, studio: work.run.kind, arm: work.arm, step: stepNumber },
      system: rendered.system,
      messages: [...toModelMessages(toHistory(state)), FOLLOW_UP_REQUEST],
      signal: work.signal,
    });
    const runs = run ? [run] : [];
    const stored = (text: string, unusable: string | null): CallResult => ({
      kind: 'answered',
      value: { text: toStorable(text), unusable },
      runs,
    });
    if (reply.kind === 'written') return stored(reply.text, null);
    if (reply.kind === 'human_requested') return stored('', 'It asks for a human');
    if (reply.kind === 'stop_requested') return stored('', 'It says that the lead wants no more messages');
    const { reason, isPermanent, paused: isPaused, invalidAnswer } = reply;
    return invalidAnswer === undefined
      ? { kind: 'failed', reason, isPermanent, isPaused, runs }
      : stored(invalidAnswer, reason);
  });
  if (called.kind === 'failed') return called;
  const { text, unusable } = storedFollowUp.parse(called.value);
  const seen = unusable === null ? toLeadText(text, messengerMarkup[world.channel.type]) : text;
  return { kind: 'said', value: toOurText({ output: { ...NOTHING, text: seen }, written: text, unusable }, world) };
}

/** Make a text of a model storable: the database takes neither null characters nor lone surrogates. */
const toStorable = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\ufffd');

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
  if (completion.kind === 'answered') return { kind: 'answered', value: toStorable(completion.text), runs };
  const { reason, isPermanent, paused: isPaused = false } = completion;
  return { kind: 'failed', reason, isPermanent, isPaused, runs };
}

/** Render a message of the team; null: it cannot be rendered for this lead, so it would not be sent. */
export async function renderForLead(
  context: AppContext,
  { work, world, text }: { work: Work; world: TalkWorld; text: string },
): Promise<string | null> {
  try {
    const values = templateValuesOf(work.run, leadFacts(world, { now: world.from, stage: 'initial' }));
    return (await renderMessage(context, { product: work.run.product, text, values })).trim() || null;
  } catch (error) {
    if (error instanceof EmptyVariable || error instanceof TemplateError) return null;
    throw error;
  }
}

const toHistory = ({ history }: VoiceState) => history.slice(-HISTORY_LIMIT).map((line) => ({ ...line, kind: 'text' }));
