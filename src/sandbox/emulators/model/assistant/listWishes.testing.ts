/** What operators say on the lists, and the call that they mean by it. */
import type { LIST_PAGES } from './listPages.testing.ts';
import type { Wishes } from './settingsWishes.testing.ts';

export const LIST_WISHES: Wishes<keyof typeof LIST_PAGES> = {
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
};
