/** Messages that a model's wrong key held back are sent when the key is corrected, wherever that is done. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type CompanyLlm, companyLlms } from '../llm/contract.ts';
import { testCredential } from '../llm/settingsContract.ts';
import type { Client } from '../testing/client.ts';
import { createOutreachWorld, DAY, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import { MODEL_KEY, type TestLead } from '../testing/world.ts';

let world: OutreachWorld;
let admin: Client;
beforeAll(async () => {
  world = await createOutreachWorld();
  admin = await world.operator();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

/** Create a lead whose follow-up could not be written because the model's vendor refuses the key. */
async function createRefusedLead(name: string): Promise<TestLead> {
  await world.setFirstMessages({});
  await world.setFollowUps([
    { after_minutes: 60, prompt_id: await world.addPrompt('Ask whether they are still there.') },
  ]);
  await world.advanceClockTo('08:00');
  const lead = await world.createLead(name);
  await world.control.setFaults([{ kind: 'openai.unauthorized' }]);
  await world.advanceClock(5 * HOUR);
  expect([await lead.sees(), await world.reasonOf(lead.leadId)]).toEqual([['us: Good day!'], 'text']);
  await world.control.setFaults([]);
  // No corrected key has been reported, so the text is not tried again.
  await world.advanceClock(DAY);
  expect(await lead.sees()).toHaveLength(1);
  return lead;
}

async function keyOfProduct(): Promise<CompanyLlm> {
  const { rows } = await world.pool.query<{ id: string }>(
    `select l.id from company_llms l join products p on p.company_id = l.company_id where p.id = $1 and l.vendor = 'chatgpt'`,
    [world.productId],
  );
  const answer = await admin.call(companyLlms.get, { params: { id: Number(rows[0]?.id) } });
  if (answer.status !== 200) throw new Error('The company has no key');
  return answer.body as CompanyLlm;
}

it('resumes when the key is activated again', async () => {
  const anna = await createRefusedLead('Anna');
  const { id } = await keyOfProduct();
  for (const is_active of [false, true])
    expect((await admin.call(companyLlms.replace, { params: { id }, body: { is_active } })).status).toBe(200);
  await world.drain();
  expect(await anna.sees()).toHaveLength(2);
});

it('resumes when the key is tested and works', async () => {
  const boris = await createRefusedLead('Boris');
  const { id } = await keyOfProduct();
  await world.control.setFaults([{ kind: 'openai.unauthorized' }]);
  expect((await admin.call(testCredential, { params: { id } })).body).toMatchObject({ ok: false });
  await world.drain();
  await world.control.setFaults([]);
  expect(await boris.sees()).toHaveLength(1);
  expect((await admin.call(testCredential, { params: { id } })).body).toMatchObject({ ok: true });
  await world.drain();
  expect(await boris.sees()).toHaveLength(2);
});

it('resumes when the key is replaced', async () => {
  const clara = await createRefusedLead('Clara');
  const { id, company_id, vendor, config } = await keyOfProduct();
  await world.pool.query('update company_llms set is_active = false where id = $1', [id]);
  await world.drain();
  expect(await clara.sees()).toHaveLength(1);
  const body = { company_id, vendor, config, credentials: { api_key: MODEL_KEY } };
  expect((await admin.call(companyLlms.create, { body })).status).toBe(201);
  await world.drain();
  expect(await clara.sees()).toHaveLength(2);
});
