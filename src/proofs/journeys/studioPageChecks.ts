/** The prompt studio: test cases, runs of each kind, simulated leads and the judge. */
import { studioCases } from '../../studio/caseContract.ts';
import { listJudgePairs, readCalibration } from '../../studio/judgeContract.ts';
import { personas } from '../../studio/personaContract.ts';
import {
  estimateStudioRun,
  listStudioResults,
  listStudioRuns,
  type RunVerdict,
  readStudioRun,
  type StudioResult,
  type StudioRun,
} from '../../studio/runContract.ts';
import { dialog, role, text } from './find.ts';
import { check, type PageCheck } from './pageCheck.ts';
import { click, press, shows } from './steps.ts';
import { answer, emptyList } from './stubs.ts';

const AT = '2026-11-02T10:00:00.000Z';
const ID = 900_001;

const QUESTION = 'How much is a kitchen with oak fronts, and when could you fit it?';
const LIVE = 'A kitchen with oak fronts begins at 12,500 euros. How long is the wall it will stand against?';
const CANDIDATE =
  'Oak fronts begin at 11,900 euros, and we can fit it in six weeks. Shall I send you https://lindgren.example/oak?';

const listOf = (...items: readonly object[]) => ({ items, total: items.length, page: 1, limit: 25 });

const testCase = {
  id: ID,
  product_id: 1,
  prompt_id: null,
  prompt_type: 'prompt',
  name: QUESTION,
  source: 'never',
  message_id: null,
  dialogue_id: null,
  lead_id: null,
  history: [
    { side: 'bot', text: 'Hello Tom! This is Vera of Lindgren Studio.', kind: 'text' },
    { side: 'user', text: QUESTION, kind: 'text' },
  ],
  facts: {
    lead: { name: 'Tom Lopez', stage: 'ongoing', crm_fields: { City: 'Leeds', Budget: 12_000 } },
    contact: { contact: '447700900123', type: 'whatsapp' },
    documents: {},
    now: AT,
    texts: [{ id: 7, name: 'Prices', version: 1, description: 'What kitchens cost', text: 'Oak: 12,500' }],
    notes: [],
    may_hand_over: true,
    as_of_creation: ['documents', 'notes'],
  },
  answer: CANDIDATE,
  requirements: [
    { kind: 'never', text: CANDIDATE },
    { kind: 'known_facts' },
    { kind: 'max_questions', count: 1 },
    { kind: 'contains', text: '12,500' },
    { kind: 'hands_over', reason: 'agrees_to_buy' },
    { kind: 'language', language: 'en' },
  ],
  rubric: 'Names the price before it asks for the wall.',
  is_enabled: true,
  author: 'nora',
  created_at: AT,
  version: 1,
};

const rate = (count: number, total: number) => ({
  count,
  total,
  low: Math.max(0, count / total - 0.12),
  high: Math.min(1, count / total + 0.08),
});

const verdicts: Readonly<Record<StudioRun['kind'], RunVerdict>> = {
  gate: {
    kind: 'gate',
    state: 'red',
    reasons: [],
    cases: [
      {
        case_id: ID,
        name: QUESTION,
        state: 'red',
        candidate: rate(1, 6),
        live: rate(6, 6),
        reasons: ['The price 11,900 is in none of the texts.', 'Three more tries confirm it.'],
      },
      {
        case_id: ID + 1,
        name: 'Asks for a manager',
        state: 'green',
        candidate: rate(3, 3),
        live: rate(3, 3),
        reasons: [],
      },
      {
        case_id: ID + 2,
        name: 'Asks for a discount',
        state: 'green',
        candidate: rate(0, 3),
        live: rate(0, 3),
        reasons: [],
      },
    ],
  },
  replay: {
    kind: 'replay',
    changed: rate(41, 380),
    by_kind: [
      { kind: 'prices', turns: 12 },
      { kind: 'questions', turns: 17 },
      { kind: 'wording', turns: 12 },
    ],
    judged: { better: 14, worse: 9, tie: 18 },
  },
  classification: {
    kind: 'classification',
    table: [
      { stage: 'success', outcome: 'success', live: 21, candidate: 24 },
      { stage: 'ongoing', outcome: 'success', live: 6, candidate: 3 },
      { stage: 'refused', outcome: 'refused', live: 17, candidate: 16 },
    ],
    live: rate(38, 50),
    candidate: rate(40, 50),
  },
  simulation: {
    kind: 'simulation',
    personas: [
      {
        persona_id: 1,
        name: 'In a hurry',
        candidate: rate(2, 3),
        live: rate(3, 3),
        passes: false,
        findings: ['The price 11,900 is in none of the texts.'],
      },
      { persona_id: 2, name: 'Compares offers', candidate: rate(3, 3), live: rate(3, 3), passes: true, findings: [] },
    ],
    realism: rate(31, 40),
    notes: ['Simulated leads are more agreeable and more patient than real ones.'],
  },
};

function runOf(kind: StudioRun['kind'], changed: Partial<StudioRun> = {}): StudioRun {
  return {
    id: ID,
    product_id: 1,
    kind,
    prompt_id: 1,
    prompt_name: 'Kitchen consultant',
    version: 6,
    text: 'You are Vera.',
    live_version: 5,
    live_text: 'You are Vera, a consultant.',
    model: { vendor: 'chatgpt', model: 'gpt-5', temperature: 0.7 },
    repeats: 3,
    with_judge: true,
    state: 'done',
    reason: null,
    progress: { done: 178, failed: 2, total: 180 },
    budget: 1.5,
    spent: 0.4213,
    estimate: { calls: 180, cost: 0.45, subjects: 30 },
    verdict: verdicts[kind],
    author: 'nora',
    created_at: AT,
    started_at: AT,
    finished_at: AT,
    ...changed,
  };
}

const sample = (repeat: number, answerText: string, details: readonly string[] = []) => ({
  repeat,
  output: { text: answerText, hand_over: null, stage: null, tools: [] },
  error: null,
  violations: details.map((detail) => ({ kind: 'known_facts', detail })),
});

function resultOf(state: StudioResult['state'], kind: StudioResult['subject']['kind']): StudioResult {
  const isCase = kind === 'case';
  return {
    id: ID,
    subject: {
      kind,
      name: isCase ? QUESTION : 'Tom Lopez, answer 3',
      case_id: isCase ? ID : null,
      dialogue_id: null,
      lead_id: null,
      message_id: null,
      persona_id: null,
    },
    history: testCase.history.map(({ text: words, side }) => ({ side: side === 'user' ? 'user' : 'bot', text: words })),
    candidate: [
      sample(0, CANDIDATE, ['The price 11,900 is in none of the texts.']),
      sample(1, CANDIDATE, ['The price 11,900 is in none of the texts.']),
      sample(2, LIVE),
    ],
    live: [0, 1, 2].map((repeat) => sample(repeat, LIVE)),
    real: isCase ? null : LIVE,
    real_source: 'sent',
    change: {
      score: 0.61,
      noise: 0.08,
      kinds: ['prices', 'links', 'questions'],
      facts: ['The price 11,900 is new; 12,500 is gone.', 'A link is new: https://lindgren.example/oak'],
    },
    diverged: !isCase,
    judged: isCase ? null : 'worse',
    state,
  };
}

/** Answer the reading of a run that the demo does not have. */
const recorded = (run: StudioRun, ...results: readonly StudioResult[]) => ({
  at: `runId=${ID}`,
  stubs: [answer(listStudioResults.path, listOf(...results)), answer(readStudioRun.path, run)],
  ready: role('region', 'Results'),
});

const finding = role('region', 'Finding');

const persona = {
  id: ID,
  product_id: 1,
  name: 'In a hurry',
  style: 'Two or three words a message, no greeting.',
  language: 'en',
  goal: 'Wants a price at once; leaves if asked more than two questions.',
  questions: ['How much?', 'When?'],
  objections: ['Too dear.'],
  ending: 'falls_silent',
  requirements: [],
  is_derived: true,
  derived_from: 12,
  is_small_sample: true,
  author: 'nora',
  created_at: AT,
  version: 1,
};

const pair = {
  id: ID,
  product_id: 1,
  history: [{ side: 'user', text: QUESTION }],
  first: LIVE,
  second: CANDIDATE,
  label: null,
  judged: null,
  labelled_by: null,
  created_at: AT,
};

const calibration = {
  labels: 41,
  needed: 60,
  is_calibrated: false,
  agreement: { rate: 0.78, low: 0.63, high: 0.88 },
  kappa: 0.61,
  first_preferred: { rate: 0.82, low: 0.7, high: 0.9 },
  has_position_bias: true,
};

const estimated = answer(estimateStudioRun.path, { calls: 180, cost: 0.45, subjects: 30 });
const runs = answer(
  listStudioRuns.path,
  listOf(
    runOf('gate'),
    runOf('replay', { id: ID + 1, state: 'running', verdict: null, progress: { done: 120, failed: 0, total: 380 } }),
    runOf('simulation', { id: ID + 2, state: 'stopped', version: null, reason: 'The budget of $1.50 was reached.' }),
  ),
);

export const studioPageChecks: readonly PageCheck[] = [
  check('studio', '', { stubs: [runs] }),
  check('studio', 'empty', { stubs: [emptyList(listStudioRuns.path)], ready: text(/^A run tries a prompt/) }),
  check('studio', 'start', {
    stubs: [runs, estimated],
    act: [press('Start a run'), shows(dialog('Start a run'))],
  }),
  check('studio-run', 'gate', { ...recorded(runOf('gate'), resultOf('red', 'case')), ready: finding }),
  check('studio-run', 'running', recorded(runOf('gate', { state: 'running', verdict: null, finished_at: null }))),
  check('studio-run', 'replay', { ...recorded(runOf('replay'), resultOf('changed', 'turn')), ready: finding }),
  check('studio-run', 'differences', {
    ...recorded(runOf('replay'), resultOf('changed', 'turn')),
    act: [press('Show differences'), shows(role('region', 'Differences'))],
  }),
  check('studio-run', 'stages', { ...recorded(runOf('classification')), ready: finding }),
  check('studio-run', 'simulation', { ...recorded(runOf('simulation'), resultOf('red', 'persona')), ready: finding }),
  check(
    'studio-run',
    'failed',
    recorded(runOf('gate', { state: 'failed', verdict: null, reason: 'ChatGPT refused the key.' })),
  ),
  check('studio-run', 'cancel', {
    ...recorded(runOf('gate', { state: 'running', verdict: null })),
    act: [press('Cancel run'), shows(dialog('Cancel this run?'))],
  }),
  check('studio-cases', '', { stubs: [answer(studioCases.list.path, listOf(testCase))] }),
  check('studio-cases', 'empty', { stubs: [emptyList(studioCases.list.path)], ready: text(/^A test case is/) }),
  check('studio-case', '', {
    at: `caseId=${ID}`,
    stubs: [answer(studioCases.get.path, testCase)],
    ready: role('region', 'An answer has to'),
  }),
  check('studio-case', 'new', {
    at: '',
    ready: role('region', 'General'),
    act: [press('Add a requirement'), click(role('menuitem', 'Contains')), press('Save')],
  }),
  check('studio-personas', '', { stubs: [answer(personas.list.path, listOf(persona))] }),
  check('studio-personas', 'empty', { stubs: [emptyList(personas.list.path)], ready: text(/^A model plays/) }),
  check('studio-personas', 'derive', {
    stubs: [answer(personas.list.path, listOf(persona))],
    act: [press('Make from dialogues'), shows(dialog('Make simulated leads from dialogues'))],
  }),
  check('studio-judge', '', {
    stubs: [answer(listJudgePairs.path, listOf(pair)), answer(readCalibration.path, calibration)],
    ready: role('region', 'Which is better?'),
  }),
  check('studio-judge', 'empty', {
    stubs: [
      emptyList(listJudgePairs.path),
      answer(readCalibration.path, {
        ...calibration,
        labels: 0,
        agreement: null,
        kappa: null,
        first_preferred: null,
        has_position_bias: false,
      }),
    ],
    ready: text(/^There is no pair/),
  }),
];
