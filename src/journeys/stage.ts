/** What a journey stands on: a product in its demo, and a browser whose pages must have nothing to complain of. */
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { shareBrowser, type TestBrowser } from '../testing/browser.ts';
import { demoDatabase } from '../testing/demoDatabase.ts';
import { type Product, startProduct } from '../testing/product.ts';

type Database = Awaited<ReturnType<typeof demoDatabase>>;

/** Of the test file that has set the stage; there from its `beforeAll` on. */
export let database: Database;
export let product: Product;
export let chromium: TestBrowser;

interface Stage {
  readonly env?: Record<string, string>;
  /** What the browser may say all the same. */
  readonly mayComplain?: (fault: string) => boolean;
  /** The tests of the file go on in the pages of those before, and look after complaints themselves. */
  readonly goesOn?: boolean;
}

/** Sets the stage for the tests of one file; each leaves its pages behind, and fails by what they complained of. */
export function setStage({ env = {}, mayComplain = () => false, goesOn = false }: Stage = {}): void {
  beforeAll(async () => {
    database = await demoDatabase();
    product = await startProduct(env, database);
    chromium = await shareBrowser();
  }, 60_000);
  if (!goesOn)
    afterEach(async () => {
      await chromium.leave();
      expect(chromium.faults().filter((one) => !mayComplain(one))).toEqual([]);
    });
  afterAll(async () => {
    await chromium?.close();
    await product?.close();
  });
}
