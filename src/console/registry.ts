/** All pages of the console, by key. */

import { operatorPages } from '../access/pages/pages.ts';
import { channelPages } from '../channels/pages/pages.ts';
import { companyPages } from '../companies/pages/pages.ts';
import { conversationPages } from '../conversations/pages/pages.ts';
import { crmPages } from '../crm/pages/pages.ts';
import { deskPages } from '../desk/pages/pages.ts';
import { leadPages } from '../leads/pages/pages.ts';
import { llmPages } from '../llm/pages/pages.ts';
import { monitoringPages } from '../monitoring/pages/pages.ts';
import { outcomePages } from '../outcomes/pages/pages.ts';
import { outreachPages } from '../outreach/pages/pages.ts';
import { productPages } from '../products/pages/pages.ts';
import { promptPages } from '../prompts/pages/pages.ts';
import { studioPages } from '../studio/pages/pages.ts';
import type { PageEntry } from '../ui/pages.ts';
import { webhookPages } from '../webhooks/pages/pages.ts';

export const pages: readonly PageEntry[] = [
  ...deskPages,
  ...outcomePages,
  ...monitoringPages,
  ...companyPages,
  ...productPages,
  ...promptPages,
  ...leadPages,
  ...channelPages,
  ...conversationPages,
  ...llmPages,
  ...studioPages,
  ...outreachPages,
  ...crmPages,
  ...webhookPages,
  ...operatorPages,
];

const byKey = new Map(pages.map((page) => [page.key, page]));

export function findPage(key: string): PageEntry | undefined {
  return byKey.get(key);
}

/** Return the menu page that is highlighted while `key` is open. */
export function menuKeyOf(key: string): string {
  const page = byKey.get(key);
  return page?.group === null ? (page.parent ?? key) : key;
}
