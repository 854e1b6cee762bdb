/** What operators say on each page, and the call that they mean by it. */

import { LIST_WISHES } from './listWishes.testing.ts';
import { type PageKey, PROMPT } from './pages.testing.ts';
import { SETTINGS_WISHES, type Wishes } from './settingsWishes.testing.ts';

const line = (text: string) => ({ text: `${PROMPT}\n${text}` });

export const WISHES: Wishes<PageKey> = {
  ...SETTINGS_WISHES,
  ...LIST_WISHES,
  'crm-integration': { sync_now: [['sync now'], ['synchronise the account'], ['read all cards again']] },
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
      ['reply that we deliver in six weeks', { text: 'we deliver in six weeks' }],
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
      ['take over', { owner: 'human' }],
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
