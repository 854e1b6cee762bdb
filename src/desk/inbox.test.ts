import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messages, setOwner } from '../conversations/contract.ts';
import type { Client } from '../testing/client.ts';
import { countModelCalls, dialogueOf, messagesOf } from '../testing/messageRows.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import {
  addNote,
  assignDialogue,
  countInbox,
  type InboxCounts,
  type InboxRow,
  type InboxView,
  inboxViews,
  listInbox,
  listNotes,
  markDone,
  markManyDone,
  reopenMany,
  setReturn,
  snoozeDialogue,
} from './contract.ts';

const QUESTION = 'How long does delivery take?';
let world: World;
let anna: Client;
let boris: Client;
let borisId: number;
beforeAll(async () => {
  world = await createWorld();
  anna = await world.operator('anna', [world.companyId]);
  boris = await world.operator('boris', [world.companyId]);
  borisId = await operatorId('boris');
});
afterAll(() => world.close());

async function operatorId(login: string): Promise<number> {
  const { rows } = await world.pool.query<{ id: string }>('select id from operators where login = $1', [login]);
  return Number(rows[0]?.id);
}

async function view(client: Client, name: InboxView, search?: string): Promise<InboxRow[]> {
  const { status, body } = await client.call(listInbox, { query: { view: name, ...(search ? { search } : {}) } });
  expect(status).toBe(200);
  return (body as { items: InboxRow[] }).items;
}

const named = async (client: Client, name: InboxView, lead: TestLead): Promise<InboxRow | undefined> =>
  (await view(client, name)).find((row) => row.lead_name === lead.name);

async function send(client: Client, lead: TestLead, text: string, more: object = {}) {
  return client.call(messages.create, {
    body: {
      product_id: world.productId,
      contact_id: lead.contactId,
      dialogue_id: await lead.dialogueId(),
      message: text,
      delay_enabled: false,
      schedule_enabled: false,
      ...more,
    },
  });
}

/** A lead whose dialogue a person has taken over, and who has written since. */
async function waitingLead(name: string): Promise<TestLead> {
  const lead = await world.lead(name);
  await anna.call(setOwner, { params: { id: await lead.dialogueId() }, body: { owner: 'human' } });
  await anna.call(assignDialogue, { params: { id: await lead.dialogueId() }, body: { operator_id: null } });
  await lead.writes(QUESTION);
  await world.waitUntil(async () => (await named(anna, 'needs_me', lead)) !== undefined, `${name} waits`);
  return lead;
}

/** Each view's count is the number of its rows. */
async function expectCounts(client: Client): Promise<InboxCounts> {
  const { body } = await client.call(countInbox);
  const counts = body as InboxCounts;
  for (const name of inboxViews) expect([name, counts[name]]).toEqual([name, (await view(client, name)).length]);
  return counts;
}

describe('the inbox', () => {
  it('shows a lead who waits for a person until somebody answers', async () => {
    const lead = await waitingLead('Waiting');
    const row = await named(anna, 'needs_me', lead);
    expect(row).toMatchObject({
      attention: { state: 'waiting_for_human' },
      inbox_state: 'needs_human',
      last_message: QUESTION,
      product_name: expect.any(String),
    });
    const { since, due_at: dueAt } = row?.attention ?? { since: '', due_at: '' };
    expect(Date.parse(dueAt) - Date.parse(since)).toBe(15 * 60_000);
    await expectCounts(anna);
    await send(anna, lead, 'Six weeks.');
    expect(await named(anna, 'needs_me', lead)).toBeUndefined();
    expect(await named(anna, 'mine', lead)).toMatchObject({ attention: null, assignee: 'anna' });
    expect(await named(boris, 'mine', lead)).toBeUndefined();
    await world.drain();
    expect(await named(anna, 'needs_me', lead)).toBeUndefined();
    await expectCounts(anna);
  });

  it('shows nothing that the bot answers', async () => {
    const lead = await world.lead('Talker');
    await lead.writes(QUESTION);
    await world.drain();
    expect(await named(anna, 'bot', lead)).toMatchObject({ attention: null });
    for (const name of ['needs_me', 'unassigned', 'mine'] as const)
      expect(await named(anna, name, lead)).toBeUndefined();
  });

  it('shows an answer of the bot that failed', async () => {
    const lead = await world.lead('Unlucky');
    await world.control.setFaults([{ kind: 'openai.unauthorized', times: 1 }]);
    await lead.writes(QUESTION);
    await world.waitUntil(async () => (await named(anna, 'needs_me', lead)) !== undefined, 'it needs somebody');
    expect(await named(anna, 'needs_me', lead)).toMatchObject({ attention: { state: 'no_answer' } });
    await world.control.setFaults([]);
    await anna.call(setOwner, { params: { id: await lead.dialogueId() }, body: { owner: 'human' } });
    expect(await named(anna, 'needs_me', lead)).toMatchObject({ attention: { state: 'waiting_for_human' } });
    await anna.call(setOwner, { params: { id: await lead.dialogueId() }, body: { owner: 'bot' } });
    await world.drain();
    expect(await named(anna, 'needs_me', lead)).toBeUndefined();
  });

  it('shows a message that failed until it is sent again', async () => {
    const lead = await world.lead('Blocked');
    await world.control.setFaults([{ kind: 'wazzup24.refuse', times: 1 }]);
    await send(anna, lead, 'Hello');
    await world.waitUntil(async () => (await named(anna, 'needs_me', lead)) !== undefined, 'it needs somebody');
    expect(await named(anna, 'needs_me', lead)).toMatchObject({ attention: { state: 'send_failed' } });
    const [failed] = await messagesOf(world, lead, 'bot');
    await anna.fetch(`/v1/messages/${failed?.id}/retry`, { method: 'POST' });
    await world.drain();
    expect(await named(anna, 'needs_me', lead)).toBeUndefined();
  });

  it('snoozes until the lead writes, or until a time', async () => {
    const [one, other] = [await waitingLead('Snoozed one'), await waitingLead('Snoozed other')];
    const snooze = async (lead: TestLead, body: object) =>
      (await anna.call(snoozeDialogue, { params: { id: await lead.dialogueId() }, body })).status;
    expect(await snooze(one, { until: new Date(Date.now() - 60_000).toISOString() })).toBe(409);
    expect(await snooze(one, {})).toBe(200);
    expect(await snooze(other, { until: new Date(Date.now() + 3600_000).toISOString(), until_reply: false })).toBe(200);
    expect(await named(anna, 'needs_me', one)).toBeUndefined();
    expect(await named(anna, 'snoozed', one)).toMatchObject({ attention: { state: 'waiting_for_human' } });
    await expectCounts(anna);
    await one.writes('Are you there?');
    await other.writes('Are you there?');
    await world.waitUntil(async () => (await named(anna, 'needs_me', one)) !== undefined, 'it is back');
    await world.waitUntil(
      async () => (await named(anna, 'snoozed', other))?.last_message === 'Are you there?',
      'it stays snoozed',
    );
    await world.pool.query("update dialogues set snoozed_until = now() - interval '1 second' where id = $1", [
      await other.dialogueId(),
    ]);
    await world.waitUntil(async () => (await named(anna, 'needs_me', other)) !== undefined, 'its time has come');
    await expectCounts(anna);
  });

  it('keeps what is done out of sight until the lead writes', async () => {
    const lead = await waitingLead('Done');
    await anna.call(markDone, { params: { id: await lead.dialogueId() } });
    expect(await named(anna, 'needs_me', lead)).toBeUndefined();
    expect(await named(anna, 'done', lead)).toMatchObject({ attention: null, done_at: expect.any(String) });
    await expectCounts(anna);
    await lead.writes('One more thing');
    await world.waitUntil(async () => (await named(anna, 'needs_me', lead)) !== undefined, 'it is back');
    await anna.call(markManyDone, { body: { ids: [await lead.dialogueId()] } });
    expect(await named(anna, 'done', lead)).toBeDefined();
  });

  it('takes an answer of the bot that failed out of sight when it is marked as done', async () => {
    const lead = await world.lead('Given up');
    await world.control.setFaults([{ kind: 'openai.unauthorized', times: 1 }]);
    await lead.writes(QUESTION);
    await world.waitUntil(async () => (await named(anna, 'needs_me', lead)) !== undefined, 'it needs somebody');
    await world.control.setFaults([]);
    await anna.call(markDone, { params: { id: await lead.dialogueId() } });
    expect(await named(anna, 'needs_me', lead)).toBeUndefined();
    expect(await named(anna, 'done', lead)).toMatchObject({ attention: null, no_answer: null });
  });

  it('gives a dialogue back what it needed when its being done is undone', async () => {
    const lead = await waitingLead('Undone');
    const ids = [await lead.dialogueId()];
    const before = await named(anna, 'needs_me', lead);
    await anna.call(markDone, { params: { id: ids[0] as number } });
    expect((await anna.call(reopenMany, { body: { ids } })).body).toEqual({ affected: 1 });
    expect(await named(anna, 'needs_me', lead)).toMatchObject({ attention: before?.attention, done_at: null });
    await expectCounts(anna);
    // Only what is done is undone, and only once.
    expect((await anna.call(reopenMany, { body: { ids } })).body).toEqual({ affected: 0 });
  });

  it('leaves what a lead has written since as it is when its being done is undone', async () => {
    const lead = await waitingLead('Undone late');
    const ids = [await lead.dialogueId()];
    await anna.call(markDone, { params: { id: ids[0] as number } });
    await lead.writes('One more thing');
    await world.waitUntil(async () => (await named(anna, 'needs_me', lead)) !== undefined, 'it is back');
    const before = await named(anna, 'needs_me', lead);
    expect((await anna.call(reopenMany, { body: { ids } })).body).toEqual({ affected: 0 });
    expect(await named(anna, 'needs_me', lead)).toMatchObject({ attention: before?.attention });
  });

  it('shows an assigned dialogue to its operator only', async () => {
    const lead = await waitingLead('Assigned');
    const params = { id: await lead.dialogueId() };
    expect((await anna.call(assignDialogue, { params, body: { operator_id: borisId } })).status).toBe(200);
    expect(await named(boris, 'needs_me', lead)).toMatchObject({ assignee: 'boris' });
    expect(await named(anna, 'needs_me', lead)).toBeUndefined();
    await expectCounts(boris);
    await world.operator('stranger', []);
    const strangerId = await operatorId('stranger');
    const root = await world.operator('root');
    expect((await root.call(assignDialogue, { params, body: { operator_id: strangerId } })).status).toBe(409);
    // A member does not learn that this operator exists.
    for (const client of [anna, boris])
      for (const operator_id of [strangerId, 99_999])
        expect(await client.call(assignDialogue, { params, body: { operator_id } })).toMatchObject({
          status: 404,
          body: { detail: 'There is no such assignee.' },
        });
    expect((await root.call(assignDialogue, { params, body: { operator_id: 99_999 } })).status).toBe(404);
    expect(await named(boris, 'mine', lead)).toBeDefined();
  });

  it('shows who waits for a colleague, who may be away', async () => {
    const lead = await waitingLead('With a colleague');
    await anna.call(assignDialogue, { params: { id: await lead.dialogueId() }, body: { operator_id: borisId } });
    expect(await named(anna, 'others', lead)).toMatchObject({ assignee: 'boris' });
    expect(await named(boris, 'others', lead)).toBeUndefined();
    await expectCounts(anna);
    await send(boris, lead, 'Six weeks.');
    expect(await named(anna, 'others', lead)).toBeUndefined();
  });

  it('lists those who wait first, the longest wait on top, then the rest, the newest on top', async () => {
    const clara = await world.operator('clara', [world.companyId]);
    const claraId = await operatorId('clara');
    const leads: TestLead[] = [];
    for (const name of ['Quiet first', 'Waits first', 'Waits second', 'Quiet second']) {
      const lead = await waitingLead(name);
      await anna.call(assignDialogue, { params: { id: await lead.dialogueId() }, body: { operator_id: claraId } });
      if (name.startsWith('Quiet')) await send(clara, lead, 'Six weeks.');
      leads.push(lead);
    }
    await world.drain();
    const order = ['Waits first', 'Waits second', 'Quiet second', 'Quiet first'];
    expect((await view(clara, 'mine')).map((row) => row.lead_name)).toEqual(order);
    expect((await view(clara, 'mine', 'i')).map((row) => row.lead_name)).toEqual(order);
    const pageOf = async (page: number): Promise<string[]> => {
      const { body } = await clara.call(listInbox, { query: { view: 'mine', limit: 3, page } });
      return (body as { items: InboxRow[] }).items.map((row) => row.lead_name);
    };
    expect([...(await pageOf(1)), ...(await pageOf(2))]).toEqual(order);
  });

  it('finds dialogues by name, address and message text', async () => {
    const lead = await waitingLead('Searched');
    for (const text of ['earche', lead.address.slice(-8), 'deliver'])
      expect((await view(anna, 'needs_me', text)).map((row) => row.lead_name)).toContain('Searched');
    expect(await view(anna, 'needs_me', 'no such text')).toEqual([]);
    const foundBy = async (text: string) =>
      (await view(anna, 'needs_me', text)).find((row) => row.lead_name === 'Searched')?.found;
    expect(await foundBy('deliver')).toContain('deliver');
    expect(await foundBy('earche')).toBeNull();
  });

  it('forgets a lead who has opted out', async () => {
    const lead = await waitingLead('Leaving');
    await lead.writes('Please stop writing to me');
    await world.drain();
    expect(await named(anna, 'needs_me', lead)).toBeUndefined();
  });
});

describe('an operator', () => {
  it('is asked before an answer is sent that a colleague has given', async () => {
    const lead = await waitingLead('Asked twice');
    const seen = (await messagesOf(world, lead)).at(-1)?.id;
    expect((await send(anna, lead, 'Six weeks.', { seen_message_id: seen })).status).toBe(201);
    const second = await send(boris, lead, 'Two weeks.', { seen_message_id: seen });
    expect(second).toMatchObject({ status: 409, body: { detail: expect.stringContaining('anna has answered') } });
    expect((await send(boris, lead, 'Sorry, six.')).status).toBe(201);
    expect((await messagesOf(world, lead, 'bot')).map(({ message }) => message)).toEqual(['Six weeks.', 'Sorry, six.']);
  });

  it("answers in the bot's place, and the bot goes on", async () => {
    const lead = await world.lead('Kept');
    await world.control.setFaults([{ kind: 'openai.slow', ms: 60, times: 1 }]);
    await lead.writes(QUESTION);
    await world.waitUntil(async () => (await world.control.quiet()).streams > 0, 'the model is asked');
    await send(anna, lead, 'Six weeks.', { keep_bot: true });
    await world.drain();
    expect(await lead.sees()).toEqual([`lead: ${QUESTION}`, 'us: Six weeks.']);
    expect(await dialogueOf(world, lead)).toMatchObject({ owner: 'bot' });
    const calls = await countModelCalls(world);
    await lead.writes('And what does it cost?');
    await world.drain();
    expect(await countModelCalls(world)).toBe(calls + 1);
  });

  it('cancels a scheduled answer, and the lead waits again', async () => {
    const lead = await waitingLead('Scheduled');
    await send(anna, lead, 'Tomorrow.', { send_not_before: new Date(Date.now() + 3600_000).toISOString() });
    expect(await named(anna, 'needs_me', lead)).toBeUndefined();
    const [scheduled] = await messagesOf(world, lead, 'bot');
    await anna.fetch(`/v1/messages/${scheduled?.id}`, { method: 'DELETE' });
    expect(await named(anna, 'needs_me', lead)).toMatchObject({ attention: { state: 'waiting_for_human' } });
  });

  it('leaves notes that nobody sends', async () => {
    const lead = await waitingLead('Noted');
    const params = { id: await lead.dialogueId() };
    expect((await anna.call(addNote, { params, body: { text: 'Wants oak.' } })).status).toBe(201);
    expect((await boris.call(listNotes, { params })).body).toMatchObject({
      items: [{ operator: 'anna', text: 'Wants oak.' }],
    });
    await world.drain();
    expect(await messagesOf(world, lead, 'bot')).toEqual([]);
  });
});

it('returns a dialogue to the bot when no person has written for the hours of its own', async () => {
  const lead = await waitingLead('Returned');
  const id = await lead.dialogueId();
  await anna.call(setReturn, { params: { id }, body: { hours: 2 } });
  await world.drain();
  expect(await dialogueOf(world, lead)).toMatchObject({ owner: 'human' });
  await world.pool.query("update dialogues set human_at = human_at - interval '2 hours' where id = $1", [id]);
  await world.waitUntil(async () => (await dialogueOf(world, lead)).owner === 'bot', 'the bot has it');
  await world.drain();
  expect((await lead.sees()).at(-1)).toContain('six weeks');
  expect(await named(anna, 'needs_me', lead)).toBeUndefined();
});

it('counts right at every moment while dialogues change', async () => {
  const { rows } = await world.pool.query<{ id: string }>('select id from dialogues');
  const ids = rows.map((row) => Number(row.id));
  const wrong = `
    select d.*, c.* from (select product_id, inbox_state, coalesce(assignee_id, 0) as who, count(*)::int as n from dialogues group by 1, 2, 3) as d
      full join (select product_id, inbox_state, coalesce(assignee_id, 0) as who, sum(count)::int as n from inbox_counts
                  group by 1, 2, 3 having sum(count) <> 0) as c using (product_id, inbox_state, who)
     where d.n is distinct from c.n`;
  const changes = [
    'update dialogues set assignee_id = null where id = $1',
    "update dialogues set assignee_id = (select id from operators where login = 'boris') where id = $1",
    'update dialogues set snoozed_until_reply = not snoozed_until_reply where id = $1',
    'update dialogues set done_at = case when done_at is null then now() end where id = $1',
    "update dialogues set owner = case owner when 'bot' then 'human' else 'bot' end where id = $1",
    'update dialogues set failed_since = case when failed_since is null then now() end where id = $1',
  ];
  let seed = 7;
  const next = (below: number) => (seed = (seed * 16_807) % 2_147_483_647) % below;
  for (let round = 0; round < 40; round++) {
    const work = Array.from({ length: 6 }, () => {
      const id = ids[next(ids.length)];
      return world.pool.query(changes[next(changes.length)] ?? '', [id]);
    });
    const fold = world.pool.query("select pg_notify('sweep', 'inbox counts')");
    expect((await world.pool.query(wrong)).rows).toEqual([]);
    await Promise.all([...work, fold]);
  }
  expect((await world.pool.query(wrong)).rows).toEqual([]);
  const { rows: differences } = await world.pool.query<{ most: number }>(
    'select max(n)::int as most from (select count(*) as n from inbox_counts group by product_id, inbox_state, assignee_id) as of_one',
  );
  expect(differences[0]?.most).toBeLessThan(40);
});
