/** Concurrent generate calls of many companies, whose API keys must not be mixed up. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { companies } from '../companies/contract.ts';
import { companyLlms } from '../llm/contract.ts';
import { generate } from '../llm/settingsContract.ts';
import { products } from '../products/contract.ts';
import type { Client } from '../testing/client.ts';
import { ALL } from '../testing/partOf.ts';
import { type ServerProcess, startServer } from '../testing/serverProcess.ts';
import { createWorld, type World } from '../testing/world.ts';

let world: World;
let admin: Client;
let server: ServerProcess;
beforeAll(async () => {
  world = await createWorld({ serve: false, env: { RAPPORT_ROLES: 'web' } });
  server = startServer(world);
  await server.waitUntilReady();
  admin = await world.operator('root');
});
afterAll(async () => {
  await server.stop();
  await world.close();
});

/** `npm run test:all` takes the full numbers, which take some twenty seconds on a machine with two cores. */
const [COMPANIES, CALLS] = ALL ? [50, 2000] : [12, 150];

it('generates for many companies at once, each with its own key', async () => {
  const tenants = await Promise.all(
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
  const ask = async (one: (typeof tenants)[number] | undefined): Promise<number> => {
    const body = {
      product_id: one?.productId ?? 0,
      purpose: 'chatbot' as const,
      system: `Facts of ${one?.mark}:\n- A lesson costs 25 euros.`,
      content: 'How much is it?',
    };
    // An overloaded server rejects a call or the connection, and one operator has a limited share, so each call is
    // retried.
    const status = await admin.call(generate, { body }).then(
      (answer) => answer.status,
      () => 503,
    );
    return status === 503 || status === 429 ? ask(one) : status;
  };
  const statuses = await Promise.all(Array.from({ length: CALLS }, (_one, index) => ask(tenants[index % COMPANIES])));
  expect(new Set(statuses)).toEqual(new Set([200]));
  const asked = (await world.control.entriesOf('completion')).filter((one) => one.account.includes('-only'));
  expect(asked.length).toBeGreaterThanOrEqual(CALLS);
  const markOf = new Map(tenants.map((one) => [one.key, one.mark]));
  for (const one of asked) {
    const sentMessages = JSON.stringify(one.messages);
    expect([...sentMessages.matchAll(/<<\d+>>/g)].map(([mark]) => mark)).toEqual([markOf.get(one.account)]);
  }
});
