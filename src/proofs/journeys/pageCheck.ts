/** How to check a page: open it, wait for it, and bring it into a state. */
import type { BrowserContext, Page } from '@playwright/test';
import { type DemoIds, prepareDemo } from './demoData.ts';
import type { Find } from './find.ts';
import { expectPage, signInByApi } from './signIn.ts';
import type { Step } from './steps.ts';
import type { Undo } from './stubs.ts';

interface CheckOptions {
  /** Name in reports and of its pictures; by default the page and its state. */
  readonly name?: string;
  /** Parameters of the address; without them a list shows ten rows. */
  readonly at?: string | ((demo: DemoIds) => string);
  /** Changes data or cookies before the page is opened, and returns its undo. */
  readonly prepare?: (page: Page, demo: DemoIds) => Promise<Undo>;
  /** Answers that replace the server's, in this page alone. */
  readonly stubs?: readonly Step[];
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
  for (const stub of one.stubs ?? []) await stub(page);
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

/** Run page checks one after the other, each in a page of its own, and show each page. */
export async function visitChecks(
  { context, url }: { context: BrowserContext; url: string },
  checks: readonly PageCheck[],
  show: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  await signInByApi(context, url);
  const demo = await prepareDemo(context, url);
  for (const check of checks) {
    const page = await context.newPage();
    page.on('dialog', (dialog) => void dialog.accept());
    const undo = await runPageCheck(page, demo, check);
    await show(page, check.name);
    await undo();
    await page.close();
    console.log(check.name);
  }
}

/** Wait until there is no skeleton, no 'Loading ...' and no spinner. */
export async function waitForLoad(page: Page): Promise<void> {
  await expectPage(
    page.locator('.mantine-Skeleton-root:visible, .mantine-Loader-root:visible, [aria-busy=true]'),
  ).toHaveCount(0);
  await expectPage(page.getByText(/^(Loading|Searching|Checking)\b/).filter({ visible: true })).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready.then(() => null));
}

const firstRow: Find = (page) => page.locator('tbody tr:not([aria-hidden])').first();
