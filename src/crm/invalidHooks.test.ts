/**
 * Hooks of every shape, each mutated a thousand ways (in `npm test` two hundred): they are answered, change no data, and
 * cause no call to amoCRM.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AMOCRM_SHAPES, connectAmocrm } from '../testing/crm.ts';
import { tableFingerprints } from '../testing/everyResource.ts';
import { ALL } from '../testing/partOf.ts';
import { createWorld, type World } from '../testing/world.ts';
import { hookAddress } from './hookAddress.ts';
import { findAccount } from './store/accounts.ts';

let world: World;
let address: string;
beforeAll(async () => {
  // No worker: what is stored stays, and can be counted.
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  const integration = await connectAmocrm(world, await world.operator());
  const context = world.app?.context;
  const account = context ? await findAccount(context.reader, integration) : undefined;
  if (!context || !account) throw new Error('Not connected');
  address = hookAddress(context, account);
});
afterAll(() => world.close());

const MUTATION_TOKENS = [
  '[',
  ']',
  '%',
  '=',
  '&',
  '\u0000',
  '%00',
  '%ff',
  '__proto__',
  '%5B%5D',
  '9'.repeat(30),
  '-1',
  'é',
  '',
];

it.each(AMOCRM_SHAPES.map((shape, index) => [index, shape] as const))('shape %d', async (index, shape) => {
  const before = await tableFingerprints(world.pool);
  const { seq } = await world.control.ping();
  let seed = index + 1;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed % below;
  };
  const statuses = new Set<number>();
  for (let round = 0; round < (ALL ? 20 : 4); round++) {
    const posts = Array.from({ length: 50 }, async (_one, number) => {
      const at = random(shape.length);
      const body = shape.slice(0, at) + MUTATION_TOKENS[random(MUTATION_TOKENS.length)] + shape.slice(at + random(12));
      const type = number % 9 === 0 ? 'application/json' : 'application/x-www-form-urlencoded';
      const answer = await fetch(address, { method: 'POST', headers: { 'content-type': type }, body });
      await answer.arrayBuffer();
      statuses.add(answer.status);
    });
    await Promise.all(posts);
  }
  expect([...statuses].filter((status) => status !== 200 && status !== 422)).toEqual([]);
  const after = await tableFingerprints(world.pool);
  // At most a note that something is to be read again, but never a lead.
  for (const [table, print] of Object.entries(before))
    if (table !== 'crm_changes') expect([table, after[table]]).toEqual([table, print]);
  expect(await world.control.entriesOf('amocrm', seq)).toEqual([]);
});
