import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { companyLlms } from '../llm/contract.ts';
import { prompts } from '../prompts/contract.ts';
import { createCanaries } from './canaries.ts';
import { createWorld, MODEL_KEY, PASSWORD, type World } from './world.ts';

describe('a world in which a secret is seen does not close quietly', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld();
  });
  /** Expects closing to fail: the leaked secrets belong to the test. */
  const closing = () => expect(world.close()).rejects;
  let admin: Awaited<ReturnType<World['operator']>>;
  beforeEach(async () => {
    admin = await world.operator();
  });

  it('in a table', async () => {
    await world.pool.query("insert into audit (action, noun, after) values ('created', 'company_llm', $1)", [
      { credentials: { api_key: MODEL_KEY } },
    ]);
    await closing().toThrow(/a secret in table public\.audit/);
  });

  it('as bytes in a table', async () => {
    await world.pool.query('create table kept (what bytea)');
    await world.pool.query('insert into kept values ($1)', [Buffer.from(PASSWORD)]);
    await closing().toThrow(/a secret in table public\.kept/);
  });

  it('in a log that nobody would print', async () => {
    world.app?.context.log.debug({ tried: PASSWORD }, 'sign-in');
    await closing().toThrow(/in a log/);
  });

  it('in a reply: a session of another, a key that came in by the API', async () => {
    const api_key = 'sk-sandbox-that-nobody-knows';
    const body = { company_id: world.companyId, vendor: 'gemini' as const, credentials: { api_key } };
    await admin.call(companyLlms.create, { body });
    const prompt = { product_id: world.productId, name: 'Odd', type: 'prompt' as const };
    for (const text of [api_key, admin.cookie.split('=')[1] ?? ''])
      await admin.call(prompts.create, { body: { ...prompt, text } });
    await closing().toThrow(/sk-sandbox-that-nobody-knows in the reply to POST[^]*a secret in table public\.prompt/);
    expect(world.canaries.leaks().filter((one) => one.includes('reply to POST /v1/prompts'))).toHaveLength(2);
  });

  it('in what a model is shown', async () => {
    await world.pool.query("update prompts set text = text || ' ' || $1", [MODEL_KEY]);
    const anna = await world.lead('Anna');
    await anna.writes('How long does delivery take?');
    await world.drain();
    await closing().toThrow(/what a model was shown/);
  });
});

describe('a world that was lived in', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld();
  });
  afterEach(() => world.close());

  it('is looked through in no time', async () => {
    const anna = await world.lead('Anna');
    await anna.writes('How long does delivery take?');
    await world.drain();
    const canaries = createCanaries();
    const startedAt = performance.now();
    await canaries.scanDatabase(world.pool);
    expect(canaries.leaks()).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});
