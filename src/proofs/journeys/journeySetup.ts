/** What a journey stands on: a product in its demo, and a browser whose pages must have nothing to complain of. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { shareBrowser, type TestBrowser } from '../../testing/browser.ts';
import { demoDatabase } from '../../testing/demoDatabase.ts';
import { type Product, startProduct } from '../../testing/productProcess.ts';

type Database = Awaited<ReturnType<typeof demoDatabase>>;

/** Of the test file that has set the stage; there from its `beforeAll` on. */
export let database: Database;
export let product: Product;
export let chromium: TestBrowser;

interface JourneyOptions {
  readonly env?: Record<string, string>;
  /** What the browser may say all the same. */
  readonly allowError?: (fault: string) => boolean;
  /** The tests of the file go on in the pages of those before, and look after complaints themselves. */
  readonly keepPages?: boolean;
  /** The demo's first product sends nothing by itself and has no texts for it: the tests of the file set that up. */
  readonly withoutOutreach?: boolean;
}

/** Sets the stage for the tests of one file; each leaves its pages behind, and fails by what they complained of. */
export function setUpJourney({
  env = {},
  allowError = () => false,
  keepPages = false,
  withoutOutreach = false,
}: JourneyOptions = {}): void {
  beforeAll(async () => {
    database = await demoDatabase();
    if (withoutOutreach) await removeOutreach(database.url);
    product = await startProduct(env, database);
    chromium = await shareBrowser();
  }, 60_000);
  if (!keepPages)
    afterEach(async () => {
      await chromium.closePages();
      expect(chromium.takeErrors().filter((one) => !allowError(one))).toEqual([]);
    });
  afterAll(async () => {
    await chromium?.close();
    await product?.close();
  });
}

/** Takes hours, first messages, follow-ups and their texts from the demo's first product, and who waits for a first message. */
async function removeOutreach(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`
      create temp table first as select min(id) as id from products;
      delete from schedules where product_id in (select id from first);
      delete from ping_configs where product_id in (select id from first);
      update products set config = default where id in (select id from first);
      delete from prepared_messages where product_id in (select id from first);
      delete from document_prompts where product_id in (select id from first);
      delete from prompts where product_id in (select id from first) and (type in ('document', 'ping') or group_id is not null);
      delete from prompt_groups where product_id in (select id from first);
      delete from leads where product_id in (select id from first) and stage = 'initial' and crm_fields ? 'request'`);
  } finally {
    await client.end();
  }
}
