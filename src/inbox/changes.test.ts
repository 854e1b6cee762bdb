/** Edits and deletions of messages: what is shown, what is answered, and what stops. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { message, messages, readThread } from '../conversations/contract.ts';
import { leads } from '../leads/contract.ts';
import type { Client } from '../testing/client.ts';
import { countModelCalls, dialogueOf, hookUrl, inboundItem, messagesOf, postHook } from '../testing/messageRows.ts';
import { createOutreachWorld, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import type { TestLead } from '../testing/world.ts';

const QUESTION = 'How long does delivery take?';
/** Seconds after the lead's last message. */
const DEBOUNCE = 600;

let world: OutreachWorld;
let olga: Client;
beforeAll(async () => {
  world = await createOutreachWorld({ env: { RAPPORT_REPLY_DEBOUNCE_SECONDS: String(DEBOUNCE) } });
  olga = await world.operator('olga');
});
afterAll(() => world.close());
beforeEach(() => world.reset());

async function now(): Promise<string> {
  const { rows } = await world.pool.query<{ at: Date }>('select domain_now() as at');
  return rows[0]?.at.toISOString() ?? '';
}

async function post(...items: object[]): Promise<void> {
  await postHook(await hookUrl(world), { messages: items });
  await world.waitUntil(async () => {
    const { rows } = await world.pool.query("select 1 from inbox where state = 'new'");
    return rows.length === 0;
  }, 'what came in is worked on');
}

/** Receive a message; returns the vendor's id. */
async function receive(from: TestLead, text: string, more: object = {}): Promise<string> {
  const messageId = randomUUID();
  await post(inboundItem(world, from.address, text, { dateTime: await now(), messageId, ...more }));
  return messageId;
}

const edit = async (from: TestLead, messageId: string, text: string, more: object = {}) =>
  inboundItem(world, from.address, text, { dateTime: await now(), messageId, isEdited: true, ...more });
const deletion = async (from: TestLead, messageId: string, more: object = {}) =>
  inboundItem(world, from.address, '', { dateTime: await now(), messageId, isDeleted: true, ...more });

const answers = async (lead: TestLead) => (await lead.sees()).filter((line) => line.startsWith('us: '));
async function threadOf(lead: TestLead) {
  const reply = await olga.call(readThread, { params: { id: await lead.dialogueId() } });
  return z.object({ items: z.array(message) }).parse(reply.body).items;
}
const isActive = async (lead: TestLead) =>
  (await world.pool.query('select is_active from leads where id = $1', [lead.leadId])).rows[0]?.is_active;
async function lastPrompt(): Promise<string> {
  return JSON.stringify((await world.control.entriesOf('completion')).at(-1));
}

describe('an edit before the answer', () => {
  it('is answered with the new words, once', async () => {
    const anna = await world.lead('Anna');
    const id = await receive(anna, 'What colours are there');
    await world.advanceClock(DEBOUNCE / 2);
    await post(await edit(anna, id, QUESTION, { oldInfo: { oldText: 'What colours are there' } }));
    await world.advanceClock(DEBOUNCE / 2 + 10);
    expect(await answers(anna)).toEqual([]);
    await world.advanceClock(DEBOUNCE);
    expect(await answers(anna)).toHaveLength(1);
    const prompt = await lastPrompt();
    expect([prompt.includes(QUESTION), prompt.includes('What colours')]).toEqual([true, false]);
  });

  it('keeps the earlier words, and says that it was edited', async () => {
    const anna = await world.lead('Anna');
    const id = await receive(anna, 'one');
    await post(await edit(anna, id, 'two'));
    await post(await edit(anna, id, 'three'));
    const [row] = await threadOf(anna);
    expect(row).toMatchObject({ message: 'three', edited_at: expect.any(String), deleted_at: null });
    expect(row?.earlier_texts.map(({ text }) => text)).toEqual(['one', 'two']);
    const { rows } = await world.pool.query('select last_message from dialogues where contact_id = $1', [
      anna.contactId,
    ]);
    expect(rows).toEqual([{ last_message: 'three' }]);
  });

  it('cancels an answer that has not left', async () => {
    await world.setWorkingHours('09:00', '18:00');
    await world.advanceClockTo('20:00');
    const anna = await world.lead('Anna');
    const id = await receive(anna, QUESTION);
    await world.advanceClock(2 * DEBOUNCE);
    expect((await messagesOf(world, anna, 'bot')).map(({ status }) => status)).toEqual(['scheduled']);
    await post(await edit(anna, id, 'Which colours are there'));
    await world.advanceClock(2 * DEBOUNCE);
    expect((await messagesOf(world, anna, 'bot')).map(({ status, reason }) => [status, reason])).toEqual([
      ['cancelled', 'The lead edited the message'],
      ['scheduled', expect.anything()],
    ]);
  });
});

describe('an edit after the answer', () => {
  async function answered(name: string, text = QUESTION) {
    const lead = await world.lead(name);
    const id = await receive(lead, text);
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(lead)).toHaveLength(1);
    return { lead, id };
  }

  it('is answered again if it says something else, and the model reads it last', async () => {
    const { lead, id } = await answered('Anna');
    await post(await edit(lead, id, 'Which colours are there'));
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(lead)).toHaveLength(2);
    const [entry] = (await world.control.entriesOf('completion')).slice(-1);
    expect(JSON.stringify(entry)).toMatch(/Which colours are there(?!.*"role":"assistant")/);
  });

  it.each([
    ['a typing error', 'How long does delivry take?'],
    ['spaces and marks', 'how long does delivery  take'],
  ])('is not answered again if it corrects %s', async (_name, before) => {
    const { lead, id } = await answered('Anna', before);
    await post(await edit(lead, id, QUESTION));
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(lead)).toHaveLength(1);
    expect((await threadOf(lead))[0]).toMatchObject({ message: QUESTION });
  });

  it('is not answered again if the lead has written since', async () => {
    const { lead, id } = await answered('Anna');
    await receive(lead, 'And the price of oak');
    await world.advanceClock(2 * DEBOUNCE);
    await post(await edit(lead, id, 'Which colours are there'));
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(lead)).toHaveLength(2);
  });

  it('stops everything if it asks to stop, however old the message is', async () => {
    const { lead, id } = await answered('Anna', 'ok, how much');
    await receive(lead, QUESTION);
    await world.advanceClock(2 * DEBOUNCE);
    await post(await edit(lead, id, 'Please stop writing to me'));
    expect(await isActive(lead)).toBe(false);
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(lead)).toHaveLength(2);
  });

  it('stops follow-ups', async () => {
    await world.setFollowUps([
      { after_minutes: 60, prepared_message_id: await world.addPreparedMessage('Still there?') },
    ]);
    const { lead, id } = await answered('Anna');
    const { lead: boris } = await answered('Boris');
    await post(await edit(lead, id, `${QUESTION}!`));
    await world.advanceClock(3 * HOUR);
    expect((await boris.sees()).at(-1)).toBe('us: Still there?');
    expect(await answers(lead)).toHaveLength(1);
  });

  it('of an ok that was not answered becomes a turn', async () => {
    const { lead } = await answered('Anna', 'Where is the showroom');
    await world.pool.query("update messages set message = 'It is open.' where contact_id = $1 and side = 'bot'", [
      lead.contactId,
    ]);
    const id = await receive(lead, 'ok');
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(lead)).toHaveLength(1);
    await post(await edit(lead, id, QUESTION));
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(lead)).toHaveLength(2);
  });
});

describe('hooks of edits', () => {
  it('have one effect, however often and in whatever order they arrive', async () => {
    const anna = await world.lead('Anna');
    const id = await receive(anna, 'one');
    const dateTime = await now();
    const second = await edit(anna, id, 'two', { oldInfo: { oldText: 'one' }, dateTime });
    const third = await edit(anna, id, 'three', { oldInfo: { oldText: 'two' }, dateTime });
    await post(third);
    await post(second);
    await post(third, second);
    const [row, ...others] = await threadOf(anna);
    expect(others).toEqual([]);
    expect(row?.message).toBe('three');
    expect(row?.earlier_texts.map(({ text }) => text)).toEqual(['one', 'two']);
    expect((await dialogueOf(world, anna)).turn_is_due).toBe(true);
  });

  it('wait for their message', async () => {
    const anna = await world.lead('Anna');
    const id = randomUUID();
    const original = inboundItem(world, anna.address, 'ok', { dateTime: await now(), messageId: id });
    await post(await edit(anna, id, 'Please stop writing to me', { oldInfo: { oldText: 'ok' } }));
    expect(await isActive(anna)).toBe(true);
    await post(original);
    await world.waitUntil(async () => !(await isActive(anna)), 'the edit is applied');
    expect((await threadOf(anna))[0]).toMatchObject({ message: 'Please stop writing to me' });
  });

  it('become the message if that never comes', async () => {
    const anna = await world.lead('Anna');
    await post(await edit(anna, randomUUID(), QUESTION, { oldInfo: { oldText: 'before' } }));
    await world.pool.query("update inbox set attempts = 12, retry_at = clock_timestamp() where state = 'parked'");
    await world.waitUntil(async () => (await messagesOf(world, anna)).length > 0, 'the edit is stored');
    expect((await threadOf(anna))[0]).toMatchObject({
      message: QUESTION,
      edited_at: expect.any(String),
      earlier_texts: [{ text: 'before' }],
    });
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(anna)).toHaveLength(1);
  });

  it('of what an operator wrote change the words only', async () => {
    const anna = await world.lead('Anna');
    const body = {
      product_id: world.productId,
      contact_id: anna.contactId,
      message: 'Ten euro',
      schedule_enabled: false,
      delay_enabled: false,
      keep_bot: true,
    };
    expect((await olga.call(messages.create, { body })).status).toBe(201);
    await world.drain();
    const [sent] = await messagesOf(world, anna, 'bot');
    await post(await edit(anna, sent?.ext_id ?? '', 'Ten euros', { isEcho: true, status: 'sent' }));
    expect((await threadOf(anna))[0]).toMatchObject({ message: 'Ten euros', author: 'operator', operator: 'olga' });
    expect(await dialogueOf(world, anna)).toMatchObject({ owner: 'bot', turn_is_due: false });
    expect(await messagesOf(world, anna)).toHaveLength(1);
  });

  it("of another person's message change nothing", async () => {
    const anna = await world.lead('Anna');
    const id = await receive(anna, QUESTION);
    await post(await edit(anna, id, 'Something else', { isEcho: true, status: 'sent' }));
    expect((await threadOf(anna))[0]?.message).toBe(QUESTION);
  });
});

describe('a deleted message', () => {
  it('is not answered, and the dialogue says why', async () => {
    const anna = await world.lead('Anna');
    const id = await receive(anna, QUESTION);
    const calls = await countModelCalls(world);
    await post(await deletion(anna, id));
    await world.advanceClock(2 * DEBOUNCE);
    expect([await answers(anna), (await countModelCalls(world)) - calls]).toEqual([[], 0]);
    expect((await threadOf(anna))[0]).toMatchObject({ message: QUESTION, deleted_at: expect.any(String) });
    const { rows } = await world.pool.query(
      'select quiet_reason, attention, inbox_state, last_message from dialogues where contact_id = $1',
      [anna.contactId],
    );
    expect(rows).toEqual([
      { quiet_reason: 'deleted', attention: null, inbox_state: 'bot', last_message: 'Deleted message' },
    ]);
  });

  it('leaves the others to be answered, without its words', async () => {
    const anna = await world.lead('Anna');
    const id = await receive(anna, 'My secret is blue');
    await receive(anna, QUESTION);
    await post(await deletion(anna, id));
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(anna)).toHaveLength(1);
    const prompt = await lastPrompt();
    expect([prompt.includes(QUESTION), prompt.includes('My secret')]).toEqual([true, false]);
  });

  it('that was answered is only marked', async () => {
    const anna = await world.lead('Anna');
    const id = await receive(anna, QUESTION);
    await world.advanceClock(2 * DEBOUNCE);
    await post(await deletion(anna, id));
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(anna)).toHaveLength(1);
    expect((await threadOf(anna))[0]).toMatchObject({ deleted_at: expect.any(String) });
  });

  it('whose deletion comes first is not answered', async () => {
    const anna = await world.lead('Anna');
    const id = randomUUID();
    const original = inboundItem(world, anna.address, QUESTION, { dateTime: await now(), messageId: id });
    await post(await deletion(anna, id));
    await post(original);
    await world.advanceClock(2 * DEBOUNCE);
    expect(await answers(anna)).toEqual([]);
    expect((await threadOf(anna))[0]).toMatchObject({ deleted_at: expect.any(String) });
  });

  it('of ours is marked, and nobody takes over', async () => {
    const anna = await world.lead('Anna');
    await receive(anna, QUESTION);
    await world.advanceClock(2 * DEBOUNCE);
    const [sent] = await messagesOf(world, anna, 'bot');
    await post(await deletion(anna, sent?.ext_id ?? '', { isEcho: true, status: 'sent' }));
    expect((await threadOf(anna))[1]).toMatchObject({ side: 'bot', deleted_at: expect.any(String) });
    expect((await dialogueOf(world, anna)).owner).toBe('bot');
  });

  it('and its earlier words are erased with the lead', async () => {
    const anna = await world.lead('Anna');
    const id = await receive(anna, 'zebrafish one');
    await post(await edit(anna, id, 'zebrafish two', { oldInfo: { oldText: 'zebrafish one' } }));
    await post(await deletion(anna, id));
    expect((await olga.call(leads.remove, { params: { id: anna.leadId } })).status).toBe(204);
    for (const table of ['messages', 'inbox', 'dialogues']) {
      const { rows } = await world.pool.query(`select 1 from ${table} t where t::text like '%zebrafish%'`);
      expect([table, rows]).toEqual([table, []]);
    }
  });
});
