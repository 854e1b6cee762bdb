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
const pageKeys = [
  'dashboard',
  'chatbot',
  'prompts',
  'prompt-groups',
  'document-prompts',
  'prepared-messages',
  'crm-leads',
  'crm-dialogues',
  'crm-messages',
  'crm-lead-events',
  'rehearsal',
  'settings-product',
  'settings-channel',
  'settings-integration',
  'settings-schedule',
  'settings-ping',
  'crm-integrations',
  'crm-company-llms',
  'channels',
  'crm-companies',
  'crm-products',
  'lead-detail',
  'prompt-detail',
  'dialogue-chat',
  'send-message',
] as const;

const everywhere = [
  tool('open_page', 'Goes to another page of the console.', {
    page: z.enum(pageKeys),
    params: z.record(z.string(), z.string()).optional(),
  }),
  tool('find', 'Searches leads, addresses, products and pages by name.', { text: z.string().min(1) }),
];

export const shown = (data: unknown, ...tools: Tool[]): ShownPage => ({ data, tools: [...tools, ...everywhere] });

/** A message of the operator as the assistant's server frames it. */
export function framed(words: string, data: unknown, nonce = '7f3e9c'): string {
  return `<data ${nonce}>\n${JSON.stringify(data)}\n</data ${nonce}>\nOperator:\n${words}`;
}
