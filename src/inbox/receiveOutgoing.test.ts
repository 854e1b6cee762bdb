import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectInvariants } from '../testing/invariants.ts';
import { dialogueOf, messagesOf } from '../testing/messageRows.ts';
import { createWorld, type World } from '../testing/world.ts';

const QUESTION = 'How long does delivery take?';
let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterEach(async () => {
  await world.control.setFaults([]);
  await world.control.changeSettings({ echo: 'echo' });
});
afterAll(() => world.close());

describe.each(['off', 'echo', 'plain'] as const)('our own message coming back (echoes: %s)', (echo) => {
  it('does not hand over', async () => {
    await world.control.changeSettings({ echo });
    const anna = await world.lead(`Anna ${echo}`);
    await anna.writes(QUESTION);
    await world.drain();
    expect(await dialogueOf(world, anna)).toMatchObject({ owner: 'bot', owner_reason: null });
    expect((await messagesOf(world, anna)).map((one) => [one.author, one.status])).toEqual([
      ['lead', 'inbound'],
      ['bot', 'read'],
    ]);
    await expectInvariants(world);
  });

  it('does not hand over when it precedes the answer to the send', async () => {
    await world.control.changeSettings({ echo });
    await world.control.setFaults([{ kind: 'wazzup24.delay', ms: 900, after: true }]);
    const boris = await world.lead(`Boris ${echo}`);
    await boris.writes(QUESTION);
    await world.drain();
    expect((await dialogueOf(world, boris)).owner).toBe('bot');
    expect(await messagesOf(world, boris, 'bot')).toMatchObject([{ author: 'bot', status: 'read' }]);
    await expectInvariants(world);
  });

  it('does not hand over when the answer to the send was lost, and nothing is sent twice', async () => {
    await world.control.changeSettings({ echo });
    await world.control.setFaults([{ kind: 'wazzup24.lose_answer', times: 1 }]);
    const clara = await world.lead(`Clara ${echo}`);
    await clara.writes(QUESTION);
    await world.drain();
    expect((await dialogueOf(world, clara)).owner).toBe('bot');
    expect(await clara.sees()).toHaveLength(2);
    // Without an echo nothing reveals the id under which it was accepted.
    expect(await messagesOf(world, clara, 'bot')).toMatchObject([
      { author: 'bot', status: echo === 'off' ? 'sent' : 'read' },
    ]);
    await expectInvariants(world);
  });
});

describe('a message from the phone', () => {
  it.each([
    ['as the documents have it', {}],
    ['with the flag turned off, as seen live', { isEcho: false }],
    ["in the vendor's window", { sentFromApp: true, authorName: 'Olga' }],
  ])('hands the dialogue over: %s', async (name, how) => {
    const dora = await world.lead(name);
    await dora.writes(QUESTION);
    await world.drain();
    await world.control.type(dora.address, {
      channelId: world.whatsapp.ref,
      text: 'This is Olga, I take over',
      ...how,
    });
    await world.drain();
    expect(await dialogueOf(world, dora)).toMatchObject({ owner: 'human', owner_reason: 'phone', turn_is_due: false });
    expect((await messagesOf(world, dora)).map((one) => one.author)).toEqual(['lead', 'bot', 'phone']);
    await dora.writes('And what does it cost?');
    await world.drain();
    expect((await dora.sees()).at(-1)).toBe('lead: And what does it cost?');
    await expectInvariants(world);
  });

  it("cancels the bot's queued messages", async () => {
    const elena = await world.lead('Elena');
    await world.pool.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, scheduled_at)
       values ($1, $2, $3, $4, 'Are you still there?', 'bot', 'bot', 'scheduled', now() + interval '1 hour')`,
      [world.productId, elena.contactId, await elena.dialogueId(), world.whatsapp.id],
    );
    await world.control.type(elena.address, { channelId: world.whatsapp.ref, text: 'Hello from Olga' });
    await world.drain();
    expect((await messagesOf(world, elena)).map((one) => [one.author, one.status])).toEqual([
      ['bot', 'cancelled'],
      ['phone', 'sent'],
    ]);
  });

  it('is handled after our send under way has ended', async () => {
    const fedor = await world.lead('Fedor');
    await world.control.setFaults([{ kind: 'wazzup24.delay', ms: 700 }]);
    await fedor.writes(QUESTION);
    await world.waitUntil(
      async () => (await messagesOf(world, fedor, 'bot'))[0]?.status === 'sending',
      'the send begins',
    );
    await world.control.type(fedor.address, { channelId: world.whatsapp.ref, text: 'Olga here' });
    await world.drain();
    expect((await dialogueOf(world, fedor)).owner).toBe('human');
    expect((await messagesOf(world, fedor, 'bot')).map((one) => [one.author, one.status])).toEqual([
      ['bot', 'read'],
      ['phone', 'sent'],
    ]);
    await expectInvariants(world);
  });
});
