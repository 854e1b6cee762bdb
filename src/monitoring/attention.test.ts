import { afterAll, beforeAll, expect, it } from 'vitest';
import { setOwner } from '../conversations/contract.ts';
import { assignDialogue } from '../desk/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type AttentionItem, readAttention } from './attentionContract.ts';

let world: World;
let anna: Client;
beforeAll(async () => {
  world = await createWorld();
  anna = await world.operator('anna', [world.companyId]);
});
afterAll(() => world.close());

async function items(client = anna): Promise<AttentionItem[]> {
  const { status, body } = await client.call(readAttention, { query: { company_id: world.companyId } });
  expect(status).toBe(200);
  return (body as { items: AttentionItem[] }).items;
}

it('lists what is not fine, the worst first, for the operators of the company alone', async () => {
  expect(await items()).toEqual([]);
  const lead = await world.lead('Waiting');
  const params = { id: await lead.dialogueId() };
  await anna.call(setOwner, { params, body: { owner: 'human' } });
  await lead.writes('Hello?');
  await world.waitUntil(async () => (await items()).length === 1, 'the lead waits');
  await anna.call(assignDialogue, { params, body: { operator_id: null } });
  const waiting = { kind: 'waiting', attention: 'waiting_for_human', count: 1 };
  expect(await items()).toEqual([{ ...waiting, level: 'look' }]);

  await world.pool.query('update channels set is_session_active = false where id = $1', [world.telegram.id]);
  await world.pool.query(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, reason, origin, thread_at)
     values ($1, $2, $3, $4, 'x', 'bot', 'bot', 'error', 'Nobody there', 'ping', domain_now())`,
    [world.productId, lead.contactId, params.id, world.whatsapp.id],
  );
  const others = [
    { kind: 'channels', attention: null, count: 1, level: 'bad' },
    { ...waiting, level: 'look' },
    { kind: 'failed', attention: null, count: 1, level: 'look' },
  ];
  expect(await items()).toEqual(others);

  // Beyond the product's target a wait is bad. What is assigned to a colleague is theirs, until it is overdue.
  await world.pool.query("update dialogues set waiting_since = domain_now() - interval '16 minutes' where id = $1", [
    params.id,
  ]);
  expect((await items())[0]).toEqual({ ...waiting, level: 'bad' });
  const boris = await world.operator('boris', [world.companyId]);
  const { rows } = await world.pool.query<{ id: string }>("select id from operators where login = 'anna'");
  await anna.call(assignDialogue, { params, body: { operator_id: Number(rows[0]?.id) } });
  expect((await items(boris)).map(({ kind, count }) => [kind, count])).toEqual([
    ['channels', 1],
    ['late_with_colleagues', 1],
    ['failed', 1],
  ]);
  await world.pool.query('update dialogues set waiting_since = domain_now() where id = $1', [params.id]);
  expect((await items(boris)).map(({ kind }) => kind)).toEqual(['channels', 'failed']);

  const stranger = await world.operator('stranger', []);
  expect((await stranger.call(readAttention, { query: { company_id: world.companyId } })).status).toBe(404);
});
