/** Random messages and turns that are due, and what vendors and models answer. */
import type { SendOutcome } from '../../channels/driver.ts';
import type { GeneratedText } from '../../conversations/runPrompt.ts';
import { makeCompany } from './company.ts';
import {
  ANOTHER_INSTANCE,
  addressOf,
  before,
  type Case,
  IDS_OF_CASE,
  iso,
  joinRows,
  keyOf,
  makeDialogue,
  makeItem,
  makeLead,
  makeMessage,
  NO_WORLD,
  type Row,
  range,
  type Setting,
  sometime,
} from './facts.ts';
import { ABOUT } from './inboundCases.ts';

export function makeOutcome({ random }: Setting, ext: string): SendOutcome {
  const kind = random.pick(['accepted', 'accepted', 'accepted', 'rejected', 'rejected', 'unknown'] as const);
  if (kind === 'accepted')
    return { kind, messageId: random.chance(0.15) ? null : ext, chatId: random.pick([null, `chat ${ext}`]) };
  if (kind === 'unknown') return { kind, reason: 'No answer came' };
  const retryAfterSeconds = random.pick([null, null, 0, 30]);
  return { kind, about: random.pick(ABOUT), code: 'CODE', reason: 'It was refused', retryAfterSeconds };
}

/** Messages that are due, in a dialogue in any state, and what the vendor answers. */
export function makeSendCase(setting: Setting): Case {
  const { number, random } = setting;
  const leadId = number * IDS_OF_CASE + 1;
  const company = makeCompany(setting);
  const turn = random.integer(1, 3);
  const count = random.integer(1, 4);
  const messages = range(count).map((index) => makeDue(setting, leadId, { index, turn }));
  const blocking = makeBlocking(setting, leadId);
  const firsts = messages.filter((row) => row['origin'] === 'first');
  const outcomes = range(count + 2).map((index) => makeOutcome(setting, `ours ${leadId + 10 + index}`));
  const early = random.chance(0.15)
    ? [
        makeItem(
          setting,
          {
            id: leadId + 100,
            kind: 'status',
            ext_id: `ours ${leadId + 10}`,
            status: random.pick(['delivered', 'error']),
            state: 'parked',
          },
          { occurredAt: before(setting), errorAbout: random.pick(ABOUT) },
        ),
      ]
    : [];
  const unread = random.chance(0.06)
    ? [
        makeItem(
          setting,
          {
            id: leadId + 101,
            kind: 'message',
            ext_id: `item ${leadId}`,
            status: 'inbound',
            chat_id: addressOf(leadId),
          },
          { text: 'Hello' },
        ),
      ]
    : [];
  return {
    ...NO_WORLD,
    number,
    rows: joinRows(company, makeLead(setting, company, 1), makeDialogue(setting, leadId, { turn }), {
      messages: [...blocking, ...messages],
      inbox: [...early, ...unread],
      first_messages: firsts.slice(0, 1).map(({ id }) => ({
        product_id: number * IDS_OF_CASE,
        address: addressOf(leadId),
        lead_id: leadId,
        contact_id: leadId,
        message_id: id,
      })),
    }),
    outcomes,
    decisions: count,
  };
}

/** Make a message that is due, or about to be. */
function makeDue(setting: Setting, leadId: number, { index, turn }: { index: number; turn: number }): Row {
  const { random, now } = setting;
  const origin = random.pick([null, null, null, 'ping', 'first']);
  const isBot = origin !== null || random.chance(0.75);
  const attempts = random.pick([0, 0, 0, 1, 3, 4, 5]);
  const maybeArrived = attempts > 0 && random.chance(0.3);
  return makeMessage(setting, leadId, {
    id: leadId + 10 + index,
    author: isBot ? 'bot' : 'operator',
    origin,
    status: 'scheduled',
    scheduled_at: random.chance(0.8) ? before(setting) : sometime(setting),
    schedule_enabled: random.chance(0.85),
    debounce_guard: random.chance(0.8),
    turn: random.pick([null, turn, turn, turn, turn - 1]),
    reply_on_msg_id: isBot && origin === null && random.chance(0.7) ? leadId : null,
    part_group: index < 3 && random.chance(0.5) ? keyOf(leadId) : null,
    retry_at: random.chance(0.1) ? sometime(setting) : null,
    attempts,
    retry_count: attempts,
    send_key_used_at:
      attempts > 0 ? iso(now - random.pick([0, 1000, 30_000, 49_999, 50_000, 50_001, 3_600_000])) : null,
    unconfirmed_at: maybeArrived ? iso(now - random.pick([0, 119_999, 120_000, 300_000])) : null,
    ...(origin === 'ping'
      ? { ping_step_number: index + 1, follow_up_anchor_id: leadId, ping_config_id: leadId - 1 }
      : {}),
  });
}

/** Sometimes make a message that holds up those behind it. */
function makeBlocking(setting: Setting, leadId: number): Row[] {
  const { random, now } = setting;
  return random.chance(0.08)
    ? [
        makeMessage(setting, leadId, {
          id: leadId + 9,
          ...(random.chance(0.3)
            ? { status: 'sending', claimed_by: ANOTHER_INSTANCE }
            : { status: 'unconfirmed', unconfirmed_at: iso(now - random.pick([0, 119_999, 120_000, 120_001])) }),
        }),
      ]
    : [];
}

/** Turns that are due, what the model answers, and what happens meanwhile. */
export function makeReplyCase(setting: Setting): Case {
  const { number, random, now } = setting;
  const leadId = number * IDS_OF_CASE + 1;
  const company = makeCompany(setting);
  const turn = random.integer(1, 3);
  const retries = random.pick([0, 0, 0, 1, 5]);
  const failed = (more: object): GeneratedText => ({
    kind: 'failed',
    reason: 'It is down',
    isPermanent: false,
    paused: false,
    ...more,
  });
  const unread = `insert into inbox (account_id, channel_id, kind, ext_id, status, chat_id, item) select channel_id, channel_id, 'message', 'unread', 'inbound', chat_id, '{}' from dialogues where id = ${leadId}`;
  return {
    ...NO_WORLD,
    number,
    rows: joinRows(
      company,
      makeLead(setting, company, 1),
      makeDialogue(setting, leadId, {
        turn,
        turn_due_at: random.chance(0.85) ? before(setting) : sometime(setting),
        turn_attempts: retries,
        turn_failed_at: retries > 0 ? iso(now - random.pick([0, 899_999, 900_000, 900_001, 3_600_000])) : null,
        turn_retry_at: retries > 0 ? sometime(setting) : null,
        last_user_msg_id: leadId + 10,
        last_user_msg_at: iso(now - 1000),
      }),
      {
        messages: [
          makeMessage(setting, leadId, {
            id: leadId + 10,
            side: 'user',
            author: 'lead',
            status: 'inbound',
            thread_at: iso(now - 1000),
          }),
        ],
      },
    ),
    text: random.pick([
      NO_WORLD.text,
      NO_WORLD.text,
      { ...NO_WORLD.text, text: 'Good day.\n\nWhat colour is it to be?\n\nBlue is in stock.' },
      failed({}),
      failed({}),
      failed({ isPermanent: true }),
      failed({ paused: true }),
    ]),
    meanwhile: random.pick([
      null,
      null,
      null,
      null,
      `update dialogues set turn = turn + 1 where id = ${leadId}`,
      `update dialogues set turn_due_at = null where id = ${leadId}`,
      `update dialogues set owner = 'human', owner_reason = 'phone' where id = ${leadId}`,
      `update leads set is_active = false where id = ${leadId}`,
      `update leads set stage = '${random.pick(['refused', 'ignore', 'success', 'pending'])}' where id = ${leadId}`,
      `update products set is_active = false where id = ${number * IDS_OF_CASE}`,
      unread,
    ]),
    decisions: 1,
  };
}
