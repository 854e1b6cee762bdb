/** Calls of a product's API, at any address, with a browser's own session. */
import type { BrowserContext } from '@playwright/test';
import { channels } from '../../channels/contract.ts';
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

/** Return the ids of the product of this name and of its company. */
export async function findProduct(context: BrowserContext, url: string, name: string) {
  const list = products.list.replies[200].parse(await callApi(context, url, 'GET', `${products.list.path}?limit=100`));
  const found = list.items.find((one) => one.name === name);
  if (!found) throw new Error(`There is no product ${name}`);
  return { companyId: found.company_id, productId: found.id };
}

/** Return the id of the demo's WhatsApp channel. */
export async function whatsappChannel(context: BrowserContext, url: string): Promise<number> {
  const path = `${channels.list.path}?channel_type=whatsapp&vendor=wazzup24`;
  const [channel] = channels.list.replies[200].parse(await callApi(context, url, 'GET', path)).items;
  if (!channel) throw new Error('There is no WhatsApp channel');
  return channel.id;
}
