/** Whether the clock tells an unknown login from a known one. Long, since a busy machine blurs it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../testing/samples.ts';
import { createWorld, PASSWORD, type World } from '../testing/world.ts';
import { addOperator } from './operator.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web', RAPPORT_TRUST_PROXY: 'on' } });
  await world.house?.ground.transact((tx) =>
    addOperator(tx, { login: 'known', password: PASSWORD, companies: null, mustChange: false }),
  );
});
afterAll(() => world.close());

const PAIRS = 60;
let from = 0;

async function time(login: string): Promise<number> {
  from += 1;
  const begun = performance.now();
  const answer = await send(world.url, 'POST', '/v1/auth/login', {
    headers: {
      origin: world.url,
      'content-type': 'application/json',
      'x-forwarded-for': `198.51.${Math.floor(from / 250)}.${(from % 250) + 1}`,
    },
    body: JSON.stringify({ login, password: 'wrong horse' }),
  });
  expect(answer.status).toBe(401);
  return performance.now() - begun;
}

it('is told from a known one by no clock', async () => {
  await time('known');
  await time('unknown');
  let knownFirst = 0;
  for (let pair = 0; pair < PAIRS; pair++) {
    // In turn, so that whatever else the machine does weighs on both alike.
    const order = pair % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
    const first = await time(order[0] === 'known' ? 'known' : `unknown ${pair}`);
    const second = await time(order[1] === 'known' ? 'known' : `unknown ${pair}`);
    const [known, unknown] = order[0] === 'known' ? [first, second] : [second, first];
    if (known > unknown) knownFirst += 1;
  }
  // Of 60 tosses of a fair coin fewer than 12 or more than 48 fall on one side once in a million tries.
  expect(knownFirst).toBeGreaterThan(11);
  expect(knownFirst).toBeLessThan(49);
}, 240_000);
