import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { insertMessages } from '../testing/longThread.ts';
import { createWorld, type World } from '../testing/world.ts';
import { messages, readThread } from './contract.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe('a lead writes', () => {
  it("answers a lead from the product's prompt, with delivered and read statuses", async () => {
    const anna = await world.lead('Anna');
    await anna.writes('How long does delivery take?');
    await world.drain();
    const seen = await anna.sees();
    expect(seen).toHaveLength(2);
    expect(seen[1]).toMatch(/^us: .*six weeks/);
    const { rows } = await world.pool.query(
      "select status, author, prompt_name, model_name from messages where contact_id = $1 and side = 'bot'",
      [anna.contactId],
    );
    expect(rows).toEqual([{ status: 'read', author: 'bot', prompt_name: 'Vera', model_name: 'gpt-4o-mini' }]);
    const { rows: runs } = await world.pool.query(
      'select r.metadata from llm_runs r join messages m on m.id = r.message_id where m.contact_id = $1',
      [anna.contactId],
    );
    expect(runs).toMatchObject([{ metadata: { finish: 'stop', system_fingerprint: 'sandbox' } }]);
  });

  it('names the lead beside every message, in the list and in the thread', async () => {
    const vera = await world.lead('Vera Holm');
    await vera.writes('Good morning');
    await world.drain();
    const operator = await world.operator();
    const list = await operator.call(messages.list, { query: { contact_id: [vera.contactId] } });
    const thread = await operator.call(readThread, { params: { id: await vera.dialogueId() } });
    const named = z.object({ items: z.array(z.object({ lead_name: z.string() })) });
    for (const { body } of [list, thread]) {
      expect(named.parse(body).items.map((one) => one.lead_name)).toEqual(['Vera Holm', 'Vera Holm']);
    }
  });

  it('answers a burst of messages once', async () => {
    const boris = await world.lead('Boris');
    await boris.writes('Hello', 'What does a kitchen cost?', 'And when is the showroom open?');
    await world.drain();
    const seen = await boris.sees();
    expect(seen.filter((one) => one.startsWith('us:'))).toHaveLength(1);
  });
});

describe('a page of a thread', () => {
  const page = z.object({
    items: z.array(z.object({ id: z.int(), message: z.string() })),
    has_more: z.boolean(),
    has_newer: z.boolean(),
  });

  /** A dialogue of 21 messages, and one that is scheduled. `read` gives the numbers of a page's messages. */
  async function longDialogue(name: string) {
    const lead = await world.lead(name);
    const id = await lead.dialogueId();
    await insertMessages((sql, values) => world.pool.query(sql, values), id, 21);
    const { rows } = await world.pool.query<{ id: string }>(
      'select id from messages where dialogue_id = $1 order by id',
      [id],
    );
    const { rows: waiting } = await world.pool.query<{ id: string }>(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, scheduled_at)
       select product_id, contact_id, id, channel_id, 'later', 'bot', 'operator', 'scheduled', domain_now() + interval '1 day'
         from dialogues where id = $1 returning id`,
      [id],
    );
    const operator = await world.operator();
    const call = (query: object) => operator.call(readThread, { params: { id }, query });
    const read = async (query: object) => {
      const { items, ...ends } = page.parse((await call(query)).body);
      return { items: items.map(({ message }) => /\d+|later/.exec(message)?.[0]).join(' '), ...ends };
    };
    const idOf = (number: number) => Number(rows[number - 1]?.id);
    return { call, read, idOf, waitingId: Number(waiting[0]?.id), lead };
  }

  it('is the newest one, or begins after, ends before or surrounds a message', async () => {
    const { read, idOf, waitingId } = await longDialogue('Page Turner');
    const newest = { items: '18 19 20 21 later', has_more: true, has_newer: false };
    expect(await read({ limit: 4 })).toEqual(newest);
    expect(await read({ limit: 4, around: waitingId })).toEqual(newest);
    expect(await read({ limit: 2, before: idOf(18) })).toEqual({ items: '16 17', has_more: true, has_newer: true });
    expect(await read({ limit: 4, after: idOf(1) })).toEqual({ items: '2 3 4 5', has_more: true, has_newer: true });
    expect(await read({ limit: 4, after: idOf(17) })).toEqual({
      items: '18 19 20 21',
      has_more: true,
      has_newer: false,
    });
    expect(await read({ limit: 4, around: idOf(10) })).toEqual({
      items: '8 9 10 11 later',
      has_more: true,
      has_newer: true,
    });
    expect(await read({ limit: 3, around: idOf(1) })).toEqual({ items: '1 2 later', has_more: false, has_newer: true });
    expect(await read({ limit: 1, around: idOf(21) })).toEqual({ items: '21 later', has_more: true, has_newer: false });
  });

  it('is not found around a message of another dialogue, a removed or a missing one', async () => {
    const [anna, vera] = [await longDialogue('Page Anna'), await longDialogue('Page Vera')];
    await world.pool.query('update messages set removed_at = now() where id = $1', [anna.idOf(5)]);
    for (const around of [vera.idOf(5), anna.idOf(5), 999_999_999])
      expect([around, (await anna.call({ around })).status]).toEqual([around, 404]);
    expect((await anna.call({ around: anna.idOf(6), before: anna.idOf(6) })).status).toBe(422);
    expect(await anna.read({ limit: 2, after: anna.idOf(4) })).toMatchObject({ items: '6 7' });
  });
});
