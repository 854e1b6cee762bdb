/** Timing of unknown and known logins, which must not differ. A long test, because a busy machine blurs it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../testing/sampleRequests.ts';
import { createWorld, PASSWORD, type World } from '../testing/world.ts';
import { addOperator } from './operator.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web', RAPPORT_TRUST_PROXY: 'on' } });
  await world.app?.context.transact((tx) =>
    addOperator(tx, { login: 'known', password: PASSWORD, companies: null, mustChange: false }),
  );
});
afterAll(() => world.close());

const ROUNDS = 60;
let from = 0;

async function measureSignIn(login: string): Promise<number> {
  from += 1;
  const startedAt = performance.now();
  const answer = await send(world.url, 'POST', '/v1/auth/login', {
    headers: {
      origin: world.url,
      'content-type': 'application/json',
      'x-forwarded-for': `198.51.${Math.floor(from / 250)}.${(from % 250) + 1}`,
    },
    body: JSON.stringify({ login, password: 'wrong horse' }),
  });
  expect(answer.status).toBe(401);
  return performance.now() - startedAt;
}

it('takes the same time for an unknown login as for a known one', async () => {
  await measureSignIn('known');
  await measureSignIn('unknown');
  let knownSlower = 0;
  for (let round = 0; round < ROUNDS; round++) {
    // Alternate the order, so that other load on the machine affects both alike.
    const order = round % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
    const first = await measureSignIn(order[0] === 'known' ? 'known' : `unknown ${round}`);
    const second = await measureSignIn(order[1] === 'known' ? 'known' : `unknown ${round}`);
    const [existing, unknown] = order[0] === 'known' ? [first, second] : [second, first];
    if (existing > unknown) knownSlower += 1;
  }
  // Of 60 tosses of a fair coin, fewer than 12 or more than 48 show one side once in a million tries.
  expect(knownSlower).toBeGreaterThan(11);
  expect(knownSlower).toBeLessThan(49);
});
