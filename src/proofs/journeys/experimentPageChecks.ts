/** Experiments: the list, the editor and the dialogs of a draft, and the record of a running and a stopped one. */
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { type Experiment, experiments, readExperimentResults } from '../../outcomes/experimentContract.ts';
import type { DemoIds } from './demoData.ts';
import { dialog, role, text } from './find.ts';
import { callApi, findProduct } from './journeyApi.ts';
import { check, type PageCheck } from './pageCheck.ts';
import { PRODUCT } from './signIn.ts';
import { press, shows } from './steps.ts';
import { answer, emptyList, type Undo } from './stubs.ts';

const TEXT = 'Good day, {{ lead.name }}! How long is the wall of your kitchen?';
const AT = '2026-11-02T10:00:00.000Z';
const ID = 900_001;

/** A draft, which the checks read by its name in the list. */
async function prepare(page: Page, { url }: DemoIds): Promise<Undo> {
  const context = page.context();
  const { productId: product_id } = await findProduct(context, url, PRODUCT);
  const arms = [
    { name: 'A', content: { source: 'current' } },
    { name: 'B', content: { source: 'text', text: TEXT } },
  ];
  const body = { product_id, name: 'Ask for the wall', kind: 'first_text', base_rate: 0.2, difference: 0.05, arms };
  const { id } = z.object({ id: z.int() }).parse(await callApi(context, url, 'POST', experiments.create.path, body));
  return () => callApi(context, url, 'DELETE', `${experiments.list.path}${id}`);
}

function recordOf(state: 'running' | 'stopped'): Experiment {
  const isOver = state === 'stopped';
  const content = (own: string) => ({ kind: 'text' as const, text: own, prepared_message_id: null });
  return {
    id: ID,
    product_id: 1,
    name: 'A greeting with a question about the kitchen',
    kind: 'first_text',
    metric: 'qualified',
    days: 7,
    part: 0.5,
    base_rate: 0.2,
    difference: 0.1,
    guards: { opt_outs: 0.02, refusals: 0.05, cost: null },
    arms: ['A', 'With a question', 'Short'].map((name) => ({
      name,
      weight: 1,
      content: { source: 'text', text: TEXT },
    })),
    analyses: 5,
    per_arm: 360,
    state,
    arm_states: [
      { content: content('Hello {{ lead.name }}!'), stopped_at: null, stopped_reason: null },
      { content: content(TEXT), stopped_at: null, stopped_reason: null },
      { content: content('Hi!'), stopped_at: AT, stopped_reason: 'Short was stopped: opt-outs 9 % against 2 %' },
    ],
    started_at: AT,
    started_by: 'anna.maria',
    stopped_at: isOver ? AT : null,
    stopped_by: null,
    end: isOver ? 'decided' : null,
    conclusion: isOver ? SENTENCE : null,
    applied_arm: null,
    applied_at: null,
    applied_by: null,
    created_at: AT,
    version: 3,
  };
}

const SENTENCE = 'With a question is better than A (31 % against 20 %, 95 % interval of the difference 2 to 20)';

/** Answer the reading of an experiment that the demo does not have. */
function record(state: 'running' | 'stopped') {
  const experiment = recordOf(state);
  const filter = { product_id: 1, experiment_id: [ID] };
  const arm = (index: number, successes: number) => ({
    arm: index,
    name: experiment.arms[index]?.name ?? '',
    assigned: 230,
    finished: 216,
    successes,
    rate: successes / 216,
    interval: { low: successes / 216 - 0.05, high: successes / 216 + 0.06 },
    opt_outs: 4 + index * 8,
    refusals: 9,
    cost: 1.2,
    cost_per_attempt: 0.0052,
    stopped_at: index === 2 ? AT : null,
    stopped_reason: experiment.arm_states[index]?.stopped_reason ?? null,
    filters: { assigned: filter, finished: filter, successes: filter, opt_outs: filter, refusals: filter },
  });
  const counts = [43, 82, 30].map((successes) => ({ n: 216, successes }));
  const results = {
    experiment,
    arms: counts.map(({ successes }, index) => arm(index, successes)),
    analysis: 3,
    more: state === 'running' ? 430 : null,
    until_next: state === 'running' ? 140 : null,
    sentence: state === 'running' ? 'too early: about 430 more attempts' : SENTENCE,
    history: [
      { analysis: 1, at: AT, arms: counts, decision: 'too_early', sentence: 'too early: about 860 more attempts' },
      {
        analysis: 3,
        at: AT,
        arms: counts,
        decision: state === 'running' ? 'too_early' : 'better',
        sentence: state === 'running' ? 'too early: about 430 more attempts' : SENTENCE,
      },
    ],
    excluded: 2,
    target: { noun: 'product', id: 1, version: 3 },
  };
  return {
    at: `experimentId=${ID}`,
    stubs: [answer(experiments.get.path, experiment), answer(readExperimentResults.path, results)],
    ready: role('region', 'Set-up'),
  };
}

const plan = role('region', 'Plan');

export const experimentPageChecks: readonly PageCheck[] = [
  check('experiments', '', { prepare }),
  check('experiments', 'empty', { stubs: [emptyList(experiments.list.path)], ready: text(/^An experiment splits/) }),
  check('experiment-detail', 'new', { at: '', ready: plan, act: [press('Save'), shows(text('Write the text'))] }),
  check('experiment-detail', 'running', record('running')),
  check('experiment-detail', 'stopped', record('stopped')),
  check('experiment-detail', 'apply', {
    ...record('stopped'),
    act: [press('Apply the winner'), shows(dialog(/^Apply/))],
  }),
  check('experiment-detail', 'stop', { ...record('running'), act: [press('Stop'), shows(dialog(/^Stop/))] }),
];
