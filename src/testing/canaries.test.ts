import { beforeAll, describe, expect, it } from 'vitest';
import { companyLlms } from '../llm/contract.ts';
import { prompts } from '../prompts/contract.ts';
import { createCanaries } from './canaries.ts';
import { createWorld, MODEL_KEY, PASSWORD } from './world.ts';

const API_KEY = 'sk-sandbox-that-nobody-knows';

describe('a used world', () => {
  let leaks: readonly string[] = [];
  let error = '';
  const soundScan = { leaks: [''], ms: 0 };
  beforeAll(async () => {
    const world = await createWorld();
    const anna = await world.lead('Anna');
    await anna.writes('How long does delivery take?');
    await world.drain();
    const canaries = createCanaries();
    const startedAt = performance.now();
    await canaries.scanDatabase(world.pool);
    Object.assign(soundScan, { leaks: canaries.leaks(), ms: performance.now() - startedAt });

    const admin = await world.operator();
    await world.pool.query("insert into audit (action, noun, after) values ('created', 'company_llm', $1)", [
      { credentials: { api_key: MODEL_KEY } },
    ]);
    await world.pool.query('create table kept (what bytea)');
    await world.pool.query('insert into kept values ($1)', [Buffer.from(PASSWORD)]);
    world.app?.context.log.debug({ tried: PASSWORD }, 'sign-in');
    const credentials = { api_key: API_KEY };
    await admin.call(companyLlms.create, { body: { company_id: world.companyId, vendor: 'gemini', credentials } });
    for (const text of [API_KEY, admin.cookie.split('=')[1] ?? ''])
      await admin.call(prompts.create, { body: { product_id: world.productId, name: 'Odd', type: 'ping', text } });
    await world.pool.query("update prompts set live_text = live_text || ' ' || $1 where type = 'prompt'", [MODEL_KEY]);
    await anna.writes('And the price?');
    await world.drain();
    error = await world.close().then(() => '', String);
    leaks = world.canaries.leaks();
  });

  it('is scanned within a second', () => {
    expect(soundScan.leaks).toEqual([]);
    expect(soundScan.ms).toBeLessThan(1000);
  });

  it.each([
    ['a table', /a secret in table public\.audit/],
    ['bytes of a table', /a secret in table public\.kept/],
    ['a log line below the printed level', /in a log/],
    ['what a model was shown', /what a model was shown/],
    ['the rows of a resource', /a secret in table public\.prompt/],
  ])('fails to close after a secret in %s', (_place, message) => {
    expect(error).toMatch(message);
  });

  it('finds keys and sessions in replies', () => {
    expect(error).toMatch(/sk-sandbox-that-nobody-knows in the reply to POST/);
    expect(leaks.filter((one) => one.includes('reply to POST /v1/prompts'))).toHaveLength(2);
  });
});
