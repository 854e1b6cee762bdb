/** The demo's data that the page checks need. */
import type { BrowserContext } from '@playwright/test';
import { z } from 'zod';
import { dialogues } from '../../conversations/contract.ts';
import { contacts, leads } from '../../leads/contract.ts';
import { documentPrompts, preparedMessages, promptGroups, prompts } from '../../prompts/contract.ts';
import { callApi, findProduct, whatsappChannel } from './journeyApi.ts';
import { PRODUCT } from './signIn.ts';

/** Ids and addresses that the pages' addresses contain. */
export interface DemoIds {
  readonly url: string;
  readonly leadId: number;
  readonly contactId: number;
  readonly dialogueId: number;
  readonly promptId: number;
  readonly messageId: number;
  /** The WhatsApp channel of the demo's product. */
  readonly channelId: number;
}

/** The demo's lead that the page checks open. */
export const LEAD = 'Anna Snegurkina';

/** Create in the demo's product what the page checks need and the demo lacks, and find the ids for the addresses. */
export async function prepareDemo(context: BrowserContext, url: string): Promise<DemoIds> {
  const { productId: product_id } = await findProduct(context, url, PRODUCT);
  const find = async (path: string, query: Record<string, string | number>) => {
    const search = new URLSearchParams(Object.entries({ product_id, ...query }).map(([k, v]) => [k, String(v)]));
    const list = await callApi(context, url, 'GET', `${path}?${search}`);
    return z.object({ items: z.tuple([z.object({ id: z.int() })], z.unknown()) }).parse(list).items[0].id;
  };
  const make = async (path: string, body: Record<string, unknown>) =>
    z.object({ id: z.int() }).parse(await callApi(context, url, 'POST', path, { product_id, ...body })).id;
  const leadId = await find(leads.list.path, { search: LEAD });
  const contactId = await find(contacts.list.path, { lead_id: leadId });
  const dialogueId = await find(dialogues.list.path, { search: LEAD });

  const group_id = await make(promptGroups.create.path, { name: 'Reference', description: 'Materials and delivery.' });
  const prompt = { name: 'Prompt of the kitchens', type: 'prompt', text: FIRST_TEXT };
  const promptId = await make(prompts.create.path, prompt);
  await callApi(context, url, 'PATCH', `${prompts.list.path}${promptId}`, { text: SECOND_TEXT });
  await make(prompts.create.path, {
    name: 'Materials of worktops',
    type: 'subprompt',
    text: 'Oak is oiled, stone is sealed once a year, laminate needs nothing.',
    group_id,
    rag_description: 'The lead asks what a worktop is made of or how it is looked after.',
  });
  const offer = { name: 'Offer as a document', type: 'document', text: 'Write an offer for {{ lead.name }}.' };
  const prompt_id = await make(prompts.create.path, offer);
  await make(documentPrompts.create.path, { name: 'Offer', prompt_id, document_type: 'offer', config: {} });
  const messageId = await make(preparedMessages.create.path, {
    name: 'First message after the fair',
    type: 'initial',
    message: 'Good day, {{ lead.name }}! We met at the fair. Shall I send you the drawings of the kitchen you liked?',
  });
  const channelId = await whatsappChannel(context, url);
  return { url, leadId, contactId, dialogueId, promptId, messageId, channelId };
}

const SECOND_TEXT = `You advise {{ lead.name }} on kitchens made to measure.
Be brief. Answer first, then ask one question.

# Facts
- A kitchen takes five weeks from the drawing to the last screw.
- Delivery within the city is free.
- The guarantee is ten years.`;
const FIRST_TEXT = SECOND_TEXT.replace('Be brief. ', '')
  .replace('five', 'six')
  .replace(/\n.*guarantee.*$/, '');
