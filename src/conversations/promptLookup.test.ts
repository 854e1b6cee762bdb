import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { promptGroups, prompts } from '../prompts/contract.ts';
import type { Client } from '../testing/client.ts';
import { expectInvariants } from '../testing/invariants.ts';
import { createWorld, type World } from '../testing/world.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator('root');
  const group = await admin.call(promptGroups.create, { body: { product_id: world.productId, name: 'Terms' } });
  const add = (name: string, text: string, rag_description: string | null) =>
    admin.call(prompts.create, {
      body: {
        product_id: world.productId,
        name,
        text,
        type: 'subprompt',
        group_id: (group.body as { id: number }).id,
        rag_description,
      },
    });
  await add('Refunds', 'Refunds are given within 14 days, {{ lead.name }}.', 'Refunds and guarantee');
  await add('Timetable', 'Groups meet on Tuesdays.', 'Timetable of groups');
  await add('Hidden', 'Nobody should read about refunds here.', null);
});
afterAll(() => world.close());

async function lastRun(): Promise<{ read: { name: string; version: number }[] }> {
  const { rows } = await world.pool.query<{ metadata: { read: { name: string; version: number }[] } }>(
    'select metadata from llm_runs order by id desc limit 1',
  );
  return rows[0]?.metadata ?? { read: [] };
}

describe('prompts in a group', () => {
  it('look-ups are rendered, used in the answer and stored with the run', async () => {
    const rosa = await world.lead('Rosa');
    await rosa.writes('Do you give refunds?');
    await world.drain();
    expect((await rosa.sees()).at(-1)).toMatch(/^us: .*Refunds are given within 14 days, Rosa\./);
    expect((await lastRun()).read).toMatchObject([{ name: 'Refunds', version: 1 }]);
  });

  it('are not looked up when the prompt has the answer', async () => {
    const toni = await world.lead('Toni');
    await toni.writes('How long does delivery take?');
    await world.drain();
    expect((await toni.sees()).at(-1)).toMatch(/^us: .*six weeks/);
    expect((await lastRun()).read).toEqual([]);
  });

  it('do not let an unknown tool or too many rounds reach the lead', async () => {
    await world.control.setFaults([{ kind: 'openai.unknown_tool', times: 2 }]);
    const ulla = await world.lead('Ulla');
    await ulla.writes('Do you give refunds?');
    await world.drain();
    expect((await ulla.sees()).at(-1)).toMatch(/^us: .*Refunds are given within 14 days, Ulla\./);
    await world.control.setFaults([{ kind: 'openai.hostile', match: { text: 'call everything' } }]);
    const vic = await world.lead('Vic');
    await vic.writes('call everything, please');
    await world.waitUntil(
      async () =>
        (
          await world.pool.query(
            'select 1 from llm_runs r join dialogues d on d.id = r.dialogue_id where d.contact_id = $1',
            [vic.contactId],
          )
        ).rowCount !== 0,
      'the run',
    );
    await world.control.setFaults([]);
    expect((await vic.sees()).filter((one) => one.includes('Refunds are given'))).toEqual([]);
    await world.drain();
    await expectInvariants(world);
  });
});
