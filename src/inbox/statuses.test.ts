import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectInvariants } from '../testing/invariants.ts';
import { hookUrl, messagesOf, postHook } from '../testing/messageRows.ts';
import { createWorld, type World } from '../testing/world.ts';
import { resumeParked } from './store/items.ts';

const QUESTION = 'How long does delivery take?';
let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterEach(() => world.control.setFaults([]));
afterAll(() => world.close());

describe("a vendor's status", () => {
  it.each([
    ['before the answer to the send', { kind: 'wazzup24.status_first' }],
    ['all of them before the answer', { kind: 'wazzup24.delay', ms: 400, after: true }],
    ['from the last to the first', { kind: 'wazzup24.statuses_reordered' }],
  ] as const)('ends as read: %s', async (name, fault) => {
    const anna = await world.lead(name);
    await world.control.setFaults([fault]);
    await anna.writes(QUESTION);
    await world.drain();
    expect(await messagesOf(world, anna, 'bot')).toMatchObject([{ status: 'read' }]);
    const { rows } = await world.pool.query(
      "select sent_at <= sent_confirmation_at and sent_confirmation_at <= read_at as climbs from messages where contact_id = $1 and side = 'bot'",
      [anna.contactId],
    );
    expect(rows).toHaveLength(1);
    await expectInvariants(world);
  });

  it("fails the message with the vendor's reason when it cannot be delivered", async () => {
    const boris = await world.lead('Boris');
    await world.control.setFaults([{ kind: 'wazzup24.fail_later', code: 'BAD_CONTACT' }]);
    await boris.writes(QUESTION);
    await world.drain();
    expect(await messagesOf(world, boris, 'bot')).toMatchObject([
      { status: 'error', error_code: 'BAD_CONTACT', reason: expect.stringMatching(/\w/) },
    ]);
    await expectInvariants(world);
  });
});

/** Return every order of every subset of these. */
function ordersOf(words: readonly string[]): string[][] {
  return words.flatMap((word) => [
    [word],
    ...ordersOf(words.filter((one) => one !== word)).map((rest) => [word, ...rest]),
  ]);
}

describe('statuses only climb', () => {
  const orders = ordersOf(['sent', 'delivered', 'read', 'error']);

  async function messageOf(extId: string, orderName: string, dialogueId: number, contactId: number): Promise<void> {
    await world.pool.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, ext_id)
       values ($1, $2, $3, $4, $5, 'bot', 'operator', 'sent', $6)`,
      [world.productId, contactId, dialogueId, world.whatsapp.id, orderName, extId],
    );
  }

  function endOf(order: readonly string[]): string {
    if (order.includes('read')) return 'read';
    if (order.includes('delivered')) return 'delivered';
    return order.includes('error') ? 'error' : 'sent';
  }

  it.each(['known', 'not yet known'])('climb in every order for a message that is %s', async (when) => {
    const clara = await world.lead(`Clara ${when}`);
    const dialogueId = await clara.dialogueId();
    const url = await hookUrl(world);
    for (const order of orders) {
      const messageId = randomUUID();
      if (when === 'known') await messageOf(messageId, order.join(), dialogueId, clara.contactId);
      for (const status of order) {
        const answer = await postHook(url, {
          statuses: [{ messageId, status, ...(status === 'error' ? { error: { error: 'SPAM' } } : {}) }],
        });
        expect(answer).toEqual({ status: 200, accepted: 1 });
      }
      // No message has the id yet: the status is parked, and applies once a message of ours gets the id.
      if (when !== 'known') await messageOf(messageId, order.join(), dialogueId, clara.contactId);
    }
    if (when !== 'known') await applyParked();
    await world.drain();
    const rows = await messagesOf(world, clara, 'bot');
    expect(rows.map((row) => [row.message, row.status])).toEqual(orders.map((order) => [order.join(), endOf(order)]));
  });

  /** Apply parked items, as when the response to a send contains the id. */
  async function applyParked(): Promise<void> {
    await world.drain();
    const { app } = world;
    if (!app) throw new Error('no server');
    await app.context.transact(async (tx) => {
      const parked = await tx
        .selectFrom('inbox')
        .select(['account_id', 'ext_id'])
        .where('state', '=', 'parked')
        .execute();
      for (const { account_id, ext_id } of parked) await resumeParked(tx, account_id, ext_id);
    });
  }
});
