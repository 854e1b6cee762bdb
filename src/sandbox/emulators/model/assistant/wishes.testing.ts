/** What operators say on each page, and the call that they mean by it. */
import { type PageKey, PROMPT } from './pages.testing.ts';

type Args = Readonly<Record<string, unknown>>;
export type Wish = readonly [words: string, args?: Args];

const workday = (from: string, to: string) => ({ is_working_day: true, time_start: from, time_end: to });
const off = { is_working_day: false, time_start: '00:00', time_end: '00:00' };
const week = (from: string, to: string) => Object.fromEntries([0, 1, 2, 3, 4].map((day) => [day, workday(from, to)]));
const line = (text: string) => ({ text: `${PROMPT}\n${text}` });

export const WISHES: Readonly<Record<PageKey, Readonly<Record<string, readonly Wish[]>>>> = {
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
  'prompt-detail': {
    edit_prompt: [
      ['add a line about delivery: we deliver in six weeks', line('we deliver in six weeks')],
      ['replace 4200 by 4500', { text: PROMPT.replace('4200', '4500') }],
      ['remove the line about the visit', { text: PROMPT.replace('\n- The first visit is free.', '') }],
      ['add "Never promise a discount." to the prompt', line('Never promise a discount.')],
      ['добавь строчку: доставка за шесть недель', line('доставка за шесть недель')],
      ['замени "free" на "for nothing"', { text: PROMPT.replace('free', 'for nothing') }],
    ],
    save_prompt: [['save'], ['save the prompt'], ['store this version'], ['сохрани промпт']],
  },
  chatbot: {
    edit_prompt: [
      ['add the line "We answer within a day."', line('We answer within a day.')],
      ['change "You sell kitchens" to "You sell bathrooms"', { text: PROMPT.replace('kitchens', 'bathrooms') }],
      ['write at the top: Be brief.', { text: `Be brief.\n${PROMPT}` }],
    ],
    save_prompt: [['save it'], ['please save the prompt'], ['keep this prompt']],
    ask_models: [
      ['ask the models "How much is a kitchen?"', { text: 'How much is a kitchen?' }],
      ['ask them: is delivery free?', { text: 'is delivery free?' }],
      ['send "Hello" to the models', { text: 'Hello' }],
      ['спроси модели «Сколько стоит?»', { text: 'Сколько стоит?' }],
    ],
    choose_prompt: [
      ['choose the prompt Support answers', { id: 22 }],
      ['switch to the prompt "Support answers"', { id: 22 }],
      ['open Support answers here', { id: 22 }],
    ],
  },
  'prepared-message-detail': {
    edit_message: [
      ['add a line: See you soon.', { text: 'Hello, {{ lead.name }}!\nSee you soon.' }],
      ['replace "Hello" with "Good day"', { text: 'Good day, {{ lead.name }}!' }],
      ['change the message to "Hi there!"', { text: 'Hi there!' }],
    ],
    save_message: [['save the message'], ['save'], ['сохрани сообщение']],
  },
  'crm-leads': {
    why_no_message: [
      ['why did Anna get no message?', { lead_id: 11 }],
      ['Why does Boris not hear from us', { lead_id: 12 }],
      ['what comes next for lead 11?', { lead_id: 11 }],
      ['почему Виктор Орлов не получил сообщение?', { lead_id: 13 }],
    ],
    change_stage: [
      ['move Boris to success', { lead_id: 12, new_stage: 'success' }],
      ['change the stage of Anna Snegurkina to pending', { lead_id: 11, new_stage: 'pending' }],
      ['set lead 12 to refused but do not update the CRM', { lead_id: 12, new_stage: 'refused', update_in_crm: false }],
      ['переведи Бориса в этап успех'.replace('Бориса', 'Boris'), { lead_id: 12, new_stage: 'success' }],
    ],
    deactivate_lead: [
      ['deactivate Boris', { lead_id: 12 }],
      ['turn off lead 13', { lead_id: 13 }],
      ['stop writing to Anna Snegurkina', { lead_id: 11 }],
      ['деактивируй Виктора Орлова', { lead_id: 13 }],
    ],
    show_list: [
      ['show only leads in stage ongoing', { stage: ['ongoing'] }],
      ['search the list for Anna', { search: 'Anna' }],
      ['sort the leads by name', { order_by: 'name' }],
      ['show leads created since 2026-02-01', { created_from: '2026-02-01' }],
      ['покажи лидов в стадии pending', { stage: ['pending'] }],
    ],
    open_row: [
      ['open Boris', { id: 12 }],
      ['open the lead Anna Snegurkina', { id: 11 }],
      ['go to lead 13', { id: 13 }],
      ['открой Виктора Орлова', { id: 13 }],
    ],
    delete_row: [
      ['delete Boris', { id: 12 }],
      ['remove lead 11', { id: 11 }],
      ['erase the lead Anna Snegurkina', { id: 11 }],
      ['удали Boris', { id: 12 }],
    ],
    open_page: [
      ['go to the dashboard', { page: 'dashboard' }],
      ['open the channels page', { page: 'channels' }],
      ['take me to the ping settings', { page: 'settings-ping' }],
      ['открой настройки расписания', { page: 'settings-schedule' }],
    ],
  },
  'lead-detail': {
    why_no_message: [
      ['why does she get no message?'],
      ['what comes next for this lead?'],
      ['explain why nothing is sent'],
      ['почему нет сообщения?'],
    ],
    change_stage: [
      ['move the lead to success', { new_stage: 'success' }],
      ['change stage to pending', { new_stage: 'pending' }],
      ['mark as failed and leave the CRM alone', { new_stage: 'failed', update_in_crm: false }],
      ['поменяй стадию на refused', { new_stage: 'refused' }],
    ],
    deactivate_lead: [['deactivate the lead'], ['deactivate her'], ['disable this lead'], ['деактивируй лида']],
    add_document: [
      [
        'add a document named "Offer" of type "offer" with the text "A kitchen for 4200"',
        { name: 'Offer', type: 'offer', text: 'A kitchen for 4200' },
      ],
      [
        'attach the document "Notes", type "notes", text "Likes oak"',
        { name: 'Notes', type: 'notes', text: 'Likes oak' },
      ],
      [
        'create a document called "Plan" of type "plan" saying "Six metres"',
        { name: 'Plan', type: 'plan', text: 'Six metres' },
      ],
    ],
    open_dialogue: [
      ['open the dialogue'],
      ['go to the conversation with her'],
      ['show me the chat'],
      ['открой диалог'],
    ],
  },
  'new-lead': {
    fill_in_lead: [
      ['fill in the name "Olga" and the timezone Europe/Riga', { name: 'Olga', timezone: 'Europe/Riga' }],
      ['put the name "Olga" into the form', { name: 'Olga' }],
      ['create a lead called Olga', { name: 'Olga' }],
      ['заполни имя «Ольга»', { name: 'Ольга' }],
    ],
  },
  'crm-lead-events': {
    show_events: [
      ['show events of Anna Snegurkina', { lead_id: 11 }],
      ['show only deactivated events', { event_types: ['deactivated'] }],
      ['filter the events from 2026-02-01 to 2026-02-28', { created_from: '2026-02-01', created_to: '2026-02-28' }],
      ['покажи события с 2026-02-01', { created_from: '2026-02-01' }],
    ],
  },
  'dialogue-chat': {
    why_no_message: [['why does Anna get nothing?'], ['what comes next?'], ['почему бот молчит?']],
    draft_message: [
      ['draft a message: we will save the settings tomorrow', { text: 'we will save the settings tomorrow' }],
      ['write "Shall we meet?" into the composer', { text: 'Shall we meet?' }],
      ['prepare a reply "Thank you!"', { text: 'Thank you!' }],
      ['набросай ответ: спасибо, ждём вас', { text: 'спасибо, ждём вас' }],
    ],
    send_message: [
      ['send "Hello Anna"', { text: 'Hello Anna' }],
      ['send her the message: see you on Monday', { text: 'see you on Monday' }],
      ['Please send a message saying "We are open"', { text: 'We are open' }],
      ['отправь «Добрый день»', { text: 'Добрый день' }],
    ],
    set_owner: [
      ['hand the dialogue over to a human', { owner: 'human' }],
      ['give it back to the bot', { owner: 'bot' }],
      ['set the owner to human', { owner: 'human' }],
      ['передай диалог человеку', { owner: 'human' }],
    ],
    skip_follow_ups: [
      ['skip the follow-ups', { skip: true }],
      ['do not skip the follow-ups any more', { skip: false }],
      ['cancel the next pings', { skip: true }],
      ['пропусти пинги', { skip: true }],
    ],
    send_next_now: [['send the next follow-up now'], ['send the next ping at once'], ['отправь следующий пинг']],
    change_stage: [
      ['move her to success', { new_stage: 'success' }],
      ['set the stage to pending', { new_stage: 'pending' }],
      ['переведи в стадию ongoing', { new_stage: 'ongoing' }],
    ],
    deactivate_lead: [['deactivate the lead'], ['please deactivate Anna'], ['деактивируй']],
    open_lead: [['open the lead'], ["show the lead's card"], ['открой карточку лида']],
  },
  'send-message': {
    fill_in_message: [
      ['write "Hello" and do not split it', { text: 'Hello', split: false }],
      ['fill in the message: see you at noon', { text: 'see you at noon' }],
      ['put the text "Good day" into the form without delay', { text: 'Good day', delay_enabled: false }],
      ['напиши «Привет»', { text: 'Привет' }],
    ],
    send_message: [['send it'], ['send the message'], ['отправь сообщение']],
  },
  'crm-messages': {
    retry_message: [
      ['retry message 501', { id: 501 }],
      ['send "Hello Anna" again', { id: 501 }],
      ['resend message 501', { id: 501 }],
      ['повтори сообщение 501', { id: 501 }],
    ],
    runs_of_message: [
      ['show the model runs of message 501', { id: 501 }],
      ['which runs are behind message 501?', { id: 501 }],
      ['tell me the runs of message 501', { id: 501 }],
    ],
    show_list: [
      ['show messages with status error', { status: ['error'] }],
      ['show only read messages', { status: ['read'] }],
      ['list the newest first', { order_by: 'created_at', order: 'desc' }],
    ],
  },
  channels: {
    switch_channel: [
      ['turn off Sales Telegram', { id: 5, is_active: false }],
      ['switch Main WhatsApp on', { id: 6, is_active: true }],
      ['disable channel 5', { id: 5, is_active: false }],
      ['включи Main WhatsApp', { id: 6, is_active: true }],
    ],
    check_session: [
      ['check the session of Sales Telegram', { id: 5 }],
      ['is the session of channel 6 active?', { id: 6 }],
      ['проверь сессию Main WhatsApp', { id: 6 }],
    ],
    register_webhook: [
      ['register the webhook of Sales Telegram', { id: 5 }],
      ['register the webhook for channel 6 and replace the old one', { id: 6, replace: true }],
      ['зарегистрируй вебхук Sales Telegram', { id: 5 }],
    ],
    resume_first_messages: [
      ['resume first messages on Sales Telegram', { id: 5 }],
      ['let channel 5 send first messages again', { id: 5 }],
      ['возобнови первые сообщения Sales Telegram', { id: 5 }],
    ],
  },
  'crm-company-llms': {
    test_credential: [
      ['test the ChatGPT key', { id: 71 }],
      ['check whether credential 71 works', { id: 71 }],
      ['проверь ключ ChatGPT', { id: 71 }],
    ],
    switch_credential: [
      ['turn off the ChatGPT key', { id: 71, is_active: false }],
      ['enable credential 71', { id: 71, is_active: true }],
      ['выключи ключ ChatGPT', { id: 71, is_active: false }],
    ],
  },
  prompts: {
    open_row: [
      ['open the prompt Sales', { id: 21 }],
      ['open "Support answers"', { id: 22 }],
      ['открой промпт Sales', { id: 21 }],
    ],
    show_list: [
      ['show only classification prompts', { type: ['classification'] }],
      ['filter the prompts by type ping', { type: ['ping'] }],
      ['search the list for "refund"', { search: 'refund' }],
    ],
    delete_row: [
      ['delete the prompt Support answers', { id: 22 }],
      ['remove prompt 22', { id: 22 }],
      ['удали промпт Sales', { id: 21 }],
    ],
  },
  'crm-integration': { sync_now: [['sync now'], ['synchronise the account'], ['read all cards again']] },
  rehearsal: {
    why_no_message: [
      ['why does Anna get nothing?', { lead_id: 11 }],
      ['what is next for lead 11?', { lead_id: 11 }],
      ['почему Anna ничего не получит?', { lead_id: 11 }],
    ],
    messages_on_day: [
      ['what goes out on 2026-03-04?', { day: '2026-03-04' }],
      ['which messages go out tomorrow?', { day: '2026-03-03' }],
      ['tell me the messages on March 5', { day: '2026-03-05' }],
    ],
    show_rehearsal: [
      ['show 14 days', { days: 14 }],
      ['show only first messages', { kinds: ['first'] }],
      ['show the rehearsal of the day 2026-03-04', { day: '2026-03-04' }],
    ],
  },
  dashboard: {
    find: [
      ['find Nikolay', { text: 'Nikolay' }],
      ['look for the product Bathrooms', { text: 'Bathrooms' }],
      ['find "Ivan Petrov"', { text: 'Ivan Petrov' }],
      ['найди Николая', { text: 'Николая' }],
    ],
    open_figure: [
      ['open the list behind messages', { figure: 'messages' }],
      ['show the users', { figure: 'users' }],
      ['open the active figure', { figure: 'active' }],
    ],
  },
};
