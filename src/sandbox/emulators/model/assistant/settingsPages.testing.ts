/** The settings pages as an assistant is shown them. */
import { z } from 'zod';
import { id, shown, stages, tool } from './declared.testing.ts';

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

export const SETTINGS_PAGES = {
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
};
