/**
 * A claim whose commit got no answer: the row says that this instance has claimed it, but nothing works on it. It ends by
 * itself. A claim that work goes on under is kept, however long the work takes.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { cancelPending } from '../conversations/ownership.ts';
import { findDialogueContext } from '../conversations/store/dialogues.ts';
import { findMessage } from '../conversations/store/messages.ts';
import { reclaimOrphans } from '../outbox/reclaim.ts';
import { sendTraced } from '../outbox/send.ts';
import { sendNew } from '../outbox/sendContract.ts';
import { findClaimStates } from '../outbox/store/delivery.ts';
import { ids } from '../platform/ids.ts';
import { createOutreachWorld, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import { createSendPolicy } from './sendPolicy.ts';

let world: OutreachWorld;
let instanceId = '';
beforeAll(async () => {
  world = await createOutreachWorld();
  instanceId = world.app?.context.instanceId ?? '';
});
afterAll(() => world.close());
beforeEach(() => world.reset());

/** Queue a message from an operator to a new lead. */
async function write(name: string, notBefore: string | null) {
  const admin = await world.operator();
  const lead = await world.lead(name, { dialogue: false });
  const body = {
    contact_id: lead.contactId,
    channel_id: world.whatsapp.id,
    text: `Hello ${name}`,
    send_not_before: notBefore,
  };
  expect((await admin.call(sendNew, { body })).status).toBe(201);
  return lead;
}
const readAttempts = async (leadId: number) =>
  (
    await world.pool.query<{ attempts: number; status: string }>(
      'select m.attempts, m.status from messages m join contacts c on c.id = m.contact_id where c.lead_id = $1',
      [leadId],
    )
  ).rows;

it('sends a message that is claimed and that nothing sends', async () => {
  const anna = await write('Anna', '2100-01-01T00:00:00Z');
  await world.pool.query(
    `update messages set status = 'sending', claimed_by = $2, claimed_until = clock_timestamp() + interval '0.5 seconds',
            claimed_at = clock_timestamp(), send_key_used_at = clock_timestamp(), attempts = 1
      where contact_id = $1`,
    [anna.contactId, instanceId],
  );
  await world.waitUntil(async () => (await anna.sees()).length > 0, 'Anna to see it');
  await world.drain();
  expect(await anna.sees()).toEqual(['us: Hello Anna']);
});

it('does not reclaim a message during a slow vendor call', async () => {
  await world.control.setFaults([{ kind: 'wazzup24.delay', ms: 2500, times: 1 }]);
  const boris = await write('Boris', null);
  await world.drain();
  expect(await boris.sees()).toEqual(['us: Hello Boris']);
  expect(await readAttempts(boris.leadId)).toMatchObject([{ attempts: 1 }]);
});

/** A message that the vendor takes long to accept, as it is being sent. */
async function slowMessage(name: string) {
  const context = world.app?.context;
  if (!context) throw new Error('No server in this world');
  await world.control.setFaults([{ kind: 'wazzup24.delay', ms: 1000, times: 1 }]);
  const lead = await write(name, null);
  await world.waitUntil(async () => (await readAttempts(lead.leadId))[0]?.status === 'sending', 'it is being sent');
  const { rows } = await world.pool.query<{ id: string }>('select id from messages where contact_id = $1', [
    lead.contactId,
  ]);
  const message = await findMessage(context.reader, Number(rows[0]?.id));
  const dialogueContext = message && (await findDialogueContext(context.reader, message.dialogue_id));
  if (!message || !dialogueContext) throw new Error('There is no message');
  return { context, lead, message, dialogueContext };
}

it('does not reclaim a message that it sends itself, when its claim could not be renewed in time', async () => {
  const { context, lead, message } = await slowMessage('Elena');
  await world.pool.query("update messages set claimed_until = now() - interval '1 second' where id = $1", [message.id]);
  const tools = { isStarted: () => false, start: () => false, queues: () => new Map(), wake: () => undefined };
  await reclaimOrphans(context, createSendPolicy(cancelPending, context.cipher), tools);
  expect(await readAttempts(lead.leadId)).toMatchObject([{ status: 'sending', attempts: 1 }]);
  await world.drain();
});

it('does not send by a check of its claim that is older than the lease', async () => {
  const { context, lead, message, dialogueContext } = await slowMessage('Fedor');
  const [state] = await findClaimStates(context.reader, [message.id]);
  if (!state) throw new Error('It is not claimed');
  await world.pool.query('update messages set claimed_by = gen_random_uuid() where id = $1', [message.id]);
  await sendTraced(context, createSendPolicy(cancelPending, context.cipher), {
    message: { ...message, message: 'Once more', send_key: ids.next() },
    dialogueContext,
    claim: { state, readAt: performance.now() - state.lease_ms },
  });
  await world.drain();
  expect(await lead.sees()).toEqual(['us: Hello Fedor']);
});

it("continues a product's queue of first messages", async () => {
  await world.setFirstMessages({});
  await world.advanceClockTo('08:00');
  const clara = await world.createLead('Clara');
  await world.pool.query(
    "update outreach_products set claimed_by = $2, claimed_until = clock_timestamp() + interval '0.5 seconds' where product_id = $1",
    [world.productId, instanceId],
  );
  await world.advanceClock(3 * HOUR);
  expect(await clara.sees()).toEqual(['us: Good day!']);
});

it('evaluates a follow-up again', async () => {
  await world.setFirstMessages({});
  await world.setFollowUps([
    { after_minutes: 60, prepared_message_id: await world.addPreparedMessage('Still there?') },
  ]);
  await world.advanceClockTo('11:00');
  const dora = await world.createLead('Dora');
  await world.advanceClockTo('10:45');
  expect(await dora.sees()).toEqual(['us: Good day!']);
  await world.pool.query(
    "update outreach set claimed_by = $2, claimed_until = clock_timestamp() + interval '0.5 seconds', next_at = domain_now() where lead_id = $1",
    [dora.leadId, instanceId],
  );
  await world.waitUntil(async () => {
    const { rows } = await world.pool.query('select 1 from outreach where claimed_by is not null');
    return rows.length === 0;
  }, 'nobody to have it in hand');
  await world.advanceClock(2 * HOUR);
  expect(await dora.sees()).toEqual(['us: Good day!', 'us: Still there?']);
});
