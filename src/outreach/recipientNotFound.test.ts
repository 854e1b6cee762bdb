/**
 * First messages that the vendor accepts and later reports as undeliverable: the effect is that of an immediate
 * refusal.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cancelPending } from '../conversations/ownership.ts';
import { findDialogueContext } from '../conversations/store/dialogues.ts';
import { findMessage } from '../conversations/store/messages.ts';
import { handleRecipientNotFound } from '../inbox/recipientNotFound.ts';
import { changeLeadStage } from '../leads/contract.ts';
import { sendNew } from '../outbox/sendContract.ts';
import { settle } from '../outbox/settle.ts';
import { connectChatpush } from '../testing/chatpush.ts';
import { hookUrl, messagesOf, postHook } from '../testing/messageRows.ts';
import { createOutreachWorld, DAY, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import type { TestLead } from '../testing/world.ts';
import { createSendPolicy } from './sendPolicy.ts';

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
  await world.reset();
  await world.pool.query('update vendor_accounts set next_send_at = null');
});

const rows = async (text: string, values: unknown[] = []) => (await world.pool.query(text, values)).rows;
const stageChangesOf = async (leadId: number) =>
  (
    await rows(
      `select event_data->>'to' as to from lead_events where lead_id = $1 and event_type = 'stage_changed' order by id`,
      [leadId],
    )
  ).map((one) => one.to);
const countQuotaTaken = async () => (await rows('select count(*)::int as count from first_message_quota'))[0]?.count;

async function addTelegram(lead: TestLead, name: string): Promise<void> {
  await world.pool.query(
    `insert into contacts (lead_id, product_id, contact, contact_type, address) values ($1, $2, $3, 'telegram', $3)`,
    [lead.leadId, world.productId, name],
  );
  await world.control.putPhone(name, lead.name);
}

describe.each([
  ['Wazzup24', () => wazzup, { kind: 'wazzup24.fail_later', code: 'BAD_CONTACT', times: 1 }],
  ['ChatPush', () => chatpush, { kind: 'chatpush.fail_later', code: '44', times: 1 }],
] as const)('over %s', (vendor, channels, fault) => {
  beforeEach(() => world.setChannels(...channels()));

  it('returns its quota and tries the other contact once', async () => {
    await world.setFirstMessages({ whatsapp_daily_limit: 1, tg_daily_limit: 1 });
    await world.advanceClockTo('08:00');
    const anna = await world.createLead('Anna');
    await addTelegram(anna, `anna_${vendor.toLowerCase()}`);
    await world.createLead('Boris');
    await world.control.setFaults([fault]);
    await world.advanceClock(6 * HOUR);
    const messages = await rows(
      `select l.name, c.contact_type, m.status, m.recipient_not_found from messages m join contacts c on c.id = m.contact_id join leads l on l.id = c.lead_id
        order by l.name, c.contact_type desc`,
    );
    const [plan] = await rows('select to_jsonb(o) as row from outreach o where lead_id = $1', [anna.leadId]);
    expect(messages, `Anna's plan: ${JSON.stringify(plan)}`).toEqual([
      { name: 'Anna', contact_type: 'whatsapp', status: 'error', recipient_not_found: false },
      {
        name: 'Anna',
        contact_type: 'telegram',
        status: expect.stringMatching(/^(sent|read)$/),
        recipient_not_found: false,
      },
      // The only WhatsApp slot of the day is free again.
      {
        name: 'Boris',
        contact_type: 'whatsapp',
        status: expect.stringMatching(/^(sent|read)$/),
        recipient_not_found: false,
      },
    ]);
    // If the report arrives before the answer to the send, the first attempt never counts as started.
    expect([['started', 'initial', 'started'], ['started']]).toContainEqual(await stageChangesOf(anna.leadId));
    expect(await countQuotaTaken()).toBe(2);
    await world.advanceClock(DAY);
    expect(await rows('select 1 from messages')).toHaveLength(3);
  });

  it('leaves the lead as before without another contact', async () => {
    await world.setFirstMessages({});
    await world.advanceClockTo('08:00');
    const clara = await world.createLead('Clara');
    await world.control.setFaults([fault]);
    await world.advanceClock(DAY);
    expect([await world.stageOf(clara.leadId), await world.reasonOf(clara.leadId)]).toEqual([
      'initial',
      'first_refused',
    ]);
    expect(await countQuotaTaken()).toBe(0);
    await world.advanceClock(DAY);
    expect(await messagesOf(world, clara)).toMatchObject([{ status: 'error' }]);
    expect(await stageChangesOf(clara.leadId)).toEqual(['started', 'initial']);
  });
});

describe('a status that comes late', () => {
  /** Create a first message that was accepted without any status since. */
  async function acceptedFirstMessage(
    name: string,
    settings: object = {},
  ): Promise<{ lead: TestLead; reportError: (code: string) => Promise<void> }> {
    await world.setChannels(...wazzup);
    await world.setFirstMessages(settings);
    await world.advanceClockTo('08:00');
    const lead = await world.createLead(name);
    await world.advanceClock(3 * HOUR);
    // Remove any status that has arrived since it was accepted.
    await world.pool.query("update messages set status = 'sent', sent_confirmation_at = null, read_at = null");
    const [message] = await messagesOf(world, lead);
    return {
      lead,
      async reportError(code) {
        const error = { error: code, description: 'It could not be sent' };
        const url = await hookUrl(world);
        await postHook(url, { statuses: [{ messageId: message?.ext_id, status: 'error', timestamp: null, error }] });
        await world.drain();
      },
    };
  }

  it('keeps a stage set since', async () => {
    const { lead, reportError } = await acceptedFirstMessage('Dora');
    const admin = await world.operator();
    await admin.call(changeLeadStage, { params: { id: lead.leadId }, query: { new_stage: 'pending' } });
    await reportError('BAD_CONTACT');
    expect([await world.stageOf(lead.leadId), await countQuotaTaken()]).toEqual(['pending', 0]);
  });

  it('keeps a lead with other conversation', async () => {
    const { lead, reportError } = await acceptedFirstMessage('Emil');
    const admin = await world.operator();
    const body = { contact_id: lead.contactId, channel_id: world.whatsapp.id, text: 'Are you there?' };
    expect((await admin.call(sendNew, { body })).status).toBe(201);
    await world.drain();
    await reportError('BAD_CONTACT');
    expect(await world.stageOf(lead.leadId)).toBe('started');
  });

  it('counts for every part of the text, including one whose send ends later', async () => {
    const { lead } = await acceptedFirstMessage('Iris', { initial_message_text: 'Good day!\n\nMay we help?' });
    const [first, second] = await rows('select id from messages where contact_id = $1 order by id', [lead.contactId]);
    const context = world.app?.context;
    if (!context) throw new Error('No server in this world');
    const policy = createSendPolicy(cancelPending, context.cipher);
    await world.pool.query(
      "update messages set status = 'sending', claimed_by = $2, claimed_until = 'infinity' where id = $1",
      [second.id, context.instanceId],
    );
    await world.pool.query("update messages set status = 'error', recipient_not_found = true where id = $1", [
      first.id,
    ]);
    await handleRecipientNotFound(context, policy, Number(first.id));
    expect(await world.stageOf(lead.leadId)).toBe('initial');
    const message = await findMessage(context.reader, Number(second.id));
    const dialogueContext = message && (await findDialogueContext(context.reader, message.dialogue_id));
    if (!message || !dialogueContext) throw new Error('The second part is gone');
    const outcome = { kind: 'accepted', messageId: crypto.randomUUID(), chatId: null } as const;
    await settle(context, policy, { message, dialogueContext, outcome, maybeDelivered: false });
    await world.drain();
    expect([await world.stageOf(lead.leadId), await world.reasonOf(lead.leadId)]).toEqual(['initial', 'first_refused']);
  });

  it('changes neither quota nor stage unless it concerns the address', async () => {
    const { lead, reportError } = await acceptedFirstMessage('Fritz');
    await reportError('TOO_LONG_TEXT');
    expect(await messagesOf(world, lead)).toMatchObject([{ status: 'error' }]);
    expect([await world.stageOf(lead.leadId), await countQuotaTaken()]).toEqual(['started', 1]);
  });

  it('is settled when the sweep was not woken, and not after the message arrived', async () => {
    const { lead } = await acceptedFirstMessage('Gerda');
    await world.pool.query("update messages set status = 'error', recipient_not_found = true where contact_id = $1", [
      lead.contactId,
    ]);
    await world.waitUntil(async () => (await world.stageOf(lead.leadId)) === 'initial', 'a sweep finds it');
    expect(await countQuotaTaken()).toBe(0);
    const { lead: hanna } = await acceptedFirstMessage('Hanna');
    await world.pool.query("update messages set status = 'read', recipient_not_found = true where contact_id = $1", [
      hanna.contactId,
    ]);
    await world.waitUntil(
      async () => (await rows('select 1 from messages where recipient_not_found')).length === 0,
      'a sweep finds it',
    );
    expect([await world.stageOf(hanna.leadId), await countQuotaTaken()]).toEqual(['started', 1]);
  });
});
