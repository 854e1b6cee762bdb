/** Actions of an operator in an open dialogue. */
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { createLead, row, startOperator } from './actions.ts';
import { product } from './journeySetup.ts';
import { expectPage, signInAndChoose } from './signIn.ts';

export const QUESTION = 'How long does production take?';

export const threadOf = (page: Page): Locator => page.getByRole('log', { name: 'Messages' });
export const bubble = (page: Page, text: string | RegExp): Locator =>
  threadOf(page).getByRole('article').filter({ hasText: text });
export const ownerOf = (page: Page): Locator => page.locator('main').getByRole('status').first();

/** Write a message in the open dialogue. */
export async function type(page: Page, text: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message', exact: true });
  await composer.fill(text);
  await composer.press('Enter');
}

/** Create a lead for one journey, and open its dialogue in the console. */
export async function talkTo(name: string) {
  const { context, page } = await startOperator();
  const lead = await createLead(context, name);
  await page.goto(`${product.url}${lead.chat}`);
  await expectPage(page.getByRole('heading', { name, level: 1 })).toBeVisible();
  return { context, page, lead };
}

/** Open Anna's dialogue in the console, ask as her on the phone, and wait until the answer is read. */
export async function askOnPhone(context: BrowserContext, url: string): Promise<{ page: Page; phone: Page }> {
  const page = await signInAndChoose(context, url);
  await page.getByRole('link', { name: 'Dialogues', exact: true }).click();
  await row(page, 'Anna').first().click();
  await threadOf(page).getByRole('article').last().waitFor();
  const phone = await context.newPage();
  await phone.goto(`${url}/sandbox`);
  await phone.getByText('Anna', { exact: false }).first().click();
  const composer = phone.getByRole('textbox', { name: /^Write as/ });
  await composer.fill(QUESTION);
  await composer.press('Enter');
  await page.bringToFront();
  await bubble(page, /weeks/).last().getByRole('img', { name: 'Read' }).waitFor();
  return { page, phone };
}
