/** Experiments from draft to application, through the API and the real engine, on a clock that is moved. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listAlerts } from '../desk/alertsContract.ts';
import { type Rehearsal, readRehearsal } from '../outreach/rehearsalContract.ts';
import type { BodyInput } from '../platform/contract.ts';
import { type Product, products } from '../products/contract.ts';
import { type DocumentPrompt, documentPrompts, type Prompt, prompts } from '../prompts/contract.ts';
import type { Client } from '../testing/client.ts';
import { createOutreachWorld, DAY, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import { subscribePushBrowser } from '../testing/pushBrowser.ts';
import { openWebhookReceiver, WEBHOOK_SECRET } from '../testing/webhookReceiver.ts';
import type { TestLead } from '../testing/world.ts';
import { webhooks } from '../webhooks/contract.ts';
import { checkNextExperiment } from './checkExperiment.ts';
import {
  applyExperiment,
  type Experiment,
  type ExperimentRehearsal,
  type ExperimentResults,
  experiments,
  readExperimentResults,
  rehearseExperiment,
  startExperiment,
  stopExperiment,
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
  await world.pool.query('delete from attention_alerts where notice_key is not null');
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

type Draft = BodyInput<typeof experiments.create>;

async function create(body: Pick<Draft, 'kind' | 'arms'> & Partial<Draft>): Promise<Experiment> {
  return call<Experiment>(experiments.create, {
    body: { product_id: world.productId, name: 'Greeting', ...PLAN, ...body },
  });
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
  const created: TestLead[] = [];
  for (let nr = 0; nr < count; nr++) created.push(await world.createLead(`Lead ${nr}`));
  return created;
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
    const created = await leads(40);
    await world.advanceClock(DAY);
    const arms = await armsOf(experiment);
    expect(arms.size).toBe(40);
    for (const lead of created) {
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
    await world.advanceClock(DAY);
    expect(await late.sees(), await world.reasonOf(late.leadId)).toEqual(['us: Hi, Late!']);
    const stale = await admin.call(applyExperiment, {
      params: { id: experiment.id },
      body: { arm: 0, target_id: target?.id ?? 0, target_version: target?.version ?? 0 },
    });
    expect(stale.status).toBe(409);
  });
});

it('an arm with a document prompt is written by a model from its copy, and applied only while the prompt is the same', async () => {
  await world.setFirstMessages({});
  const written = 'Write a greeting for {{ lead.name }}.';
  const { id: promptId } = await call<Prompt>(prompts.create, {
    body: { product_id: world.productId, name: 'Greeting', type: 'document', text: written },
  });
  const { id: documentId } = await call<DocumentPrompt>(documentPrompts.create, {
    body: { product_id: world.productId, prompt_id: promptId, name: 'Greeting', document_type: 'greeting' },
  });
  const b = { name: 'B', content: { source: 'document_prompt', document_prompt_id: documentId } } as const;
  const experiment = await create({ kind: 'first_text', metric: 'answered', arms: [A, b] });
  const { arm_states: states } = await start(experiment);
  expect(states[1]?.content).toMatchObject({ kind: 'document', document_prompt_id: documentId, text: written });
  // What is edited after the start is in no arm.
  const edited = await call<Prompt>(prompts.change, {
    params: { id: promptId },
    body: { text: 'Insult {{ lead.name }}.', version: 1 },
  });
  await leads(12);
  await world.advanceClock(DAY);
  const arms = await armsOf(experiment);
  const { rows } = await world.pool.query<{
    lead_id: number;
    prompt: number | null;
    rendered: string | null;
    text: string;
  }>(
    `select c.lead_id::int, m.prompt_id::int as prompt, m.rendered_prompt as rendered, m.message as text
       from messages m join contacts c on c.id = m.contact_id where m.product_id = $1 and m.origin = 'first'`,
    [world.productId],
  );
  expect(rows).toHaveLength(12);
  const ofVariant = rows.filter(({ lead_id }) => arms.get(lead_id) === 1);
  expect(ofVariant.length).toBeGreaterThan(1);
  for (const { lead_id, prompt, rendered, text } of rows) {
    if (arms.get(lead_id) === 1)
      expect([prompt, rendered]).toEqual([promptId, expect.stringContaining('Write a greeting for Lead')]);
    else expect([prompt, text]).toEqual([null, 'Good day!']);
  }

  await call(stopExperiment, { params: { id: experiment.id } });
  const { target } = await resultsOf(experiment);
  const body = { arm: 1, target_id: target?.id ?? 0, target_version: target?.version ?? 0 };
  const refused = await admin.call(applyExperiment, { params: { id: experiment.id }, body });
  expect(refused).toMatchObject({ status: 409, headers: expect.anything() });
  expect(refused.headers.get('x-refusal')).toBe('experiment.content_changed');
  await call(prompts.change, { params: { id: promptId }, body: { text: written, version: edited.version } });
  await applyArm(experiment, 1, target);
  const product = await call<Product>(products.get, { params: { id: world.productId } });
  expect(product.config.messaging_config?.initial_message_document_prompt_id).toBe(documentId);
});

/** The prompt and the model of each answer to a lead, in their order. */
async function answersTo(lead: TestLead): Promise<{ prompt: number; version: number; model: string; text: string }[]> {
  const { rows } = await world.pool.query<{ prompt: string; version: number; model: string; text: string }>(
    `select m.prompt_id as prompt, m.prompt_version as version, m.model_name as model, m.rendered_prompt as text
       from messages m join contacts c on c.id = m.contact_id where c.lead_id = $1 and m.side = 'bot' order by m.id`,
    [lead.leadId],
  );
  return rows.map((row) => ({ ...row, prompt: Number(row.prompt) }));
}

async function write(writing: readonly TestLead[]): Promise<void> {
  for (const lead of writing) await lead.writes('How long does delivery take?');
  await world.drain();
}

describe('an experiment with prompts', () => {
  it('answers each lead by the copy of its arm, whatever becomes of the prompts, until it is stopped', async () => {
    const old = await world.createLead('Old');
    await write([old]);
    const promptId = await world.addPrompt('Delivery of B takes six weeks.');
    const b = { source: 'prompt', prompt_id: promptId, prompt_version: 1 } as const;
    const experiment = await create({ kind: 'prompt', arms: [A, { name: 'B', content: b }], part: 0.9 });
    await start(experiment);
    const created = await leads(16);
    await write([...created, old]);
    const arms = await armsOf(experiment);
    expect(arms.size).toBe(16);
    expect(new Set(arms.values())).toEqual(new Set([0, 1, null]));

    // The control's prompt is edited, the variant's one is gone.
    const { rows } = await world.pool.query<{ id: string; text: string }>(
      "select id, text from prompts where type = 'prompt' and product_id = $1",
      [world.productId],
    );
    const vera = Number(rows[0]?.id);
    const text = `${rows[0]?.text} Edited.`;
    await call(prompts.replace, { params: { id: vera }, body: { text, version: 1 } });
    expect(await admin.call(prompts.remove, { params: { id: promptId } })).toMatchObject({ status: 204 });
    await write([...created, old]);
    for (const lead of created) {
      const arm = arms.get(lead.leadId);
      const [first, second] = await answersTo(lead);
      if (arm === null) expect([first?.version, second?.version]).toEqual([1, 2]);
      else {
        expect(first).toMatchObject(arm === 1 ? { prompt: promptId, version: 1 } : { prompt: vera, version: 1 });
        expect([second?.prompt, second?.version, second?.text.split('\n')[0]]).toEqual([
          first?.prompt,
          first?.version,
          first?.text.split('\n')[0],
        ]);
      }
    }
    expect((await answersTo(old)).map(({ version }) => version)).toEqual([1, 1, 2]);

    const stopped = await call<Experiment>(stopExperiment, { params: { id: experiment.id } });
    expect(stopped).toMatchObject({ state: 'stopped', end: 'operator', stopped_by: 'root' });
    await write(created.slice(0, 3));
    for (const lead of created.slice(0, 3))
      expect((await answersTo(lead)).at(-1)).toMatchObject({ prompt: vera, version: 2 });

    const { target } = await resultsOf(experiment);
    expect(target).toMatchObject({ noun: 'prompt', id: vera });
    await applyArm(experiment, 1, target);
    const applied = await call<Prompt>(prompts.get, { params: { id: vera } });
    expect(applied).toMatchObject({ text: 'Delivery of B takes six weeks.', version: 3, author: 'root' });
    await call(prompts.replace, { params: { id: vera }, body: { text: rows[0]?.text ?? '', version: 3 } });
  });
});

it('an experiment with models answers by the model of the arm, and the winner becomes the chatbot’s model', async () => {
  const model = (name: string) =>
    ({ name, content: { source: 'model', vendor: 'chatgpt', model: name, temperature: 0.1 } }) as const;
  const experiment = await create({ kind: 'model', arms: [model('gpt-4.1'), model('gpt-5-mini')] });
  await start(experiment);
  const created = await leads(8);
  await write(created);
  const arms = await armsOf(experiment);
  for (const lead of created)
    expect((await answersTo(lead)).map((one) => one.model)).toEqual([
      arms.get(lead.leadId) === 1 ? 'gpt-5-mini' : 'gpt-4.1',
    ]);
  await call(stopExperiment, { params: { id: experiment.id } });
  await applyArm(experiment, 1, (await resultsOf(experiment)).target);
  const product = await call<Product>(products.get, { params: { id: world.productId } });
  expect(product.config.models_config?.chatbot_model_config).toMatchObject({ vendor: 'chatgpt', model: 'gpt-5-mini' });
});

describe('an experiment', () => {
  it('runs alone among those of its kind, and only drafts are edited or deleted', async () => {
    const arms: Draft['arms'] = [{ name: 'A', content: { source: 'text', text: 'One' } }, textArm('Two')];
    const [first, second] = [
      await create({ kind: 'first_text', arms, name: 'First' }),
      await create({ kind: 'first_text', arms }),
    ];
    await start(first);
    const refused = await admin.call(startExperiment, { params: { id: second.id } });
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: 'Another experiment of this kind is running on the product: First. Stop it first.' },
    });
    const params = { id: first.id };
    for (const answer of [
      await admin.call(experiments.change, { params, body: { days: 9 } }),
      await admin.call(experiments.remove, { params }),
      await admin.call(startExperiment, { params }),
      await admin.call(applyExperiment, { params, body: { arm: 0, target_id: world.productId, target_version: 1 } }),
      await admin.call(stopExperiment, { params: { id: second.id } }),
    ])
      expect(answer).toMatchObject({ status: 409 });
    expect(await admin.call(experiments.remove, { params: { id: second.id } })).toMatchObject({ status: 204 });
    const same = await create({
      kind: 'model',
      arms: [A, A].map((one, nr) => ({ ...one, name: `${nr}`, content: MODEL })),
    });
    expect(await admin.call(startExperiment, { params: { id: same.id } })).toMatchObject({
      status: 409,
      body: { detail: '0 and 1 are the same. Change one of them.' },
    });
  });

  it('is refused in the product’s words if its settings make no sense, and is nobody else’s', async () => {
    const base: Draft = { product_id: world.productId, name: 'X', kind: 'prompt', ...PLAN, arms: [A, textArm('B')] };
    const wrong: readonly [Partial<Draft>, string][] = [
      [{}, 'An experiment with prompts cannot use this content'],
      [{ metric: 'answered' }, 'Leads take part once they have written: choose qualified or success'],
      [
        { kind: 'first_text', base_rate: 0.5, difference: 0.5 },
        'Base rate and difference together must be below 100 %',
      ],
      [{ kind: 'first_text', arms: [textArm('A'), textArm('B')] }, 'Another arm is named B'],
      [{ kind: 'first_text', arms: [textArm('A'), A] }, 'Only the control can be what the product uses now'],
    ];
    for (const [change, sentence] of wrong) {
      const answer = await admin.call(experiments.create, { body: { ...base, ...change } });
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([422, expect.stringContaining(sentence)]);
    }
    const experiment = await create({ kind: 'first_text', arms: [A, textArm('B')] });
    const { rows } = await world.pool.query<{ id: string }>(
      "insert into companies (name) values ('Other') returning id",
    );
    const stranger = await world.operator(undefined, [Number(rows[0]?.id)]);
    const params = { id: experiment.id };
    for (const answer of [
      await stranger.call(experiments.get, { params }),
      await stranger.call(experiments.change, { params, body: { days: 9 } }),
      await stranger.call(experiments.remove, { params }),
      await stranger.call(startExperiment, { params }),
      await stranger.call(stopExperiment, { params }),
      await stranger.call(applyExperiment, { params, body: { arm: 1, target_id: world.productId, target_version: 1 } }),
      await stranger.call(readExperimentResults, { params }),
      await stranger.call(rehearseExperiment, { params }),
      await stranger.call(experiments.create, { body: { ...base, kind: 'first_text' } }),
      await stranger.call(experiments.list, { query: { product_id: [world.productId] } }),
    ])
      expect(answer).toMatchObject({ status: 404 });
    expect((await stranger.call(experiments.list)).body).toMatchObject({ total: 0 });
  });

  it('is rehearsed before the start as it splits leads afterwards', async () => {
    await world.setFirstMessages({ initial_message_send_at: '00:00' });
    const experiment = await create({ kind: 'first_text', arms: [A, textArm('Hi, {{ lead.name }}!')], part: 0.7 });
    await leads(12);
    const rehearsed = await call<ExperimentRehearsal>(rehearseExperiment, { params: { id: experiment.id } });
    expect(rehearsed).toMatchObject({ leads: 12, arms: [{ name: 'A' }, { name: 'B' }] });
    expect(rehearsed.arms[0]?.example).toMatchObject({ kind: 'text', text: 'Good day!' });
    expect(rehearsed.arms[1]?.example?.text).toBe(`Hi, ${rehearsed.arms[1]?.example?.lead_name}!`);
    expect((await armsOf(experiment)).size).toBe(0);
    await start(experiment);
    const { items } = await call<Rehearsal>(readRehearsal, {
      query: { product_id: world.productId, days: 3, limit: 100 },
    });
    for (const { lead_id, lead_name, arm, text } of items) {
      const expected = rehearsed.items.find((item) => item.lead_id === lead_id)?.arm ?? null;
      expect([arm?.arm ?? null, text.text]).toEqual([expected, expected === 1 ? `Hi, ${lead_name}!` : 'Good day!']);
    }
    await world.advanceClock(DAY);
    expect(await armsOf(experiment)).toEqual(new Map(rehearsed.items.map(({ lead_id, arm }) => [lead_id, arm])));
  });

  it('stops a variant at the first look after it has crossed a guard, and itself with the last one', async () => {
    const arms: Draft['arms'] = [A, textArm('B'), { name: 'C', content: { source: 'text', text: 'C' } }];
    await world.setFirstMessages({});
    const experiment = await create({ kind: 'first_text', arms, base_rate: 0.2, difference: 0.1 });
    await start(experiment);
    const look = experiment.per_arm / experiment.analyses;
    // One attempt before the first look, nothing is stopped, whatever has happened.
    await assign(experiment, { each: look - 1, optOuts: [0, 30, 0] });
    await checkNow(experiment);
    expect((await resultsOf(experiment)).arms.map(({ stopped_reason }) => stopped_reason)).toEqual([null, null, null]);
    await assign(experiment, { each: 1, optOuts: [0, 0, 0] });
    await checkNow(experiment);
    const after = await resultsOf(experiment);
    expect(after.arms.map(({ stopped_reason }) => stopped_reason)).toEqual([
      null,
      expect.stringMatching(/^B was stopped: opt-outs \d+ % against 0 %, /),
      null,
    ]);
    expect(after.experiment.state).toBe('running');
    await assign(experiment, { each: look, optOuts: [0, 0, 60] });
    await checkNow(experiment);
    const ended = (await resultsOf(experiment)).experiment;
    expect(ended).toMatchObject({ state: 'stopped', end: 'guard', stopped_by: null });
    expect(ended.conclusion).toMatch(/^C was stopped: opt-outs/);
  });

  it('lets operators and other systems know when it ends, until somebody has applied an arm', async () => {
    await world.setFirstMessages({});
    const receiver = await openWebhookReceiver();
    const phone = await subscribePushBrowser(world, admin);
    await call(webhooks.create, {
      body: {
        company_id: world.companyId,
        url: receiver.url,
        events: ['experiment.ended'],
        secret: WEBHOOK_SECRET,
      },
    });
    const experiment = await create({ kind: 'first_text', arms: [A, textArm('B')], base_rate: 0.2, difference: 0.1 });
    await start(experiment);
    await assign(experiment, { each: 70, optOuts: [0, 60] });
    await checkNow(experiment);
    const { experiment: ended, target } = await resultsOf(experiment);
    expect(ended).toMatchObject({ state: 'stopped', end: 'guard' });
    await world.waitUntil(async () => (await phone.received()).length === 1, 'a notification');
    const notice = {
      title: 'Experiment “Greeting” has ended',
      text: ended.conclusion,
      url: `/?page=experiment-detail&experimentId=${experiment.id}`,
    };
    const { text: body, ...others } = notice;
    expect((await phone.received())[0]?.message).toMatchObject({ type: 'show', body, ...others });
    const listed = await call<{ items: object[] }>(listAlerts);
    expect(listed.items).toMatchObject([{ product_id: world.productId, dialogue_id: null, notice }]);
    const stranger = await world.operator('stranger', []);
    expect((await stranger.call(listAlerts)).body).toEqual({ items: [] });
    await world.waitUntil(async () => receiver.received.length === 1, 'an event');
    expect(receiver.received[0]).toMatchObject({
      type: 'experiment.ended',
      data: { experiment_id: experiment.id, name: 'Greeting', end: 'guard', conclusion: ended.conclusion },
    });

    await applyArm(experiment, 0, target);
    await world.waitUntil(async () => (await phone.received()).length === 2, 'the notification is withdrawn');
    expect((await phone.notifications()).open).toEqual([]);
    expect((await call<{ items: object[] }>(listAlerts)).items).toEqual([]);

    // Whoever stops it knows; other systems do not.
    const second = await create({ kind: 'first_text', arms: [A, textArm('B')] });
    await start(second);
    await call(stopExperiment, { params: { id: second.id } });
    await world.waitUntil(async () => receiver.received.length === 2, 'another event');
    expect(receiver.received[1]).toMatchObject({ data: { experiment_id: second.id, end: 'operator' } });
    expect((await call<{ items: object[] }>(listAlerts)).items).toEqual([]);
    await world.pool.query('delete from webhooks');
    await receiver.close();
  });

  it('is not changed, started or applied on what another operator has changed meanwhile', async () => {
    await world.setFirstMessages({});
    const anna = await world.operator('anna', [world.companyId]);
    const draft = await create({
      kind: 'first_text',
      arms: [{ name: 'A', content: { source: 'text', text: 'One' } }, textArm('Two')],
    });
    const params = { id: draft.id };
    expect(await anna.call(experiments.change, { params, body: { days: 9 } })).toMatchObject({ status: 200 });
    const onOldVersion = async (method: string, path = '', body: object = {}) => {
      const headers = { 'content-type': 'application/json', 'if-match': `"${draft.version}"` };
      const init = { method, headers, ...(method === 'DELETE' ? {} : { body: JSON.stringify(body) }) };
      const response = await admin.fetch(`/v1/experiments/${draft.id}${path}`, init);
      return { status: response.status, body: await response.json() };
    };
    for (const answer of [
      await onOldVersion('PATCH', '', { days: 4 }),
      await onOldVersion('POST', '/start'),
      await onOldVersion('DELETE'),
    ])
      expect(answer).toMatchObject({ status: 409, body: { detail: expect.stringMatching(/^Changed by anna at /) } });
    // Started twice at once, stopped twice at once: one of them does it.
    const both = async (endpoint: typeof startExperiment | typeof stopExperiment) =>
      (await Promise.all([anna, admin].map((one) => one.call(endpoint, { params }))))
        .map(({ status }) => status)
        .toSorted((one, other) => one - other);
    expect(await both(startExperiment)).toEqual([200, 409]);
    expect(await both(stopExperiment)).toEqual([200, 409]);
    const { target } = await resultsOf(draft);
    const body = { arm: 1, target_id: target?.id ?? 0, target_version: target?.version ?? 0 };
    const applied = await Promise.all([anna, admin].map((one) => one.call(applyExperiment, { params, body })));
    expect(applied.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
  });

  it('is decided once by two instances that look at the same time', async () => {
    await world.setFirstMessages({});
    const experiment = await create({ kind: 'first_text', arms: [A, textArm('B')], base_rate: 0.2, difference: 0.1 });
    await start(experiment);
    await assign(experiment, { each: 70, optOuts: [0, 0], days: 4 });
    const context = world.app?.context;
    if (!context) throw new Error('There is no server');
    await world.pool.query('update experiments set check_at = domain_now() where id = $1', [experiment.id]);
    const looked = await Promise.all(
      [1, 2, 3].map(() => context.transact((tx) => checkNextExperiment(tx, context.config))),
    );
    expect(looked.filter(Boolean).length).toBeLessThanOrEqual(1);
    await world.waitUntil(async () => (await resultsOf(experiment)).analysis > 0, 'an analysis');
    expect((await resultsOf(experiment)).history).toMatchObject([{ analysis: 1, arms: [{ n: 70 }, { n: 70 }] }]);
  });
});

const MODEL = { source: 'model', vendor: 'chatgpt', model: 'gpt-5', temperature: 0.5 } as const;

/** Store attempts of leads in each arm, some of which have ended in an opt-out. `days`: how long ago they began. */
async function assign(
  { id, product_id, arms }: Experiment,
  { each, optOuts, days = 0 }: { each: number; optOuts: readonly number[]; days?: number },
): Promise<void> {
  for (const [arm] of arms.entries())
    await world.pool.query(
      `with created as (
         insert into leads (product_id, name, is_active) select $1, 'Assigned', false from generate_series(1, $3::int) returning id
       ), assigned as (
         insert into experiment_assignments (experiment_id, product_id, lead_id, attempt, arm, assigned_at)
         select $2, $1, id, 1, $4, domain_now() - make_interval(days => $5) from created
       )
       select id from created`,
      [product_id, id, each, arm, days],
    );
  for (const [arm, count] of optOuts.entries())
    await world.pool.query(
      `update outcomes o set started_at = domain_now() - make_interval(days => $4),
              opted_out_at = case when n.nr <= $3 then domain_now() end
         from (select lead_id, row_number() over (order by lead_id) as nr from experiment_assignments
                where experiment_id = $1 and arm = $2 and lead_id in (select lead_id from outcomes where started_at is null)) as n
        where o.lead_id = n.lead_id`,
      [id, arm, count, days],
    );
}

async function checkNow({ id }: Experiment): Promise<void> {
  await world.drain();
  await world.pool.query("update experiments set check_at = domain_now() where id = $1 and state = 'running'", [id]);
  await world.waitUntil(async () => {
    const { rows } = await world.pool.query<{ is_checked: boolean }>(
      'select check_at is null or check_at > domain_now() as is_checked from experiments where id = $1',
      [id],
    );
    return rows[0]?.is_checked ?? false;
  }, 'a look at the experiment');
}

async function applyArm({ id }: Experiment, arm: number, target: ExperimentResults['target']): Promise<void> {
  const body = { arm, target_id: target?.id ?? 0, target_version: target?.version ?? 0 };
  const applied = await call<Experiment>(applyExperiment, { params: { id }, body });
  expect(applied).toMatchObject({ applied_arm: arm, applied_by: 'root' });
}
