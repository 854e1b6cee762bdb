/** Finds parts of pages that page checks wait for or click. */
import type { Locator, Page } from '@playwright/test';

export type Find = (page: Page) => Locator;

export const role =
  (name: Parameters<Page['getByRole']>[0], accessibleName?: string | RegExp): Find =>
  (page) =>
    page.getByRole(name, accessibleName === undefined ? {} : { name: accessibleName }).first();
export const dialog = (name: string | RegExp): Find => role('dialog', name);
export const text =
  (words: string | RegExp): Find =>
  (page) =>
    page.getByText(words).first();
export const button =
  (name: string | RegExp): Find =>
  (page) =>
    page.getByRole('button', { name, exact: true }).first();
