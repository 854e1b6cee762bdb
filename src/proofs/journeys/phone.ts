/** The phone of a lead in the sandbox. */
import type { BrowserContext, Page } from '@playwright/test';
import { bubble, row, threadOf } from './locators.ts';
import { expectPage, signInAndChoose } from './signIn.ts';

export const QUESTION = 'How long does production take?';

/** Return what the lead sees. */
export const seenOn = (phone: Page) => phone.getByRole('log', { name: 'What the lead sees' });

/** Write as the lead. */
export async function writeOn(phone: Page, text: string): Promise<void> {
  await phone.getByRole('textbox', { name: /^Write as/ }).fill(text);
  await phone.keyboard.press('Enter');
}

/** Open the phone of the lead of this name. */
export async function openPhone(context: BrowserContext, url: string, lead: string): Promise<Page> {
  const phone = await context.newPage();
  await phone.goto(`${url}/sandbox`);
  await phone.getByRole('searchbox', { name: 'Search leads' }).fill(lead);
  await phone.getByRole('navigation', { name: 'Leads' }).getByText(lead).first().click();
  await expectPage(seenOn(phone)).toBeVisible();
  return phone;
}

/** Open Anna's dialogue in the console, ask as her on the phone, and wait until the answer is read. */
export async function askOnPhone(context: BrowserContext, url: string): Promise<{ page: Page; phone: Page }> {
  const page = await signInAndChoose(context, url);
  await page.getByRole('link', { name: 'Dialogues', exact: true }).click();
  await row(page, 'Anna').first().click();
  await threadOf(page).getByRole('article').last().waitFor();
  const phone = await openPhone(context, url, 'Anna');
  await writeOn(phone, QUESTION);
  await page.bringToFront();
  await bubble(page, /weeks/).last().getByRole('img', { name: 'Read' }).waitFor();
  return { page, phone };
}
