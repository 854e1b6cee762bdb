import { afterAll, beforeAll, expect, it } from 'vitest';
import { brokenInvariants } from './invariants.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  const anna = await world.lead('Anna');
  for (const text of ['How long does delivery take?', 'What does a kitchen cost?']) {
    await anna.writes(text);
    await world.drain();
  }
});
afterAll(() => world.close());

/**
 * Return the numbers of the invariants that the checker finds violated after these statements, which are rolled back.
 */
async function foundAfter(...statements: string[]): Promise<string[]> {
  const client = await world.pool.connect();
  try {
    await client.query('begin');
    for (const statement of statements) await client.query(statement);
    const broken = await brokenInvariants({ control: world.control, pool: client });
    return [...new Set(broken.map((one) => one.split(':')[0] ?? ''))].toSorted();
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const FIRST = "(select min(id) from messages where side = 'bot')";
const LAST = "(select max(id) from messages where side = 'bot')";
const LEADS_FIRST = "(select min(id) from messages where side = 'user')";

it('finds nothing in a sound world', async () => {
  expect(await foundAfter()).toEqual([]);
});

it.each<[string, string[], string[]]>([
  ['a message taken in and gone', [`delete from messages where id = ${LEADS_FIRST}`], ['1']],
  [
    'a hook that was acknowledged and is gone',
    ["delete from inbox where kind = 'message' and status = 'inbound'"],
    ['1', '8'],
  ],
  ['an item left open', ["update inbox set state = 'new' where kind = 'message' and status = 'inbound'"], ['1']],
  ['a text that changed on the way', [`update messages set message = 'x' where id = ${LEADS_FIRST}`], ['1']],
  [
    'a message that counts as sent and never left',
    [`update messages set ext_id = 'none', send_key = gen_random_uuid() where id = ${LAST}`],
    ['1', '2', '7'],
  ],
  [
    'one that stands on the phone twice',
    [
      `create temporary table kept on commit drop as select send_key from messages where id = ${LAST}`,
      `delete from messages where id = ${LAST}`,
      `update messages set send_key = (select send_key from kept) where id = ${FIRST}`,
    ],
    ['2', '4'],
  ],
  ['a cancelled one on the phone', [`update messages set status = 'cancelled' where id = ${LAST}`], ['2', '7']],
  [
    'two that left in the wrong order',
    [
      `update messages set scheduled_at = now() + interval '1 day' where id = ${FIRST}`,
      `update messages set created_at = created_at - interval '1 day' where id = ${LAST}`,
    ],
    ['3'],
  ],
  ['two answers to one turn', ["update messages set turn = 2 where side = 'bot'"], ['4']],
  ['an answer to a turn that was over', [`update messages set claimed_at = now() where id = ${FIRST}`], ['4']],
  ['a turn that is still due', ['update dialogues set turn_due_at = now()'], ['4']],
  [
    'a question without an answer',
    [`update messages set turn = 1, created_at = created_at - interval '1 day' where id = ${LAST}`],
    ['4'],
  ],
  [
    'a message claimed after the hand-over',
    ["update dialogues set owner = 'human', owner_since = now() - interval '1 day'"],
    ['5'],
  ],
  [
    'a sentence of a hand-over claimed after a human has written',
    [
      `update messages set author = 'operator', created_at = now() - interval '1 hour' where id = ${FIRST}`,
      `update messages set origin = 'hand_over', created_at = now() - interval '2 hours' where id = ${LAST}`,
    ],
    ['27', '5'],
  ],
  [
    'a message claimed after a deactivation',
    [
      'update leads set is_active = false',
      `insert into lead_events (lead_id, product_id, event_type, created_at)
       select id, product_id, 'deactivated', now() - interval '1 day' from leads`,
    ],
    ['5'],
  ],
  [
    'a follow-up claimed after an opt-out',
    [
      `update messages set reply_on_msg_id = null where id = ${LAST}`,
      `insert into opt_outs (company_id, product_id, state, source, lead_id, since)
       select p.company_id, p.id, 'certain', 'words', l.id, now() - interval '1 day' from leads l join products p on p.id = l.product_id`,
    ],
    ['35'],
  ],
  ['our echo taken for a human', [`update messages set author = 'phone' where id = ${LAST}`], ['27', '6']],
  ['a status that fell', [`update messages set status = 'sent' where id = ${LAST}`], ['7']],
  [
    'a status kept for a message that is known',
    ["update inbox set state = 'parked' where kind = 'status' and status = 'read'"],
    ['7'],
  ],
  ['a status that was acknowledged and is gone', ["delete from inbox where kind = 'status'"], ['8']],
  ['a message counted twice', ['update outcomes set sent = sent + 1'], ['27']],
  ['a message that nobody wrote', [`update messages set ext_id = 'invented' where id = ${LEADS_FIRST}`], ['1', '8']],
])('finds %s', async (_name, statements, promises) => {
  expect(await foundAfter(...statements)).toEqual(promises);
});
