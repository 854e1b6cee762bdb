/** A random company: a product with its settings, and one channel. */
import { type CaseMaker, type Row, range, ZONES } from './facts.ts';

const HOURS = ['09:00-18:00', '09:00-18:00', '00:00-23:59', '02:00-03:00', '02:30-03:30', '00:00-00:00'];

/** Add a company. `more` goes into the product's config. */
export function addCompany(make: CaseMaker, more: Row = {}): void {
  addProduct(make, more);
  addChannel(make);
  addSchedule(make);
  addTexts(make);
}

function addProduct(make: CaseMaker, more: Row): void {
  const { product: id, random } = make;
  const messaging = {
    tg_daily_limit: random.pick([0, 1, 2, 3, 100]),
    whatsapp_daily_limit: random.pick([0, 1, 2, 3, 100]),
    add_interval_seconds: random.pick([0, 0, 1, 3600]),
    add_interval_jitter_seconds: 0,
    initial_message_send_at: random.pick(['00:00', '09:00', '10:30', '10:30', '18:00']),
    initial_message_document_prompt_id: null,
    initial_message_prepared_message_id: random.chance(0.3) ? id : null,
    initial_message_text: 'Good day, {{ lead.name }}!\n\nMay we help you choose?',
  };
  make.add('companies', { id, name: 'Kitchens Ltd' });
  make.add('products', {
    id,
    company_id: id,
    name: 'Kitchens',
    timezone: random.pick(ZONES),
    is_active: !random.chance(0.07),
    config: {
      lead_expires_in_hours: random.pick([0, 1, 24, 24, 720]),
      models_config: null,
      gate: 'off',
      judge_model_config: null,
      messaging_config: random.chance(0.1) ? null : messaging,
      ...more,
    },
    reply_hours: random.pick(['working', 'any']),
  });
  make.add('outreach_products', {
    product_id: id,
    next_at: null,
    replan: false,
    last_first_message_at: random.chance(0.25) ? null : make.before(),
    last_first_message_lead_id: random.pick([null, id + 1, id + 2, id + 3]),
  });
}

function addChannel(make: CaseMaker): void {
  const { product: id, random } = make;
  const vendor = random.pick(['wazzup24', 'wazzup24', 'wazzup24', 'chatpush']);
  const type = random.pick(['whatsapp', 'telegram']);
  const hash = `\\x${id.toString(16).padStart(16, '0')}`;
  const sealed = { key_mask: '…', key_hash: hash, api_key_sealed: '', hook_secret_hash: hash, hook_secret_sealed: '' };
  make.add('vendor_accounts', {
    id,
    vendor,
    company_id: id,
    ...sealed,
    key_rejected_reason: random.chance(0.04) ? 'The key was refused' : null,
    next_send_at: vendor === 'chatpush' && random.chance(0.4) ? make.sometime() : null,
  });
  make.add('vendor_account_companies', { account_id: id, company_id: id });
  const of = { account_id: id, company_id: id, vendor, channel_type: type, vendor_ref: String(id) };
  const reason = 'It was refused';
  make.add('channels', {
    id,
    ...of,
    name: type,
    config: { transport: type === 'telegram' ? 'tgapi' : type },
    is_active: !random.chance(0.04),
    is_session_active: true,
    state: 'active',
    ...make.sometimes(0.1, { paused_until: make.sometime(), pause_reason: reason }),
    ...make.sometimes(0.05, { first_messages_stopped_at: make.before(), first_messages_stopped_reason: reason }),
  });
  make.add('channel_companies', { channel_id: id, company_id: id });
  make.add('product_channels', {
    product_id: id,
    company_id: id,
    channel_id: id,
    created_at: make.before(),
    inbound_enabled: random.chance(0.7),
    delay_messages_seconds: random.pick([null, 0, 3]),
  });
}

function addSchedule(make: CaseMaker): void {
  const { product, random } = make;
  const [from, until] = random.pick(HOURS).split('-');
  const hours = () => ({
    is_working_day: from !== until && !random.chance(0.15),
    time_start: from,
    time_end: until,
  });
  const days = Object.fromEntries(range(7).map((day) => [day, hours()]));
  if (random.chance(0.8))
    make.add('schedules', { product_id: product, timezone: random.pick(ZONES), config: { days } });
}

function addTexts(make: CaseMaker): void {
  const { product: id, random } = make;
  const steps = range(random.integer(1, 4)).map((index) => ({
    step_number: index + 1,
    after_minutes: random.pick([1, 60, 60, 1440, 1440]),
    ...(random.chance(0.8)
      ? { prepared_message_id: id, prompt_id: null }
      : { prepared_message_id: null, prompt_id: id }),
    document_type: null,
  }));
  const of = { id, product_id: id };
  const config = { use_on_no_init_msg_reply: random.chance(0.7), steps };
  const message = random.chance(0.05) ? '{{ lead.crm_fields.none }}' : 'Are you still there?';
  const text = random.chance(0.03) ? '{% broken' : 'You are Vera.';
  if (random.chance(0.85)) make.add('ping_configs', { ...of, is_enabled: random.chance(0.85), config });
  if (random.chance(0.95)) {
    const live = { live_version: 1, live_text: text, live_since: make.before() };
    make.add('prompts', { ...of, name: 'Vera', type: 'prompt', text, ...live });
  }
  make.add('prepared_messages', { ...of, name: 'Once more', type: 'ping', message });
}
