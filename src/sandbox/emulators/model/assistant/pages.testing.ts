/** The console's pages as an assistant is shown them: tools and data, for the tests of what it understands. */
import { z } from 'zod';
import type { Tool } from '../request.ts';
import { id, type ShownPage, shown, stages, tool } from './declared.testing.ts';
import { SETTINGS_PAGES } from './settingsPages.testing.ts';

function list(
  entity: string,
  noun: string,
  rows: readonly object[],
  filters: Readonly<Record<string, z.ZodType>>,
  ...more: Tool[]
) {
  const show = tool('show_list', `Searches, narrows and orders the list of ${entity}; what is left out is taken off.`, {
    search: z.string().max(300).optional(),
    ...filters,
    created_from: z.iso.date().optional(),
    created_to: z.iso.date().optional(),
    order_by: z.enum(['created_at', 'name']).optional(),
    order: z.enum(['asc', 'desc']).optional(),
  });
  const open = tool('open_row', `Opens a ${noun} by its id.`, { id });
  const remove = tool('delete_row', `Deletes a ${noun} by its id, with all that belongs to it.`, { id });
  return shown({ list: entity, total: 42, rows, today: '2026-03-02' }, show, open, remove, ...more);
}

const OWNER = 'Hands a dialogue over to a human, or back to the bot, which then answers what waits for an answer.';
const ofMessages = [
  tool('runs_of_message', 'The model runs behind a message: vendor, model, time, tokens, prompt version.', { id }),
  tool('retry_message', 'Sends a message that failed once more.', { id }),
  tool('send_message_now', 'Sends a scheduled message at once.', { id }),
  tool('mark_message_sent', 'Settles an unconfirmed message as sent.', { id }),
];
const contact = {
  lead_id: id,
  contact: z.string().min(1),
  contact_type: z.enum(['telegram', 'whatsapp']),
  is_main: z.boolean().optional(),
};
const filled = {
  text: z.string().min(1),
  schedule_enabled: z.boolean().default(true),
  delay_enabled: z.boolean().default(true),
  split: z.boolean().default(true),
};

const partial = (fields: Readonly<Record<string, z.ZodType>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.optional()]));

const why = (input: Readonly<Record<string, z.ZodType>> = {}) =>
  tool(
    'why_no_message',
    'Tells why a lead got or did not get a message, what comes next by itself and when, what waits, and who answers.',
    input,
  );
const changeStage = (input: Readonly<Record<string, z.ZodType>> = {}) =>
  tool('change_stage', 'Moves the lead to another stage, in the CRM too unless told otherwise.', {
    ...input,
    new_stage: stages,
    update_in_crm: z.boolean().default(true),
  });
const deactivate = (input: Readonly<Record<string, z.ZodType>> = {}) =>
  tool(
    'deactivate_lead',
    'The bot writes nothing more to the lead, and what it had scheduled is cancelled, and stays so.',
    input,
  );

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
  ...SETTINGS_PAGES,
  'prompt-detail': shown({ prompt: { id: 21, name: 'Sales' }, unsaved: false, text: PROMPT }, editPrompt, savePrompt),
  chatbot: shown(
    { prompt: { id: 21, name: 'Sales' }, unsaved: true, text: PROMPT, prompts: [{ id: 22, name: 'Support answers' }] },
    editPrompt,
    savePrompt,
    tool(
      'ask_models',
      'Says something, as a lead would, to the models in view; they answer under the prompt as it stands.',
      { text: z.string().min(1) },
    ),
    tool('choose_prompt', 'Opens another prompt of the product in the editor, by its id.', { id }),
  ),
  'prepared-message-detail': shown(
    { message: { id: 7, name: 'Warm hello' }, unsaved: false, text: 'Hello, {{ lead.name }}!' },
    tool('edit_message', 'Puts a new text into the editor. It is not saved by that.', { text: z.string() }),
    tool('save_message', 'Saves the message as it stands on the page.'),
  ),
  'crm-leads': list(
    'leads',
    'lead',
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
    tool('change_lead', 'Changes name, time zone or CRM id of the lead; what is left out stays.', {
      name: z.string().min(1).optional(),
      timezone: z.string().nullable().describe('IANA name').optional(),
      crm_id: z.string().nullable().optional(),
    }),
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
    tool('open_lead', 'Opens the page of a lead.', { lead_id: id }),
  ),
  'dialogue-chat': shown(
    {
      dialogue: { id: 31, owner: 'bot' },
      lead: { id: 11, name: 'Anna Snegurkina', stage: 'ongoing' },
      follow_ups: 'on',
      messages: [{ id: 501, text: 'Shall we meet?', status: 'scheduled' }],
    },
    why(),
    tool('draft_message', 'Puts a text into the composer, in place of what is there. It is not sent by that.', {
      text: z.string().min(1),
    }),
    tool('send_message', 'Sends a text to the lead, as a human; the bot is silent from then on.', {
      text: z.string().min(1),
    }),
    tool('set_owner', OWNER, { owner: z.enum(['bot', 'human']) }),
    tool(
      'skip_follow_ups',
      'Leaves out the follow-ups until our next message, or resumes them. One that is written already is cancelled.',
      { skip: z.boolean() },
    ),
    changeStage(),
    deactivate(),
    ...ofMessages,
    tool(
      'cancel_message',
      'Cancels a scheduled message by its id. For a follow-up skip_follow_ups is better: the plan makes it anew.',
      { id },
    ),
    tool('open_lead', 'Opens the card of the lead.'),
  ),
  'crm-dialogues': list(
    'dialogues',
    'dialogue',
    [
      { id: 31, name: 'Anna Snegurkina', lead_id: 11, owner: 'bot' },
      { id: 32, name: 'Boris', lead_id: 12, owner: 'human' },
    ],
    { owner: z.array(z.enum(['bot', 'human'])).optional() },
    tool('set_owner', OWNER, { owner: z.enum(['bot', 'human']), dialogue_id: id }),
    why({ lead_id: id }),
    changeStage({ lead_id: id }),
    deactivate({ lead_id: id }),
  ),
  contacts: list(
    'contacts',
    'contact',
    [{ id: 81, contact: '@anna_s', lead_id: 11, lead_name: 'Anna Snegurkina', contact_type: 'telegram' }],
    { contact_type: z.array(z.enum(['telegram', 'whatsapp'])).optional() },
    tool('create_row', 'Creates a contact.', contact),
    tool('change_row', 'Changes a contact; what is left out stays.', { id, ...partial(contact) }),
    tool('write_to_contact', 'Opens the form of a message to a contact.', { id }),
  ),
  'prompt-groups': list(
    'prompt groups',
    'prompt group',
    [{ id: 91, name: 'Refunds', description: 'What is paid back' }],
    {},
    tool('create_row', 'Creates a prompt group.', { name: z.string().min(1), description: z.string().optional() }),
    tool('change_row', 'Changes a prompt group; what is left out stays.', {
      id,
      name: z.string().min(1).optional(),
      description: z.string().optional(),
    }),
  ),
  'crm-products': list(
    'products',
    'product',
    [{ id: 3, name: 'Kitchens', company_id: 1, company: 'Oak & Sons', is_active: true }],
    {},
    tool('create_row', 'Creates a product.', {
      name: z.string().min(1),
      company_id: id,
      is_active: z.boolean().optional(),
    }),
    tool('change_row', 'Changes a product; what is left out stays.', {
      id,
      name: z.string().min(1).optional(),
      is_active: z.boolean().optional(),
    }),
  ),
  'send-message': shown(
    { contact: '@anna', form: { text: 'Good evening' } },
    tool('fill_in_message', 'Puts a text into the form, in place of what is there. It is not sent by that.', filled),
    tool(
      'send_message',
      'Sends a text to the contact, on the channel and not before the moment that the form says.',
      filled,
    ),
  ),
  'crm-messages': list(
    'messages',
    'message',
    [{ id: 501, name: 'Hello Anna', status: 'error' }],
    { status: z.array(z.enum(['scheduled', 'sent', 'delivered', 'read', 'error', 'unconfirmed'])).optional() },
    ...ofMessages,
  ),
  channels: list(
    'channels',
    'channel',
    [
      { id: 5, name: 'Sales Telegram', is_active: true },
      { id: 6, name: 'Main WhatsApp', is_active: false },
    ],
    { channel_type: z.array(z.enum(['telegram', 'whatsapp'])).optional() },
    tool('switch_channel', 'Switches a channel on or off. Nothing is sent through one that is off.', {
      id,
      is_active: z.boolean(),
    }),
    tool('check_session', 'Asks the vendor how the session of a channel stands.', { id }),
    tool(
      'register_webhook',
      'Has the vendor send messages and statuses of a channel to Rapport; with replace also where another address is registered.',
      { id, replace: z.boolean().optional() },
    ),
    tool('resume_first_messages', 'Lets a channel that stopped first messages by itself write to strangers again.', {
      id,
    }),
  ),
  'crm-company-llms': list(
    'credentials',
    'credential',
    [{ id: 71, name: 'ChatGPT key', vendor: 'chatgpt', is_active: true }],
    {},
    tool('test_credential', 'Makes one cheap call with a key and tells whether it works.', { id }),
    tool('switch_credential', 'Activates a key or switches it off. One key for each vendor can be active.', {
      id,
      is_active: z.boolean(),
    }),
  ),
  prompts: list(
    'prompts',
    'prompt',
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
    tool(
      'show_rehearsal',
      'Shows another period, a day of it, or some kinds of messages; what is left out is taken off.',
      {
        days: z.literal([7, 30, 92]).optional(),
        day: z.iso.date().optional(),
        kinds: z.array(z.enum(['first', 'ping', 'scheduled'])).optional(),
      },
    ),
  ),
  dashboard: shown(
    { product: { id: 3, name: 'Kitchens' }, figures: { users: 120, messages: 900, growth: 12, active: 9 } },
    tool(
      'open_figure',
      'Opens the list behind a figure: all leads, messages, new leads of 7 days, or active dialogues.',
      { figure: z.enum(['users', 'messages', 'growth', 'active']) },
    ),
    tool('open_stage', 'Opens the leads of a stage.', { stage: stages }),
  ),
} satisfies Record<string, ShownPage>;

export type PageKey = keyof typeof PAGES;
