/** Calls of the product's API under the session of a browser. */
import type { BrowserContext } from '@playwright/test';
import { z } from 'zod';
import { createProductChannel } from '../../channels/contract.ts';
import { dialogues } from '../../conversations/contract.ts';
import { contacts, leads } from '../../leads/contract.ts';
import { callApi, findProduct, whatsappChannel } from './journeyApi.ts';
import { product } from './journeySetup.ts';
import { PRODUCT } from './signIn.ts';

/** Call the product's API as this browser's operator. */
export const call = (context: BrowserContext, method: string, path: string, body?: unknown) =>
  callApi(context, product.url, method, path, body);

/** Create a row. Returns its id. */
export async function create(context: BrowserContext, path: string, body: object): Promise<number> {
  return z.object({ id: z.int() }).parse(await call(context, 'POST', path, body)).id;
}

export const demoProduct = (context: BrowserContext, name = PRODUCT) => findProduct(context, product.url, name);

/** Count the product's rows of a list. */
export async function countRows(context: BrowserContext, path: string): Promise<number> {
  const { productId } = await demoProduct(context);
  const list = await call(context, 'GET', `${path}?product_id=${productId}&limit=1`);
  return z.object({ total: z.int() }).parse(list).total;
}

export interface JourneyLead {
  readonly name: string;
  readonly leadId: number;
  readonly contactId: number;
  readonly dialogueId: number;
  /** Address of the dialogue in the console. */
  readonly chat: string;
}

let leadCount = 0;

/** Create a lead with a WhatsApp contact and an empty dialogue, used by no other journey. */
export async function createLead(context: BrowserContext, name: string, of = PRODUCT): Promise<JourneyLead> {
  leadCount += 1;
  const { productId: product_id } = await demoProduct(context, of);
  const lead_id = await create(context, leads.create.path, { product_id, name, stage: 'started' });
  const address = { contact_type: 'whatsapp', contact: `+3712099${String(1000 + leadCount)}`, is_main: true };
  const contact_id = await create(context, contacts.create.path, { product_id, lead_id, ...address });
  const channel_id = await whatsappChannel(context, product.url);
  const link = { product_id, channel_id };
  const links = await call(
    context,
    'GET',
    `${createProductChannel.path}?product_id=${product_id}&channel_id=${channel_id}`,
  );
  if (z.object({ total: z.int() }).parse(links).total === 0)
    await call(context, 'POST', createProductChannel.path, { ...link, config: {} });
  const dialogueId = await create(context, dialogues.create.path, { ...link, contact_id });
  const chat = `/?page=dialogue-chat&dialogueId=${dialogueId}`;
  return { name, leadId: lead_id, contactId: contact_id, dialogueId, chat };
}

/** Write as the lead, on the lead's phone. */
export const writeAs = (context: BrowserContext, lead: JourneyLead, text: string) =>
  call(context, 'POST', `/sandbox/phones/${lead.contactId}/write`, { text });

/** Return our messages on the lead's phone, oldest first. */
export async function receivedBy(context: BrowserContext, lead: JourneyLead): Promise<string[]> {
  const phone = z.object({ items: z.array(z.object({ from: z.string(), text: z.string() })) });
  const { items } = phone.parse(await call(context, 'GET', `/sandbox/phones/${lead.contactId}`));
  return items.filter((one) => one.from === 'us').map((one) => one.text);
}

/** Switch a fault of the emulated vendors. */
export const setFault = (context: BrowserContext, name: string, on: boolean) =>
  call(context, 'PUT', `/sandbox/faults/${name}`, { on });
