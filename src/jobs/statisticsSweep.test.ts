import { afterAll, beforeAll, it } from 'vitest';
import { createWorld, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const readRows = async (): Promise<number> =>
  (await world.pool.query<{ count: number }>("select reltuples as count from pg_class where oid = 'leads'::regclass"))
    .rows[0]?.count ?? 0;

it('tells the planner of a table that has just been filled, and again when it has doubled', async () => {
  const { rows } = await world.pool.query<{ id: number }>(
    "with c as (insert into companies (name) values ('Chairs') returning id) insert into products (company_id, name, config) select id, 'Chairs', '{}' from c returning id",
  );
  const productId = rows[0]?.id;
  const fill = (count: number) =>
    world.pool.query("insert into leads (product_id, name) select $1, 'Lead' from generate_series(1, $2::int)", [
      productId,
      count,
    ]);
  await fill(400);
  await world.waitUntil(async () => (await readRows()) >= 400, 'the table is known');
  await fill(1000);
  await world.waitUntil(async () => (await readRows()) >= 1400, 'the table is known again');
});
