/** The console's pages as an assistant is shown them: tools and data, for the tests of what it understands. */
import { z } from 'zod';
import {
  changeStage,
  deactivate,
  id,
  OWNER,
  ofMessages,
  type ShownPage,
  shown,
  stages,
  tool,
  why,
} from './declared.testing.ts';
import { LIST_PAGES } from './listPages.testing.ts';
import { SETTINGS_PAGES } from './settingsPages.testing.ts';

const filled = {
  text: z.string().min(1),
  schedule_enabled: z.boolean().default(true),
  delay_enabled: z.boolean().default(true),
  split: z.boolean().default(true),
};

export const PROMPT = 'You sell kitchens.\n# Facts\n- A kitchen costs 4200 euros.\n- The first visit is free.';
const editPrompt = tool('edit_prompt', 'Puts a new text into the editor. It is not saved by that.', {
  text: z.string(),
});
const savePrompt = tool('save_prompt', 'Saves the text in the editor as a new version.');

/** Each page by its key. */
export const PAGES = {
  ...SETTINGS_PAGES,
  ...LIST_PAGES,
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
  'send-message': shown(
    { contact: '@anna', form: { text: 'Good evening' } },
    tool('fill_in_message', 'Puts a text into the form, in place of what is there. It is not sent by that.', filled),
    tool(
      'send_message',
      'Sends a text to the contact, on the channel and not before the moment that the form says.',
      filled,
    ),
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
