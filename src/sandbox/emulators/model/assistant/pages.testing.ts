/** The console's pages as an assistant is shown them: tools and data, for the tests of what it understands. */
import { z } from 'zod';
import type { Tool } from '../request.ts';
import { toolSchema } from '../request.ts';

export interface ShownPage {
  readonly tools: readonly Tool[];
  readonly data: unknown;
}

function tool(name: string, description: string, input: Readonly<Record<string, z.ZodType>> = {}): Tool {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(z.strictObject(input), { io: 'input' });
  return toolSchema.parse({ type: 'function', function: { name, description, parameters } });
}

const id = z.int().positive();
const stages = z.enum(['initial', 'started', 'ongoing', 'pending', 'refused', 'ignore', 'success', 'failed']);
const pageKeys = [
  'dashboard',
  'chatbot',
  'prompts',
  'prompt-groups',
  'document-prompts',
  'prepared-messages',
  'crm-leads',
  'crm-dialogues',
  'crm-messages',
  'crm-lead-events',
  'rehearsal',
  'settings-product',
  'settings-channel',
  'settings-integration',
  'settings-schedule',
  'settings-ping',
  'crm-integrations',
  'crm-company-llms',
  'channels',
  'crm-companies',
  'crm-products',
  'lead-detail',
  'prompt-detail',
  'dialogue-chat',
  'send-message',
] as const;

const everywhere = [
  tool('open_page', 'Goes to another page of the console.', {
    page: z.enum(pageKeys),
    params: z.record(z.string(), z.string()).optional(),
  }),
  tool('find', 'Searches leads, addresses, products and pages by name.', { text: z.string().min(1) }),
];

const shown = (data: unknown, ...tools: Tool[]): ShownPage => ({ data, tools: [...tools, ...everywhere] });

function list(entity: string, rows: readonly object[], filters: Readonly<Record<string, z.ZodType>>, ...more: Tool[]) {
  const show = tool('show_list', `Searches, narrows and orders the list of ${entity}; what is left out is taken off.`, {
    search: z.string().optional(),
    ...filters,
    created_from: z.iso.date().optional(),
    created_to: z.iso.date().optional(),
    order_by: z.enum(['created_at', 'name']).optional(),
    order: z.enum(['asc', 'desc']).optional(),
  });
  const open = tool('open_row', `Opens a row of the list of ${entity}.`, { id });
  const remove = tool('delete_row', `Deletes a row of the list of ${entity}.`, { id });
  return shown({ list: entity, total: 42, rows, today: '2026-03-02' }, show, open, remove, ...more);
}

const why = (input: Readonly<Record<string, z.ZodType>> = {}) =>
  tool('why_no_message', 'Tells what comes next for a lead by itself, and why it gets no message now.', input);
const changeStage = (input: Readonly<Record<string, z.ZodType>> = {}) =>
  tool('change_stage', 'Moves the lead to another stage, in the CRM too unless told otherwise.', {
    ...input,
    new_stage: stages,
    update_in_crm: z.boolean().default(true),
  });
const deactivate = (input: Readonly<Record<string, z.ZodType>> = {}) =>
  tool('deactivate_lead', 'The bot writes nothing more to the lead, and what it had scheduled is cancelled.', input);

const step = {
  after_minutes: z.int().min(1),
  prepared_message_id: id.nullable().optional(),
  prompt_id: id.nullable().optional(),
  document_type: z.string().nullable().optional(),
};
const pingConfig = {
  is_enabled: z.boolean().optional(),
  use_on_no_init_msg_reply: z.boolean().optional(),
  steps: z.array(z.strictObject(step)).min(1),
};
const day = z.strictObject({
  is_working_day: z.boolean(),
  time_start: z.string().describe('HH:MM'),
  time_end: z.string().describe('HH:MM'),
});
const schedule = {
  timezone: z.string().describe('IANA name').optional(),
  days: z
    .strictObject(Object.fromEntries(['0', '1', '2', '3', '4', '5', '6'].map((key) => [key, day.optional()])))
    .describe('0 is Monday, 6 is Sunday; a day left out stays as it is. A day off is 00:00-00:00.')
    .optional(),
};
const limit = z.int().min(0).max(1_000_000);
const link = {
  inbound_enabled: z.boolean().optional(),
  delay_messages_symbols_per_second: z.int().positive().nullable().optional(),
  delay_messages_seconds: z.int().positive().nullable().optional(),
};

export const PROMPT = 'You sell kitchens.\n# Facts\n- A kitchen costs 4200 euros.\n- The first visit is free.';
const editPrompt = tool('edit_prompt', 'Puts a new text into the editor. It is not saved by that.', {
  text: z.string(),
});
const savePrompt = tool('save_prompt', 'Saves the text in the editor as a new version.');

const leadRows = [
  { id: 11, name: 'Anna Snegurkina', stage: 'ongoing' },
  { id: 12, name: 'Boris', stage: 'initial' },
  { id: 13, name: 'Виктор Орлов', stage: 'pending' },
];

/** Each page by its key. */
export const PAGES = {
  'settings-product': shown(
    {
      product: { id: 3, name: 'Kitchens' },
      unsaved: false,
      settings: {
        name: 'Kitchens',
        is_active: true,
        config: {
          lead_expires_in_hours: 48,
          models_config: { chatbot_model_config: { vendor: 'chatgpt', model: 'gpt-4o-mini', temperature: 0.7 } },
          messaging_config: {
            tg_daily_limit: 30,
            whatsapp_daily_limit: 20,
            add_interval_seconds: 180,
            initial_message_send_at: '10:30',
            initial_message_text: 'Hello!',
          },
        },
      },
      prepared_messages: [{ id: 7, name: 'Warm hello' }],
      models: { chatgpt: ['gpt-4o', 'gpt-4o-mini'], anthropic: ['claude-sonnet-5-5'] },
    },
    tool(
      'set_model',
      'Chooses vendor, model and temperature for a purpose. Another vendor clears the model unless one is given. It is not saved by that.',
      {
        purpose: z.enum(['chatbot', 'classification', 'ping', 'document']),
        vendor: z.enum(['chatgpt', 'gemini', 'anthropic']).optional(),
        model: z.string().min(1).optional(),
        temperature: z.number().min(0).max(2).optional(),
      },
    ),
    tool(
      'set_limits',
      'Changes daily limits, the pause between first messages, their time (UTC) and text, and when leads expire. It is not saved by that.',
      {
        tg_daily_limit: limit.optional(),
        whatsapp_daily_limit: limit.optional(),
        add_interval_seconds: limit.optional(),
        add_interval_jitter_seconds: limit.optional(),
        initial_message_send_at: z
          .string()
          .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
          .optional(),
        initial_message_text: z.string().max(10_000).optional(),
        initial_message_prepared_message_id: id.nullable().optional(),
        lead_expires_in_hours: limit.describe('0: never').optional(),
      },
    ),
    tool('set_product', 'Changes the name of the product, and whether it is active. It is not saved by that.', {
      name: z.string().min(1).optional(),
      is_active: z.boolean().optional(),
    }),
    tool('save_product_settings', 'Saves the settings as they stand.'),
    tool('reset_product_settings', 'Puts the last saved settings back.'),
    tool('delete_product_settings', 'Deletes the product’s own configuration: it then uses the system defaults.'),
  ),
  'settings-channel': shown(
    {
      links: [{ channel_id: 5, name: 'Sales Telegram', inbound_enabled: true, delay_messages_seconds: 4 }],
      channels: [{ id: 6, name: 'Main WhatsApp' }],
    },
    tool('create_product_channel', 'Links a channel to the product.', { channel_id: id, ...link }),
    tool('change_product_channel', 'Changes the link of the product to a channel.', { channel_id: id, ...link }),
    tool('delete_product_channel', 'Takes the link of the product to a channel away.', { channel_id: id }),
  ),
  'settings-integration': shown(
    {
      integration: 'Main amoCRM',
      status: 'Configured',
      config: { import_enabled: true, tg_contact_custom_field_name: 'telegram' },
      pipelines_of_the_account: [
        {
          id: 900,
          name: 'Sales',
          steps: [
            { id: 901, name: 'First contact' },
            { id: 902, name: 'Won' },
          ],
        },
      ],
    },
    tool('set_import', 'Whether cards are imported, and which fields hold the addresses. It is not saved by that.', {
      import_enabled: z.boolean().optional(),
      tg_contact_custom_field_name: z.string().optional(),
      whatsapp_contact_custom_field_name: z.string().optional(),
    }),
    tool('add_pipeline', 'Adds a pipeline at the end, on the page; it is not saved yet. A step of 0 is not mapped.', {
      pipeline_id: z.int().min(0).optional(),
      is_active: z.boolean().optional(),
      steps: z
        .strictObject(Object.fromEntries(stages.options.map((one) => [one, z.int().min(0).optional()])))
        .optional(),
    }),
    tool('save_integration_config', 'Saves the integration settings as they stand on the page.'),
    tool('reset_integration_config', 'Puts the last saved integration settings back on the page.'),
  ),
  'settings-schedule': shown(
    {
      state: 'saved',
      schedule: {
        timezone: 'Europe/Moscow',
        days: { 0: { is_working_day: true, time_start: '09:00', time_end: '18:00' } },
      },
    },
    tool('create_schedule', 'Creates and saves a schedule where the product has none.', schedule),
    tool('change_schedule', 'Changes the schedule on the page; it is not saved yet.', schedule),
    tool('save_schedule', 'Saves the schedule as it stands on the page.'),
    tool('reset_schedule', 'Puts the last saved schedule back on the page.'),
    tool('delete_schedule', 'Deletes the schedule: messages can then go out at any time.'),
  ),
  'settings-ping': shown(
    {
      state: 'saved',
      pings: { is_enabled: true, steps: [{ after_minutes: 60, prompt_id: 21 }] },
      prepared_messages: [
        { id: 7, name: 'Warm hello' },
        { id: 8, name: 'Last try' },
      ],
      prompts: [{ id: 21, name: 'Gentle reminder' }],
    },
    tool('create_ping_config', 'Creates and saves follow-ups where the product has none.', pingConfig),
    tool('add_ping_step', 'Adds a step at the end, on the page; it is not saved yet.', step),
    tool('replace_ping_config', 'Replaces all follow-ups on the page; they are not saved yet.', pingConfig),
    tool('save_ping_config', 'Saves the follow-ups as they stand on the page.'),
    tool('reset_ping_config', 'Puts the last saved follow-ups back on the page.'),
  ),
  'prompt-detail': shown({ prompt: { id: 21, name: 'Sales' }, unsaved: false, text: PROMPT }, editPrompt, savePrompt),
  chatbot: shown(
    { prompt: { id: 21, name: 'Sales' }, unsaved: true, text: PROMPT, prompts: [{ id: 22, name: 'Support answers' }] },
    editPrompt,
    savePrompt,
    tool('ask_models', 'Asks the models in view.', { text: z.string().min(1) }),
    tool('choose_prompt', 'Opens another prompt in the playground.', { id }),
  ),
  'prepared-message-detail': shown(
    { message: { id: 7, name: 'Warm hello' }, unsaved: false, text: 'Hello, {{ lead.name }}!' },
    tool('edit_message', 'Puts a new text into the editor. It is not saved by that.', { text: z.string() }),
    tool('save_message', 'Saves the message as it stands on the page.'),
  ),
  'crm-leads': list(
    'leads',
    leadRows,
    { stage: z.array(stages).optional(), is_active: z.array(z.enum(['true', 'false'])).optional() },
    why({ lead_id: id }),
    changeStage({ lead_id: id }),
    deactivate({ lead_id: id }),
  ),
  'lead-detail': shown(
    { id: 11, name: 'Anna Snegurkina', stage: 'ongoing', is_active: true, crm_fields: { city: 'Riga' } },
    why(),
    changeStage(),
    deactivate(),
    tool('add_document', 'Adds a text about the lead that prompts can name as document.<type>.', {
      name: z.string().min(1),
      type: z.string().min(1),
      text: z.string().min(1),
    }),
    tool('open_dialogue', 'Opens the dialogue with the lead.'),
  ),
  'new-lead': shown(
    { name: '', stage: 'initial' },
    tool('fill_in_lead', 'Puts values into the form. The lead is not created by that.', {
      name: z.string().optional(),
      timezone: z.string().optional(),
      crm_id: z.string().optional(),
    }),
  ),
  'crm-lead-events': shown(
    { today: '2026-03-02', rows: [{ id: 1, lead_id: 11, lead_name: 'Anna Snegurkina', event_type: 'stage_changed' }] },
    tool('show_events', 'Narrows the events to a lead, to kinds, to days.', {
      lead_id: id.optional(),
      event_types: z.array(z.enum(['activated', 'deactivated', 'stage_changed', 'crm_status_changed'])).optional(),
      created_from: z.iso.date().optional(),
      created_to: z.iso.date().optional(),
    }),
  ),
  'dialogue-chat': shown(
    {
      dialogue: { id: 31, owner: 'bot' },
      lead: { id: 11, name: 'Anna Snegurkina', stage: 'ongoing' },
      follow_ups: 'on',
    },
    why(),
    tool('draft_message', 'Puts a text into the composer; it is not sent by that.', { text: z.string().min(1) }),
    tool('send_message', 'Sends a text to the lead at once.', { text: z.string().min(1) }),
    tool('set_owner', 'Hands the dialogue to the bot or to a human.', { owner: z.enum(['bot', 'human']) }),
    tool('skip_follow_ups', 'Skips the follow-ups after the last message, or lets them come again.', {
      skip: z.boolean(),
    }),
    tool('send_next_now', 'Sends the next follow-up at once.'),
    changeStage(),
    deactivate(),
    tool('open_lead', 'Opens the card of the lead.'),
  ),
  'send-message': shown(
    { contact: '@anna', form: { text: '' } },
    tool('fill_in_message', 'Puts a text into the form. It is not sent by that.', {
      text: z.string().min(1),
      schedule_enabled: z.boolean().optional(),
      delay_enabled: z.boolean().optional(),
      split: z.boolean().optional(),
    }),
    tool('send_message', 'Sends the message as it stands in the form.'),
  ),
  'crm-messages': list(
    'messages',
    [{ id: 501, name: 'Hello Anna', status: 'error' }],
    { status: z.array(z.enum(['scheduled', 'sent', 'delivered', 'read', 'error', 'unconfirmed'])).optional() },
    tool('retry_message', 'Sends a message that failed again.', { id }),
    tool('runs_of_message', 'Tells the model runs behind a message, with their prompts and answers.', { id }),
  ),
  channels: list(
    'channels',
    [
      { id: 5, name: 'Sales Telegram', is_active: true },
      { id: 6, name: 'Main WhatsApp', is_active: false },
    ],
    { channel_type: z.array(z.enum(['telegram', 'whatsapp'])).optional() },
    tool('switch_channel', 'Switches a channel on or off.', { id, is_active: z.boolean() }),
    tool('check_session', 'Checks whether the session of a channel is active.', { id }),
    tool('register_webhook', 'Registers our webhook with the vendor.', { id, replace: z.boolean().optional() }),
    tool('resume_first_messages', 'Lets a channel that stopped by itself send first messages again.', { id }),
  ),
  'crm-company-llms': list(
    'credentials',
    [{ id: 71, name: 'ChatGPT key', vendor: 'chatgpt', is_active: true }],
    {},
    tool('test_credential', 'Asks the vendor whether the key works.', { id }),
    tool('switch_credential', 'Switches a credential on or off.', { id, is_active: z.boolean() }),
  ),
  prompts: list(
    'prompts',
    [
      { id: 21, name: 'Sales' },
      { id: 22, name: 'Support answers' },
    ],
    {
      type: z.array(z.enum(['prompt', 'classification', 'qualification', 'document', 'ping', 'subprompt'])).optional(),
    },
  ),
  'crm-integration': shown(
    { integration: { id: 4, name: 'Main amoCRM' }, last_sync: '2026-03-01' },
    tool('sync_now', 'Reads all cards of the account again now.'),
  ),
  rehearsal: shown(
    { period_days: 7, rehearsal: { from: '2026-03-02' }, leads: [{ lead_id: 11, lead: 'Anna Snegurkina' }] },
    why({ lead_id: id }),
    tool('messages_on_day', 'Tells what goes out on a UTC day of the period, message by message.', {
      day: z.iso.date(),
    }),
    tool('show_rehearsal', 'Shows another period, a day of it, or kinds of messages.', {
      days: z.int().min(1).max(31).optional(),
      day: z.iso.date().optional(),
      kinds: z.array(z.enum(['first', 'ping', 'scheduled', 'expired'])).optional(),
    }),
  ),
  dashboard: shown(
    { product: { id: 3, name: 'Kitchens' }, figures: { users: 120, messages: 900, growth: 12, active: 9 } },
    tool('open_figure', 'Opens the list behind a figure.', {
      figure: z.enum(['users', 'messages', 'growth', 'active']),
      stage: stages.optional(),
    }),
  ),
} satisfies Record<string, ShownPage>;

export type PageKey = keyof typeof PAGES;

/** A tool that no page has. */
export const unknownTool = tool;

/** A message of the operator as the assistant's server frames it. */
export function framed(words: string, data: unknown, nonce = '7f3e9c'): string {
  return `<data ${nonce}>\n${JSON.stringify(data)}\n</data ${nonce}>\nOperator:\n${words}`;
}
