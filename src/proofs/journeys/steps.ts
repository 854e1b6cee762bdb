/** Steps that bring a page into the state to be checked. */
import type { Page } from '@playwright/test';
import { button, type Find, role } from './find.ts';
import { expectPage } from './signIn.ts';

export type Step = (page: Page) => Promise<unknown>;

export const press =
  (name: string | RegExp): Step =>
  (page) =>
    button(name)(page).click();
export const click =
  (find: Find): Step =>
  (page) =>
    find(page).click();
export const fill =
  (name: string | RegExp, value: string): Step =>
  (page) =>
    page.getByRole('textbox', { name, exact: true }).fill(value);
export const choose =
  (name: string, option: string): Step =>
  async (page) => {
    await page.getByRole('combobox', { name, exact: true }).fill(option);
    await page.getByRole('option', { name: option }).first().click();
  };
export const keys =
  (key: string): Step =>
  (page) =>
    page.keyboard.press(key);
export const shows =
  (find: Find): Step =>
  (page) =>
    expectPage(find(page)).toBeVisible();

/** Open the menu of the list's first row, and choose from it. */
export const openRowMenu =
  (item?: string): Step =>
  async (page) => {
    await role('button', /^Actions for/)(page).click();
    await expectPage(page.getByRole('menu')).toBeVisible();
    if (item !== undefined) await page.getByRole('menuitem', { name: item }).click();
  };
