/** Many at once: companies whose keys must not be mixed up. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { companies } from '../companies/contract.ts';
import { companyLlms } from '../llm/contract.ts';
import { generate } from '../llm/settingsContract.ts';
import { products } from '../products/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator('root');
});
afterAll(() => world.close());

const COMPANIES = 50;
const CALLS = 2000;

it('fifty companies ask at once, each with its own key only', async () => {
  const made = await Promise.all(
    Array.from({ length: COMPANIES }, async (_one, index) => {
      const company = await admin.call(companies.create, { body: { name: `Company ${index}` } });
      const companyId = (company.body as { id: number }).id;
      const product = await admin.call(products.create, { body: { name: `Product ${index}`, company_id: companyId } });
      const api_key = `sk-sandbox-of-${companyId}-only`;
      await admin.call(companyLlms.create, {
        body: { company_id: companyId, vendor: 'chatgpt', credentials: { api_key } },
      });
      return { key: api_key, mark: `<<${companyId}>>`, productId: (product.body as { id: number }).id };
    }),
  );
  const statuses = await Promise.all(
    Array.from({ length: CALLS }, async (_one, index) => {
      const one = made[index % COMPANIES];
      const answer = await admin.call(generate, {
        body: {
          product_id: one?.productId ?? 0,
          purpose: 'chatbot',
          system: `Facts of ${one?.mark}:\n- A lesson costs 25 euros.`,
          content: 'How much is it?',
        },
      });
      return answer.status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  const asked = (await world.control.entriesOf('completion')).filter((one) => one.account.includes('-only'));
  expect(asked).toHaveLength(CALLS);
  const markOf = new Map(made.map((one) => [one.key, one.mark]));
  for (const one of asked) {
    const said = JSON.stringify(one.messages);
    expect([...said.matchAll(/<<\d+>>/g)].map(([mark]) => mark)).toEqual([markOf.get(one.account)]);
  }
}, 60_000);
