/** Nothing unsolicited is sent to a number that is not valid, whichever way it was stored. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { leads } from '../leads/contract.ts';
import { sendNew } from '../outbox/sendContract.ts';
import { createOutreachWorld, DAY, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';

let world: OutreachWorld;
beforeAll(async () => {
  world = await createOutreachWorld();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

/** As an earlier release stored it. */
async function store(contactId: number, address: string): Promise<void> {
  await world.pool.query('update contacts set address = $2, contact = $2 where id = $1', [contactId, address]);
}

const reasonOf = async (leadId: number) =>
  (await world.pool.query<{ reason: unknown }>('select reason from outreach where lead_id = $1', [leadId])).rows[0]
    ?.reason;

describe('a lead whose number has a digit too many', () => {
  it.each(['4407911123456', '3752912345670', '79161234567000', '97205012345678'])(
    'gets no first message at %s, and is listed by the reason',
    async (address) => {
      await world.setFirstMessages({});
      await world.advanceClockTo('08:00');
      const anna = await world.createLead('Anna');
      const boris = await world.createLead('Boris');
      await store(anna.contactId, address);
      await world.advanceClock(2 * DAY);
      expect(await boris.sees()).toEqual(['us: Good day!']);
      expect((await world.sentMessages()).map(({ lead }) => lead)).toEqual(['Boris']);
      expect(await reasonOf(anna.leadId)).toMatchObject({ code: 'invalid_address', number: address });
      const operator = await world.operator();
      const list = await operator.call(leads.list, {
        query: { product_id: [world.productId], next_reason: ['invalid_address'] },
      });
      expect(list.body).toMatchObject({ items: [{ id: anna.leadId }] });
    },
  );

  it('gets it at another contact that is valid', async () => {
    await world.setFirstMessages({});
    await world.advanceClockTo('08:00');
    const anna = await world.createLead('Anna');
    await world.pool.query('update contacts set is_main = false where id = $1', [anna.contactId]);
    await world.pool.query(
      `insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
       select lead_id, product_id, $2, contact_type, $2, true from contacts where id = $1`,
      [anna.contactId, '4407911123456'],
    );
    await world.advanceClock(DAY);
    expect(await anna.sees()).toEqual(['us: Good day!']);
  });

  it('gets it once the number is corrected', async () => {
    await world.setFirstMessages({});
    await world.advanceClockTo('08:00');
    const anna = await world.createLead('Anna');
    const { rows } = await world.pool.query<{ address: string }>('select address from contacts where id = $1', [
      anna.contactId,
    ]);
    await store(anna.contactId, '4407911123456');
    await world.advanceClock(DAY);
    expect(await anna.sees()).toEqual([]);
    await store(anna.contactId, rows[0]?.address ?? '');
    await world.advanceClock(DAY);
    expect(await anna.sees()).toEqual(['us: Good day!']);
  });

  it('gets no first message that waits in the queue when the number is found to be wrong', async () => {
    await world.setFirstMessages({ whatsapp_daily_limit: 1 });
    await world.advanceClockTo('08:00');
    const anna = await world.createLead('Anna');
    const boris = await world.createLead('Boris');
    await world.advanceClock(3 * HOUR);
    expect(await anna.sees()).toEqual(['us: Good day!']);
    // As in the queue of an earlier release: nothing evaluates the lead before its turn.
    await world.pool.query('alter table contacts disable trigger hold_plan_update_contacts');
    await store(boris.contactId, '4407911123456');
    await world.pool.query('alter table contacts enable trigger hold_plan_update_contacts');
    await world.advanceClock(2 * DAY);
    expect((await world.sentMessages()).map(({ lead }) => lead)).toEqual(['Anna']);
    expect(await reasonOf(boris.leadId)).toMatchObject({ code: 'invalid_address' });
  });

  it('gets no follow-up, planned or scheduled, unless the lead has written from there', async () => {
    await world.setFirstMessages({});
    await world.setFollowUps([
      { after_minutes: 60, prepared_message_id: await world.addPreparedMessage('Still there?') },
    ]);
    await world.advanceClockTo('08:00');
    const [silent, talking] = [await world.createLead('Silent'), await world.createLead('Talking')];
    await world.advanceClockTo('10:30');
    expect((await world.sentMessages()).length).toBe(2);
    await talking.writes('Yes?');
    await world.drain();
    await world.pool.query('update dialogues set address = $2 where contact_id = $1', [
      silent.contactId,
      '4407911123456',
    ]);
    await world.pool.query('update dialogues set address = $2 where contact_id = $1', [
      talking.contactId,
      '4407911123457',
    ]);
    await world.advanceClock(4 * HOUR);
    const followUps = (await world.sentMessages()).filter(({ step }) => step !== null);
    expect(followUps.map(({ lead }) => lead)).toEqual(['Talking']);
    expect(await reasonOf(silent.leadId)).toMatchObject({ code: 'invalid_address', number: '4407911123456' });
  });

  it('gets no new dialogue by hand', async () => {
    const anna = await world.createLead('Anna');
    await store(anna.contactId, '4407911123456');
    const operator = await world.operator();
    const answer = await operator.call(sendNew, {
      query: {},
      body: { contact_id: anna.contactId, channel_id: world.whatsapp.id, text: 'Hello' },
    });
    expect(answer).toMatchObject({ status: 409 });
    expect(JSON.stringify(answer.body)).toContain('+4407911123456 has a digit too many');
  });
});

describe('a person with two numbers that are national variants', () => {
  it.each([
    ['5511961234567', '551161234567'],
    ['525512345678', '5215512345678'],
    ['541123456789', '5491123456789'],
  ])('gets one first message as two leads, at %s or %s', async (one, other) => {
    await world.setFirstMessages({});
    await world.advanceClockTo('08:00');
    const first = await world.createLead('First');
    const second = await world.createLead('Second');
    await store(first.contactId, one);
    await store(second.contactId, other);
    await world.advanceClock(2 * DAY);
    expect((await world.sentMessages()).map(({ lead }) => lead)).toEqual(['First']);
    expect(await reasonOf(second.leadId)).toEqual({ code: 'person_known', lead: first.leadId });
  });

  it('gets no first message on a channel where another product talks with the other form', async () => {
    await world.setFirstMessages({});
    await world.advanceClockTo('08:00');
    const talking = await world.createLead('Talking');
    await talking.writes('Hello');
    await world.drain();
    await world.pool.query('update dialogues set address = $2 where contact_id = $1', [
      talking.contactId,
      '5511961234567',
    ]);
    const other = await world.createLead('Other');
    await store(other.contactId, '551161234567');
    await world.advanceClock(2 * DAY);
    expect(await reasonOf(other.leadId)).toEqual({ code: 'address_busy' });
  });
});
