/** Random leads of a product whose plan is due, and queues of first messages. */
import { makeCompany } from './company.ts';
import {
  addressOf,
  before,
  type Case,
  IDS_OF_CASE,
  iso,
  joinRows,
  makeDialogue,
  makeLead,
  makeMessage,
  NO_WORLD,
  type Row,
  type Rows,
  range,
  type Setting,
  sometime,
} from './facts.ts';
import { makeOutcome } from './sendCases.ts';

/** Leads of a product whose plan is due: never written to, silent, answered, limits reached, addresses shared. */
export function makePlanCase(setting: Setting): Case {
  const { number, random } = setting;
  const product = number * IDS_OF_CASE;
  const company = makeCompany(setting);
  const count = random.integer(4, 12);
  const leads = range(count).map((index) => {
    const lead = makeLead(setting, company, index + 1);
    const id = product + index + 1;
    const isDue = random.chance(0.9);
    const [plan] = lead['outreach'] ?? [];
    const rows = { ...lead, outreach: [{ ...plan, next_at: isDue ? before(setting) : sometime(setting) }] };
    const isTwin = index > 0 && random.chance(0.1);
    const contacts = isTwin
      ? (lead['contacts'] ?? []).map((row) => ({ ...row, address: addressOf(id - 1) }))
      : lead['contacts'];
    if (random.chance(0.35)) return joinRows({ ...rows, contacts: contacts ?? [] });
    return joinRows(rows, makeHistory(setting, id));
  });
  const quota = range(random.pick([0, 0, 1, 2])).map((index) => ({
    product_id: product,
    channel_type: company['channels']?.[0]?.['channel_type'],
    day: '2026-01-01',
    number: index + 1,
    channel_id: product,
    message_id: product + index + 1,
    taken_at: before(setting),
  }));
  return {
    ...NO_WORLD,
    number,
    rows: joinRows(company, ...leads, { first_message_quota: quota }),
    decisions: leads.filter((rows) => Date.parse(String(rows['outreach']?.[0]?.['next_at'])) <= setting.now).length,
  };
}

/** Make a dialogue whose last messages are of any side, status and age. */
function makeHistory(setting: Setting, leadId: number): Rows {
  const { random } = setting;
  const last = { user: null as Row | null, any: null as Row | null };
  const messages = range(random.integer(1, 3)).map((index) => {
    const isLeads = random.chance(0.4);
    const isPing = !isLeads && random.chance(0.3);
    const row = makeMessage(setting, leadId, {
      id: leadId + 100 * (index + 1),
      side: isLeads ? 'user' : 'bot',
      author: isLeads ? 'lead' : random.pick(['bot', 'bot', 'operator', 'phone']),
      status: isLeads
        ? 'inbound'
        : random.pick(['sent', 'delivered', 'read', 'error', 'cancelled', 'scheduled', 'unconfirmed']),
      scheduled_at: sometime(setting),
      thread_at: before(setting),
      origin: isPing ? 'ping' : !isLeads && index === 0 && random.chance(0.4) ? 'first' : null,
      ...(isPing ? { ping_step_number: index + 1, follow_up_anchor_id: last.user?.['id'] ?? 0 } : {}),
    });
    if (isLeads) last.user = row;
    last.any = row;
    return row;
  });
  const pointers = {
    last_user_msg_id: last.user?.['id'] ?? null,
    last_user_msg_at: last.user?.['thread_at'] ?? null,
    last_msg_created_at: last.any?.['thread_at'] ?? null,
    skip_ping_for_msg_id: random.chance(0.05) ? (last.any?.['id'] ?? null) : null,
  };
  return joinRows(makeDialogue(setting, leadId, pointers), { messages });
}

/** A product's queue of first messages: ties, limits, intervals, people who were written to already. */
export function makeFirstCase(setting: Setting): Case {
  const { number, random, now } = setting;
  const product = number * IDS_OF_CASE;
  const company = makeCompany(setting, { lead_expires_in_hours: 0 });
  const type = company['channels']?.[0]?.['channel_type'];
  const count = random.integer(2, 8);
  const leads = range(count).map((index) => {
    const id = product + index + 1;
    const lead = makeLead(
      setting,
      company,
      index + 1,
      random.chance(0.85) ? { stage: 'initial', is_active: true } : {},
    );
    const [plan] = lead['outreach'] ?? [];
    const queued = {
      ...plan,
      queue_type: type,
      queued_at: iso(now - random.pick([0, 0, 1000, 1000, 3_600_000])),
      next_action: 'first',
    };
    const isTwin = index > 0 && random.chance(0.1);
    const contacts = (lead['contacts'] ?? []).map((row) => (isTwin ? { ...row, address: addressOf(id - 1) } : row));
    const rows = { ...lead, contacts, outreach: [queued] };
    return joinRows(rows, random.chance(0.1) ? makeHistory(setting, id) : {});
  });
  // What is accepted gets an id of its own.
  const outcome = makeOutcome(setting, '');
  const used = range(random.pick([0, 0, 1, 2])).map((index) => ({
    product_id: product,
    channel_type: type,
    day: iso(now).slice(0, 10),
    number: index + 1,
    channel_id: product,
    message_id: product + 900 + index,
    taken_at: before(setting),
  }));
  const queue = (company['outreach_products'] ?? []).map((row) => ({ ...row, next_at: before(setting) }));
  return {
    ...NO_WORLD,
    number,
    rows: joinRows({ ...company, outreach_products: queue }, ...leads, { first_message_quota: used }),
    outcomes: outcome.kind === 'accepted' ? [] : [outcome],
    decisions: count,
  };
}
