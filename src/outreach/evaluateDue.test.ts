/** Which due leads an evaluation leaves to others. No worker runs beside it. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { changeStages } from '../leads/changeStage.ts';
import type { AppContext } from '../platform/appContext.ts';
import { createOutreachWorld, type OutreachWorld } from '../testing/outreachWorld.ts';
import { evaluateDue } from './evaluateDue.ts';
import { replanLeads } from './store/outreach.ts';

let world: OutreachWorld;
let context: AppContext;
beforeAll(async () => {
  world = await createOutreachWorld({ env: { RAPPORT_ROLES: 'web' } });
  if (!world.app) throw new Error('There is no server');
  ({ context } = world.app);
  await world.setFirstMessages({ initial_message_send_at: '00:00' });
});
afterAll(() => world.close());
beforeEach(async () => void (await world.pool.query('delete from leads')));

/** Create leads whose first message is due. */
async function createDueLeads(...names: string[]): Promise<void> {
  for (const name of names) await world.createLead(name);
  await world.pool.query("update installation set clock_offset = clock_offset + interval '1 day'");
}
const evaluateAll = () => evaluateDue(context, async () => undefined);
/** Read what is stored for the leads, by name. */
const readOutreach = async () =>
  (
    await world.pool.query<{ name: string; due: boolean; queue: string | null }>(
      `select l.name, coalesce(o.next_at <= domain_now(), false) as due, o.queue_type as queue
         from outreach o join leads l on l.id = o.lead_id order by l.name`,
    )
  ).rows;

it('is woken by a new lead that may get a first message', async () => {
  const listener = await world.pool.connect();
  const woken: (string | undefined)[] = [];
  listener.on('notification', ({ payload }) => void woken.push(payload));
  try {
    await listener.query('listen sweep');
    await world.createLead('Anna');
    await world.waitUntil(() => Promise.resolve(woken.includes('plan')), 'the plan is woken');
  } finally {
    listener.release(true);
  }
});

it('evaluates a lead of which two facts changed in one transaction', async () => {
  await createDueLeads('Anna');
  await evaluateAll();
  expect(await readOutreach()).toEqual([{ name: 'Anna', due: false, queue: 'whatsapp' }]);
  await world.pool.query(
    `with one as (update leads set stage = 'ongoing' returning id) update contacts set is_main = false where lead_id in (select id from one)`,
  );
  expect(await readOutreach()).toEqual([{ name: 'Anna', due: true, queue: 'whatsapp' }]);
  await evaluateAll();
  expect(await readOutreach()).toEqual([{ name: 'Anna', due: false, queue: null }]);
});

it('evaluates a lead again that changes while it is evaluated', async () => {
  await createDueLeads('Anna');
  const [anna] = (await world.pool.query<{ leadId: number }>('select id::int as "leadId" from leads')).rows;
  if (!anna) throw new Error('No lead');
  const evaluator = await world.pool.connect();
  try {
    await evaluator.query('begin');
    await evaluator.query('select 1 from outreach for update');
    let isChanged = false;
    const change = context
      .transact((tx) =>
        changeStages(tx, {
          changes: [{ id: anna.leadId, stage: 'ongoing' }],
          by: 'test',
          cancelPending: async () => undefined,
        }),
      )
      .then(() => {
        isChanged = true;
      });
    const isWaiting = async () =>
      (await world.pool.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'")).rows.length > 0;
    await world.waitUntil(async () => isChanged || isWaiting(), 'the change waits for the evaluation');
    await evaluator.query('update outreach set next_at = null');
    await evaluator.query('commit');
    await change;
  } finally {
    evaluator.release(true);
  }
  expect(await readOutreach()).toMatchObject([{ due: true }]);
});

it('leaves a lead due that would join a queue which is locked', async () => {
  await createDueLeads('Anna');
  const holder = await world.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select 1 from outreach_products where product_id = $1 for update', [world.productId]);
    expect(await evaluateAll()).toBeGreaterThan(0);
    expect(await readOutreach()).toEqual([{ name: 'Anna', due: true, queue: null }]);
  } finally {
    // Closing the connection ends its transaction.
    holder.release(true);
  }
  await world.waitUntil(async () => (await evaluateAll()) === false, 'the queue is free');
  expect(await readOutreach()).toEqual([{ name: 'Anna', due: false, queue: 'whatsapp' }]);
});

it('leaves a lead to the worker that has claimed it', async () => {
  await createDueLeads('Anna', 'Boris');
  await world.pool.query(
    `with other as (insert into nodes (instance_id, name, roles, pid) values (gen_random_uuid(), 'other', '{worker}', 1) returning instance_id)
     update outreach o set claimed_by = instance_id, claimed_until = 'infinity' from other, leads l where l.id = o.lead_id and l.name = 'Anna'`,
  );
  await evaluateAll();
  expect(await readOutreach()).toEqual([
    { name: 'Anna', due: true, queue: null },
    { name: 'Boris', due: false, queue: 'whatsapp' },
  ]);
});

it('makes all leads of a product due in batches when its settings change', async () => {
  await createDueLeads('Anna', 'Boris', 'Clara', 'Dora', 'Egon');
  await evaluateAll();
  await world.pool.query("update leads set is_active = false where name = 'Clara'");
  await evaluateAll();
  await context.transact((tx) => replanLeads(tx, world.productId, 2));
  expect((await readOutreach()).map(({ name, due }) => [name, due])).toEqual([
    ['Anna', true],
    ['Boris', true],
    ['Clara', false],
    ['Dora', true],
    ['Egon', true],
  ]);
});

it('defers a lead that cannot be evaluated, longer each time, and evaluates the others', async () => {
  await createDueLeads('Anna', 'Boris', 'Clara');
  const boris = "(select id from leads where name = 'Boris')";
  await world.pool.query(`
    create function refuse_it() returns trigger language plpgsql as $$
    begin if new.lead_id = ${boris} then raise exception 'not this one'; end if; return new; end $$;
    create trigger refuse_it before update on outreach for each row when (new.queue_type is not null) execute function refuse_it()`);
  try {
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      await evaluateAll();
      expect(await readOutreach()).toEqual([
        { name: 'Anna', due: false, queue: 'whatsapp' },
        { name: 'Boris', due: true, queue: null },
        { name: 'Clara', due: false, queue: 'whatsapp' },
      ]);
      const { rows } = await world.pool.query<{ attempts: number; pause: number }>(
        `select attempts, extract(epoch from retry_at - clock_timestamp())::float8 as pause from outreach where lead_id = ${boris}`,
      );
      expect(rows[0]?.attempts).toBe(attempt);
      pauses.push(rows[0]?.pause ?? 0);
      // Make it due again: the column is rounded to milliseconds, and may be rounded up.
      await world.pool.query(
        `update outreach set retry_at = clock_timestamp() - interval '1 second' where lead_id = ${boris}`,
      );
    }
    expect(pauses[2]).toBeGreaterThan((pauses[0] ?? 0) * 3);
  } finally {
    await world.pool.query('drop trigger refuse_it on outreach; drop function refuse_it');
  }
  await evaluateAll();
  expect((await readOutreach())[1]).toEqual({ name: 'Boris', due: false, queue: 'whatsapp' });
});
