/** A random company: a product with its settings, and one channel. */
import { before, IDS_OF_CASE, type Row, type Rows, range, type Setting, sometime, ZONES } from './facts.ts';

const HOURS = [
  ['09:00', '18:00'],
  ['09:00', '18:00'],
  ['00:00', '23:59'],
  ['02:00', '03:00'],
  ['02:30', '03:30'],
  ['00:00', '00:00'],
] as const;

/** Make a company. Its ids are all the first one of the case. `more` goes into the product's config. */
export function makeCompany(setting: Setting, more: Row = {}): Rows {
  return { ...makeProduct(setting, more), ...makeChannel(setting), ...makeSchedule(setting), ...makeTexts(setting) };
}

function makeProduct(setting: Setting, more: Row): Rows {
  const { number, random } = setting;
  const id = number * IDS_OF_CASE;
  const config = {
    lead_expires_in_hours: random.pick([0, 1, 24, 24, 720]),
    models_config: null,
    messaging_config: random.chance(0.1)
      ? null
      : {
          tg_daily_limit: random.pick([0, 1, 2, 3, 100]),
          whatsapp_daily_limit: random.pick([0, 1, 2, 3, 100]),
          add_interval_seconds: random.pick([0, 0, 1, 3600]),
          add_interval_jitter_seconds: 0,
          initial_message_send_at: random.pick(['00:00', '09:00', '10:30', '10:30', '18:00']),
          initial_message_document_prompt_id: null,
          initial_message_prepared_message_id: random.chance(0.3) ? id : null,
          initial_message_text: 'Good day, {{ lead.name }}!\n\nMay we help you choose?',
        },
    ...more,
  };
  return {
    companies: [{ id, name: 'Kitchens Ltd' }],
    products: [
      {
        id,
        company_id: id,
        name: 'Kitchens',
        is_active: !random.chance(0.07),
        config,
        timezone: random.pick(ZONES),
        reply_hours: random.pick(['working', 'any']),
      },
    ],
    outreach_products: [
      {
        product_id: id,
        next_at: null,
        replan: false,
        last_first_message_at: random.chance(0.25) ? null : before(setting),
        last_first_message_lead_id: random.pick([null, id + 1, id + 2, id + 3]),
      },
    ],
  };
}

function makeChannel(setting: Setting): Rows {
  const { number, random } = setting;
  const id = number * IDS_OF_CASE;
  const vendor = random.pick(['wazzup24', 'wazzup24', 'wazzup24', 'chatpush']);
  const type = random.pick(['whatsapp', 'telegram']);
  const hash = `\\x${id.toString(16).padStart(16, '0')}`;
  return {
    vendor_accounts: [
      {
        id,
        vendor,
        company_id: id,
        key_mask: '…',
        key_hash: hash,
        api_key_sealed: '',
        hook_secret_hash: hash,
        hook_secret_sealed: '',
        key_rejected_reason: random.chance(0.04) ? 'The key was refused' : null,
        next_send_at: vendor === 'chatpush' && random.chance(0.4) ? sometime(setting) : null,
      },
    ],
    vendor_account_companies: [{ account_id: id, company_id: id }],
    channels: [
      {
        id,
        account_id: id,
        company_id: id,
        name: type,
        vendor,
        channel_type: type,
        vendor_ref: String(id),
        config: { transport: type === 'telegram' ? 'tgapi' : type },
        is_active: !random.chance(0.04),
        is_session_active: true,
        state: 'active',
        ...(random.chance(0.1) ? { paused_until: sometime(setting), pause_reason: 'It was refused' } : {}),
        ...(random.chance(0.05)
          ? { first_messages_stopped_at: before(setting), first_messages_stopped_reason: 'It was refused' }
          : {}),
      },
    ],
    channel_companies: [{ channel_id: id, company_id: id }],
    product_channels: [
      {
        product_id: id,
        company_id: id,
        channel_id: id,
        inbound_enabled: random.chance(0.7),
        delay_messages_seconds: random.pick([null, 0, 3]),
        created_at: before(setting),
      },
    ],
  };
}

function makeSchedule({ number, random }: Setting): Rows {
  const id = number * IDS_OF_CASE;
  const [from, until] = random.pick(HOURS);
  const day = (key: number): [string, Row] => [
    String(key),
    { is_working_day: from !== until && !random.chance(0.15), time_start: from, time_end: until },
  ];
  return {
    schedules: random.chance(0.8)
      ? [{ product_id: id, timezone: random.pick(ZONES), config: { days: Object.fromEntries(range(7).map(day)) } }]
      : [],
  };
}

function makeTexts({ number, random }: Setting): Rows {
  const id = number * IDS_OF_CASE;
  const steps = range(random.integer(1, 4)).map((index) => ({
    step_number: index + 1,
    after_minutes: random.pick([1, 60, 60, 1440, 1440]),
    ...(random.chance(0.8)
      ? { prepared_message_id: id, prompt_id: null }
      : { prepared_message_id: null, prompt_id: id }),
    document_type: null,
  }));
  return {
    ping_configs: random.chance(0.85)
      ? [
          {
            id,
            product_id: id,
            is_enabled: random.chance(0.85),
            config: { use_on_no_init_msg_reply: random.chance(0.7), steps },
          },
        ]
      : [],
    prompts: random.chance(0.95)
      ? [
          {
            id,
            product_id: id,
            name: 'Vera',
            type: 'prompt',
            text: random.chance(0.03) ? '{% broken' : 'You are Vera.',
          },
        ]
      : [],
    prepared_messages: [
      {
        id,
        product_id: id,
        name: 'Once more',
        type: 'ping',
        message: random.chance(0.05) ? '{{ lead.crm_fields.none }}' : 'Are you still there?',
      },
    ],
  };
}
