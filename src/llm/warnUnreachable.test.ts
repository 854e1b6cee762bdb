import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppContext } from '../platform/appContext.ts';
import { readConfig } from '../platform/config.ts';
import { createOutbound } from '../platform/outbound.ts';
import { contextOf } from '../testing/signInSteps.ts';
import { createWorld, type World } from '../testing/world.ts';
import { warnUnreachable } from './warnUnreachable.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
});
afterAll(() => world.close());

it('names each model server that the settings of version 1.0.0 no longer open, and none that is reached', async () => {
  const llms: [vendor: string, baseUrl: string][] = [
    ['chatgpt', 'http://llm.local:8000/v1/key-in-the-path'],
    ['gemini', 'https://models.example.com:8443/v1'],
    ['anthropic', 'http://llm.local/v1'],
  ];
  for (const [vendor, baseUrl] of llms)
    await world.pool.query(
      `insert into company_llms (company_id, vendor, api_key_sealed, config, is_active) values ($1, $2, 'sealed', $3, false)`,
      [world.companyId, vendor, { base_url: baseUrl }],
    );
  const warningsWith = async (hosts: string): Promise<unknown[]> => {
    const warnings: unknown[] = [];
    const log = { warn: (facts: object) => void warnings.push(facts) } as unknown as AppContext['log'];
    const { llmHosts } = readConfig({ RAPPORT_LLM_HOSTS: hosts });
    const modelOutbound = createOutbound({ loopback: false, hosts: llmHosts, ports: null });
    await warnUnreachable({ reader: contextOf(world).reader, modelOutbound, log });
    await modelOutbound.close();
    // The world's own emulated vendors are on this machine.
    return warnings.filter((one) => !JSON.stringify(one).includes('127.0.0.1'));
  };
  expect(await warningsWith('llm.local')).toEqual([
    {
      host: 'llm.local:8000',
      credentials: 1,
      reason: 'RAPPORT_LLM_HOSTS opens llm.local at other ports; it has to name llm.local:8000.',
    },
  ]);
  expect(await warningsWith('llm.local,llm.local:8000')).toEqual([]);
});
