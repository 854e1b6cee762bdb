/** Changes between a claim and the vendor call, or between two calls, are checked again. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import type { Client } from '../testing/client.ts';
import { messagesOf } from '../testing/messageRows.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { sendNew } from './sendContract.ts';

let world: World;
let olga: Client;
beforeAll(async () => {
  // Leaves enough time between two tries for a change.
  world = await createWorld({ env: { RAPPORT_RETRY_BASE_SECONDS: '2', RAPPORT_LOG_LEVEL: 'error' } });
  olga = await world.operator('olga');
});
afterAll(() => world.close());

async function write(lead: TestLead, text: string): Promise<void> {
  const body = { contact_id: lead.contactId, channel_id: world.whatsapp.id, text };
  expect((await olga.call(sendNew, { body })).status).toBe(201);
}

const reached = async (text: string) =>
  (await world.control.entriesOf('reached')).filter((entry) => entry.text === text).length;
const statusOf = async (lead: TestLead) => (await messagesOf(world, lead))[0]?.status;

const isSettled = (status: string | undefined) => status !== 'scheduled' && status !== 'sending';

/** Count the sends to which the vendor responded with a fault. */
const failed = async () => (await world.control.entriesOf('fault_fired')).length;

/** Count the work in progress on this node outside its jobs. */
async function countInProgress(): Promise<number> {
  const { values } = (await world.app?.context.metrics.keyedWork.get()) ?? { values: [] };
  return values[0]?.value ?? 0;
}

it("does not repeat a send after the vendor's idempotency window", async () => {
  const anna = await world.lead('Anna', { dialogue: false });
  await world.control.changeSettings({ echo: 'off' });
  await world.control.setFaults([{ kind: 'wazzup24.lose_answer', times: 1 }]);
  await write(anna, 'Hello Anna');
  await world.waitUntil(async () => (await reached('Hello Anna')) === 1, 'the first try has reached her');
  // Simulate that the database was away past the key's window.
  await world.pool.query(
    "update messages set send_key_used_at = send_key_used_at - interval '10 minutes' where contact_id = $1",
    [anna.contactId],
  );
  await world.waitUntil(async () => isSettled(await statusOf(anna)), 'it is settled');
  expect([await statusOf(anna), await reached('Hello Anna')]).toEqual(['unconfirmed', 1]);
});

it('keeps a message unconfirmed when only its repeat is refused', async () => {
  const clara = await world.lead('Clara', { dialogue: false });
  await world.control.setFaults([{ kind: 'wazzup24.lose_answer', times: 1 }]);
  await write(clara, 'Hello Clara');
  await world.waitUntil(async () => (await reached('Hello Clara')) === 1, 'the first try has reached her');
  // Simulate a gateway in front of the vendor: it knows no keys.
  await world.control.changeSettings({ key: { dedupe: false } });
  await world.control.setFaults([{ kind: 'wazzup24.refuse', status: 404, code: 'NO_UPSTREAM', times: 1 }]);
  await world.waitUntil(async () => isSettled(await statusOf(clara)), 'it is settled');
  await world.control.changeSettings({ key: { dedupe: true } });
  expect([await statusOf(clara), await reached('Hello Clara')]).toEqual(['unconfirmed', 1]);
});

it('lets the reclaiming instance send a message, not the one that returns', async () => {
  const boris = await world.lead('Boris', { dialogue: false });
  const before = await failed();
  await world.control.setFaults([{ kind: 'wazzup24.fail_before', status: 500, times: 1 }]);
  await write(boris, 'Hello Boris');
  await world.waitUntil(async () => (await failed()) > before, 'the first try has failed');
  const { rows } = await world.pool.query<{ instance_id: string }>(
    `with other as (insert into nodes (instance_id, name, roles, pid, heartbeat_at)
                    values (gen_random_uuid(), 'other', '{worker}', 1, clock_timestamp() + interval '1 hour') returning instance_id)
     update messages set claimed_by = instance_id, claimed_until = clock_timestamp() + interval '1 hour' from other where contact_id = $1 returning instance_id`,
    [boris.contactId],
  );
  await world.waitUntil(async () => (await countInProgress()) === 0, 'this node has let go');
  expect([await statusOf(boris), await reached('Hello Boris')]).toEqual(['sending', 0]);
  // The other instance dies: this node reclaims the message.
  await world.pool.query('update nodes set ended_at = clock_timestamp() where instance_id = $1', [
    rows[0]?.instance_id,
  ]);
  await world.waitUntil(async () => (await reached('Hello Boris')) === 1, 'it has reached him');
});

it('retries a statement that times out on a lock', async () => {
  const { app } = world;
  if (!app) throw new Error('a server in this process');
  let asked = 0;
  const answer = await retryWhileDatabaseUnavailable(app.context, async () => {
    if (++asked < 3) throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    return 'yes';
  });
  expect([answer, asked]).toEqual(['yes', 3]);
});
