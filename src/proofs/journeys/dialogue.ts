/** Actions of an operator in an open dialogue. */
import type { Page } from '@playwright/test';
import { createLead } from './calls.ts';
import { product } from './journeySetup.ts';
import { expectPage } from './signIn.ts';
import { startOperator } from './start.ts';

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
