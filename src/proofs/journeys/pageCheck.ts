/** How a page is visited: opened, waited for, brought into a state. */
import type { Locator, Page } from '@playwright/test';
import type { DemoIds } from './demoData.ts';
import { expectPage } from './signIn.ts';

export interface PageCheck {
  /** In reports, and of its pictures. */
  readonly name: string;
  /** The key in the console's registry; null: beside the console. */
  readonly page: string | null;
  readonly address: (demo: DemoIds) => string;
  /** Before the page is opened; gives what takes it back. */
  readonly prepare?: (page: Page, demo: DemoIds) => Promise<() => Promise<void>>;
  /** What is there once the page is loaded; by default the first row of a list. */
  readonly readyWhen?: (page: Page) => Locator;
  /** What is done then, to come to the state that is meant. */
  readonly act?: (page: Page) => Promise<void>;
}

/** Goes there and waits until everything of it has loaded. Gives what takes back what the visit needed. */
export async function runPageCheck(page: Page, demo: DemoIds, check: PageCheck): Promise<() => Promise<void>> {
  const undo = await check.prepare?.(page, demo);
  await page.goto(`${demo.url}${check.address(demo)}`);
  await expectPage((check.readyWhen ?? firstRow)(page)).toBeVisible();
  await waitForLoad(page);
  if (check.act) {
    await check.act(page);
    await waitForLoad(page);
  }
  return async () => {
    await clearStorage(page);
    await undo?.();
  };
}

/** What was typed and opened on this visit would be restored on the next one. */
async function clearStorage(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.clear());
}

/** No skeleton, no 'Loading ...', nothing that turns. */
async function waitForLoad(page: Page): Promise<void> {
  await expectPage(
    page.locator('.mantine-Skeleton-root:visible, .mantine-Loader-root:visible, [aria-busy=true]'),
  ).toHaveCount(0);
  await expectPage(page.getByText(/^(Loading|Searching|Checking)\b/).filter({ visible: true })).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready.then(() => null));
}

const firstRow = (page: Page) => page.locator('tbody tr:not([aria-hidden])').first();

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
}

/** Answers the calls of a path with this, for what the demo does not have. */
export async function answer(
  page: Page,
  path: string,
  json: unknown,
  { status = 200, headers = {} }: Answer = {},
): Promise<() => Promise<void>> {
  const pattern = new RegExp(`${path}(\\?|$)`);
  const body = typeof json === 'string' ? { body: json, contentType: 'text/plain' } : { json };
  await page.route(pattern, (route) => route.fulfill({ status, headers, ...body }));
  return () => page.unroute(pattern);
}

/** The answer of a path with this changed. */
export async function change(page: Page, path: string, changed: object): Promise<() => Promise<void>> {
  const pattern = new RegExp(`${path}(\\?|$)`);
  await page.route(pattern, async (route) => {
    const real: unknown = await (await route.fetch()).json();
    await route.fulfill({ json: { ...(typeof real === 'object' ? real : {}), ...changed } });
  });
  return () => page.unroute(pattern);
}

/** Answers the calls of a path with a failure of the server. */
export async function failCalls(page: Page, path: string): Promise<() => Promise<void>> {
  return answer(page, path, { detail: 'The database does not answer.', request_id: 'req-1' }, { status: 500 });
}

/** Prepares several things for one visit, and takes all of them back. */
export async function all(...steps: readonly Promise<() => Promise<void>>[]): Promise<() => Promise<void>> {
  const undos = await Promise.all(steps);
  return async () => {
    for (const undo of undos) await undo();
  };
}

/** Takes the choice of company and product away. */
export async function clearSelection(page: Page): Promise<() => Promise<void>> {
  const context = page.context();
  const cookies = (await context.cookies()).filter(({ name }) => /^rapport_(company|product)_id$/.test(name));
  for (const { name } of cookies) await context.clearCookies({ name });
  return () => context.addCookies(cookies);
}

export async function signOut(page: Page): Promise<() => Promise<void>> {
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  return () => page.context().addCookies(cookies);
}

export const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first();
export const heading = (name: string) => (page: Page) => page.getByRole('heading', { name, level: 1 });

/** A page as it opens; of a list ten rows. */
export function simplePageCheck(key: string): PageCheck {
  return { name: key, page: key, address: () => `/?page=${key}&list_size=10` };
}
