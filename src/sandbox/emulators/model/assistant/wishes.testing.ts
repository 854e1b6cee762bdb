/** What operators say on each page, and the call that they mean by it. */
import { type PageKey, PROMPT } from './pages.testing.ts';
import { SETTINGS_WISHES, type Wishes } from './settingsWishes.testing.ts';

const line = (text: string) => ({ text: `${PROMPT}\n${text}` });

export const WISHES: Wishes<PageKey> = {
  ...SETTINGS_WISHES,
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
    change_lead: [
      ['rename the lead to "Anna Petrova"', { name: 'Anna Petrova' }],
      ['set the timezone of the lead to Europe/Riga', { timezone: 'Europe/Riga' }],
      ['change the name to "Anna"', { name: 'Anna' }],
      ['поменяй часовой пояс лида на Москву', { timezone: 'Europe/Moscow' }],
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
    open_lead: [
      ['open the lead Anna Snegurkina', { lead_id: 11 }],
      ['go to lead 11', { lead_id: 11 }],
      ['открой лида Anna', { lead_id: 11 }],
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
    send_message_now: [
      ['send message 501 now', { id: 501 }],
      ['send the scheduled message 501 at once', { id: 501 }],
      ['отправь сообщение 501 сейчас', { id: 501 }],
    ],
    retry_message: [
      ['retry message 501', { id: 501 }],
      ['try message 501 again', { id: 501 }],
      ['повтори сообщение 501', { id: 501 }],
    ],
    mark_message_sent: [
      ['mark message 501 as sent', { id: 501 }],
      ['settle message 501 as sent', { id: 501 }],
      ['отметь сообщение 501 как отправленное', { id: 501 }],
    ],
    cancel_message: [
      ['cancel message 501', { id: 501 }],
      ['cancel the scheduled message 501', { id: 501 }],
      ['отмени сообщение 501', { id: 501 }],
    ],
    runs_of_message: [
      ['show the model runs of message 501', { id: 501 }],
      ['which runs are behind message 501?', { id: 501 }],
      ['what did message 501 cost in runs?', { id: 501 }],
    ],
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
    send_message: [
      ['send it', { text: 'Good evening' }],
      ['send the message', { text: 'Good evening' }],
      ['send "We are open" without delay', { text: 'We are open', delay_enabled: false }],
      ['отправь сообщение', { text: 'Good evening' }],
    ],
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
    send_message_now: [
      ['send message 501 now', { id: 501 }],
      ['send the scheduled message 501 at once', { id: 501 }],
      ['отправь сообщение 501 сейчас', { id: 501 }],
    ],
    mark_message_sent: [
      ['mark message 501 as sent', { id: 501 }],
      ['settle message 501 as sent', { id: 501 }],
      ['отметь сообщение 501 как отправленное', { id: 501 }],
    ],
    show_list: [
      ['show messages with status error', { status: ['error'] }],
      ['show only read messages', { status: ['read'] }],
      ['list the newest first', { order_by: 'created_at', order: 'desc' }],
    ],
  },
  'crm-dialogues': {
    set_owner: [
      ['hand the dialogue of Anna over to a human', { owner: 'human', dialogue_id: 31 }],
      ['give dialogue 32 back to the bot', { owner: 'bot', dialogue_id: 32 }],
      ['set the owner of Boris to bot', { owner: 'bot', dialogue_id: 32 }],
    ],
    why_no_message: [
      ['why did Boris get no message?', { lead_id: 12 }],
      ['why is Anna waiting?', { lead_id: 11 }],
      ['what comes next for lead 11?', { lead_id: 11 }],
    ],
    change_stage: [
      ['move Boris to failed', { lead_id: 12, new_stage: 'failed' }],
      ['change the stage of Anna to success', { lead_id: 11, new_stage: 'success' }],
      ['set lead 12 to ignore', { lead_id: 12, new_stage: 'ignore' }],
    ],
    deactivate_lead: [
      ['deactivate lead 11', { lead_id: 11 }],
      ['deactivate Boris', { lead_id: 12 }],
      ['stop writing to Boris', { lead_id: 12 }],
    ],
    open_row: [
      ['open the dialogue with Anna', { id: 31 }],
      ['open dialogue 32', { id: 32 }],
      ['открой диалог с Boris', { id: 32 }],
    ],
    show_list: [
      ['show dialogues owned by a human', { owner: ['human'] }],
      ['only those of the bot', { owner: ['bot'] }],
      ['show the newest first', { order_by: 'created_at', order: 'desc' }],
    ],
  },
  contacts: {
    create_row: [
      ['create a telegram contact "@boris" for lead 12', { lead_id: 12, contact: '@boris', contact_type: 'telegram' }],
      [
        'add the whatsapp contact "+371 2000" to lead 12',
        { lead_id: 12, contact: '+371 2000', contact_type: 'whatsapp' },
      ],
      ['создай контакт «@boris» в телеграме для лида 12', { lead_id: 12, contact: '@boris', contact_type: 'telegram' }],
    ],
    change_row: [
      ['make contact 81 the main one', { id: 81, is_main: true }],
      ['change contact 81 to "@anna"', { id: 81, contact: '@anna' }],
      ['change the contact type of contact 81 to whatsapp', { id: 81, contact_type: 'whatsapp' }],
    ],
    write_to_contact: [
      ['write to @anna_s', { id: 81 }],
      ['write a message to contact 81', { id: 81 }],
      ['напиши контакту 81', { id: 81 }],
    ],
  },
  'prompt-groups': {
    create_row: [
      ['create a group called Prices', { name: 'Prices' }],
      [
        'add a prompt group "Delivery" with the description "How long it takes"',
        { name: 'Delivery', description: 'How long it takes' },
      ],
      ['создай группу «Цены»', { name: 'Цены' }],
    ],
    change_row: [
      ['rename the group Refunds to "Money back"', { id: 91, name: 'Money back' }],
      ['change the description of Refunds to "All about refunds"', { id: 91, description: 'All about refunds' }],
      ['переименуй группу Refunds в «Возвраты»', { id: 91, name: 'Возвраты' }],
    ],
  },
  'crm-products': {
    create_row: [
      ['create a product "Bathrooms" for company 1', { name: 'Bathrooms', company_id: 1 }],
      ['add a product called Doors for the company Oak & Sons', { name: 'Doors', company_id: 1 }],
      ['создай продукт «Двери» для компании 1', { name: 'Двери', company_id: 1 }],
    ],
    change_row: [
      ['rename Kitchens to "Kitchens and baths"', { id: 3, name: 'Kitchens and baths' }],
      ['turn off the product Kitchens', { id: 3, is_active: false }],
      ['change the name of product 3 to "Oak"', { id: 3, name: 'Oak' }],
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
      ['show 30 days', { days: 30 }],
      ['show the next 7 days', { days: 7 }],
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
    open_stage: [
      ['open the stage pending', { stage: 'pending' }],
      ['show the leads in stage success', { stage: 'success' }],
      ['открой лидов в стадии refused', { stage: 'refused' }],
    ],
  },
};
