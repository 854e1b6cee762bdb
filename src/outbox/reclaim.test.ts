import { afterAll, beforeAll, expect, it } from 'vitest';
import { messagesOf } from '../testing/messageRows.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** Store messages as an instance that died so long ago leaves them: claimed, and with the vendor or not. */
async function leaveClaimed(leads: readonly TestLead[], age = '0 seconds'): Promise<void> {
  await world.pool.query(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status,
                           claimed_by, claimed_until, claimed_at, send_key_used_at, attempts)
     select product_id, contact_id, id, channel_id, 'Good day', 'bot', 'operator', 'olga', 'sending',
            gen_random_uuid(), clock_timestamp() - interval '1 second', clock_timestamp(), clock_timestamp() - $2::interval, 1
       from dialogues where contact_id = any($1)`,
    [leads.map(({ contactId }) => contactId), age],
  );
}

it('sends again what a dead instance has left, but for a lead that is being changed', async () => {
  const leads = [await world.lead('Anna'), await world.lead('Boris'), await world.lead('Clara')] as const;
  const [anna, ...others] = leads;
  const operator = await world.pool.connect();
  try {
    await operator.query('begin');
    await operator.query('select 1 from leads where id = $1 for update', [anna.leadId]);
    await leaveClaimed(leads);
    await world.waitUntil(
      async () => (await Promise.all(others.map((lead) => lead.sees()))).every(({ length }) => length === 1),
      'the others have it',
    );
    expect(await anna.sees()).toEqual([]);
    await operator.query('commit');
  } finally {
    await operator.query('rollback');
    operator.release();
  }
  await world.drain();
  for (const lead of leads) expect(await lead.sees()).toEqual(['us: Good day']);
});

it('sends nothing again whose key the vendor has forgotten', async () => {
  const dora = await world.lead('Dora');
  await leaveClaimed([dora], '10 minutes');
  await world.drain();
  expect(await messagesOf(world, dora, 'bot')).toMatchObject([
    { status: 'unconfirmed', reason: expect.stringContaining('interrupted while sending') },
  ]);
  expect(await dora.sees()).toEqual([]);
});

it('sends the others when one of them cannot be reclaimed', async () => {
  const leads = [await world.lead('Emil'), await world.lead('Fanny'), await world.lead('Greta')] as const;
  const [emil, ...others] = leads;
  await world.pool.query(`
    create function refuse_emil() returns trigger language plpgsql as $$
      begin raise exception 'not this one'; end $$;
    create trigger refuse_emil before update on messages for each row
      when (new.contact_id = ${emil.contactId} and new.attempts > 1) execute function refuse_emil()`);
  try {
    await leaveClaimed(leads);
    await world.waitUntil(
      async () => (await Promise.all(others.map((lead) => lead.sees()))).every(({ length }) => length === 1),
      'the others have it',
    );
    expect(await emil.sees()).toEqual([]);
  } finally {
    await world.pool.query('drop trigger refuse_emil on messages; drop function refuse_emil');
  }
  await world.drain();
  expect(await emil.sees()).toEqual(['us: Good day']);
});
