/** API calls of a journey with the browser's own session: creating leads and changing links. */
import type { BrowserContext } from '@playwright/test';
import { z } from 'zod';
import { channels, createProductChannel, listProductChannels } from '../../channels/contract.ts';
import { dialogues } from '../../conversations/contract.ts';
import { contacts, leads } from '../../leads/contract.ts';
import { products } from '../../products/contract.ts';

/** Call the server as this browser's operator. Throws on a status other than success. */
export async function callApi(
  context: BrowserContext,
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const answer = await context.request.fetch(`${url}${path}`, {
    method,
    headers: { origin: url },
    ...(body === undefined ? {} : { data: body }),
  });
  const text = await answer.text();
  if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${text}`);
  return text === '' ? null : JSON.parse(text);
}

const ids = z.object({ items: z.array(z.object({ id: z.int() })) });

/** Return the ids of the product of this name and of its company. */
export async function findProduct(
  context: BrowserContext,
  url: string,
  name: string,
): Promise<{ companyId: number; productId: number }> {
  const list = products.list.replies[200].parse(await callApi(context, url, 'GET', `${products.list.path}?limit=100`));
  const found = list.items.find((one) => one.name === name);
  if (!found) throw new Error(`There is no product ${name}`);
  return { companyId: found.company_id, productId: found.id };
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

/** Create a lead of the product with a WhatsApp contact and an empty dialogue, used by no other journey. */
export async function createLeadWithDialogue(
  context: BrowserContext,
  url: string,
  product: string,
  name: string,
): Promise<JourneyLead> {
  leadCount += 1;
  const make = async (path: string, body: unknown) =>
    z.object({ id: z.int() }).parse(await callApi(context, url, 'POST', path, body)).id;
  const { productId } = await findProduct(context, url, product);
  const leadId = await make(leads.create.path, { product_id: productId, name, stage: 'started' });
  const contactId = await make(contacts.create.path, {
    product_id: productId,
    lead_id: leadId,
    contact_type: 'whatsapp',
    contact: `+3712099${String(1000 + leadCount)}`,
    is_main: true,
  });
  const dialogueId = await make(dialogues.create.path, {
    product_id: productId,
    contact_id: contactId,
    channel_id: await whatsappChannel(context, url),
  });
  return { name, leadId, contactId, dialogueId, chat: `/?page=dialogue-chat&dialogueId=${dialogueId}` };
}

/** Return the id of the demo's WhatsApp channel. */
export async function whatsappChannel(context: BrowserContext, url: string): Promise<number> {
  const { items } = ids.parse(
    await callApi(context, url, 'GET', `${channels.list.path}?channel_type=whatsapp&vendor=wazzup24`),
  );
  const [channel] = items;
  if (!channel) throw new Error('There is no WhatsApp channel');
  return channel.id;
}

/** Write as the lead, on the lead's phone. */
export async function writeAsLead(
  context: BrowserContext,
  url: string,
  lead: JourneyLead,
  text: string,
): Promise<void> {
  await callApi(context, url, 'POST', `/sandbox/phones/${lead.contactId}/write`, { text });
}

/** Return our messages on the lead's phone, oldest first. */
export async function receivedTexts(context: BrowserContext, url: string, lead: JourneyLead): Promise<string[]> {
  const { items } = z
    .object({ items: z.array(z.object({ from: z.string(), text: z.string() })) })
    .parse(await callApi(context, url, 'GET', `/sandbox/phones/${lead.contactId}`));
  return items.filter((one) => one.from === 'us').map((one) => one.text);
}

/** Delay the bot's messages of the product by `seconds`; null sends them at once. */
export async function delayBot(
  context: BrowserContext,
  url: string,
  product: string,
  seconds: number | null,
): Promise<void> {
  const { productId } = await findProduct(context, url, product);
  const channelId = await whatsappChannel(context, url);
  const link = { product_id: productId, channel_id: channelId };
  await callApi(context, url, 'DELETE', `${listProductChannels.path}?product_id=${productId}&channel_id=${channelId}`);
  await callApi(context, url, 'POST', createProductChannel.path, {
    ...link,
    config: { inbound_enabled: true, delay_messages_symbols_per_second: null, delay_messages_seconds: seconds },
  });
}
