/** How to check a page: open it, wait for it, and bring it into a state. */
import type { Locator, Page } from '@playwright/test';
import type { DemoIds } from './demoData.ts';
import { expectPage } from './signIn.ts';

export interface PageCheck {
  /** Name in reports and of its pictures. */
  readonly name: string;
  /** Key in the console's registry; null for pages outside the console. */
  readonly page: string | null;
  readonly address: (demo: DemoIds) => string;
  /** Runs before the page is opened and returns its undo. */
  readonly prepare?: (page: Page, demo: DemoIds) => Promise<() => Promise<void>>;
  /** Element that shows that the page is loaded; by default the first row of a list. */
  readonly readyWhen?: (page: Page) => Locator;
  /** Actions that lead to the state to be checked. */
  readonly act?: (page: Page) => Promise<void>;
}

/** Open the page and wait until it has fully loaded. Returns the undo of the check's preparation. */
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

/** Clear the storage: typed text and open sections would be restored on the next check. */
async function clearStorage(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.clear());
}

/** Wait until there is no skeleton, no 'Loading ...' and no spinner. */
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

/** Answer the calls of a path with this, for what the demo does not have. */
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

/** Change the answer of a path by these fields. */
export async function change(page: Page, path: string, changed: object): Promise<() => Promise<void>> {
  const pattern = new RegExp(`${path}(\\?|$)`);
  await page.route(pattern, async (route) => {
    const real: unknown = await (await route.fetch()).json();
    await route.fulfill({ json: { ...(typeof real === 'object' ? real : {}), ...changed } });
  });
  return () => page.unroute(pattern);
}

/** Answer the calls of a path with a failure of the server. */
export async function failCalls(page: Page, path: string): Promise<() => Promise<void>> {
  return answer(page, path, { detail: 'The database does not answer.', request_id: 'req-1' }, { status: 500 });
}

/** Combine several preparations of one check; returns the undo of all. */
export async function all(...steps: readonly Promise<() => Promise<void>>[]): Promise<() => Promise<void>> {
  const undos = await Promise.all(steps);
  return async () => {
    for (const undo of undos) await undo();
  };
}

/** Clear the selection of company and product. */
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

/** Check a page in its initial state; of a list, ten rows. */
export function simplePageCheck(key: string): PageCheck {
  return { name: key, page: key, address: () => `/?page=${key}&list_size=10` };
}
