/** A card that a manager takes over, or deletes, before anybody wrote to its lead. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { setOwner } from '../conversations/contract.ts';
import { changeLeadStage } from '../leads/contract.ts';
import type { Client } from '../testing/client.ts';
import { connectAmocrm, connectProduct, STEPS, UNMAPPED } from '../testing/crm.ts';
import { dialogueOf } from '../testing/messageRows.ts';
import { createOutreachWorld, DAY, type OutreachWorld } from '../testing/outreachWorld.ts';
import type { TestLead } from '../testing/world.ts';

let world: OutreachWorld;
let olga: Client;
beforeAll(async () => {
  world = await createOutreachWorld();
  olga = await world.operator('olga');
  await connectProduct(world, olga, await connectAmocrm(world, olga));
  await world.drain();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  await world.setFirstMessages({});
  await world.advanceClockTo('08:00');
});

/** Create a lead that was imported from its card and that nobody has written to yet. */
async function createImportedLead(name: string): Promise<TestLead & { card: number }> {
  const lead = await world.createLead(name);
  await world.pool.query('delete from leads where id = $1', [lead.leadId]);
  const { id: card } = await world.control.amocrm.makeCard({
    name: `Kitchen for ${name}`,
    city: 'Riga',
    contact: { name, phone: `+${lead.address}` },
  });
  await world.drain();
  const { rows } = await world.pool.query<{ lead: number; contact: number }>(
    'select l.id::int as lead, c.id::int as contact from leads l join contacts c on c.lead_id = l.id where l.crm_id = $1',
    [String(card)],
  );
  const [row] = rows;
  if (!row) throw new Error(`${name} was not imported`);
  return { ...lead, leadId: row.lead, contactId: row.contact, card };
}

async function movedTo(card: number, status_id: number): Promise<void> {
  await world.control.amocrm.changeCard(card, { status_id });
  await world.drain();
}

it('stops first messages and hands over when a card moves to an unmapped step', async () => {
  const anna = await createImportedLead('Anna');
  await movedTo(anna.card, UNMAPPED);
  expect([await world.stageOf(anna.leadId), await world.reasonOf(anna.leadId)]).toEqual(['initial', 'human']);
  await world.advanceClock(2 * DAY);
  expect([await anna.sees(), await world.reasonOf(anna.leadId)]).toEqual([[], 'human']);
  await anna.writes('How long does delivery take?');
  await world.drain();
  expect(await anna.sees()).toEqual(['lead: How long does delivery take?']);
  expect(await dialogueOf(world, anna)).toMatchObject({
    owner: 'human',
    owner_reason: 'crm_step',
    owner_reason_detail: expect.stringMatching(/./),
  });
});

it('does the same for a deleted card until the dialogue is handed back', async () => {
  const boris = await createImportedLead('Boris');
  await world.control.amocrm.deleteCard(boris.card);
  await world.drain();
  await world.advanceClock(2 * DAY);
  expect(await boris.sees()).toEqual([]);
  await boris.writes('How long does delivery take?');
  await world.drain();
  expect(await dialogueOf(world, boris)).toMatchObject({
    owner: 'human',
    owner_reason: 'crm_deleted',
  });
  const { rows } = await world.pool.query<{ id: number }>('select id::int from dialogues where contact_id = $1', [
    boris.contactId,
  ]);
  const response = await olga.call(setOwner, { params: { id: rows[0]?.id ?? 0 }, body: { owner: 'bot' } });
  expect(response.status).toBe(200);
  await world.drain();
  expect((await boris.sees()).at(-1)).toMatch(/^us: /);
  expect(await isHumanOwned(boris)).toBe(false);
});

async function isHumanOwned(lead: TestLead): Promise<boolean> {
  const { rows } = await world.pool.query<{ taken: boolean }>(
    'select human_owned_since is not null as taken from leads where id = $1 and (human_owned_since is null) = (human_owner_reason is null)',
    [lead.leadId],
  );
  return rows[0]?.taken ?? true;
}

it('resumes first messages when the card returns to a mapped step or the stage is set by hand', async () => {
  const [clara, dora] = [await createImportedLead('Clara'), await createImportedLead('Dora')];
  await movedTo(clara.card, UNMAPPED);
  await movedTo(dora.card, UNMAPPED);
  expect([await isHumanOwned(clara), await isHumanOwned(dora)]).toEqual([true, true]);
  await movedTo(clara.card, STEPS.initial);
  const moved = await olga.call(changeLeadStage, { params: { id: dora.leadId }, query: { new_stage: 'initial' } });
  expect(moved.status).toBe(200);
  await world.advanceClock(2 * DAY);
  expect([await clara.sees(), await dora.sees()]).toEqual([['us: Good day!'], ['us: Good day!']]);
  expect([await dialogueOf(world, clara), await dialogueOf(world, dora)]).toMatchObject([
    { owner: 'bot', owner_reason: null },
    { owner: 'bot', owner_reason: null },
  ]);
});
