import { afterAll, beforeAll, expect, it } from 'vitest';
import { publish } from '../platform/notifications.ts';
import { createWorld, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
});
afterAll(() => world.close());

it('sends the events of a product that has moved to the members of its new company alone', async () => {
  const { rows } = await world.pool.query<{ id: number; other: number }>(
    `with c as (insert into companies (name) values ('Other') returning id),
          p as (insert into products (company_id, name) values ($1, 'Moving') returning id)
     select p.id::int as id, c.id::int as other from p, c`,
    [world.companyId],
  );
  const [{ id: product, other } = { id: 0, other: 0 }] = rows;
  const leaving = new AbortController();
  const listen = async (login: string, company: number) => {
    const member = await world.operator(login, [company]);
    const received = { text: '' };
    const stream = await member.fetch('/v1/live', { signal: leaving.signal });
    expect(stream.status).toBe(200);
    const ended = (async () => {
      for await (const chunk of stream.body ?? []) received.text += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    return { received, ended };
  };
  const before = await listen('old member', world.companyId);
  const after = await listen('new member', other);
  const context = world.app?.context;
  if (!context) throw new Error('no server');
  const note = (dialogue: number) => publish(context.reader, { topic: 'note', product, ids: [dialogue] });
  await note(111);
  await world.waitUntil(() => before.received.text.includes('111'), 'the company of the product is told');
  await world.pool.query('update products set company_id = $2 where id = $1', [product, other]);
  await note(222);
  await world.waitUntil(() => after.received.text.includes('222'), 'its new company is told');
  expect([before.received.text.includes('222'), after.received.text.includes('111')]).toEqual([false, false]);
  leaving.abort();
  await Promise.all([before.ended, after.ended]);
});
