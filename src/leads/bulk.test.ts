import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { BULK_SIZE, type BulkAction, countBulk, leadIds, MAX_SELECTED, runBulk } from './bulkContract.ts';
import { leads } from './contract.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator('root');
});
afterAll(() => world.close());

async function createLeads(names: readonly string[], stage: 'initial' | 'ongoing' = 'ongoing'): Promise<number[]> {
  const testLeads = [];
  for (const name of names) testLeads.push(await world.lead(name, { stage }));
  return testLeads.map((one) => one.leadId);
}
const count = async (ids: number[], action: BulkAction) =>
  (await admin.call(countBulk, { body: { ids, action } })).body;
const stagesOf = async (ids: number[]) => {
  const { rows } = await world.pool.query<{ stage: string; is_active: boolean }>(
    'select stage, is_active from leads where id = any($1::bigint[]) order by id',
    [ids],
  );
  return rows;
};

describe('the ids of a list', () => {
  it('returns the ids of all rows that the list finds', async () => {
    const ids = await createLeads(['Nora Bulk', 'Olaf Bulk', 'Petra Bulk']);
    const all = await admin.call(leadIds, { query: { product_id: [world.productId], search: 'bulk' } });
    expect(all.body).toEqual({ ids });
    const none = await admin.call(leadIds, { query: { search: 'bulk', stage: ['failed'] } });
    expect(none.body).toEqual({ ids: [] });
    expect((await admin.fetch('/v1/leads/ids?page=2')).status).toBe(422);
  });

  it('refuses more ids than one selection may have', async () => {
    await world.pool.query(
      `insert into leads (product_id, name) select $1, 'Crowd ' || n from generate_series(1, $2::int) n`,
      [world.productId, MAX_SELECTED + 1],
    );
    const many = await admin.call(leadIds, { query: { search: 'crowd' } });
    expect([many.status, (many.body as { detail: string }).detail]).toEqual([
      409,
      'More than 10000 leads are too many at once: at most 10000. Narrow the list.',
    ]);
    await world.pool.query("delete from leads where name like 'Crowd %'");
  });
});

describe('many leads at once', () => {
  it('moves many leads to a stage after a count that changes nothing, with an event and an audit entry each', async () => {
    const ids = await createLeads(['Rita', 'Sven', 'Tara']);
    await world.pool.query("update leads set stage = 'pending' where id = $1", [ids[0]]);
    const action: BulkAction = { kind: 'change_stage', new_stage: 'pending', update_in_crm: false };
    const before = await stagesOf(ids);
    expect(await count(ids, action)).toEqual({
      leads: 3,
      affected: 2,
      contacts: 3,
      dialogues: 3,
      messages: 0,
      waiting: 0,
    });
    expect(await stagesOf(ids)).toEqual(before);
    const done = await admin.call(runBulk, { body: { ids: [...ids, ...ids], action } });
    expect(done.body).toEqual({ affected: 2 });
    expect((await stagesOf(ids)).map((one) => one.stage)).toEqual(['pending', 'pending', 'pending']);
    const { rows } = await world.pool.query(
      `select (select count(*) from lead_events where lead_id = any($1::bigint[]) and event_type = 'stage_changed') as events,
              (select count(*) from audit where noun = 'lead' and action = 'stage changed' and operator = 'root'
                  and row_id = any($1::bigint[]) and after->>'stage' = 'pending') as trail`,
      [ids],
    );
    expect(rows).toEqual([{ events: '2', trail: '3' }]);
  });

  it("deactivates many leads, and counts and cancels the bot's queued messages", async () => {
    const lead = await world.lead('Uma');
    const dialogue = await lead.dialogueId();
    await world.pool.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, scheduled_at)
       select product_id, contact_id, id, channel_id, 'Are you still there?', 'bot', 'bot', 'scheduled',
              domain_now() + interval '1 day' from dialogues where id = $1`,
      [dialogue],
    );
    expect(await count([lead.leadId], { kind: 'deactivate' })).toMatchObject({
      affected: 1,
      messages: 1,
      waiting: 1,
    });
    await admin.call(runBulk, { body: { ids: [lead.leadId], action: { kind: 'deactivate' } } });
    expect(await stagesOf([lead.leadId])).toEqual([{ stage: 'started', is_active: false }]);
    const { rows } = await world.pool.query('select status, reason from messages where dialogue_id = $1', [dialogue]);
    expect(rows).toEqual([{ status: 'cancelled', reason: 'The lead is deactivated' }]);
    expect(await count([lead.leadId], { kind: 'deactivate' })).toMatchObject({ affected: 0, waiting: 0 });
  });

  it('deletes many leads with everything of theirs, all or none', async () => {
    const ids = await createLeads(['Vera', 'Willem']);
    expect(await count(ids, { kind: 'delete' })).toMatchObject({ leads: 2, affected: 2, contacts: 2, dialogues: 2 });
    const missing = await admin.call(runBulk, { body: { ids: [...ids, 9_000_000_000], action: { kind: 'delete' } } });
    expect(missing.status).toBe(404);
    expect(await stagesOf(ids)).toHaveLength(2);
    const { rows: before } = await world.pool.query<{ n: string }>('select count(*) as n from suppressed_addresses');
    expect((await admin.call(runBulk, { body: { ids, action: { kind: 'delete' } } })).body).toEqual({ affected: 2 });
    expect(await stagesOf(ids)).toEqual([]);
    expect((await admin.call(leads.get, { params: { id: ids[0] ?? 0 } })).status).toBe(404);
    const { rows: after } = await world.pool.query<{ n: string }>('select count(*) as n from suppressed_addresses');
    expect(Number(after[0]?.n) - Number(before[0]?.n)).toBe(2);
  });

  it("refuses other companies' leads, no leads and too many leads", async () => {
    const [id] = await createLeads(['Xenia']);
    const ids = [id ?? 0];
    const outsider = await world.operator('stranger', []);
    for (const endpoint of [countBulk, runBulk]) {
      const answer = await outsider.call(endpoint, { body: { ids, action: { kind: 'delete' } } });
      expect(answer.status).toBe(404);
      expect((await admin.call(endpoint, { body: { ids: [], action: { kind: 'delete' } } })).status).toBe(422);
    }
    expect((await outsider.call(leadIds, { query: { search: 'Xenia' } })).body).toEqual({ ids: [] });
    const many = Array.from({ length: BULK_SIZE + 1 }, (_one, index) => index + 1);
    expect((await admin.call(runBulk, { body: { ids: many, action: { kind: 'deactivate' } } })).status).toBe(422);
    expect(await stagesOf(ids)).toEqual([{ stage: 'ongoing', is_active: true }]);
  });

  it('does not deadlock when two operators choose the same leads in another order', async () => {
    const ids = await createLeads(['Yara', 'Zeno', 'Ada', 'Bo']);
    const action = (new_stage: 'pending' | 'ongoing'): BulkAction => ({
      kind: 'change_stage',
      new_stage,
      update_in_crm: false,
    });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_one, index) =>
        admin.call(runBulk, {
          body: {
            ids: index % 2 ? ids : ids.toReversed(),
            action: action(index % 2 ? 'pending' : 'ongoing'),
          },
        }),
      ),
    );
    expect(answers.map((one) => one.status)).toEqual(Array.from({ length: 8 }, () => 200));
  });
});
