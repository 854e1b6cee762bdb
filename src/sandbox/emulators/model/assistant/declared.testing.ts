/** How pages are told to an assistant: tools, data, the frame of a message. For tests. */
import { z } from 'zod';
import type { Tool } from '../request.ts';
import { toolSchema } from '../request.ts';

export interface ShownPage {
  readonly tools: readonly Tool[];
  readonly data: unknown;
}

export function tool(name: string, description: string, input: Readonly<Record<string, z.ZodType>> = {}): Tool {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(z.strictObject(input), { io: 'input' });
  return toolSchema.parse({ type: 'function', function: { name, description, parameters } });
}

export const id = z.int().positive();
export const stages = z.enum(['initial', 'started', 'ongoing', 'pending', 'refused', 'ignore', 'success', 'failed']);
/** Keys and titles of the console's pages. */
const titles = {
  dashboard: 'Dashboard',
  'crm-companies': 'Companies',
  'crm-products': 'Products',
  'settings-product': 'Product Settings',
  settings: 'Product Settings',
  prompts: 'Prompts',
  'prompt-groups': 'RAG Prompts',
  'prepared-messages': 'Prepared Messages',
  'document-prompts': 'Document Prompts',
  'prompt-detail': 'Prompt',
  'prepared-message-detail': 'Prepared Message',
  'crm-leads': 'Leads',
  'crm-lead-events': 'Lead Events',
  'lead-detail': 'Lead',
  'crm-lead-contacts': 'Lead Contacts',
  contacts: 'Contacts',
  'leads-import': 'Import leads',
  channels: 'Channels',
  'settings-channel': 'Channel Settings',
  'crm-dialogues': 'Dialogues',
  'crm-messages': 'Messages',
  'crm-contact-dialogues': 'Contact Dialogues',
  'send-message': 'Send Message',
  'dialogue-chat': 'Dialogue',
  'crm-company-llms': 'LLM Credentials',
  chatbot: 'Chatbot Playground',
  rehearsal: 'Rehearsal',
  'settings-schedule': 'Schedule Settings',
  'settings-ping': 'Ping Settings',
  'crm-integrations': 'CRM Integrations',
  'crm-integration': 'CRM integration',
  'settings-integration': 'Integration Settings',
};

const PARAMETERS =
  'lead-detail {leadId; blank: a new lead}, prompt-detail {promptId; blank: a new prompt}, dialogue-chat {dialogueId, dialogueName}, send-message {contactId, contactName}, settings-product {tab: models, outreach or general}';

const everywhere = [
  tool(
    'open_page',
    `Goes to another page: ${Object.entries(titles)
      .map(([key, title]) => `${key} (${title})`)
      .join(', ')}. Parameters, where a page has some: ${PARAMETERS}.`,
    {
      page: z.enum(Object.keys(titles)),
      params: z.record(z.string().max(50), z.union([z.string().max(500), z.number(), z.boolean()])).optional(),
    },
  ),
  tool('find', 'Finds leads of the product by name or address, and products, pages and topics of the guide by name.', {
    text: z.string().trim().min(1).max(200),
  }),
];

export const shown = (data: unknown, ...tools: Tool[]): ShownPage => ({ data, tools: [...tools, ...everywhere] });

export const OWNER =
  'Hands a dialogue over to a human, or back to the bot, which then answers what waits for an answer.';
/** What may be done with any message. */
export const ofMessages = [
  tool('runs_of_message', 'The model runs behind a message: vendor, model, time, tokens, prompt version.', { id }),
  tool('retry_message', 'Sends a message that failed once more.', { id }),
  tool('send_message_now', 'Sends a scheduled message at once.', { id }),
  tool('mark_message_sent', 'Settles an unconfirmed message as sent.', { id }),
];
export const why = (input: Readonly<Record<string, z.ZodType>> = {}) =>
  tool(
    'why_no_message',
    'Tells why a lead got or did not get a message, what comes next by itself and when, what waits, and who answers.',
    input,
  );
export const changeStage = (input: Readonly<Record<string, z.ZodType>> = {}) =>
  tool('change_stage', 'Moves the lead to another stage, in the CRM too unless told otherwise.', {
    ...input,
    new_stage: stages,
    update_in_crm: z.boolean().default(true),
  });
export const deactivate = (input: Readonly<Record<string, z.ZodType>> = {}) =>
  tool(
    'deactivate_lead',
    'The bot writes nothing more to the lead, and what it had scheduled is cancelled, and stays so.',
    input,
  );

/** A message of the operator as the assistant's server frames it. */
export function framed(words: string, data: unknown, nonce = '7f3e9c'): string {
  return `<data ${nonce}>\n${JSON.stringify(data)}\n</data ${nonce}>\nOperator:\n${words}`;
}
