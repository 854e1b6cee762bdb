import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeLeadStage, leadEvents } from '../../leads/contract.ts';
import type { Client } from '../../testing/client.ts';
import { createWorld, type TestLead, type World } from '../../testing/world.ts';
import { type Dialogue, dialogues } from '../contract.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator();
});
afterAll(() => world.close());

async function findListed(lead: TestLead): Promise<Dialogue | undefined> {
  const { status, body } = await admin.call(dialogues.list, { query: { lead_id: [lead.leadId] } });
  expect(status).toBe(200);
  return dialogues.list.replies[200].parse(body).items[0];
}

function insertMessage(lead: TestLead, text: string, status: string): Promise<unknown> {
  return world.pool.query(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status, scheduled_at)
     select product_id, contact_id, id, channel_id, $2, 'bot', 'operator', 'olga', $3, now() + interval '1 hour'
       from dialogues where contact_id = $1`,
    [lead.contactId, text, status],
  );
}

it('lists an empty dialogue with its failed message until something is sent', async () => {
  const anna = await world.lead('Anna');
  await insertMessage(anna, 'Later', 'scheduled');
  expect(await findListed(anna)).toMatchObject({ last_message: null, last_message_trouble: null });
  await insertMessage(anna, ' Good morning\nand more', 'error');
  expect(await findListed(anna)).toMatchObject({ last_message: 'Good morning', last_message_trouble: 'error' });
  await insertMessage(anna, 'Are you there?', 'unconfirmed');
  expect(await findListed(anna)).toMatchObject({ last_message: 'Are you there?', last_message_trouble: 'unconfirmed' });
  await anna.writes('Hello');
  await world.drain();
  expect(await findListed(anna)).toMatchObject({ last_message_trouble: null });
});

it("shows the lead's current name in dialogues and events", async () => {
  const boris = await world.lead('Boris');
  const params = { id: boris.leadId };
  await admin.call(changeLeadStage, { params, query: { new_stage: 'refused' } });
  expect(await findListed(boris)).toMatchObject({ lead_stage: 'refused', lead_is_active: true });
  const { body } = await admin.call(leadEvents, {
    query: { product_id: [world.productId], event_type: ['stage_changed'], limit: 1 },
  });
  expect(leadEvents.replies[200].parse(body).items[0]).toMatchObject({ lead_id: boris.leadId, lead_name: 'Boris' });
  const other = await admin.call(leadEvents, { query: { product_id: [world.productId], event_type: ['activated'] } });
  expect(other.body).toMatchObject({ items: [], total: 0 });
});
