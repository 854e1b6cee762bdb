/** Simulations on the emulators: what is stored, what passes, how badly played leads are repaired, and resumption. */
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { storeRuns } from '../../llm/runs.ts';
import type { AppContext } from '../../platform/appContext.ts';
import { DEFAULT_PRODUCT_CONFIG } from '../../products/contract.ts';
import { tableFingerprints } from '../../testing/everyResource.ts';
import { createWorld, PROMPT, type World } from '../../testing/world.ts';
import type { CallResult, FinishedSample, FinishedSubject, Json, PlannedSubject, RunFacts, Work } from '../run.ts';
import { concludeSimulation } from './concludeSimulation.ts';
import { simulation } from './simulation.ts';
import { subjectInput, talkOutput } from './stored.ts';

let world: World;
let context: AppContext;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web', RAPPORT_REPLY_DEBOUNCE_SECONDS: '5' } });
  if (!world.app) throw new Error('The world has no app');
  ({ context } = world.app);
  await world.pool.query("update products set hand_over = true, hand_over_text = 'A colleague will write.'");
  const { rows } = await world.pool.query<{ id: string }>(
    "insert into prompts (product_id, name, type, text, live_text, live_version, live_since) values ($1, 'Follow-up', 'ping', $2, $2, 1, now()) returning id",
    [world.productId, 'Write to them again.\nThe showroom has free coffee.'],
  );
  const config = { use_on_no_init_msg_reply: true, steps: [{ ...STEP, prompt_id: Number(rows[0]?.id) }] };
  await world.pool.query('insert into ping_configs (product_id, is_enabled, config) values ($1, true, $2)', [
    world.productId,
    config,
  ]);
});
afterAll(() => world.close());

const STEP = { step_number: 1, after_minutes: 60, prepared_message_id: null, prompt_id: null, document_type: null };
const ENDINGS = ['buys', 'asks_for_human', 'refuses', 'falls_silent', 'opts_out'];

async function createPersona(ending: string, style = 'Polite, full sentences'): Promise<number> {
  const { rows } = await world.pool.query<{ id: string }>(
    `insert into studio_personas (product_id, name, style, language, goal, questions, objections, ending)
     values ($1, $2, $3, 'en', 'Wants a kitchen', $4, $5, $6) returning id`,
    [
      world.productId,
      `${ending}, ${style}`,
      style,
      JSON.stringify(['How much is a kitchen?', 'How long does delivery take?', 'When is the showroom open?']),
      JSON.stringify(['That is expensive.']),
      ending,
    ],
  );
  return Number(rows[0]?.id);
}

const runOf = (personaIds: readonly number[], more: Partial<RunFacts> = {}): RunFacts => ({
  kind: 'simulation',
  product: {
    id: world.productId,
    company_id: world.companyId,
    name: 'Kitchens',
    company_name: 'Kitchens Ltd',
    timezone: 'UTC',
    config: DEFAULT_PRODUCT_CONFIG,
  },
  prompt: { id: 1, name: 'Vera', type: 'prompt' },
  text: PROMPT,
  liveText: null,
  model: { vendor: 'chatgpt', model: 'gpt-4o', temperature: 0.7 },
  repeats: 3,
  withJudge: false,
  settings: {
    case_ids: null,
    dialogue_ids: null,
    persona_ids: personaIds,
    sample: 50,
    judge: { vendor: 'chatgpt', model: 'gpt-4o', temperature: 0 },
  },
  ...more,
});

/** Calls of a sample as the runner stores them: each is made once. `limit`: the process dies before the next. */
class Calls {
  readonly stored: CallResult[] = [];
  count = 0;
  async call(at: number, make: () => Promise<CallResult>, limit: number): Promise<CallResult> {
    const existing = this.stored[at];
    if (existing) return existing;
    if (this.count >= limit) throw new Error('The process died');
    this.count++;
    const result = await make();
    await storeRuns(context.reader, result.runs);
    this.stored.push(result);
    return result;
  }
}

interface Talking {
  readonly run: RunFacts;
  readonly subject: PlannedSubject;
  readonly arm?: Work['arm'];
  readonly repeat: number;
  readonly calls?: Calls;
  readonly limit?: number;
}

async function perform({ run, subject, arm = 'candidate', repeat, calls = new Calls(), limit = 1000 }: Talking) {
  let at = 0;
  const performed = await simulation.perform(context, {
    run,
    subject,
    arm,
    repeat,
    text: arm === 'live' ? run.liveText : run.text,
    outputs: [],
    signal: new AbortController().signal,
    call: (make) => calls.call(at++, make, limit),
  });
  if (performed.kind === 'failed') throw new Error(performed.reason);
  return performed;
}

async function runAll(run: RunFacts): Promise<FinishedSubject[]> {
  const finished: FinishedSubject[] = [];
  for (const [id, subject] of (await simulation.plan(context, run)).entries()) {
    const samples: FinishedSample[] = [];
    for (const { arm, repeat } of subject.samples) {
      const { output, violations, error = null } = await perform({ run, subject, arm, repeat });
      samples.push({ arm, repeat, state: 'done', output, error, violations });
    }
    finished.push({ id, subject: subject.subject, input: subject.input, samples });
  }
  return finished;
}

function verdictOf(run: RunFacts, finished: readonly FinishedSubject[], isWhole = true) {
  const concluded = concludeSimulation(run, finished, { isWhole });
  if (concluded.kind !== 'done') throw new Error('It wants more');
  const stored = concluded.results.flatMap(({ subjectId, state, result }) =>
    finished.filter(({ id }) => id === subjectId).map(({ subject }) => ({ subject, state, result })),
  );
  const verdict = simulation.toVerdict(concluded.verdict, stored);
  if (verdict.kind !== 'simulation') throw new Error(verdict.kind);
  return { verdict, results: concluded.results };
}

it('lets a good prompt pass with every kind of lead, in every circumstance, and stores nothing but its runs', async () => {
  const ids = [];
  for (const ending of ENDINGS) ids.push(await createPersona(ending));
  const before = await tableFingerprints(world.pool);
  const run = runOf(ids, { liveText: PROMPT });
  const finished = await runAll(run);
  const after = await tableFingerprints(world.pool);
  expect(Object.keys(after).filter((table) => after[table] !== before[table])).toEqual(['llm_runs', 'llm_spending']);
  const { verdict, results } = verdictOf(run, finished);
  expect(verdict.personas.map(({ name, passes, findings }) => [name, passes, findings])).toEqual(
    ENDINGS.map((ending) => [`${ending}, Polite, full sentences`, true, []]),
  );
  expect(verdict.personas[0]).toMatchObject({ candidate: { count: 3, total: 3 }, live: { count: 3, total: 3 } });
  expect(results.map(({ state, rank }) => [state, rank])).toEqual(ENDINGS.map(() => ['green', 0]));
  expect(verdict.realism).toBeNull();
  expect(verdict.notes).toEqual([
    expect.stringMatching(/^Simulated leads are more agreeable/),
    expect.stringMatching(/^Leads who had refused got follow-ups/),
  ]);
  // Both versions meet the same lead in the same circumstances.
  for (const { samples } of finished)
    for (const { arm, repeat, output } of samples)
      if (arm === 'live')
        expect(output).toEqual(samples.find((one) => one.arm === 'candidate' && one.repeat === repeat)?.output);
  const { history } = simulation.toResult?.(results[0]?.result) ?? {};
  expect(history?.at(-1)).toEqual({ side: 'bot', text: 'A colleague will write.' });
});

it('is red where one talk of three fails, says in which answer, and shows that talk', async () => {
  const run = runOf([await createPersona('buys')]);
  const [subject] = await runAll(run);
  if (!subject) throw new Error('No subject');
  const violations = [{ kind: 'known_facts', detail: 'It states the price 1 euro. (answer 2: “1 euro”)' }];
  const samples = subject.samples.map((one) =>
    one.repeat === 1
      ? { ...one, violations, output: { ...Object(one.output), lines: [{ side: 'bot', text: '1 euro' }] } }
      : one,
  );
  const { verdict, results } = verdictOf(run, [{ ...subject, samples }]);
  expect(verdict.personas).toMatchObject([
    { passes: false, candidate: { count: 2, total: 3 }, findings: [`In 1 of 3 talks: ${violations[0]?.detail}`] },
  ]);
  expect(results[0]?.state).toBe('red');
  expect(simulation.toResult?.(results[0]?.result)).toEqual({ history: [{ side: 'bot', text: '1 euro' }] });
});

it('passes nobody on missing talks, and counts a fault of ours against nobody', async () => {
  const run = runOf([await createPersona('buys')]);
  const [subject] = await runAll(run);
  if (!subject) throw new Error('No subject');
  const skipped = subject.samples.map((one) =>
    one.repeat === 2 ? { ...one, state: 'skipped' as const, output: null } : one,
  );
  const cut = verdictOf(run, [{ ...subject, samples: skipped }], false);
  expect([cut.results[0]?.state, cut.verdict.personas[0]?.passes]).toEqual(['missing', false]);
  expect(cut.verdict.notes.at(-1)).toBe('The run ended early: some talks were not had.');
  const error = 'A fault of Rapport, not of the prompt: An answer was sent after the lead had opted out.';
  const broken = subject.samples.map((one) => (one.repeat === 0 ? { ...one, error } : one));
  const { verdict, results } = verdictOf(run, [{ ...subject, samples: broken }]);
  expect(results[0]?.state).toBe('missing');
  expect(verdict.personas).toMatchObject([{ passes: false, candidate: { count: 2, total: 2 }, findings: [] }]);
  expect(verdict.notes).toContain(`1 talk does not count: ${error}`);
});

test.each([
  ['swaps_roles', { repaired: true, replaced: false }],
  ['remarks', { repaired: true, replaced: false }],
  ['ends_early', { repaired: true, replaced: false }],
  ['thinks', { repaired: false, replaced: false }],
  ['always_swaps_roles', { repaired: false, replaced: true }],
])('talks to its end although the model that plays the lead %s', async (fault, expected) => {
  const run = runOf([await createPersona('buys', `Curt. Fault: ${fault}`)], { repeats: 1 });
  const [subject] = await runAll(run);
  const output = talkOutput.parse(subject?.samples[0]?.output);
  expect({ repaired: output.repaired > 0, replaced: output.replaced > 0 }).toEqual(expected);
  const lead = output.lines.filter(({ side }) => side === 'user').map(({ text }) => text);
  expect(lead.join('\n')).not.toMatch(/how can i help|think>|as the customer|goodbye|stop/i);
  expect(lead.join('\n').toLowerCase()).toMatch(/how much[\s\S]*expensive[\s\S]*want to buy/);
  const { verdict } = subject ? verdictOf(run, [subject]) : { verdict: null };
  expect(verdict?.personas[0]?.findings ?? []).toEqual(
    expected.replaced ? [expect.stringMatching(/^In 1 of 1 talks, the model could not play this lead/)] : [],
  );
});

it('pays for no call twice when it is resumed after each of them, and is the same talk', async () => {
  const run = runOf([await createPersona('asks_for_human')]);
  const [subject] = await simulation.plan(context, run);
  if (!subject) throw new Error('No subject');
  for (const repeat of [0, 1, 2]) {
    const whole = new Calls();
    const once = await perform({ run, subject, repeat, calls: whole });
    const resumed = new Calls();
    for (let limit = 1; limit < whole.count; limit++)
      await expect(perform({ run, subject, repeat, calls: resumed, limit })).rejects.toThrow('The process died');
    expect(await perform({ run, subject, repeat, calls: resumed })).toEqual(once);
    expect(resumed.count).toBe(whole.count);
  }
});

it('measures how well simulated leads can be told from real ones that no persona was made of', async () => {
  for (let index = 0; index < 36; index++) {
    const lead = await world.lead(`Lead ${index}`);
    await world.pool.query('update dialogues set turn = 3 where contact_id = $1', [lead.contactId]);
    for (const text of ['hm', 'too expensive', 'no'])
      await world.pool.query(
        `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status)
         values ($1, $2, $3, $4, $5, 'user', 'lead', 'inbound')`,
        [world.productId, lead.contactId, await lead.dialogueId(), world.whatsapp.id, text],
      );
  }
  const ids = [];
  for (const ending of ['buys', 'refuses', 'falls_silent']) ids.push(await createPersona(ending));
  const run = runOf(ids);
  const finished = await runAll(run);
  const { verdict } = verdictOf(run, finished);
  expect(verdict.realism).toMatchObject({ count: 18, total: 18, high: 1 });
  expect(verdict.notes[1]).toMatch(
    /^Words of agreement are in \d+ % of the messages of simulated leads, and in 0 % of/,
  );
  // Nothing that a real lead has written is stored with the run: only numbers.
  expect(JSON.stringify(finished.map(({ input }) => input))).not.toContain('too expensive');
  expect(subjectInput.parse(finished[0]?.input).real?.styles).toHaveLength(12);
});

it('refuses personas of another product, and a product without any, and plans about as many calls as a talk has', async () => {
  await expect(simulation.plan(context, runOf([0]))).rejects.toThrow('This persona belongs to another product');
  const { product, settings } = runOf([]);
  const ofOther = { product: { ...product, id: 0 }, settings: { ...settings, persona_ids: null } };
  await expect(simulation.plan(context, runOf([], ofOther))).rejects.toThrow('There are no personas');
  const run = runOf([await createPersona('buys')], { repeats: 1 });
  const [subject] = await simulation.plan(context, run);
  const calls = new Calls();
  if (subject) await perform({ run, subject, repeat: 0, calls });
  const [planned] = subject?.samples ?? [];
  expect(planned).toMatchObject({ arm: 'candidate', repeat: 0 });
  expect(planned?.calls).toBeGreaterThanOrEqual(calls.count);
  expect(planned?.calls).toBeLessThan(2 * calls.count);
  expect(subject?.input satisfies Json | undefined).toBeDefined();
});
