/** What the visits do on pages to come to a state. */
import type { Page } from '@playwright/test';
import { see } from './signIn.ts';

export const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first();

export async function openRowMenu(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await see(page.getByRole('menu')).toBeVisible();
}

export async function compare(page: Page): Promise<void> {
  await button(page, 'Test text diff').click();
  await page
    .getByRole('button', { name: /^Sample/ })
    .first()
    .click();
  await button(page, 'Show Diff').click();
  await see(page.getByRole('region', { name: 'Differences' })).toBeVisible();
}

export async function chooseFile(page: Page): Promise<void> {
  const table = [
    'Name,WhatsApp,Telegram,city,budget',
    'Ada Sample,+44 7700 900123,,London,9000',
    'Bo Sample,,@bo_sample,Riga,4500',
    ',not a number,,,',
  ];
  const file = { name: 'fair.csv', mimeType: 'text/csv', buffer: Buffer.from(table.join('\n')) };
  await page.locator('input[type=file]').setInputFiles(file);
  await see(page.getByRole('combobox', { name: 'What the column city becomes' })).toBeVisible();
}
