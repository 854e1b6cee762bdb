/** What operators say on the settings pages, and the call that they mean by it. */
import type { SETTINGS_PAGES } from './settingsPages.testing.ts';

type Args = Readonly<Record<string, unknown>>;
export type Wish = readonly [words: string, args?: Args];

/** By page, by tool. */
export type Wishes<Key extends string> = Readonly<Record<Key, Readonly<Record<string, readonly Wish[]>>>>;

const workday = (from: string, to: string) => ({ is_working_day: true, time_start: from, time_end: to });
const off = { is_working_day: false, time_start: '00:00', time_end: '00:00' };
const week = (from: string, to: string) => Object.fromEntries([0, 1, 2, 3, 4].map((day) => [day, workday(from, to)]));
export const SETTINGS_WISHES: Wishes<keyof typeof SETTINGS_PAGES> = {
  'settings-product': {
    set_model: [
      [
        'Use claude-sonnet-5-5 by Anthropic for the chatbot',
        { purpose: 'chatbot', vendor: 'anthropic', model: 'claude-sonnet-5-5' },
      ],
      ['set the temperature of the classification model to 0.2', { purpose: 'classification', temperature: 0.2 }],
      ['switch the ping model to gemini', { purpose: 'ping', vendor: 'gemini' }],
      ['поставь температуру чатбота 0,3', { purpose: 'chatbot', temperature: 0.3 }],
    ],
    set_limits: [
      ['Set the telegram daily limit to 50', { tg_daily_limit: 50 }],
      ['raise the limits: telegram 40, whatsapp 25', { tg_daily_limit: 40, whatsapp_daily_limit: 25 }],
      ['increase the whatsapp limit to one hundred', { whatsapp_daily_limit: 100 }],
      ['set the limit to 30', { tg_daily_limit: 30, whatsapp_daily_limit: 30 }],
      ['send the first messages at 11:15', { initial_message_send_at: '11:15' }],
      ['write to new leads every 5 minutes', { add_interval_seconds: 300 }],
      ['let leads expire after 3 days', { lead_expires_in_hours: 72 }],
      ['change the first message text to "Good morning!"', { initial_message_text: 'Good morning!' }],
      ['use the prepared message Warm hello as the first message', { initial_message_prepared_message_id: 7 }],
      ['установи лимит телеграма 15', { tg_daily_limit: 15 }],
      ['интервал между первыми сообщениями 10 минут', { add_interval_seconds: 600 }],
    ],
    set_product: [
      ['rename the product to "Bathrooms"', { name: 'Bathrooms' }],
      ['change the name of the product to "Wardrobes"', { name: 'Wardrobes' }],
      ['turn the product off', { is_active: false }],
      ['назови продукт «Кухни»', { name: 'Кухни' }],
    ],
    save_product_settings: [
      ['save the settings'],
      ['Please save'],
      ['could you store these settings?'],
      ['сохрани настройки'],
    ],
    reset_product_settings: [
      ['reset the settings'],
      ['put the saved settings back'],
      ['discard my changes'],
      ['сбрось настройки'],
    ],
    delete_product_settings: [
      ['delete the config of this product'],
      ['remove the product settings'],
      ['get rid of the custom settings'],
      ['удали настройки продукта'],
    ],
  },
  'settings-channel': {
    create_product_channel: [
      ['add the channel Main WhatsApp', { channel_id: 6 }],
      ['link "Main WhatsApp" to the product with inbound messages enabled', { channel_id: 6, inbound_enabled: true }],
      ['connect channel 6 with a delay of 5 seconds', { channel_id: 6, delay_messages_seconds: 5 }],
      ['подключи канал Main WhatsApp', { channel_id: 6 }],
    ],
    change_product_channel: [
      [
        'set the delay of Sales Telegram to 20 symbols per second',
        { channel_id: 5, delay_messages_symbols_per_second: 20 },
      ],
      ['change the delay of channel 5 to 7 seconds', { channel_id: 5, delay_messages_seconds: 7 }],
      ['turn off inbound messages of Sales Telegram', { channel_id: 5, inbound_enabled: false }],
      ['выключи входящие у Sales Telegram', { channel_id: 5, inbound_enabled: false }],
    ],
    delete_product_channel: [
      ['remove the channel Sales Telegram', { channel_id: 5 }],
      ['unlink Sales Telegram from the product', { channel_id: 5 }],
      ['take the Sales Telegram channel away', { channel_id: 5 }],
      ['отвяжи канал Sales Telegram', { channel_id: 5 }],
    ],
  },
  'settings-integration': {
    set_import: [
      ['turn off the import', { import_enabled: false }],
      ['enable import of cards', { import_enabled: true }],
      ['set the whatsapp field name to "WA phone"', { whatsapp_contact_custom_field_name: 'WA phone' }],
      ['выключи импорт', { import_enabled: false }],
    ],
    add_pipeline: [
      ['add the pipeline Sales', { pipeline_id: 900 }],
      [
        'add pipeline Sales with started as First contact and success as Won',
        { pipeline_id: 900, steps: { started: 901, success: 902 } },
      ],
      ['append a new pipeline'],
      ['добавь воронку Sales', { pipeline_id: 900 }],
    ],
    save_integration_config: [
      ['save'],
      ['save the integration'],
      ['please apply the integration settings'],
      ['сохрани интеграцию'],
    ],
    reset_integration_config: [
      ['reset'],
      ['revert the integration config'],
      ['put it back'],
      ['сбрось настройки интеграции'],
    ],
  },
  'settings-schedule': {
    create_schedule: [
      ['create a schedule', {}],
      ['set up a schedule Monday to Friday 9 to 18', { days: week('09:00', '18:00') }],
      [
        'create a schedule in the Tokyo time zone, weekdays 10:00-19:00',
        { timezone: 'Asia/Tokyo', days: week('10:00', '19:00') },
      ],
      ['создай расписание по будням с 9 до 17', { days: week('09:00', '17:00') }],
    ],
    change_schedule: [
      [
        'Mon-Fri 9-18, Sat 10-14, Sun off',
        { days: { ...week('09:00', '18:00'), 5: workday('10:00', '14:00'), 6: off } },
      ],
      ['make Saturday a day off', { days: { 5: off } }],
      ['change Monday to 10:00-16:00', { days: { 0: workday('10:00', '16:00') } }],
      ['set the timezone to London', { timezone: 'Europe/London' }],
      ['work from 8 to 20 on weekends', { days: { 5: workday('08:00', '20:00'), 6: workday('08:00', '20:00') } }],
      ['поставь в субботу с 10 до 14', { days: { 5: workday('10:00', '14:00') } }],
    ],
    save_schedule: [['save the schedule'], ['save it'], ['keep these working hours'], ['сохрани расписание']],
    reset_schedule: [
      ['reset the schedule'],
      ['undo my changes'],
      ['put the saved schedule back'],
      ['отмени изменения'],
    ],
    delete_schedule: [
      ['delete the schedule'],
      ['remove these working hours'],
      ['get rid of the schedule'],
      ['удали расписание'],
    ],
  },
  'settings-ping': {
    create_ping_config: [
      [
        'create follow-ups after 1 hour and after a day with the prompt Gentle reminder',
        {
          steps: [
            { after_minutes: 60, prompt_id: 21 },
            { after_minutes: 1440, prompt_id: 21 },
          ],
        },
      ],
      [
        'set up a follow-up 30 minutes later with "Warm hello"',
        { steps: [{ after_minutes: 30, prepared_message_id: 7 }] },
      ],
      ['create a ping config: 45 minutes Warm hello', { steps: [{ after_minutes: 45, prepared_message_id: 7 }] }],
      ['создай пинги через 2 часа с промптом Gentle reminder', { steps: [{ after_minutes: 120, prompt_id: 21 }] }],
    ],
    add_ping_step: [
      ['add a step after two hours with Warm hello', { after_minutes: 120, prepared_message_id: 7 }],
      ['append another follow-up after a day with the prompt Gentle reminder', { after_minutes: 1440, prompt_id: 21 }],
      [
        'add a ping step after 90 minutes using the prepared message Last try',
        { after_minutes: 90, prepared_message_id: 8 },
      ],
      ['добавь шаг через 3 часа с сообщением Warm hello', { after_minutes: 180, prepared_message_id: 7 }],
    ],
    replace_ping_config: [
      [
        'replace all follow-ups with Warm hello after 1 hour and Last try after 2 days',
        {
          steps: [
            { after_minutes: 60, prepared_message_id: 7 },
            { after_minutes: 2880, prepared_message_id: 8 },
          ],
        },
      ],
      [
        'replace the pings by one after 20 minutes with Last try',
        { steps: [{ after_minutes: 20, prepared_message_id: 8 }] },
      ],
      ['overwrite the ping config: after an hour Gentle reminder', { steps: [{ after_minutes: 60, prompt_id: 21 }] }],
      ['замени пинги на один через 15 минут с Last try', { steps: [{ after_minutes: 15, prepared_message_id: 8 }] }],
    ],
    save_ping_config: [['save'], ['save the follow-ups'], ['store the ping settings please'], ['сохрани пинги']],
    reset_ping_config: [['reset the follow-ups'], ['revert'], ['throw my changes away'], ['верни пинги обратно']],
  },
};
