/** A gate in which checks took too long: what nobody knows is no pass. */
import { expect, it } from 'vitest';
import { DEFAULT_PRODUCT_CONFIG } from '../../products/contract.ts';
import { UNDECIDED } from '../checks/inThread.ts';
import type { FinishedSample, RunFacts, Violation } from '../run.ts';
import { type CaseInput, createGateKind } from './gateKind.ts';

const gate = createGateKind({
  isCalibrated: async () => false,
  checkRubric: async () => ({ kind: 'judged', violation: null }),
});

const MODEL = { vendor: 'chatgpt', model: 'gpt-4o', temperature: 0 } as const;
const run: RunFacts = {
  kind: 'gate',
  product: { id: 1, company_id: 1, name: 'K', company_name: 'K', timezone: 'UTC', config: DEFAULT_PRODUCT_CONFIG },
  prompt: { id: 1, name: 'Vera', type: 'prompt' },
  text: 'New',
  liveText: 'Old',
  model: MODEL,
  repeats: 3,
  withJudge: false,
  settings: { case_ids: null, dialogue_ids: null, persona_ids: null, sample: 50, judge: MODEL },
};

const input: CaseInput = {
  revision: 1,
  source: 'manual',
  facts: {
    lead: { name: 'Anna', stage: 'ongoing', crm_fields: {} },
    contact: { contact: '79991234567', type: 'whatsapp' },
    documents: {},
    now: '2026-03-01T12:00:00.000Z',
    texts: [],
    notes: [],
    may_hand_over: true,
    as_of_creation: [],
  },
  history: [],
  requirements: [{ kind: 'not_matches', pattern: 'x' }],
  rubric: null,
  asks_judge: false,
  counts_judge: false,
};

const UNKNOWN: Violation = { kind: UNDECIDED, detail: 'Checking the pattern x took longer than 5 seconds.' };
const BROKEN: Violation = { kind: 'no_tool', detail: 'It calls request_human.' };

/** The state of a gate with one case, and the reasons of the case, by the violations of each answer. */
async function conclude(candidate: Violation[][], live: Violation[][]) {
  const samples = [...candidate, ...live].map(
    (violations, index): FinishedSample => ({
      arm: index < candidate.length ? 'candidate' : 'live',
      repeat: index % candidate.length,
      state: 'done',
      output: { text: 'Hello', hand_over: null, stage: null, tools: [] },
      error: null,
      violations,
    }),
  );
  const subject = {
    kind: 'case',
    name: 'Price',
    case_id: 1,
    dialogue_id: null,
    lead_id: null,
    message_id: null,
    persona_id: null,
  } as const;
  // A gate concludes without threads.
  const concluded = gate.conclude(run, [{ id: 1, subject, input, samples }], { round: 1, isWhole: true } as never);
  const done = await concluded;
  if (done.kind !== 'done') throw new Error('It wants more');
  const verdict = gate.toVerdict(
    done.verdict,
    done.results.map(({ state, result }) => ({ subject, state, result })),
  );
  if (verdict.kind !== 'gate') throw new Error(verdict.kind);
  return { state: verdict.state, reasons: verdict.cases.flatMap(({ reasons }) => reasons) };
}

it('does not pass if no answer could be checked in time, of the candidate or of what is live', async () => {
  const unknown = [[UNKNOWN], [UNKNOWN], [UNKNOWN]];
  const expected = { state: 'missing', reasons: [`Too few answers: ${UNKNOWN.detail}`] };
  expect(await conclude(unknown, unknown)).toEqual(expected);
  expect(await conclude([[], [], [UNKNOWN]], [[], [], []])).toEqual(expected);
  expect(await conclude([[], [], []], [[], [UNKNOWN], []])).toEqual(expected);
  expect(await conclude([[], [], []], [[], [], []])).toEqual({ state: 'green', reasons: [] });
});

it('is red for a ban that is certainly violated, whatever else took too long', async () => {
  const found = await conclude([[UNKNOWN, BROKEN], [UNKNOWN], []], [[], [], []]);
  expect(found).toEqual({ state: 'red', reasons: [BROKEN.detail] });
});
