import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hookUrl, inboundItem, postHook } from '../testing/rows.ts';
import { createWorld, type World } from '../testing/world.ts';

let world: World;
let url: string;
beforeAll(async () => {
  world = await createWorld();
  url = await hookUrl(world);
});
afterAll(() => world.close());

describe('a hook', () => {
  it('is answered only when it is committed', async () => {
    const anna = await world.lead('Anna');
    const holder = await world.pool.connect();
    await holder.query('begin');
    await holder.query('lock table inbox in exclusive mode');
    let answered = false;
    const answer = postHook(url, { messages: [inboundItem(world, anna.address, 'Hello')] }).finally(() => {
      answered = true;
    });
    await world.until(async () => {
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

  it('is told how many of its own items were new, whatever arrives together with it', async () => {
    const boris = await world.lead('Boris');
    const item = (more: Record<string, unknown> = {}) => inboundItem(world, boris.address, 'Hello', more);
    const twice = item();
    const answers = await Promise.all(
      [[item(), item()], [twice], [twice], [item({ channelId: randomUUID() })], []].map((messages) =>
        postHook(url, { messages }),
      ),
    );
    expect(answers.map((one) => one.status)).toEqual([200, 200, 200, 200, 200]);
    const accepted = answers.map((one) => one.accepted ?? -1);
    expect([accepted[0], accepted.slice(1, 3).toSorted((a, b) => a - b), accepted.slice(3)]).toEqual([
      2,
      [0, 1],
      [0, 0],
    ]);
    await world.drain();
  });
});
