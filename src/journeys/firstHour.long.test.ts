/** The guide's first hour, followed to the letter by somebody who knows nothing else. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shareBrowser, type TestBrowser } from '../testing/browser.ts';
import { demoDatabase } from '../testing/demoDatabase.ts';
import { type Product, startProduct } from '../testing/product.ts';
import { FIRST_HOUR } from './firstHour.ts';

let product: Product;
let chromium: TestBrowser;
beforeAll(async () => {
  product = await startProduct({}, await demoDatabase());
  chromium = await shareBrowser();
}, 60_000);
afterAll(async () => {
  await chromium?.close();
  await product?.close();
});

it('every step of it works as it is written', async () => {
  const context = await chromium.context();
  const page = await context.newPage();
  for (const { heading, live } of FIRST_HOUR) {
    await live({ url: product.url, context, page, shoot: async () => undefined }).catch((error: unknown) => {
      throw new Error(`${heading}: ${String(error)}`, { cause: error });
    });
  }
  expect(chromium.faults()).toEqual([]);
}, 180_000);
