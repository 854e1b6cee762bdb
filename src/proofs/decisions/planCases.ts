/** Random leads of a product whose plan is due, and queues of first messages. */
import { addCompany } from './company.ts';
import { addressOf, type Case, CaseMaker, type Row, range, type Setting } from './facts.ts';

/** Leads of a product whose plan is due: never written to, silent, answered, limits reached, addresses shared. */
export function makePlanCase(setting: Setting): Case {
  const make = new CaseMaker(setting);
  const { random, product } = make;
  addCompany(make);
  for (const index of range(random.integer(4, 12))) {
    const plan = { next_at: random.chance(0.9) ? make.before() : make.sometime() };
    const leadId = make.addLead(index + 1, { plan, contact: sharedAddress(make, index) });
    if (random.chance(0.65)) addHistory(make, leadId);
  }
  addQuota(make, '2026-01-01', product + 1);
  const isDue = ({ next_at: at }: Row): boolean => Date.parse(String(at)) <= make.now;
  return make.finish({ decisions: make.rows['outreach']?.filter(isDue).length ?? 0 });
}

/** Sometimes give a lead the address of the one before it. */
const sharedAddress = (make: CaseMaker, index: number): Row =>
  make.sometimes(index > 0 ? 0.1 : 0, { address: addressOf(make.product + index) });

/** Add places of a day's quota that are taken. */
function addQuota(make: CaseMaker, day: string, messageId: number): void {
  const { random, product } = make;
  const of = { product_id: product, channel_id: product, channel_type: make.rows['channels']?.[0]?.['channel_type'] };
  for (const index of range(random.pick([0, 0, 1, 2])))
    make.add('first_message_quota', {
      ...of,
      day,
      number: index + 1,
      message_id: messageId + index,
      taken_at: make.before(),
    });
}

/** Add a dialogue whose last messages are of any side, status and age. */
function addHistory(make: CaseMaker, leadId: number): void {
  const { random } = make;
  const statuses = ['sent', 'delivered', 'read', 'error', 'cancelled', 'scheduled', 'unconfirmed'];
  let user: Row | undefined;
  let last: Row | undefined;
  for (const index of range(random.integer(1, 3))) {
    const isLeads = random.chance(0.4);
    const isPing = !isLeads && random.chance(0.3);
    last = make.addMessage(leadId, {
      id: leadId + 100 * (index + 1),
      side: isLeads ? 'user' : 'bot',
      author: isLeads ? 'lead' : random.pick(['bot', 'bot', 'operator', 'phone']),
      status: isLeads ? 'inbound' : random.pick(statuses),
      scheduled_at: make.sometime(),
      thread_at: make.before(),
      origin: isPing ? 'ping' : !isLeads && index === 0 && random.chance(0.4) ? 'first' : null,
      ...(isPing ? { ping_step_number: index + 1, follow_up_anchor_id: user?.['id'] ?? 0 } : {}),
    });
    if (isLeads) user = last;
  }
  make.addDialogue(leadId, {
    last_user_msg_id: user?.['id'] ?? null,
    last_user_msg_at: user?.['thread_at'] ?? null,
    last_msg_created_at: last?.['thread_at'] ?? null,
    skip_ping_for_msg_id: random.chance(0.05) ? (last?.['id'] ?? null) : null,
  });
}

/** A product's queue of first messages: ties, limits, intervals, people who were written to already. */
export function makeFirstCase(setting: Setting): Case {
  const make = new CaseMaker(setting);
  const { random, product } = make;
  addCompany(make, { lead_expires_in_hours: 0 });
  make.rows['outreach_products'] = (make.rows['outreach_products'] ?? []).map((row) => ({
    ...row,
    next_at: make.before(),
  }));
  const type = make.rows['channels']?.[0]?.['channel_type'];
  const count = random.integer(2, 8);
  for (const index of range(count)) {
    const plan = { queue_type: type, queued_at: make.ago(0, 0, 1000, 1000, 3_600_000), next_action: 'first' };
    const lead = make.sometimes(0.85, { stage: 'initial', is_active: true });
    const leadId = make.addLead(index + 1, { plan, lead, contact: sharedAddress(make, index) });
    if (random.chance(0.1)) addHistory(make, leadId);
  }
  addQuota(make, make.ago(0).slice(0, 10), product + 900);
  const outcome = make.makeOutcome('');
  // What is accepted gets an id of its own.
  return make.finish({ outcomes: outcome.kind === 'accepted' ? [] : [outcome], decisions: count });
}
