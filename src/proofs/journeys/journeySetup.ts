/** The setup of a journey: a product with its demo, and a browser whose pages must report no errors. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { shareBrowser, type TestBrowser } from '../../testing/browser.ts';
import { demoDatabase } from '../../testing/demoDatabase.ts';
import { type Product, startProduct } from '../../testing/productProcess.ts';

type Database = Awaited<ReturnType<typeof demoDatabase>>;

/** The database and product of the current test file, set in its `beforeAll`. */
export let database: Database;
export let product: Product;
export let chromium: TestBrowser;

interface JourneyOptions {
  readonly env?: Record<string, string>;
  /** Errors that the browser may report. */
  readonly allowError?: (fault: string) => boolean;
  /** Whether tests continue in the pages of earlier tests and check errors themselves. */
  readonly keepPages?: boolean;
  /** Whether the demo's first product sends no automatic message and has no texts for it, so that tests set that up. */
  readonly withoutOutreach?: boolean;
}

/** Set up the tests of one file. Each test closes its pages and fails if they reported errors. */
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
    // What a phone writes before is sent nowhere. A worker asks the vendor for hooks.
    if (env['RAPPORT_ROLES'] !== 'web') await product.waitForHooks();
    chromium = await shareBrowser();
  }, 180_000);
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

/**
 * Remove hours, first messages, follow-ups and their texts from the demo's first product, with its experiments and the
 * leads that wait for a first message.
 */
const removeOutreach = (url: string) =>
  queryAt(
    url,
    `create temp table first as select min(id) as id from products;
     delete from experiments where product_id in (select id from first);
     delete from schedules where product_id in (select id from first);
     delete from ping_configs where product_id in (select id from first);
     update products set config = default where id in (select id from first);
     delete from prepared_messages where product_id in (select id from first);
     delete from document_prompts where product_id in (select id from first);
     delete from prompts where product_id in (select id from first) and (type in ('document', 'ping') or group_id is not null);
     delete from prompt_groups where product_id in (select id from first);
     delete from leads where product_id in (select id from first) and stage = 'initial' and crm_fields ? 'request'`,
  );

/** Query the journey's database. */
export const query = (sql: string, values: readonly unknown[] = []) => queryAt(database.url, sql, values);

async function queryAt(url: string, sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, values && [...values])).rows;
  } finally {
    await client.end();
  }
}
