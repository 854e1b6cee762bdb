import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hookUrl, inboundItem, postHook } from '../testing/messageRows.ts';
import { createWorld, type World } from '../testing/world.ts';

let world: World;
let url: string;
beforeAll(async () => {
  world = await createWorld();
  url = await hookUrl(world);
});
afterAll(() => world.close());

describe('a hook', () => {
  it('is acknowledged only after the commit', async () => {
    const anna = await world.lead('Anna');
    const holder = await world.pool.connect();
    await holder.query('begin');
    await holder.query('lock table inbox in exclusive mode');
    let answered = false;
    const answer = postHook(url, { messages: [inboundItem(world, anna.address, 'Hello')] }).finally(() => {
      answered = true;
    });
    await world.waitUntil(async () => {
      const { rows } = await world.pool.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into inbox%'",
      );
      return rows.length > 0;
    }, 'the hook waits to be stored');
    expect(answered).toBe(false);
    await holder.query('commit');
    holder.release();
    expect(await answer).toEqual({ status: 200, accepted: 1 });
    await world.drain();
  });

  it('stores what has no text as its kind, and answers media only', async () => {
    const vera = await world.lead('Vera');
    const item = (text: string | null, more: Record<string, unknown> = {}) =>
      inboundItem(world, vera.address, text as string, more);
    const link = 'https://store.wazzup24.com/photo';
    await postHook(url, { messages: [item('Before')] });
    await world.drain();
    await postHook(url, {
      messages: [
        item(null),
        item(' \n'),
        item(' ', { type: 'image', contentUri: link }),
        item(null, { type: 'text', contentUri: link, dateTime: new Date(Date.now() + 1000).toISOString() }),
        item('', { isEcho: true, status: 'sent' }),
      ],
    });
    await world.drain();
    const { rows } = await world.pool.query<{ message: string }>(
      `select m.message from messages m join dialogues d on d.id = m.dialogue_id
         join contacts c on c.id = d.contact_id where c.lead_id = $1 and m.side = 'user' order by m.id`,
      [vera.leadId],
    );
    expect(rows.map((row) => row.message).toSorted()).toEqual([
      'Before',
      '[document]',
      '[empty message]',
      '[empty message]',
      '[image]',
    ]);
    const blank = await world.pool.query("select 1 from messages where btrim(message, E' \\n') = ''");
    expect(blank.rowCount).toBe(0);
  });

  it('returns the number of its own new items, also when written together with others', async () => {
    const boris = await world.lead('Boris');
    const item = (more: Record<string, unknown> = {}) => inboundItem(world, boris.address, 'Hello', more);
    const twice = item();
    const answers = await Promise.all(
      [[item(), item()], [twice], [twice], [item({ channelId: randomUUID() })], []].map((messages) =>
        postHook(url, { messages }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200]);
    const accepted = answers.map((answer) => answer.accepted ?? -1);
    expect([accepted[0], accepted.slice(1, 3).toSorted((a, b) => a - b), accepted.slice(3)]).toEqual([
      2,
      [0, 1],
      [0, 0],
    ]);
    await world.drain();
  });
});
