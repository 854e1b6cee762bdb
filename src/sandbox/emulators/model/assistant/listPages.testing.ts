/** The lists as an assistant is shown them. */
import { z } from 'zod';
import type { Tool } from '../request.ts';
import { changeStage, deactivate, id, OWNER, ofMessages, shown, stages, tool, why } from './declared.testing.ts';

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

const contact = {
  lead_id: id,
  contact: z.string().min(1),
  contact_type: z.enum(['telegram', 'whatsapp']),
  is_main: z.boolean().optional(),
};
const partial = (fields: Readonly<Record<string, z.ZodType>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.optional()]));

const leadRows = [
  { id: 11, name: 'Anna Snegurkina', stage: 'ongoing' },
  { id: 12, name: 'Boris', stage: 'initial' },
  { id: 13, name: 'Виктор Орлов', stage: 'pending' },
];

export const LIST_PAGES = {
  'crm-leads': list(
    'leads',
    'lead',
    leadRows,
    { stage: z.array(stages).optional(), is_active: z.array(z.enum(['true', 'false'])).optional() },
    why({ lead_id: id }),
    changeStage({ lead_id: id }),
    deactivate({ lead_id: id }),
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
};
