/** Experiments from draft to application, through the API and the real engine, on a clock that is moved. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Product, products } from '../products/contract.ts';
import type { Client } from '../testing/client.ts';
import { createOutreachWorld, DAY, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import type { TestLead } from '../testing/world.ts';
import {
  applyExperiment,
  type Experiment,
  type ExperimentResults,
  experiments,
  readExperimentResults,
  startExperiment,
} from './experimentContract.ts';
import { listOutcomes } from './outcomeContract.ts';

let world: OutreachWorld;
let admin: Client;
beforeAll(async () => {
  world = await createOutreachWorld();
  admin = await world.operator('root');
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.pool.query('delete from experiments');
  await world.reset();
});

/** Between them, 6 attempts of each arm suffice for the last analysis. */
const PLAN = { base_rate: 0.1, difference: 0.8, days: 3 };
const A = { name: 'A', content: { source: 'current' } } as const;
const textArm = (text: string) => ({ name: 'B', content: { source: 'text', text } }) as const;

async function call<T>(...args: Parameters<Client['call']>): Promise<T> {
  const answer = await admin.call(...args);
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: expect.toSatisfy((status) => status < 300) });
  return answer.body as T;
}

async function create(body: object): Promise<Experiment> {
  const draft = { product_id: world.productId, name: 'Greeting', ...PLAN, ...body };
  return call<Experiment>(experiments.create, { body: draft as never });
}

const start = ({ id }: Experiment) => call<Experiment>(startExperiment, { params: { id } });
const resultsOf = ({ id }: Experiment) => call<ExperimentResults>(readExperimentResults, { params: { id } });

async function armsOf({ id }: Experiment): Promise<Map<number, number | null>> {
  const { rows } = await world.pool.query<{ lead_id: string; arm: number | null }>(
    'select lead_id, arm from experiment_assignments where experiment_id = $1',
    [id],
  );
  return new Map(rows.map(({ lead_id, arm }) => [Number(lead_id), arm]));
}

async function leads(count: number): Promise<TestLead[]> {
  const made: TestLead[] = [];
  for (let nr = 0; nr < count; nr++) made.push(await world.createLead(`Lead ${nr}`));
  return made;
}

describe('an experiment with first texts', () => {
  it('splits new leads, decides after their days, and its winner becomes what the product uses', async () => {
    await world.setFirstMessages({});
    await world.advanceClockTo('11:00');
    const experiment = await create({
      kind: 'first_text',
      metric: 'answered',
      arms: [A, textArm('Hi, {{ lead.name }}!')],
    });
    expect(experiment).toMatchObject({ state: 'draft', analyses: 5, arm_states: [] });
    await start(experiment);
    const made = await leads(40);
    await world.drain();
    const arms = await armsOf(experiment);
    expect(arms.size).toBe(40);
    for (const lead of made) {
      const text = arms.get(lead.leadId) === 1 ? `Hi, ${lead.name}!` : 'Good day!';
      expect(await lead.sees()).toEqual([`us: ${text}`]);
      if (arms.get(lead.leadId) === 1) await lead.writes('Hello');
    }
    await world.drain();

    // All have answered, and nothing is decided: the days of none are over.
    await world.advanceClock(DAY);
    const before = await resultsOf(experiment);
    expect(before).toMatchObject({ analysis: 0, history: [], experiment: { state: 'running' } });
    expect(before.arms.map(({ finished }) => finished)).toEqual([0, 0]);

    await world.advanceClock(2 * DAY + HOUR);
    await world.drain();
    const results = await resultsOf(experiment);
    expect(results.sentence).toMatch(/^B is better \(100 % against 0 %, /);
    expect(results.experiment).toMatchObject({ state: 'stopped', end: 'decided', stopped_by: null });
    expect(results.history).toHaveLength(1);
    for (const { arm, filters, ...counts } of results.arms)
      for (const [name, filter] of Object.entries(filters)) {
        const { total } = await call<{ total: number }>(listOutcomes, { query: { ...filter, limit: 1 } });
        expect([arm, name, total]).toEqual([arm, name, counts[name as 'assigned']]);
      }

    const { target } = results;
    await call(applyExperiment, {
      params: { id: experiment.id },
      body: { arm: 1, target_id: target?.id ?? 0, target_version: target?.version ?? 0 },
    });
    const product = await call<Product>(products.get, { params: { id: world.productId } });
    expect(product.config.messaging_config?.initial_message_text).toBe('Hi, {{ lead.name }}!');
    const late = await world.createLead('Late');
    await world.drain();
    expect(await late.sees()).toEqual(['us: Hi, Late!']);
    const stale = await admin.call(applyExperiment, {
      params: { id: experiment.id },
      body: { arm: 0, target_id: target?.id ?? 0, target_version: target?.version ?? 0 },
    });
    expect(stale.status).toBe(409);
  });
});
