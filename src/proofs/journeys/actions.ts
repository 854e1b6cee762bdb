/** What an operator does on any page of the console, and calls of the API under the same session. */
import { readFile } from 'node:fs/promises';
import type { BrowserContext, Locator, Page, Route } from '@playwright/test';
import { z } from 'zod';
import {
  callApi,
  createLeadWithDialogue,
  findProduct,
  type JourneyLead,
  receivedTexts,
  writeAsLead,
} from './journeyApi.ts';
import { chromium, product } from './journeySetup.ts';
import { expectPage, PRODUCT, signInByApi } from './signIn.ts';

type Size = NonNullable<Parameters<typeof chromium.context>[0]>;

/** Start a browser of an operator who is signed in and has chosen the product; its page is still blank. */
export async function startOperator(size: Size = {}, name = PRODUCT): Promise<{ context: BrowserContext; page: Page }> {
  const context = await chromium.context(size);
  await signInByApi(context, product.url, name);
  return { context, page: await context.newPage() };
}

/** Start such a browser on a page of the console; `page` as in the address. */
export async function openPage(address: string, size: Size = {}): Promise<{ context: BrowserContext; page: Page }> {
  const operator = await startOperator(size);
  await goTo(operator.page, address);
  return operator;
}

/** Open a page of the console by its address after `?page=`. */
export const goTo = (page: Page, address: string) => page.goto(`${product.url}/?page=${address}`);

export const main = (page: Page) => page.getByRole('main');
export const dialogOf = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
export const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text });
export const button = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true }).first();
export const field = (within: Page | Locator, name: string) => within.getByRole('textbox', { name, exact: true });
/** The assistant's panel. */
export const panel = (page: Page) => page.getByRole('complementary', { name: 'Assistant panel' });
export const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

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
export async function download(page: Page, button: string): Promise<{ name: string; text: string }> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()]);
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

/** Call the product's API as this browser's operator. */
export const call = (context: BrowserContext, method: string, path: string, body?: unknown) =>
  callApi(context, product.url, method, path, body);

/** Create a row by the API. Returns its id. */
export async function create(context: BrowserContext, path: string, body: object): Promise<number> {
  return z.object({ id: z.int() }).parse(await call(context, 'POST', path, body)).id;
}

/** Count the product's rows of a list. */
export async function countRows(context: BrowserContext, path: string): Promise<number> {
  const { productId } = await demoProduct(context);
  const list = await call(context, 'GET', `${path}?product_id=${productId}&limit=1`);
  return z.object({ total: z.int() }).parse(list).total;
}

export const demoProduct = (context: BrowserContext) => findProduct(context, product.url, PRODUCT);
export const createLead = (context: BrowserContext, name: string, of = PRODUCT) =>
  createLeadWithDialogue(context, product.url, of, name);
export const writeAs = (context: BrowserContext, lead: JourneyLead, text: string) =>
  writeAsLead(context, product.url, lead, text);
export const receivedBy = (context: BrowserContext, lead: JourneyLead) => receivedTexts(context, product.url, lead);
/** Switch a fault of the emulated vendors. */
export const setFault = (context: BrowserContext, name: string, on: boolean) =>
  call(context, 'PUT', `/sandbox/faults/${name}`, { on });

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
