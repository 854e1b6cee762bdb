/** How to check a page: open it, wait for it, and bring it into a state. The tables of checks are made of these parts. */
import type { Locator, Page } from '@playwright/test';
import type { DemoIds } from './demoData.ts';
import { expectPage } from './signIn.ts';

type Find = (page: Page) => Locator;
type Step = (page: Page) => Promise<unknown>;
type Stub = (page: Page, demo: DemoIds) => Promise<unknown>;
export type Undo = () => Promise<unknown>;

interface CheckOptions {
  /** Name in reports and of its pictures; by default the page and its state. */
  readonly name?: string;
  /** Parameters of the address; without them a list shows ten rows. */
  readonly at?: string | ((demo: DemoIds) => string);
  /** Changes data or cookies before the page is opened, and returns its undo. */
  readonly prepare?: (page: Page, demo: DemoIds) => Promise<Undo>;
  /** Answers that replace the server's, in this page alone. */
  readonly stubs?: readonly Stub[];
  /** Element that shows that the page is loaded; by default the first row of a list. */
  readonly ready?: Find;
  /** Actions that lead to the state to be checked. */
  readonly act?: readonly Step[];
}

export interface PageCheck extends CheckOptions {
  readonly name: string;
  /** Key in the console's registry; null for pages outside the console. */
  readonly page: string | null;
  readonly address: (demo: DemoIds) => string;
}

/** Check a page of the console in a state; '' is its initial one. */
export function check(page: string, state = '', options: CheckOptions = {}): PageCheck {
  const { at = 'list_size=10' } = options;
  const address = (demo: DemoIds) => `/?page=${page}&${typeof at === 'string' ? at : at(demo)}`;
  return { name: state === '' ? page : `${page}-${state}`, ...options, page, address };
}

/** Check a page outside the console. */
export function checkOutside(name: string, address: string, options: CheckOptions): PageCheck {
  return { ...options, name, page: null, address: () => address };
}

/** Open the page and wait until it has fully loaded. Returns the undo of the check's preparation. */
export async function runPageCheck(page: Page, demo: DemoIds, one: PageCheck): Promise<() => Promise<void>> {
  const undo = await one.prepare?.(page, demo);
  for (const stub of one.stubs ?? []) await stub(page, demo);
  await page.goto(`${demo.url}${one.address(demo)}`);
  await expectPage((one.ready ?? firstRow)(page)).toBeVisible();
  await waitForLoad(page);
  for (const step of one.act ?? []) await step(page);
  if (one.act) await waitForLoad(page);
  return async () => {
    // Typed text and open sections would be restored on the next check.
    await page.evaluate(() => localStorage.clear());
    await undo?.();
  };
}

/** Wait until there is no skeleton, no 'Loading ...' and no spinner. */
async function waitForLoad(page: Page): Promise<void> {
  await expectPage(
    page.locator('.mantine-Skeleton-root:visible, .mantine-Loader-root:visible, [aria-busy=true]'),
  ).toHaveCount(0);
  await expectPage(page.getByText(/^(Loading|Searching|Checking)\b/).filter({ visible: true })).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready.then(() => null));
}

const firstRow: Find = (page) => page.locator('tbody tr:not([aria-hidden])').first();

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

/** Match the calls of a path, with any parameters; `{id}` is any id. */
const callsOf = (path: string) => new RegExp(`${path.replace('{id}', '\\d+')}(\\?|$)`);

/** Answer the calls of a path with this, for what the demo does not have. */
export const answer =
  (path: string, json: unknown, reply: { status?: number; headers?: Record<string, string> } = {}): Step =>
  (page) =>
    page.route(callsOf(path), (route) => route.fulfill({ ...reply, json }));

/** Answer the calls of a list as if it were empty. */
export const emptyList = (path: string): Step => answer(path, { items: [], total: 0, page: 1, limit: 25 });

/** Change the answer of a path by these fields. */
export const change =
  (path: string, changed: object): Step =>
  (page) =>
    page.route(callsOf(path), async (route) => {
      const real: unknown = await (await route.fetch()).json();
      await route.fulfill({ json: { ...(typeof real === 'object' ? real : {}), ...changed } });
    });

/** Clear the selection of company and product. */
export const clearSelection = (page: Page): Promise<Undo> => withoutCookies(page, /^rapport_(company|product)_id$/);
export const signOut = (page: Page): Promise<Undo> => withoutCookies(page, /./);

async function withoutCookies(page: Page, name: RegExp): Promise<Undo> {
  const context = page.context();
  const cookies = (await context.cookies()).filter((cookie) => name.test(cookie.name));
  await context.clearCookies({ name });
  return () => context.addCookies(cookies);
}
