/** Replies through the API: one is cancelled when the lead has written something newer than what it answers. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { messages, retryMessage } from '../conversations/contract.ts';
import type { Client } from '../testing/client.ts';
import { expectInvariants } from '../testing/invariants.ts';
import { dialogueOf, messagesOf } from '../testing/messageRows.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator('olga');
});
afterEach(() => world.control.setFaults([]));
afterAll(() => world.close());

const NEWER = 'The lead wrote again';

async function idOf(lead: TestLead, text: string): Promise<number> {
  return (await messagesOf(world, lead)).find(({ message }) => message === text)?.id ?? 0;
}

function reply(lead: TestLead, message: string, more: object) {
  return admin.call(messages.create, {
    body: { product_id: world.productId, contact_id: lead.contactId, message, delay_enabled: false, ...more },
  });
}

/** Read what the team has written to a lead, with what became of it. */
const ours = async (lead: TestLead): Promise<(string | null)[][]> =>
  (await messagesOf(world, lead, 'bot'))
    .filter(({ author }) => author === 'operator')
    .map(({ message, status, reason }) => [message, status, reason]);

/** Let people own a lead's dialogue, so that the bot answers nothing, and let the lead write. */
async function leadOfPeople(name: string, ...texts: string[]): Promise<TestLead> {
  const lead = await world.lead(name);
  await world.pool.query("update dialogues set owner = 'human', owner_reason = 'phone' where contact_id = $1", [
    lead.contactId,
  ]);
  for (const text of texts) {
    await lead.writes(text);
    await world.drain();
  }
  return lead;
}

describe('a message with reply_on_msg_id', () => {
  it('is sent while what it answers is the newest message of the lead', async () => {
    const lead = await leadOfPeople('Anna', 'One', 'Two');
    await reply(lead, 'To two', { reply_on_msg_id: await idOf(lead, 'Two') });
    await world.drain();
    expect(await ours(lead)).toEqual([['To two', 'read', null]]);
  });

  it('is cancelled when the lead has written something newer, and the lead waits again', async () => {
    const lead = await leadOfPeople('Boris', 'One', 'Two');
    const reply_on_msg_id = await idOf(lead, 'One');
    expect((await reply(lead, 'To one', { reply_on_msg_id })).status).toBe(201);
    await world.drain();
    expect(await ours(lead)).toEqual([['To one', 'cancelled', NEWER]]);
    const { rows } = await world.pool.query(
      'select waiting_since is not null as waits from dialogues where contact_id = $1',
      [lead.contactId],
    );
    expect(rows).toEqual([{ waits: true }]);
    await expectInvariants(world);
  });

  it('is cancelled by what the lead writes before it leaves', async () => {
    const lead = await leadOfPeople('Clara', 'One');
    const reply_on_msg_id = await idOf(lead, 'One');
    await reply(lead, 'Later', { reply_on_msg_id, send_not_before: new Date(Date.now() + 3600_000).toISOString() });
    await lead.writes('Two');
    await world.drain();
    await world.pool.query(
      "update messages set scheduled_at = domain_now() where contact_id = $1 and status = 'scheduled'",
      [lead.contactId],
    );
    await world.drain();
    expect(await ours(lead)).toEqual([['Later', 'cancelled', NEWER]]);
  });

  it('is sent all the same without the guard, or without reply_on_msg_id', async () => {
    const lead = await leadOfPeople('Dora', 'One', 'Two');
    const reply_on_msg_id = await idOf(lead, 'One');
    await reply(lead, 'Unguarded', { reply_on_msg_id, debounce_guard: false });
    await reply(lead, 'To nobody', {});
    await world.drain();
    expect(await ours(lead)).toEqual([
      ['Unguarded', 'read', null],
      ['To nobody', 'read', null],
    ]);
  });

  it('is not cancelled by a notice of the messenger, nor by what is older', async () => {
    const lead = await leadOfPeople('Elena', 'One', 'Two');
    await world.pool.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, kind, side, author, status, thread_at)
       select product_id, contact_id, id, channel_id, kind, kind, 'user', 'lead', 'inbound', domain_now() - late
         from dialogues, (values ('system', interval '0'), ('text', interval '1 hour')) as notices (kind, late) where contact_id = $1`,
      [lead.contactId],
    );
    await reply(lead, 'To two', { reply_on_msg_id: await idOf(lead, 'Two') });
    await world.drain();
    expect(await ours(lead)).toEqual([['To two', 'read', null]]);
  });

  it('is answered for by the bot when the bot keeps the dialogue', async () => {
    const lead = await world.lead('Fedor');
    await lead.writes('Hello', 'How long does delivery take?');
    await world.drain();
    const before = (await messagesOf(world, lead, 'bot')).length;
    await reply(lead, 'To hello', { reply_on_msg_id: await idOf(lead, 'Hello'), keep_bot: true });
    await world.drain();
    expect(await ours(lead)).toEqual([['To hello', 'cancelled', NEWER]]);
    expect(await dialogueOf(world, lead)).toMatchObject({ owner: 'bot', turn_is_due: false });
    // The bot had answered already.
    expect((await messagesOf(world, lead, 'bot')).length).toBe(before + 1);
  });

  it('is sent when an operator sends it again, although the lead has written since', async () => {
    const lead = await leadOfPeople('Galina', 'One');
    await world.control.setFaults([{ kind: 'wazzup24.fail_later', code: 'SPAM' }]);
    await reply(lead, 'To one', { reply_on_msg_id: await idOf(lead, 'One') });
    await world.drain();
    expect((await ours(lead))[0]?.[1]).toBe('error');
    await world.control.setFaults([]);
    await lead.writes('Two');
    await world.drain();
    await admin.call(retryMessage, { params: { id: await idOf(lead, 'To one') } });
    await world.drain();
    expect(await ours(lead)).toEqual([['To one', 'read', null]]);
  });

  it('is refused with 422 when that message is in another dialogue', async () => {
    const [hugo, irma] = [await leadOfPeople('Hugo', 'One'), await leadOfPeople('Irma', 'Other')];
    const answer = await reply(hugo, 'Hello', { reply_on_msg_id: await idOf(irma, 'Other') });
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        detail: [
          { loc: ['body', 'reply_on_msg_id'], msg: 'This message belongs to another dialogue', type: 'other_dialogue' },
        ],
      },
    ]);
    expect((await reply(hugo, 'Hello', { reply_on_msg_id: 999_999_999 })).status).toBe(404);
    expect(await ours(hugo)).toEqual([]);
  });
});
