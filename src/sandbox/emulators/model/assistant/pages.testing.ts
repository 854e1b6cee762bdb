/** The console's pages as an assistant is shown them: tools and data, for the tests of what it understands. */
import { z } from 'zod';
import type { Tool } from '../request.ts';
import { id, type ShownPage, shown, stages, tool } from './declared.testing.ts';
import { SETTINGS_PAGES } from './settingsPages.testing.ts';

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
