/** Follow-ups and expiry on the real engine, with a moved clock. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messagesOf } from '../testing/messageRows.ts';
import { createOutreachWorld, DAY, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import type { TestLead } from '../testing/world.ts';

let world: OutreachWorld;
beforeAll(async () => {
  world = await createOutreachWorld();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

/** Create a lead that got a first message a moment ago. */
async function startedLead(name: string): Promise<TestLead> {
  await world.setFirstMessages({ initial_message_send_at: '08:00' });
  await world.advanceClockTo('07:59');
  const lead = await world.createLead(name);
  await world.advanceClock(2 * 60);
  return lead;
}

/** Give a lead a dialogue in Telegram, too. */
async function secondDialogue({ leadId, name }: TestLead): Promise<TestLead> {
  const other = await world.lead(`${name} in Telegram`, { messenger: 'telegram' });
  const values = [leadId, other.contactId];
  await world.pool.query('update contacts set lead_id = $1, is_main = false where id = $2', values);
  return other;
}

async function steps(...texts: [minutes: number, text: string][]): Promise<void> {
  await world.setFollowUps(
    await Promise.all(
      texts.map(async ([minutes, text]) => ({
        after_minutes: minutes,
        prepared_message_id: await world.addPreparedMessage(text),
      })),
    ),
  );
}

describe('follow-ups', () => {
  it('run in sequence and end', async () => {
    await steps([60, 'One?'], [120, 'Two?']);
    const anna = await startedLead('Anna');
    await world.advanceClock(50 * 60);
    expect(await anna.sees()).toEqual(['us: Good day!']);
    await world.advanceClock(15 * 60);
    expect(await anna.sees()).toEqual(['us: Good day!', 'us: One?']);
    await world.advanceClock(DAY);
    expect(await anna.sees()).toEqual(['us: Good day!', 'us: One?', 'us: Two?']);
    const [first, one, two] = (await world.sentMessages()).map((sent) => Date.parse(sent.at));
    // Counted from the creation of the dialogue, a moment before the first message was sent.
    expect(Math.round(((one ?? 0) - (first ?? 0)) / 60_000)).toBe(60);
    expect((two ?? 0) - (one ?? 0)).toBeGreaterThanOrEqual(120 * 60_000);
    expect(await world.reasonOf(anna.leadId)).toBe('finished');
  });

  it('stop when the lead answers and start again after our next message', async () => {
    await steps([60, 'One?'], [60, 'Two?']);
    const anna = await startedLead('Anna');
    await world.advanceClock(70 * 60);
    await anna.writes('How much is a kitchen?');
    await world.drain();
    const before = await anna.sees();
    expect(before.slice(0, 3)).toEqual(['us: Good day!', 'us: One?', 'lead: How much is a kitchen?']);
    await world.advanceClock(70 * 60);
    expect((await anna.sees()).slice(before.length)).toEqual(['us: One?']);
  });

  it('are not sent to leads who never wrote, unless enabled', async () => {
    await steps([60, 'One?']);
    await world.pool.query(`update ping_configs set config = jsonb_set(config, '{use_on_no_init_msg_reply}', 'false')`);
    const anna = await startedLead('Anna');
    await world.advanceClock(DAY);
    expect([await anna.sees(), await world.reasonOf(anna.leadId)]).toEqual([['us: Good day!'], 'never_wrote']);
  });

  it('wait for working hours', async () => {
    await steps([60, 'One?']);
    await world.setWorkingHours('08:00', '09:00');
    const anna = await startedLead('Anna');
    await world.advanceClock(12 * HOUR);
    expect([await anna.sees(), await world.reasonOf(anna.leadId)]).toEqual([['us: Good day!'], 'step_hours']);
    await world.advanceClock(12 * HOUR);
    const sent = await world.sentMessages();
    expect(sent.map((one) => one.step)).toEqual([null, 1]);
    expect(sent[1]?.at.slice(11, 16)).toBe('08:00');
  });

  it("count from the lead's last message, and leave 15 minutes after a late answer", async () => {
    await steps([60, 'One?']);
    await world.setWorkingHours('08:00', '20:00');
    const anna = await startedLead('Anna');
    await world.advanceClockTo('22:00');
    await anna.writes('How much is a kitchen?');
    await world.advanceClockTo('08:14');
    const messages = await anna.sees();
    expect(messages.at(-1)).not.toBe('us: One?');
    await world.advanceClock(2 * 60);
    expect(await anna.sees()).toEqual([...messages, 'us: One?']);
    // During working hours the reply is sent at once, so the gap after it does not delay the step.
    await anna.writes('And when?');
    await world.advanceClock(59 * 60);
    const answered = await anna.sees();
    expect(answered.at(-1)).not.toBe('us: One?');
    await world.advanceClock(2 * 60);
    expect(await anna.sees()).toEqual([...answered, 'us: One?']);
  });

  it('stop while a human owns the dialogue, while skipped, and after a refusal', async () => {
    await steps([60, 'One?'], [60, 'Two?'], [60, 'Three?']);
    const anna = await startedLead('Anna');
    const dialogue = await anna.dialogueId();
    await world.pool.query("update dialogues set owner = 'human' where id = $1", [dialogue]);
    await world.advanceClock(3 * HOUR);
    expect([await anna.sees(), await world.reasonOf(anna.leadId)]).toEqual([['us: Good day!'], 'human']);
    await world.pool.query("update dialogues set owner = 'bot' where id = $1", [dialogue]);
    await world.drain();
    expect(await anna.sees()).toEqual(['us: Good day!', 'us: One?']);
    await world.pool.query('update dialogues set skip_ping_for_msg_id = last_bot_msg_id where id = $1', [dialogue]);
    await world.advanceClock(3 * HOUR);
    expect([(await anna.sees()).length, await world.reasonOf(anna.leadId)]).toEqual([2, 'skipped']);
    await world.pool.query('update dialogues set skip_ping_for_msg_id = null where id = $1', [dialogue]);
    await world.drain();
    expect(await anna.sees()).toEqual(['us: Good day!', 'us: One?', 'us: Two?']);
    await world.pool.query("update leads set stage = 'refused' where id = $1", [anna.leadId]);
    await world.advanceClock(DAY);
    expect((await anna.sees()).length).toBe(3);
  });

  it("are written by the step's prompt", async () => {
    const prompt = await world.addPrompt('Write to {{ lead.name }} again.\nThe showroom is open until eight.');
    await world.setFollowUps([{ after_minutes: 60, prompt_id: prompt }]);
    const anna = await startedLead('Anna');
    await world.advanceClock(2 * HOUR);
    const { rows } = await world.pool.query(
      `select m.ping_step_number, m.prompt_name, r.purpose, r.dialogue_id = m.dialogue_id as there, m.rendered_prompt like 'Write to Anna again.%' as rendered
         from messages m join llm_runs r on r.message_id = m.id`,
    );
    expect(rows).toEqual([{ ping_step_number: 1, prompt_name: 'Nudge', purpose: 'ping', there: true, rendered: true }]);
    expect(await anna.sees()).toHaveLength(2);
  });

  it('are written once, even if a fact changes meanwhile', async () => {
    const prompt = await world.addPrompt('Write again.');
    await world.setFollowUps([{ after_minutes: 60, prompt_id: prompt }]);
    const anna = await startedLead('Anna');
    await world.control.setFaults([{ kind: 'openai.slow', ms: 250, times: 1 }]);
    const moved = world.advanceClock(2 * HOUR);
    const claimed = async () =>
      (await world.pool.query('select 1 from outreach where claimed_by is not null')).rows.length > 0;
    await world.waitUntil(claimed, 'the model writes');
    await world.pool.query("update leads set name = 'Anne' where id = $1", [anna.leadId]);
    await moved;
    await world.drain();
    expect(await anna.sees()).toHaveLength(2);
    const { rows } = await world.pool.query("select 1 from llm_runs where purpose = 'ping' and lead_id = $1", [
      anna.leadId,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('are retried when a model fails', async () => {
    const prompt = await world.addPrompt('Write again.');
    await world.setFollowUps([{ after_minutes: 60, prompt_id: prompt }]);
    await world.control.setFaults([{ kind: 'openai.server_error', status: 500, times: 6 }]);
    const anna = await startedLead('Anna');
    await world.advanceClock(2 * HOUR);
    await world.waitUntil(async () => (await anna.sees()).length === 2, 'the follow-up is there');
  });

  it('follow an edit of the steps at once', async () => {
    await steps([600, 'Late?']);
    const anna = await startedLead('Anna');
    await world.advanceClock(2 * HOUR);
    expect(await anna.sees()).toEqual(['us: Good day!']);
    await steps([60, 'Soon?']);
    await world.drain();
    expect(await anna.sees()).toEqual(['us: Good day!', 'us: Soon?']);
    await world.pool.query('update ping_configs set is_enabled = false');
    await world.advanceClock(DAY);
    expect(await world.reasonOf(anna.leadId)).toBe('pings_off');
  });

  it('are not sent when the lead has answered in another dialogue while they waited', async () => {
    await steps([60, 'One?']);
    const anna = await startedLead('Anna');
    const other = await secondDialogue(anna);
    await world.pool.query("update channels set paused_until = clock_timestamp() + interval '1 hour' where id = $1", [
      world.whatsapp.id,
    ]);
    await world.advanceClock(70 * 60);
    expect(await messagesOf(world, anna)).toMatchObject([{}, { message: 'One?', status: 'scheduled' }]);
    await other.writes('What does a kitchen cost?');
    await world.drain();
    await world.pool.query('update channels set paused_until = null');
    await world.drain();
    expect(await anna.sees()).toEqual(['us: Good day!']);
  });

  it('are not written after the lead has answered in a dialogue that is not the main one', async () => {
    await steps([60, 'One?']);
    const anna = await startedLead('Anna');
    const other = await secondDialogue(anna);
    await world.pool.query('update dialogues set is_main = false where contact_id = $1', [other.contactId]);
    await world.advanceClock(10 * 60);
    await other.writes('What does a kitchen cost?');
    await world.drain();
    await world.advanceClock(DAY);
    expect([await anna.sees(), await world.reasonOf(anna.leadId)]).toEqual([['us: Good day!'], 'answered_elsewhere']);
  });

  it('are not sent after a failed message', async () => {
    await steps([60, 'One?']);
    await world.control.setFaults([{ kind: 'wazzup24.fail_later', code: 'BAD_CONTACT' }]);
    const anna = await startedLead('Anna');
    await world.control.setFaults([]);
    await world.advanceClock(DAY);
    const { rows } = await world.pool.query('select status from messages');
    expect(rows).toEqual([{ status: 'error' }]);
    expect(await world.reasonOf(anna.leadId)).not.toBe('step');
  });
});

describe('a lead expires', () => {
  it('expires the configured hours after its last message, without further follow-ups', async () => {
    await steps([60, 'One?'], [40 * 60, 'Two?']);
    const anna = await startedLead('Anna');
    await world.setFirstMessages({ initial_message_send_at: '08:00' }, { lead_expires_in_hours: 24 });
    await world.advanceClock(DAY);
    // A lead that never wrote does not expire.
    expect(await world.stageOf(anna.leadId)).toBe('started');
    await anna.writes('Hello');
    await world.drain();
    await world.advanceClock(23 * HOUR);
    expect(await world.stageOf(anna.leadId)).toBe('ongoing');
    await world.advanceClock(2 * HOUR);
    expect(await world.stageOf(anna.leadId)).toBe('ignore');
    const messages = await anna.sees();
    await world.advanceClock(3 * DAY);
    expect(await anna.sees()).toEqual(messages);
    const { rows } = await world.pool.query(
      `select event_data->>'by' as by from lead_events where lead_id = $1 and event_data->>'to' = 'ignore'`,
      [anna.leadId],
    );
    expect(rows).toEqual([{ by: 'expired after 24 hours of silence' }]);
  });

  it('does not expire before what it wrote has been processed', async () => {
    const anna = await world.createLead('Anna');
    await world.setFirstMessages({ initial_message_send_at: '08:00' }, { lead_expires_in_hours: 24 });
    await world.advanceClockTo('08:10');
    await anna.writes('How long does delivery take?');
    await world.drain();
    await world.pool.query(
      `insert into inbox (account_id, channel_id, kind, ext_id, status, chat_id, item, retry_at)
       select account_id, id, 'message', 'unprocessed', 'inbound', $2, '{}', 'infinity' from channels where id = $1`,
      [world.whatsapp.id, anna.address],
    );
    // Set the clock offset directly: `advanceClock` would wait for the inbound message to be processed.
    await world.pool.query("update installation set clock_offset = clock_offset + interval '25 hours'");
    const isPostponed = async () => {
      const { rows } = await world.pool.query(
        "select 1 from outreach where lead_id = $1 and next_action = 'expire' and next_at > next_action_at and next_at > domain_now()",
        [anna.leadId],
      );
      return rows.length > 0;
    };
    await world.waitUntil(isPostponed, 'its expiry has become due, and is looked at again later');
    expect(await world.stageOf(anna.leadId)).not.toBe('ignore');
    await world.pool.query("delete from inbox where ext_id = 'unprocessed'");
    await world.advanceClock(HOUR);
    expect(await world.stageOf(anna.leadId)).toBe('ignore');
  });

  it('does not expire while a human owns a dialogue', async () => {
    const anna = await startedLead('Anna');
    await world.setFirstMessages({ initial_message_send_at: '08:00' }, { lead_expires_in_hours: 1 });
    await anna.writes('Hello');
    await world.drain();
    await world.pool.query("update dialogues set owner = 'human'");
    await world.advanceClock(DAY);
    expect(await world.stageOf(anna.leadId)).toBe('ongoing');
  });
});
