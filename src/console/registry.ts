/** Every page of the console by its key. */
import { channelPages } from '../channels/pages/pages.ts';
import { chatbotPages } from '../chatbot/pages/pages.ts';
import { companyPages } from '../companies/pages/pages.ts';
import { crmPages } from '../crm/pages/pages.ts';
import { dialoguePages } from '../dialogues/pages/pages.ts';
import type { PageEntry } from '../kit/pages.ts';
import { leadPages } from '../leads/pages/pages.ts';
import { llmPages } from '../llm/pages/pages.ts';
import { operatorPages } from '../operators/pages/pages.ts';
import { outreachPages } from '../outreach/pages/pages.ts';
import { productPages } from '../products/pages/pages.ts';
import { promptPages } from '../prompts/pages/pages.ts';
import { reportPages } from '../reports/pages/pages.ts';

/** Opens when the address names no page. */
export const DEFAULT_PAGE = 'chatbot';

export const pages: readonly PageEntry[] = [
  ...reportPages,
  ...companyPages,
  ...productPages,
  ...promptPages,
  ...leadPages,
  ...channelPages,
  ...dialoguePages,
  ...llmPages,
  ...chatbotPages,
  ...outreachPages,
  ...crmPages,
  ...operatorPages,
];

const byKey = new Map(pages.map((page) => [page.key, page]));

export function findPage(key: string): PageEntry | undefined {
  return byKey.get(key);
}

/** The menu page that is marked while `key` is open. */
export function menuKeyOf(key: string): string {
  const page = byKey.get(key);
  return page?.group === null ? (page.parent ?? key) : key;
}
