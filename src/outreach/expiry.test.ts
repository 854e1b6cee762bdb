/** Expiry on the real engine, with a moved clock: no lead expires to whom an answer is owed, whatever holds it back. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messages } from '../conversations/contract.ts';
import { hookUrl, messagesOf, postHook } from '../testing/messageRows.ts';
import { createOutreachWorld, DAY, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import type { TestLead } from '../testing/world.ts';

let world: OutreachWorld;
beforeAll(async () => {
  world = await createOutreachWorld({ env: { RAPPORT_RETRY_BASE_SECONDS: '0.05' } });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  await world.pool.query('update channels set is_active = true, paused_until = null');
  await world.pool.query("update products set reply_hours = 'working'");
});

const EXPIRES = 48;

/** Create a lead that got its first message, on a Friday at noon UTC; leads expire after 48 hours of silence. */
async function startedLead(name = 'Anna'): Promise<TestLead> {
  const weekday = async () =>
    (await world.pool.query<{ day: number }>("select extract(isodow from domain_now() at time zone 'UTC')::int as day"))
      .rows[0]?.day ?? 0;
  await world.setFirstMessages({ initial_message_send_at: '12:00' }, { lead_expires_in_hours: EXPIRES });
  await world.advanceClockTo('11:00');
  await world.advanceClock(((5 - (await weekday()) + 7) % 7) * DAY);
  const lead = await world.createLead(name);
  await world.advanceClock(HOUR + 60);
  expect(await lead.sees()).toEqual(['us: Good day!']);
  return lead;
}

/** The default schedule of the specification, on UTC: Monday to Friday, 09:00 to 18:00. */
const defaultSchedule = () => weekdays('09:00', '18:00');
async function weekdays(start: string, end: string): Promise<void> {
  await world.setWorkingHours(start, end, 'UTC');
  const off = { is_working_day: false, time_start: '00:00', time_end: '00:00' };
  await world.pool.query("update schedules set config = jsonb_set(jsonb_set(config, '{days,5}', $1), '{days,6}', $1)", [
    JSON.stringify(off),
  ]);
}

const answers = async (lead: TestLead) => (await lead.sees()).slice(2);

/** The lead is answered, and expires only so many hours after that. */
async function expectAnswerThenExpiry(lead: TestLead): Promise<void> {
  expect(await world.stageOf(lead.leadId)).toBe('ongoing');
  expect(await answers(lead)).toHaveLength(1);
  await world.advanceClock((EXPIRES - 1) * HOUR);
  expect(await world.stageOf(lead.leadId)).toBe('ongoing');
  await world.advanceClock(2 * HOUR);
  expect(await world.stageOf(lead.leadId)).toBe('ignore');
}

describe('a lead to whom an answer is owed does not expire', () => {
  it('over a weekend: the answer waits for Monday morning', async () => {
    const anna = await startedLead();
    await defaultSchedule();
    await world.advanceClockTo('19:30');
    await anna.writes('How much is a kitchen?');
    await world.drain();
    // Sunday evening: 48 hours have passed.
    await world.advanceClock(2 * DAY);
    expect([await world.stageOf(anna.leadId), await answers(anna)]).toEqual(['ongoing', []]);
    await world.advanceClockTo('09:01');
    await expectAnswerThenExpiry(anna);
  });

  it('over a night, with an expiry shorter than the night', async () => {
    const anna = await startedLead();
    await world.setFirstMessages({ initial_message_send_at: '12:00' }, { lead_expires_in_hours: 4 });
    await world.setWorkingHours('09:00', '18:00', 'UTC');
    await world.advanceClockTo('18:30');
    await anna.writes('How much is a kitchen?');
    await world.advanceClockTo('08:50');
    expect([await world.stageOf(anna.leadId), await answers(anna)]).toEqual(['ongoing', []]);
    await world.advanceClockTo('12:50');
    expect([await world.stageOf(anna.leadId), (await answers(anna)).length]).toEqual(['ongoing', 1]);
    await world.advanceClockTo('13:10');
    expect(await world.stageOf(anna.leadId)).toBe('ignore');
  });

  it('while its channel is off', async () => {
    const anna = await startedLead();
    await world.pool.query('update channels set is_active = false where id = $1', [world.whatsapp.id]);
    await anna.writes('How much is a kitchen?');
    await world.advanceClock(5 * DAY);
    expect([await world.stageOf(anna.leadId), await answers(anna)]).toEqual(['ongoing', []]);
    await world.pool.query('update channels set is_active = true where id = $1', [world.whatsapp.id]);
    await world.drain();
    await expectAnswerThenExpiry(anna);
  });

  it('while the vendor limits us', async () => {
    const anna = await startedLead();
    await world.control.setFaults([{ kind: 'wazzup24.rate_limited' }]);
    await anna.writes('How much is a kitchen?');
    await world.waitUntil(async () => {
      const { rows } = await world.pool.query("select 1 from messages where retry_at is not null or status = 'error'");
      return rows.length > 0;
    }, 'the answer was refused');
    await world.pool.query("update installation set clock_offset = clock_offset + interval '5 days'");
    await evaluated(anna);
    expect([await world.stageOf(anna.leadId), await answers(anna)]).toEqual(['ongoing', []]);
    await world.control.setFaults([]);
    await world.pool.query("update messages set retry_at = null, retry_count = 0 where status = 'scheduled'");
    await world.waitUntil(async () => (await answers(anna)).length === 1, 'the answer is there');
    await world.drain();
    await expectAnswerThenExpiry(anna);
  });

  it('while the model is down, and when the bot has given up', async () => {
    const anna = await startedLead();
    await world.control.setFaults([{ kind: 'openai.server_error' }]);
    await anna.writes('How much is a kitchen?');
    await world.waitUntil(async () => {
      const { rows } = await world.pool.query('select 1 from dialogues where turn_attempts > 0');
      return rows.length > 0;
    }, 'the model has failed');
    await world.pool.query("update installation set clock_offset = clock_offset + interval '5 days'");
    await evaluated(anna);
    expect(await world.stageOf(anna.leadId)).toBe('ongoing');
    await world.pool.query(
      "update dialogues set turn_failed_at = clock_timestamp() - interval '1 hour', turn_retry_at = null",
    );
    await world.waitUntil(async () => {
      const { rows } = await world.pool.query("select 1 from dialogues where no_answer = 'model'");
      return rows.length > 0;
    }, 'the bot has given up');
    await world.control.setFaults([]);
    await world.advanceClock(5 * DAY);
    expect(await world.stageOf(anna.leadId)).toBe('ongoing');
  });

  it('when its answer has failed, or nobody knows whether it arrived', async () => {
    const anna = await startedLead();
    await anna.writes('How much is a kitchen?');
    await world.drain();
    const setStatus = (status: string) =>
      world.pool.query(`update messages set status = '${status}' where author = 'bot' and reply_on_msg_id is not null`);
    for (const status of ['error', 'unconfirmed']) {
      await setStatus(status);
      await world.advanceClock(3 * DAY);
      expect([status, await world.stageOf(anna.leadId)]).toEqual([status, 'ongoing']);
    }
    // A late report says that it has arrived.
    const [answer] = (await messagesOf(world, anna, 'bot')).filter((one) => one.status === 'unconfirmed');
    await world.pool.query('delete from inbox where ext_id = $1', [answer?.ext_id]);
    await postHook(await hookUrl(world), { statuses: [{ messageId: answer?.ext_id, status: 'read' }] });
    await world.drain();
    expect(await world.stageOf(anna.leadId)).toBe('ignore');
  });

  it('in another of its dialogues, where it has written last', async () => {
    const anna = await startedLead();
    const other = await world.lead('Anna in Telegram', { messenger: 'telegram' });
    await world.pool.query('update contacts set lead_id = $1, is_main = false where id = $2', [
      anna.leadId,
      other.contactId,
    ]);
    await world.pool.query('update channels set is_active = false where id = $1', [world.telegram.id]);
    await other.writes('Do you deliver?');
    await world.drain();
    await world.advanceClock(HOUR);
    await anna.writes('How much is a kitchen?');
    await world.drain();
    expect(await answers(anna)).toHaveLength(1);
    await world.advanceClock(5 * DAY);
    expect(await world.stageOf(anna.leadId)).toBe('ongoing');
    await world.pool.query('update channels set is_active = true');
    await world.advanceClock((EXPIRES + 1) * HOUR);
    expect(await world.stageOf(anna.leadId)).toBe('ignore');
  });
});

/** Wait until the plan of a lead is evaluated as of now. */
const evaluated = (lead: TestLead) =>
  world.waitUntil(async () => {
    const { rows } = await world.pool.query(
      'select 1 from outreach where lead_id = $1 and (next_at is null or next_at > domain_now())',
      [lead.leadId],
    );
    return rows.length > 0;
  }, 'the lead is evaluated');

it('expires so many hours after our answer, which follow-ups do not extend', async () => {
  await world.setFollowUps([
    { after_minutes: 24 * 60, prepared_message_id: await world.addPreparedMessage('Still there?') },
  ]);
  const anna = await startedLead();
  await anna.writes('How much is a kitchen?');
  await world.drain();
  await world.advanceClock(47 * HOUR);
  expect([await world.stageOf(anna.leadId), (await anna.sees()).at(-1)]).toEqual(['ongoing', 'us: Still there?']);
  await world.advanceClock(2 * HOUR);
  expect(await world.stageOf(anna.leadId)).toBe('ignore');
});

it('does not expire while what an operator has scheduled waits', async () => {
  const anna = await startedLead();
  await anna.writes('How much is a kitchen?');
  await world.drain();
  const operator = await world.operator('planner');
  const { rows } = await world.pool.query<{ at: Date }>("select domain_now() + interval '4 days' as at");
  const answer = await operator.call(messages.create, {
    body: {
      product_id: world.productId,
      contact_id: anna.contactId,
      message: 'The offer is ready.',
      send_not_before: rows[0]?.at.toISOString() ?? null,
      schedule_enabled: false,
      keep_bot: true,
    },
  });
  expect(answer.status).toBe(201);
  await world.advanceClock(4 * DAY + HOUR);
  expect([await world.stageOf(anna.leadId), (await anna.sees()).at(-1)]).toEqual([
    'ongoing',
    'us: The offer is ready.',
  ]);
  await world.advanceClock(EXPIRES * HOUR);
  expect(await world.stageOf(anna.leadId)).toBe('ignore');
});

it('does not take an answer to an earlier message for one to the last', async () => {
  const anna = await startedLead();
  await anna.writes('How much is a kitchen?');
  await world.drain();
  // The answer leaves a moment after the lead has written again, and the model fails from then on.
  await world.control.setFaults([{ kind: 'openai.server_error' }]);
  await anna.writes('And when?');
  await world.waitUntil(async () => {
    const { rows } = await world.pool.query('select 1 from dialogues where turn_attempts > 0');
    return rows.length > 0;
  }, 'the model has failed');
  await world.pool.query(
    'update messages set thread_at = domain_now(), sent_at = domain_now() where reply_on_msg_id is not null',
  );
  await world.pool.query("update dialogues set turn_due_at = null, no_answer = 'model'");
  await world.pool.query('update outreach set next_at = domain_now()');
  await world.control.setFaults([]);
  await world.advanceClock(5 * DAY);
  expect(await world.stageOf(anna.leadId)).toBe('ongoing');
});
