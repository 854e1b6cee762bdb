/** Random messages and turns that are due, and what vendors and models answer. */
import type { GeneratedText } from '../../conversations/runPrompt.ts';
import { addCompany } from './company.ts';
import {
  ANOTHER_INSTANCE,
  ANSWER,
  addressOf,
  type Case,
  CaseMaker,
  keyOf,
  type Row,
  range,
  type Setting,
} from './facts.ts';

/** Messages that are due, in a dialogue in any state, and what the vendor answers. */
export function makeSendCase(setting: Setting): Case {
  const make = new CaseMaker(setting);
  const { random, product } = make;
  addCompany(make);
  const leadId = make.addLead(1);
  const turn = random.integer(1, 3);
  const count = random.integer(1, 4);
  make.addDialogue(leadId, { turn });
  addBlocking(make, leadId);
  const messages = range(count).map((index) => addDue(make, leadId, { index, turn }));
  const first = messages.find((row) => row['origin'] === 'first');
  const claim = { product_id: product, address: addressOf(leadId), lead_id: leadId, contact_id: leadId };
  if (first) make.add('first_messages', { ...claim, message_id: first['id'] });
  if (random.chance(0.15)) {
    const status = random.pick(['delivered', 'error']);
    const early = { kind: 'status', ext_id: `ours ${leadId + 10}`, status, state: 'parked' };
    make.add('inbox', make.makeItem(0, early, { occurredAt: make.before(), errorAbout: make.pickAbout() }));
  }
  const unread = { kind: 'message', ext_id: `item ${leadId}`, status: 'inbound', chat_id: addressOf(leadId) };
  if (random.chance(0.06)) make.add('inbox', make.makeItem(1, unread, { text: 'Hello' }));
  const outcomes = range(count + 2).map((index) => make.makeOutcome(`ours ${leadId + 10 + index}`));
  return make.finish({ outcomes, decisions: count });
}

/** Add a message that is due, or about to be. */
function addDue(make: CaseMaker, leadId: number, { index, turn }: { index: number; turn: number }): Row {
  const { random } = make;
  const origin = random.pick([null, null, null, 'ping', 'first']);
  const isBot = origin !== null || random.chance(0.75);
  const attempts = random.pick([0, 0, 0, 1, 3, 4, 5]);
  const maybeArrived = attempts > 0 && random.chance(0.3);
  const ping = { ping_step_number: index + 1, follow_up_anchor_id: leadId, ping_config_id: leadId - 1 };
  return make.addMessage(leadId, {
    id: leadId + 10 + index,
    author: isBot ? 'bot' : 'operator',
    origin,
    status: 'scheduled',
    scheduled_at: random.chance(0.8) ? make.before() : make.sometime(),
    schedule_enabled: random.chance(0.85),
    debounce_guard: random.chance(0.8),
    turn: random.pick([null, turn, turn, turn, turn - 1]),
    reply_on_msg_id: isBot && origin === null && random.chance(0.7) ? leadId : null,
    part_group: index < 3 && random.chance(0.5) ? keyOf(leadId) : null,
    retry_at: random.chance(0.1) ? make.sometime() : null,
    attempts,
    retry_count: attempts,
    send_key_used_at: attempts > 0 ? make.ago(0, 1000, 30_000, 49_999, 50_000, 50_001, 3_600_000) : null,
    unconfirmed_at: maybeArrived ? make.ago(0, 119_999, 120_000, 300_000) : null,
    ...(origin === 'ping' ? ping : {}),
  });
}

/** Sometimes add a message that holds up those behind it. */
function addBlocking(make: CaseMaker, leadId: number): void {
  const { random } = make;
  const sending = { status: 'sending', claimed_by: ANOTHER_INSTANCE };
  const unconfirmed = { status: 'unconfirmed', unconfirmed_at: make.ago(0, 119_999, 120_000, 120_001) };
  if (random.chance(0.08)) make.addMessage(leadId, { id: leadId + 9, ...(random.chance(0.3) ? sending : unconfirmed) });
}

/** Turns that are due, what the model answers, and what happens meanwhile. */
export function makeReplyCase(setting: Setting): Case {
  const make = new CaseMaker(setting);
  const { random, product } = make;
  addCompany(make);
  const leadId = make.addLead(1);
  const retries = random.pick([0, 0, 0, 1, 5]);
  make.addDialogue(leadId, {
    turn: random.integer(1, 3),
    turn_due_at: random.chance(0.85) ? make.before() : make.sometime(),
    turn_attempts: retries,
    turn_failed_at: retries > 0 ? make.ago(0, 899_999, 900_000, 900_001, 3_600_000) : null,
    turn_retry_at: retries > 0 ? make.sometime() : null,
    last_user_msg_id: leadId + 10,
    last_user_msg_at: make.ago(1000),
  });
  const inbound = { side: 'user', author: 'lead', status: 'inbound', thread_at: make.ago(1000) };
  make.addMessage(leadId, { id: leadId + 10, ...inbound });
  const failed = { kind: 'failed', reason: 'It is down', isPermanent: false, paused: false } as const;
  const parts = { ...ANSWER, text: 'Good day.\n\nWhat colour is it to be?\n\nBlue is in stock.' };
  const texts: GeneratedText[] = [
    ANSWER,
    ANSWER,
    parts,
    failed,
    failed,
    { ...failed, isPermanent: true },
    { ...failed, paused: true },
  ];
  const changes = [
    `update dialogues set turn = turn + 1 where id = ${leadId}`,
    `update dialogues set turn_due_at = null where id = ${leadId}`,
    `update dialogues set owner = 'human', owner_reason = 'phone' where id = ${leadId}`,
    `update leads set is_active = false where id = ${leadId}`,
    `update leads set stage = '${random.pick(['refused', 'ignore', 'success', 'pending'])}' where id = ${leadId}`,
    `update products set is_active = false where id = ${product}`,
    `insert into inbox (id, account_id, channel_id, kind, ext_id, status, chat_id, item) overriding system value
     select id, channel_id, channel_id, 'message', 'unread', 'inbound', chat_id, '{}' from dialogues where id = ${leadId}`,
  ];
  return make.finish({ text: random.pick(texts), meanwhile: random.chance(0.64) ? random.pick(changes) : null });
}
