/** The other leads of a person follow its opt-out: by one instance at a time, and again when that was asked for meanwhile. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppContext } from '../platform/appContext.ts';
import { ids } from '../platform/ids.ts';
import { createClaims } from '../platform/lease.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { optOut } from './optOut.ts';
import { propagateOptOut } from './propagateOptOut.ts';
import { requestPropagation } from './store/optOutPropagations.ts';

let world: World;
let context: AppContext;
beforeAll(async () => {
  // Without a worker, no sweep does the work.
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  if (!world.app) throw new Error('There is no server');
  context = world.app.context;
});
afterAll(() => world.close());

/** Return a context of another instance. */
async function createInstance(name: string): Promise<AppContext> {
  const instance = { ...context, instanceId: ids.next() };
  await world.pool.query(
    `insert into nodes (instance_id, name, roles, pid, heartbeat_at) values ($1, $2, '{worker}', 1, now() + interval '1 day')`,
    [instance.instanceId, name],
  );
  return { ...instance, claims: createClaims(instance) };
}

/** Create two leads of one person, of which the first has opted out. */
async function createOptedOut(name: string): Promise<{ asked: TestLead; other: TestLead }> {
  const asked = await world.lead(name);
  const other = await world.lead(`${name} again`, { messenger: 'telegram' });
  await world.pool.query('update contacts set address = $2 where id = $1', [other.contactId, asked.address]);
  await context.transact((tx) =>
    optOut(tx, context, { leadId: asked.leadId, source: 'operator', by: 'olga', operator: 'olga' }),
  );
  return { asked, other };
}

/** Start passing on an opt-out, and hold it at the other lead. Returns a function that lets it go on. */
async function startAndHold(instance: AppContext, { asked, other }: { asked: TestLead; other: TestLead }) {
  const holder = await world.pool.connect();
  await holder.query('begin');
  await holder.query('select from leads where id = $1 for update', [other.leadId]);
  let isDone = false;
  const done = propagateOptOut(instance, asked.leadId).then(() => (isDone = true));
  await world.waitUntil(
    async () =>
      ((
        await world.pool.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).rowCount ?? 0) > 0,
    'it waits for the other lead',
  );
  return {
    isDone: () => isDone,
    async goOn() {
      await holder.query('commit');
      holder.release();
      await done;
    },
  };
}

const propagationOf = async (lead: TestLead) =>
  (
    await world.pool.query('select request_count, claimed_by from opt_out_propagations where lead_id = $1', [
      lead.leadId,
    ])
  ).rows;
const isActive = async (lead: TestLead) =>
  (await world.pool.query('select is_active from leads where id = $1', [lead.leadId])).rows[0]?.is_active;

it('is passed on by one instance at a time', async () => {
  const [one, another] = [await createInstance('one'), await createInstance('another')];
  const person = await createOptedOut('Anna');
  const first = await startAndHold(one, person);
  await propagateOptOut(another, person.asked.leadId);
  expect([first.isDone(), await isActive(person.other)]).toEqual([false, true]);
  expect(await propagationOf(person.asked)).toEqual([{ request_count: 1, claimed_by: one.instanceId }]);
  await first.goOn();
  expect(await isActive(person.other)).toBe(false);
  expect(await propagationOf(person.asked)).toEqual([]);
});

it('is passed on by another instance when the first has ended', async () => {
  const [one, another] = [await createInstance('ends'), await createInstance('goes on')];
  const person = await createOptedOut('Boris');
  const first = await startAndHold(one, person);
  await world.pool.query('update nodes set ended_at = now() where instance_id = $1', [one.instanceId]);
  const second = propagateOptOut(another, person.asked.leadId);
  await world.waitUntil(
    async () => (await propagationOf(person.asked))[0]?.claimed_by === another.instanceId,
    'the other instance has claimed it',
  );
  await first.goOn();
  await second;
  expect(await isActive(person.other)).toBe(false);
  expect(await propagationOf(person.asked)).toEqual([]);
});

it('is passed on again when that was requested meanwhile', async () => {
  const one = await createInstance('asked twice');
  const person = await createOptedOut('Clara');
  const first = await startAndHold(one, person);
  await context.transact((tx) => requestPropagation(tx, person.asked.leadId));
  await first.goOn();
  expect(await propagationOf(person.asked)).toEqual([{ request_count: 2, claimed_by: null }]);
  await propagateOptOut(one, person.asked.leadId);
  expect(await propagationOf(person.asked)).toEqual([]);
});
