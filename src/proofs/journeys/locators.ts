/** Parts of any page of the console. */
import type { Locator, Page } from '@playwright/test';

export const main = (page: Page) => page.getByRole('main');
export const dialogOf = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
export const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text });
export const button = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true }).first();
export const field = (within: Page | Locator, name: string) => within.getByRole('textbox', { name, exact: true });
export const choice = (within: Page | Locator, name: string) => within.getByRole('combobox', { name, exact: true });
/** The assistant's panel. */
export const panel = (page: Page) => page.getByRole('complementary', { name: 'Assistant panel' });
export const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
/** The messages of the open dialogue. */
export const threadOf = (page: Page) => page.getByRole('log', { name: 'Messages' });
export const bubble = (page: Page, text: string | RegExp) =>
  threadOf(page).getByRole('article').filter({ hasText: text });
export const ownerOf = (page: Page) => page.locator('main').getByRole('status').first();
