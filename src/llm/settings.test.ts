import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../testing/world.ts';
import { FALLBACK_MODELS, readLlmSettings } from './settingsContract.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
});
afterAll(() => world.close());

it('lists the models of the specification first where no key lists any, and none that only the sandbox has', async () => {
  const { body } = await (await world.operator()).call(readLlmSettings);
  const { models } = readLlmSettings.replies[200].parse(body);
  expect(FALLBACK_MODELS).toEqual({
    chatgpt: ['gpt-4', 'gpt-3.5-turbo'],
    anthropic: ['claude-3-5-sonnet-20241022', 'claude-3-5-haiku-20241022'],
  });
  for (const [vendor, named] of Object.entries(FALLBACK_MODELS))
    expect([vendor, models[vendor]?.slice(0, named.length)]).toEqual([vendor, named]);
  const invented = /sandbox|claude-\w+-5-5|gemini-3\.8/;
  expect(
    Object.values(models)
      .flat()
      .filter((name) => invented.test(name)),
  ).toEqual([]);
});
