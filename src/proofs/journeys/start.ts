/** Starts the browser of an operator, on a page of the console. */
import type { BrowserContext, Page } from '@playwright/test';
import { chromium, product } from './journeySetup.ts';
import { PRODUCT, signInByApi } from './signIn.ts';

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
