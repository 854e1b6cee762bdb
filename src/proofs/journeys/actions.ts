/** What an operator does on any page of the console. */
import { readFile } from 'node:fs/promises';
import type { Locator, Page, Route } from '@playwright/test';
import { button, field } from './locators.ts';
import { expectPage } from './signIn.ts';

const pageOf = (within: Page | Locator) => ('page' in within ? within.page() : within);

/** Choose an option in a list of the page, or of one part of it. */
export async function pick(within: Page | Locator, name: string, option: string): Promise<void> {
  const page = pageOf(within);
  await within.getByRole('combobox', { name, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** Fill text fields by their labels. */
export async function fillIn(within: Page | Locator, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await field(within, name).fill(value);
}

/** Choose from the menu of the row of this name; of the first row that matches. */
export async function rowAction(within: Page | Locator, row: string | RegExp, action: string): Promise<void> {
  const page = pageOf(within);
  const name = typeof row === 'string' ? `Actions for ${row}` : row;
  await within.getByRole('button', { name }).first().click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Save the file that a click offers. Returns its name and text. */
export async function download(page: Page, name: string): Promise<{ name: string; text: string }> {
  const [file] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

export const expectText = (page: Page, words: string | RegExp) =>
  expectPage(page.getByText(words, { exact: true }).last()).toBeVisible();

/** Expect a part of the page to contain all of these texts. */
export async function expectTexts(within: Locator, ...texts: readonly (string | RegExp)[]): Promise<void> {
  for (const text of texts) await expectPage(within).toContainText(text);
}

export const expectHeading = (page: Page, name: string) =>
  expectPage(page.getByRole('heading', { name, level: 1 })).toBeVisible();

/** Follow a link of the menu to a page, and wait for it. */
export async function follow(page: Page, link: string, title = link): Promise<void> {
  await page.getByRole('link', { name: link, exact: true }).click();
  await expectHeading(page, title);
}

/** Hold calls of an address back, or only those that write, until they are released. */
export async function holdCalls(page: Page, address: RegExp | string, which: 'all' | 'writes' = 'all') {
  const arrived = Promise.withResolvers<Route>();
  const released = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    if (which === 'writes' && route.request().method() === 'GET') return route.fallback();
    arrived.resolve(route);
    await released.promise;
    return route.continue().catch(() => undefined);
  });
  return { arrived: arrived.promise, release: () => released.resolve() };
}

/** Fail the next call of a path and method. */
export const failNext = (page: Page, path: RegExp, method: string) =>
  page.route(
    path,
    (route) => (route.request().method() === method ? route.fulfill({ status: 500, body: '{}' }) : route.fallback()),
    { times: 1 },
  );

/** Press a button, and wait for the text that the page shows then. */
export async function press(within: Page | Locator, name: string, shows?: string | RegExp): Promise<void> {
  await button(within, name).click();
  if (shows !== undefined) await expectPage(pageOf(within).getByText(shows).first()).toBeVisible();
}

/** Fill a form and press its button; wait for the text that the page shows then. */
export async function submit(
  form: Page | Locator,
  fields: Readonly<Record<string, string>>,
  name: string,
  shows?: string | RegExp,
): Promise<void> {
  await fillIn(form, fields);
  await press(form, name, shows);
}
