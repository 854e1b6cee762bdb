import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyExperiment, type Experiment, experiments } from '../outcomes/experimentContract.ts';
import { outcomeRoutes } from '../outcomes/routes.ts';
import type { Route } from '../platform/http/routes.ts';
import { products } from '../products/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import {
  checkPromptVersion,
  type Prompt,
  type PromptChecks,
  type PromptPublication,
  type PromptUse,
  promptOfProduct,
  prompts,
  promptsInUse,
  publicationsOfPrompt,
  publishPrompt,
  rollBackPrompt,
} from './contract.ts';
import type { CheckGate } from './publish.ts';
import { promptRoutes } from './routes.ts';

const NONE: PromptChecks = { state: 'none', red: [], run_id: null };
const RED: PromptChecks = {
  state: 'red',
  red: [{ case_id: 7, name: 'Asks for the price', reasons: ['Says 4100 instead of 4200'] }],
  run_id: 3,
};

let world: World;
let vera: Client;
let olga: Client;
/** What the cases say. */
let checks: PromptChecks = NONE;

beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  vera = await world.operator('vera');
  olga = await world.operator('olga');
  injectChecks(async () => checks);
});
beforeEach(() => setGate('warn'));
afterEach(async () => {
  checks = NONE;
  await world.pool.query("delete from prompts where author <> 'test'");
});
afterAll(() => world.close());

/** Let the served routes ask these checks, in place of the studio's. */
function injectChecks(checkGate: CheckGate): void {
  const { app } = world;
  if (!app) throw new Error('no server');
  const external = { counters: [], referenceSources: [], checkGate };
  const replacing = [...promptRoutes(app.context, external), ...outcomeRoutes(app.context, checkGate)];
  for (const endpoint of [publishPrompt, checkPromptVersion, applyExperiment]) {
    const isOf = (one: Route) => one.endpoint.operation === endpoint.operation;
    const [served, other] = [app.routes.find(isOf), replacing.find(isOf)];
    if (!served || !other) throw new Error(`There is no ${endpoint.operation}`);
    Object.assign(served, { handle: other.handle });
  }
}

async function setGate(gate: 'off' | 'warn' | 'block'): Promise<void> {
  const answer = await vera.call(products.change, { params: { id: world.productId }, body: { config: { gate } } });
  expect(answer.status).toBe(200);
}

const read = async (id: number) => (await vera.call(prompts.get, { params: { id } })).body as Prompt;

async function create(text: string, more: Partial<Pick<Prompt, 'type' | 'name'>> = {}): Promise<Prompt> {
  const body = { product_id: world.productId, name: 'Consultant', type: 'qualification' as const, text, ...more };
  const answer = await vera.call(prompts.create, { body });
  expect(answer.status).toBe(201);
  return answer.body as Prompt;
}

async function save(id: number, text: string): Promise<Prompt> {
  const answer = await vera.call(prompts.change, { params: { id }, body: { text } });
  expect(answer.status).toBe(200);
  return answer.body as Prompt;
}

const publish = (id: number, version: number, more: { override_reason?: string } = {}, client = vera) =>
  client.call(publishPrompt, { params: { id }, body: { version, ...more } });
const rollBack = (id: number) => vera.call(rollBackPrompt, { params: { id } });

async function publicationsOf(id: number): Promise<PromptPublication[]> {
  const answer = await vera.call(publicationsOfPrompt, { query: { prompt_id: id } });
  expect(answer.status).toBe(200);
  return (answer.body as { items: PromptPublication[] }).items;
}

/** Read the text that is live as the engine does; null if there is none. */
async function liveText(type: Prompt['type'] = 'qualification'): Promise<string | null> {
  const answer = await vera.call(promptOfProduct, { params: { product_id: world.productId }, query: { type } });
  return answer.status === 404 ? null : (answer.body as Prompt).text;
}

async function auditOf(id: number) {
  const { rows } = await world.pool.query(
    `select operator, action, after ->> 'live_version' as live, after ->> 'override_reason' as reason,
            after -> 'checks' ->> 'state' as checks
       from audit where noun = 'prompt' and row_id = $1 order by id`,
    [id],
  );
  return rows;
}

describe('saving', () => {
  it('puts a text live at once while the gate is off, and records each time', async () => {
    await setGate('off');
    const created = await create('First');
    expect(created).toMatchObject({ version: 1, live_version: 1, live_since: created.saved_at });
    const saved = await save(created.id, 'Second');
    expect(saved).toMatchObject({ version: 2, live_version: 2, live_since: saved.saved_at });
    expect(await liveText()).toBe('Second');
    expect(await publicationsOf(created.id)).toMatchObject([
      { version: 2, kind: 'saved', author: 'vera', previous_version: 1, rollback_version: 1, checks: null },
      { version: 1, kind: 'saved', author: 'vera', previous_version: null, rollback_version: null },
    ]);
    const renamed = await vera.call(prompts.change, { params: { id: created.id }, body: { name: 'Another' } });
    expect(renamed.body).toMatchObject({ live_version: 2, live_since: saved.live_since });
    expect(await publicationsOf(created.id)).toHaveLength(2);
  });

  it.each(['warn', 'block'] as const)('keeps a draft with the gate %s, which nothing uses', async (gate) => {
    await setGate(gate);
    const draft = await create('First');
    expect(draft).toMatchObject({ version: 1, live_version: null, live_since: null });
    expect(await liveText()).toBeNull();
    await publish(draft.id, 1);
    expect(await save(draft.id, 'Second')).toMatchObject({ version: 2, text: 'Second', live_version: 1 });
    expect(await liveText()).toBe('First');
    expect(await publicationsOf(draft.id)).toHaveLength(1);
  });

  it('leaves what is live as it is when the gate changes, and a draft when only other fields are saved', async () => {
    const { id } = await create('First');
    await publish(id, 1);
    await save(id, 'Second');
    await setGate('off');
    expect(await read(id)).toMatchObject({ version: 2, live_version: 1 });
    const renamed = await vera.call(prompts.change, { params: { id }, body: { name: 'Another' } });
    expect(renamed.body).toMatchObject({ version: 2, live_version: 1 });
    expect(await save(id, 'Third')).toMatchObject({ version: 3, live_version: 3 });
    await setGate('block');
    expect(await read(id)).toMatchObject({ live_version: 3 });
  });

  it('keeps the gate when a product’s configuration is replaced without it', async () => {
    await setGate('block');
    const config = { lead_expires_in_hours: 0, models_config: null, messaging_config: null };
    const answer = await vera.call(products.replace, { params: { id: world.productId }, body: { config } });
    expect(answer.body).toMatchObject({ config: { ...config, gate: 'block' } });
  });
});

describe('publishing', () => {
  it('makes any saved version live, and lets a newer prompt take over only then', async () => {
    const first = await create('First');
    await publish(first.id, 1);
    const second = await create('Newer');
    expect(await liveText()).toBe('First');
    const uses = await vera.call(promptsInUse, { params: { product_id: world.productId } });
    const inUse = (uses.body as { items: PromptUse[] }).items.find(({ type }) => type === 'qualification');
    expect(inUse).toMatchObject({ prompt_id: first.id, next: null });
    await save(second.id, 'Newer, changed');
    const published = await publish(second.id, 1, {}, olga);
    expect(published).toMatchObject({ status: 200, body: { version: 2, live_version: 1, checks: NONE } });
    const { body } = await vera.call(promptOfProduct, {
      params: { product_id: world.productId },
      query: { type: 'qualification' },
    });
    expect(body).toMatchObject({ id: second.id, text: 'Newer', version: 1, live_version: 1, author: 'vera' });
    expect(await publicationsOf(second.id)).toMatchObject([
      { version: 1, kind: 'published', author: 'olga', checks: NONE },
    ]);
    expect(await auditOf(second.id)).toContainEqual({
      operator: 'olga',
      action: 'published',
      live: '1',
      reason: null,
      checks: 'none',
    });
  });

  it('changes nothing when the version is live already, and answers 404 for one that does not exist', async () => {
    const { id } = await create('First');
    await publish(id, 1);
    const before = await read(id);
    checks = RED;
    await setGate('block');
    expect(await publish(id, 1)).toMatchObject({ status: 200, body: { ...before, checks: null } });
    expect(await publicationsOf(id)).toHaveLength(1);
    expect(await publish(id, 2)).toMatchObject({
      status: 404,
      body: { detail: 'There is no such version of this prompt.' },
    });
    expect(await publish(999_999, 1)).toMatchObject({ status: 404 });
  });

  it('asks for no checks while the gate is off', async () => {
    const { id } = await create('First');
    await setGate('off');
    checks = RED;
    expect(await publish(id, 1)).toMatchObject({ status: 200, body: { live_version: 1, checks: null } });
  });

  it('publishes despite red cases with the gate warn, and keeps what they said', async () => {
    const { id } = await create('First');
    checks = RED;
    expect(await publish(id, 1)).toMatchObject({ status: 200, body: { live_version: 1, checks: RED } });
    expect(await publicationsOf(id)).toMatchObject([{ checks: RED, override_reason: null }]);
  });

  it('refuses red cases with the gate block, and names them in the body', async () => {
    await setGate('block');
    const { id } = await create('First');
    checks = RED;
    const refused = await publish(id, 1);
    expect(refused.status).toBe(409);
    expect(refused.headers.get('x-refusal')).toBe('prompt.gate');
    expect(refused.body).toEqual({
      detail: 'Version 1 is not published: the case “Asks for the price” fails. Give a reason to publish it anyway.',
      checks: RED,
    });
    expect(await read(id)).toMatchObject({ live_version: null });
    expect(await publicationsOf(id)).toEqual([]);
  });

  it('refuses missing evidence with the gate block, which is no pass', async () => {
    await setGate('block');
    const { id } = await create('First');
    checks = { state: 'missing', red: [], run_id: null };
    const refused = await publish(id, 1);
    expect(refused).toMatchObject({ status: 409, body: { checks } });
    expect(await liveText()).toBeNull();
    expect((await vera.call(checkPromptVersion, { query: { prompt_id: id, version: 1 } })).body).toEqual({
      gate: 'block',
      checks,
    });
  });

  it('publishes with the gate block when the cases are green, and when there are none, and says so', async () => {
    await setGate('block');
    const { id } = await create('First');
    expect(await publish(id, 1)).toMatchObject({ status: 200, body: { checks: { state: 'none' } } });
    await save(id, 'Second');
    checks = { state: 'green', red: [], run_id: 4 };
    expect(await publish(id, 2, { override_reason: 'Not needed' })).toMatchObject({ status: 200, body: { checks } });
    // A reason that was not needed is none.
    expect(await publicationsOf(id)).toMatchObject([{ version: 2, override_reason: null, checks }, { version: 1 }]);
  });

  it('publishes red cases with a reason, which is recorded with the operator’s name', async () => {
    await setGate('block');
    const { id } = await create('First');
    checks = RED;
    const published = await publish(id, 1, { override_reason: ' The price has changed ' }, olga);
    expect(published).toMatchObject({ status: 200, body: { live_version: 1, checks: RED } });
    expect(await publicationsOf(id)).toMatchObject([
      { author: 'olga', override_reason: 'The price has changed', checks: RED },
    ]);
    expect((await auditOf(id)).at(-1)).toEqual({
      operator: 'olga',
      action: 'published',
      live: '1',
      reason: 'The price has changed',
      checks: 'red',
    });
    expect((await publish(id, 1, { override_reason: ' ' })).status).toBe(422);
  });
});

describe('a rollback', () => {
  it('goes further back each time, and never forward again', async () => {
    const { id } = await create('First');
    await publish(id, 1);
    for (const [version, text] of [
      [2, 'Second'],
      [3, 'Third'],
    ] as const) {
      await save(id, text);
      await publish(id, version);
    }
    checks = RED;
    expect(await rollBack(id)).toMatchObject({ status: 200, body: { version: 3, text: 'Third', live_version: 2 } });
    expect(await liveText()).toBe('Second');
    expect(await rollBack(id)).toMatchObject({ status: 200, body: { live_version: 1 } });
    expect(await rollBack(id)).toMatchObject({
      status: 409,
      body: { detail: 'No other version was live before this one.' },
    });
    expect(await liveText()).toBe('First');
    expect(
      (await publicationsOf(id)).map(({ version, kind, previous_version }) => [version, kind, previous_version]),
    ).toEqual([
      [1, 'rolled_back', 2],
      [2, 'rolled_back', 3],
      [3, 'published', 2],
      [2, 'published', 1],
      [1, 'published', null],
    ]);
    expect((await auditOf(id)).slice(-2)).toMatchObject([
      { operator: 'vera', action: 'rolled back', live: '2' },
      { operator: 'vera', action: 'rolled back', live: '1' },
    ]);
    // What is published after it is rolled back to what was live then.
    checks = NONE;
    await publish(id, 3);
    expect(await rollBack(id)).toMatchObject({ body: { live_version: 1 } });
    expect((await rollBack(id)).status).toBe(409);
  });

  it('takes back what saving put live, and refuses what was never live', async () => {
    await setGate('off');
    const { id } = await create('First');
    expect((await rollBack(id)).status).toBe(409);
    await save(id, 'Second');
    expect(await rollBack(id)).toMatchObject({ body: { text: 'Second', live_version: 1 } });
    expect(await liveText()).toBe('First');
    await setGate('warn');
    const draft = await create('Draft');
    expect((await rollBack(draft.id)).status).toBe(409);
  });
});

describe('at the same time', () => {
  const publishAs = (client: Client, id: number, version: number, revision: number) =>
    client.fetch(`/v1/prompts/${id}/publish`, {
      method: 'POST',
      body: JSON.stringify({ version }),
      headers: { 'content-type': 'application/json', 'if-match': `"${revision}"` },
    });

  it('one of two operators publishes who have seen the same state', async () => {
    const { id } = await create('First');
    const { revision } = await save(id, 'Second');
    const answers = await Promise.all([publishAs(vera, id, 1, revision), publishAs(olga, id, 2, revision)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const [only, ...others] = await publicationsOf(id);
    expect(others).toEqual([]);
    expect(await read(id)).toMatchObject({ live_version: only?.version, version: 2 });
    const refused = answers.find(({ status }) => status === 409);
    expect(await refused?.json()).toEqual({ detail: expect.stringMatching(/^Changed by (?:vera|olga) at /) });
  });

  it('one of twenty publishes at once is made, and none of a text whose cases are red', async () => {
    await setGate('block');
    const { id } = await create('First');
    const { revision } = await save(id, 'Second');
    checks = RED;
    const refused = await Promise.all(Array.from({ length: 10 }, () => publishAs(vera, id, 2, revision)));
    // Beyond the share of one operator 429 is answered.
    expect(refused.filter(({ status }) => status < 400)).toEqual([]);
    expect(await publicationsOf(id)).toEqual([]);
    checks = { state: 'green', red: [], run_id: 4 };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_none, nth) => publishAs(nth % 2 ? vera : olga, id, 1 + (nth % 2), revision)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => ![200, 409, 429].includes(status))).toEqual([]);
    expect(await publicationsOf(id)).toHaveLength(1);
  });

  it('a save during a publish is neither lost nor live', async () => {
    const { id } = await create('First');
    const { revision } = await save(id, 'Second');
    const [published] = await Promise.all([publish(id, 2), save(id, 'Third')]);
    expect(published.status).toBe(200);
    expect(await read(id)).toMatchObject({ version: 3, text: 'Third', live_version: 2 });
    expect(await liveText()).toBe('Second');
    // Who publishes what they saw before the save is told.
    expect((await publishAs(vera, id, 1, revision)).status).toBe(409);
  });

  it('two rollbacks by operators who have seen the same state go back once', async () => {
    const { id } = await create('First');
    await publish(id, 1);
    for (const version of [2, 3]) {
      await save(id, `Text ${version}`);
      await publish(id, version);
    }
    const { revision } = await read(id);
    const back = (client: Client) =>
      client.fetch(`/v1/prompts/${id}/rollback`, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json', 'if-match': `"${revision}"` },
      });
    const answers = await Promise.all([back(vera), back(olga)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await read(id)).toMatchObject({ live_version: 2 });
  });
});

describe('an experiment', () => {
  /** Store a stopped experiment with a prompt that won. */
  async function stopped(text: string): Promise<number> {
    const answer = await vera.call(experiments.create, {
      body: {
        product_id: world.productId,
        name: 'Which prompt',
        kind: 'prompt',
        base_rate: 0.1,
        difference: 0.1,
        arms: [
          { name: 'Now', content: { source: 'current' } },
          { name: 'New', content: { source: 'prompt', prompt_id: await ownPrompt(), prompt_version: 1 } },
        ],
      },
    });
    const { id } = answer.body as Experiment;
    const content = { kind: 'prompt', prompt_id: await ownPrompt(), prompt_version: 1, name: 'Vera', text };
    const states = [content, content].map((one) => ({ content: one, stopped_at: null, stopped_reason: null }));
    await world.pool.query(
      `update experiments set state = 'stopped', started_at = now(), stopped_at = now(), arm_states = $2 where id = $1`,
      [id, JSON.stringify(states)],
    );
    return id;
  }
  const ownPrompt = async () =>
    Number((await world.pool.query("select min(id) as id from prompts where type = 'prompt'")).rows[0].id);

  it('is applied only with a text that passes the gate', async () => {
    await setGate('block');
    const id = await stopped('The text that won.');
    const prompt = await ownPrompt();
    const apply = async () =>
      vera.call(applyExperiment, {
        params: { id },
        body: { arm: 1, target_id: prompt, target_version: (await read(prompt)).revision },
      });
    checks = RED;
    const before = await read(prompt);
    expect(await apply()).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('Save this text as a draft of Vera') },
    });
    expect(await read(prompt)).toEqual(before);
    // The draft that it says to save is what is applied then, without another version.
    await save(prompt, 'The text that won.');
    checks = { state: 'green', red: [], run_id: 5 };
    expect(await apply()).toMatchObject({ status: 200, body: { applied_arm: 1 } });
    expect(await read(prompt)).toMatchObject({ version: 2, live_version: 2, text: 'The text that won.' });
    expect(await liveText('prompt')).toBe('The text that won.');
  });
});
