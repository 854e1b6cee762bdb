/** First messages that the vendor takes and finds later to be for nobody: as if the refusal had come with the answer. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendNew } from '../dialogues/chatbotContract.ts';
import { changeLeadStage } from '../leads/contract.ts';
import { connectChatpush } from '../testing/chatpush.ts';
import { createOutreachWorld, DAY, HOUR, type OutreachWorld } from '../testing/outreach.ts';
import { hookUrl, postHook, rowsOf } from '../testing/rows.ts';
import type { Person } from '../testing/world.ts';

let world: OutreachWorld;
let wazzup: readonly number[];
let chatpush: readonly number[];
beforeAll(async () => {
  world = await createOutreachWorld({ env: { RAPPORT_ASK_VENDOR_SECONDS: '3600' } });
  const { whatsapp, telegram, bot } = await connectChatpush(world);
  chatpush = [whatsapp.id, telegram.id, bot.id];
  wazzup = [world.whatsapp.id, world.telegram.id];
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.pool.query('update vendor_accounts set next_send_at = null');
});

const rows = async (text: string, values: unknown[] = []) => (await world.pool.query(text, values)).rows;
const movesOf = async (leadId: number) =>
  (
    await rows(
      `select event_data->>'to' as to from lead_events where lead_id = $1 and event_type = 'stage_changed' order by id`,
      [leadId],
    )
  ).map((one) => one.to);
const slots = async () => (await rows('select count(*)::int as count from first_slots'))[0]?.count;

async function addTelegram(person: Person, name: string): Promise<void> {
  await world.pool.query(
    `insert into contacts (lead_id, product_id, contact, contact_type, address) values ($1, $2, $3, 'telegram', $3)`,
    [person.leadId, world.productId, name],
  );
  await world.control.putPhone(name, person.name);
}

describe.each([
  ['Wazzup24', () => wazzup, { kind: 'wazzup24.fail_later', code: 'BAD_CONTACT', times: 1 }],
  ['ChatPush', () => chatpush, { kind: 'chatpush.fail_later', code: '44', times: 1 }],
] as const)('over %s', (vendor, channels, fault) => {
  beforeEach(() => world.talksOver(...channels()));

  it('it gives its slot back, and the other contact is tried once', async () => {
    await world.firsts({ whatsapp_daily_limit: 1, tg_daily_limit: 1 });
    await world.moveTo('08:00');
    const anna = await world.fresh('Anna');
    await addTelegram(anna, `anna_${vendor.toLowerCase()}`);
    await world.fresh('Boris');
    await world.control.setFaults([fault]);
    await world.move(6 * HOUR);
    const said = await rows(
      `select l.name, c.contact_type, m.status, m.found_nobody from messages m join contacts c on c.id = m.contact_id join leads l on l.id = c.lead_id
        order by l.name, c.contact_type desc`,
    );
    expect(said).toEqual([
      { name: 'Anna', contact_type: 'whatsapp', status: 'error', found_nobody: false },
      { name: 'Anna', contact_type: 'telegram', status: expect.stringMatching(/^(sent|read)$/), found_nobody: false },
      // The one slot of WhatsApp is free again, on the same day.
      { name: 'Boris', contact_type: 'whatsapp', status: expect.stringMatching(/^(sent|read)$/), found_nobody: false },
    ]);
    expect(await movesOf(anna.leadId)).toEqual(['started', 'initial', 'started']);
    expect(await slots()).toBe(2);
    await world.move(DAY);
    expect(await rows('select 1 from messages')).toHaveLength(3);
  });

  it('with no other contact the lead is as far as before, and is not written to again', async () => {
    await world.firsts({});
    await world.moveTo('08:00');
    const clara = await world.fresh('Clara');
    await world.control.setFaults([fault]);
    await world.move(DAY);
    expect([await world.stageOf(clara.leadId), await world.why(clara.leadId)]).toEqual(['initial', 'first_refused']);
    expect(await slots()).toBe(0);
    await world.move(DAY);
    expect(await rowsOf(world, clara)).toMatchObject([{ status: 'error' }]);
    expect(await movesOf(clara.leadId)).toEqual(['started', 'initial']);
  });
});

describe('a status that comes late', () => {
  /** A first message that was taken, and of which nothing more has been heard. */
  async function takenFirst(name: string): Promise<{ person: Person; tell: (code: string) => Promise<void> }> {
    await world.talksOver(...wazzup);
    await world.firsts({});
    await world.moveTo('08:00');
    const person = await world.fresh(name);
    await world.move(3 * HOUR);
    // Nothing was heard of it since it was taken.
    await world.pool.query("update messages set status = 'sent', sent_confirmation_at = null, read_at = null");
    const [message] = await rowsOf(world, person);
    return {
      person,
      async tell(code) {
        const error = { error: code, description: 'It could not be sent' };
        const url = await hookUrl(world);
        await postHook(url, { statuses: [{ messageId: message?.ext_id, status: 'error', timestamp: null, error }] });
        await world.drain();
      },
    };
  }

  it('leaves a lead where somebody has moved it since', async () => {
    const { person, tell } = await takenFirst('Dora');
    const admin = await world.operator();
    await admin.call(changeLeadStage, { params: { id: person.leadId }, query: { new_stage: 'pending' } });
    await tell('BAD_CONTACT');
    expect([await world.stageOf(person.leadId), await slots()]).toEqual(['pending', 0]);
  });

  it('leaves a lead that was talked to otherwise', async () => {
    const { person, tell } = await takenFirst('Emil');
    const admin = await world.operator();
    const body = { contact_id: person.contactId, channel_id: world.whatsapp.id, text: 'Are you there?' };
    expect((await admin.call(sendNew, { body })).status).toBe(201);
    await world.drain();
    await tell('BAD_CONTACT');
    expect(await world.stageOf(person.leadId)).toBe('started');
  });

  it('of something else than the address changes neither slot nor stage', async () => {
    const { person, tell } = await takenFirst('Fritz');
    await tell('TOO_LONG_TEXT');
    expect(await rowsOf(world, person)).toMatchObject([{ status: 'error' }]);
    expect([await world.stageOf(person.leadId), await slots()]).toEqual(['started', 1]);
  });

  it('is settled although its job is lost, and not once the message has arrived after all', async () => {
    const { person } = await takenFirst('Gerda');
    await world.pool.query("update messages set status = 'error', found_nobody = true where contact_id = $1", [
      person.contactId,
    ]);
    await world.until(async () => (await world.stageOf(person.leadId)) === 'initial', 'a sweep finds it');
    expect(await slots()).toBe(0);
    const { person: hanna } = await takenFirst('Hanna');
    await world.pool.query("update messages set status = 'read', found_nobody = true where contact_id = $1", [
      hanna.contactId,
    ]);
    await world.until(
      async () => (await rows('select 1 from messages where found_nobody')).length === 0,
      'a sweep finds it',
    );
    expect([await world.stageOf(hanna.leadId), await slots()]).toEqual(['started', 1]);
  });
});
