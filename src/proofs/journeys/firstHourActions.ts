/** Actions that the steps of the first hour use. */
import type { BrowserContext, Page } from '@playwright/test';
import { TYPED } from './firstHourFixtures.ts';
import { openPhone } from './phone.ts';
import { expectPage } from './signIn.ts';

export interface FirstHourSession {
  readonly url: string;
  readonly context: BrowserContext;
  /** The console's page. */
  readonly page: Page;
  /** Take a picture of the page as it is now. */
  readonly shoot: (page: Page, name: string) => Promise<void>;
}

export const expectText = (page: Page, words: string | RegExp) =>
  expectPage(page.getByText(words).first()).toBeVisible();

/** Open a page by its name in the side menu. */
export async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
}

export async function pick(page: Page, name: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name, exact: true }).last().click();
  const optionRow = page.getByRole('option', { name: option, exact: true });
  await optionRow.click();
  // Wait until this list has closed: the next list may have the same option.
  await expectPage(optionRow).toHaveCount(0);
}

/** Open the lead's phone, beside the console. */
export const phoneOf = ({ context, url }: FirstHourSession) => openPhone(context, url, TYPED.lead);

export async function moveClock(phone: Page, by: '+1 h' | '+1 day'): Promise<void> {
  await phone.getByRole('button', { name: by, exact: true }).click();
  await expectPage(phone.getByRole('button', { name: by, exact: true })).toBeEnabled({ timeout: 60_000 });
}

/** Open a page of the menu's Settings list. */
export async function openSettings(page: Page, name: string): Promise<void> {
  const link = page.getByRole('navigation').getByRole('link', { name, exact: true });
  if (!(await link.isVisible())) await page.getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
  await link.click();
}
