/**
 * The run kind `simulation`: personas talk with the candidate and with what is live, each as often as the run repeats, in
 * the same circumstances. A persona passes if every one of its talks meets every check (pass^k).
 */
import type { z } from 'zod';
import type { AppContext } from '../../platform/appContext.ts';
import { refuse } from '../../platform/refuse.ts';
import { renderPrompt, TemplateError } from '../../prompts/prompt.ts';
import { templateValuesOf } from '../answerSample.ts';
import { scoreInThread } from '../checks/inThread.ts';
import { type Persona, persona } from '../personaContract.ts';
import type { Performed, PlannedSample, PlannedSubject, Planning, RunFacts, RunKindPlan, Work } from '../run.ts';
import { studioRefusals } from '../runContract.ts';
import { readHeldOutTalks, readPersonas } from '../store/personas.ts';
import { planBeats } from './beats.ts';
import { concludeSimulation, toSimulationResult, toSimulationVerdict } from './concludeSimulation.ts';
import { createDraw } from './draw.ts';
import { findEngineFaults } from './engineFaults.ts';
import { readTalkWorld } from './readTalkWorld.ts';
import { agreementOf, FEWEST_MESSAGES, styleOf } from './realism.ts';
import { subjectInput, type talkOutput } from './stored.ts';
import { type GeneratedAnswer, runTalk, type Talk } from './talk.ts';
import { leadFacts, type TalkWorld } from './talkWorld.ts';
import { createVoices, type PlayCounts, renderForLead } from './voices.ts';

/** Most personas of a run, and most real talks that simulated ones are compared with. */
const MAX_PERSONAS = 100;
const MAX_REAL_TALKS = 120;
/** Characters that the messages of a talk take on average when one of them is written, and that one has. */
const TALK_LENGTH = 1500;
const ANSWER_LENGTH = 300;

export const simulation: RunKindPlan = {
  kind: 'simulation',
  promptTypes: ['prompt'],
  plan: planSimulation,
  perform: performTalk,
  conclude: concludeSimulation,
  toVerdict: toSimulationVerdict,
  toResult: toSimulationResult,
};

async function planSimulation({ reader }: Planning, run: RunFacts): Promise<readonly PlannedSubject[]> {
  const { id: productId } = run.product;
  const { persona_ids: ids } = run.settings;
  const found = await readPersonas(reader, { productId, ids, limit: MAX_PERSONAS });
  if (ids !== null && found.length < Math.min(new Set(ids).size, MAX_PERSONAS))
    throw refuse(studioRefusals, 'studio.other_product', { noun: 'persona' });
  if (found.length === 0) throw refuse(studioRefusals, 'studio.no_personas');
  const world = await readTalkWorld(reader, productId);
  if (!world) return [];
  const talks = (await readHeldOutTalks(reader, productId, MAX_REAL_TALKS)).filter(
    (texts) => texts.length >= FEWEST_MESSAGES,
  );
  const real = { styles: talks.map((texts) => [...styleOf(texts)]), agreement: agreementOf(talks) };
  return found.map((one, index) => ({
    key: `persona ${one.id}`,
    subject: {
      kind: 'persona',
      name: one.name,
      case_id: null,
      dialogue_id: null,
      lead_id: null,
      message_id: null,
      persona_id: one.id,
    },
    history: [],
    real: null,
    input: { persona: { ...one }, world, real: index === 0 ? real : null },
    samples: planSamples(run, one),
  }));
}

/** Calls beyond one of each side for every step: bursts that are answered twice, follow-ups, turns written again. */
const MORE_CALLS = 3;

/** Plan the talks of a persona. */
function planSamples(run: RunFacts, one: z.output<typeof persona>): PlannedSample[] {
  const arms = run.liveText === null ? (['candidate'] as const) : (['candidate', 'live'] as const);
  return Array.from({ length: run.repeats }, (_none, repeat) => repeat).flatMap((repeat) =>
    arms.map((arm) => ({
      arm,
      repeat,
      calls: 2 * planBeats(one, createDraw(`${one.id} ${repeat}`), repeat).length + MORE_CALLS,
      call: { sent: run.text.length + TALK_LENGTH, received: ANSWER_LENGTH },
    })),
  );
}

/** Have one talk. */
async function performTalk(context: AppContext, work: Work): Promise<Performed> {
  const { persona: played, world } = subjectInput.parse(work.subject.input);
  const draw = createDraw(`${played.id} ${work.repeat}`);
  const counts: PlayCounts = { repaired: 0, replaced: 0 };
  const render = (text: string) => renderForLead(context, { work, world, text });
  const preparedSteps = new Map<number, string>();
  for (const { step_number: step, template } of world.steps) {
    const text = template === null ? null : await render(template);
    if (text !== null) preparedSteps.set(step, text);
  }
  const outcome = await runTalk({
    world,
    productId: work.run.product.id,
    beats: planBeats(played, draw, work.repeat),
    repeat: work.repeat,
    draw,
    debounceSeconds: context.config.replyDebounceSeconds,
    firstMessage: world.first_message === null ? null : await render(world.first_message),
    preparedSteps,
    voices: createVoices({ context, work, world, persona: played }, counts),
  });
  if (outcome.kind === 'failed') return outcome;
  return conclusionOf(context, { work, world, persona: played, talk: outcome.value, counts });
}

interface Finished {
  readonly work: Work;
  readonly world: TalkWorld;
  readonly persona: Persona;
  readonly talk: Talk;
  readonly counts: PlayCounts;
}

/** Score a talk, and check that it broke no guarantee of the product. */
async function conclusionOf(
  context: AppContext,
  { work, world, persona: played, talk, counts }: Finished,
): Promise<Performed> {
  if (talk.lines.length === 0)
    return { kind: 'done', output: null, error: 'Our first message never left, so nobody answered.', violations: [] };
  const texts = [work.text ?? '', ...world.steps.flatMap(({ prompt }) => prompt?.text ?? [])];
  const violations = await scoreInThread({ threads: context.threads, companyId: work.run.product.company_id }, talk, {
    persona: played,
    promptText: await renderAll(context, { work, world, texts }),
    facts: leadFacts(world, { now: world.from, stage: 'ongoing' }),
    mayHandOver: world.hand_over,
  });
  const faults = findEngineFaults(talk, world);
  if (faults.length > 0) context.log.error({ faults, persona: played.id }, 'a simulated talk breaks a guarantee');
  const visible = violations.find(({ answer }) => answer !== null)?.answer ?? talk.answers.at(-1);
  return {
    kind: 'done',
    output: { ...outputOf(talk, counts, visible), pursued: played.ending === 'refuses' && isPursued(talk) },
    violations: violations.map(({ kind, detail }) => ({ kind, detail })),
    ...(faults.length > 0 ? { error: `A fault of Rapport, not of the prompt: ${faults.join('. ')}.` } : {}),
  };
}

/** What is stored of a talk: the answer that is visible, the whole talk, and the style of the lead. */
function outputOf(talk: Talk, { repaired, replaced }: PlayCounts, visible: GeneratedAnswer | undefined) {
  const written = talk.lines.filter(({ side }) => side === 'user').map(({ text }) => text);
  const handOver = talk.answers.find(({ output: { hand_over: reason } }) => reason !== null)?.output.hand_over ?? null;
  const { text = '', tools = [] } = visible?.output ?? {};
  return {
    text,
    hand_over: handOver,
    stage: null,
    tools: [...tools],
    lines: talk.lines.map(({ side, text: line }) => ({ side, text: line })),
    style: written.length >= FEWEST_MESSAGES ? [...styleOf(written)] : null,
    agreement: agreementOf([written]),
    repaired,
    replaced,
  } satisfies Omit<z.output<typeof talkOutput>, 'pursued'>;
}

/** Whether follow-ups were sent after the lead had ended the talk. */
const isPursued = ({ endedAt, sent }: Talk): boolean =>
  endedAt !== null && sent.some(({ step, at }) => step !== null && at > endedAt);

/** Fill in the variables of templates; what cannot be rendered stays as it is written. */
async function renderAll(
  context: AppContext,
  { work, world, texts }: { work: Work; world: TalkWorld; texts: readonly string[] },
): Promise<string> {
  const values = templateValuesOf(work.run, leadFacts(world, { now: world.from, stage: 'ongoing' }));
  const rendered: string[] = [];
  for (const text of texts)
    try {
      rendered.push(await renderPrompt(context, { product: work.run.product, text, values }));
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      rendered.push(text);
    }
  return rendered.join('\n\n');
}
