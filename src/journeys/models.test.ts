/** Models: the playground's life, the settings of a product, keys, budget and prices. */
import type { Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openBrowser, type TestBrowser } from '../testing/browser.ts';
import { freshDatabase } from '../testing/postgres.ts';
import { type Product, startProduct } from '../testing/product.ts';
import { ask, choice } from './ask.ts';
import { findings } from './findings.ts';
import { openConsole, PRODUCT, see } from './signIn.ts';

let product: Product;
let chromium: TestBrowser;
beforeAll(async () => {
  product = await startProduct({}, await freshDatabase());
  chromium = await openBrowser();
}, 60_000);
afterEach(async () => {
  await chromium.leave();
  // A socket that cannot be opened is told by the browser too; the page tells of it in its own words.
  expect(chromium.faults().filter((one) => !/WebSocket/.test(one))).toEqual([]);
});
afterAll(async () => {
  await chromium?.close();
  await product?.close();
});

const lane = (page: Page, name: string) => page.getByRole('region', { name });
const message = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const option = async (page: Page, name: string) => page.getByRole('option', { name, exact: true }).click();

it('the playground: a prompt tried unsaved, two vendors side by side, a server that goes and comes back', async () => {
  const page = await openConsole(await chromium.context(), product.url, '/');
  await see(page.getByRole('heading', { name: 'Chatbot Playground', level: 1 })).toBeVisible();
  const first = lane(page, 'gpt-4o-mini');
  await see(first.getByText('Connected')).toBeVisible();
  await see(page.getByRole('button', { name: 'Send' })).toBeDisabled();
  const editor = page.getByRole('textbox', { name: 'Text of the prompt' });
  await see(editor).toContainText('You are Vera');
  await see(page.getByRole('button', { name: 'Save' })).toBeDisabled();
  await editor.fill('You sell boats to {{ lead.name }}.\n# Facts\n- A boat costs 9,000 euros.');
  await see(page.getByText('Unsaved', { exact: true })).toBeVisible();
  await message(page).fill('How much is it?');
  await page.keyboard.press('Enter');
  const thread = first.getByRole('log', { name: 'Conversation' });
  await see(thread.getByRole('article').last()).toContainText('A boat costs 9,000 euros.');
  await see(thread.getByRole('article').last()).toContainText(/\d+ in, \d+ out · \$0\.\d+ · \d+ ms/);
  expect(await findings(page, 'chatbot')).toEqual([]);

  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('combobox', { name: 'Vendor' }).nth(1).click();
  await option(page, 'Anthropic');
  await see(page.getByRole('combobox', { name: 'Model' }).nth(1)).toHaveValue('');
  await page.getByRole('combobox', { name: 'Model' }).nth(1).click();
  await option(page, 'claude-sonnet-5-5');
  const second = lane(page, 'claude-sonnet-5-5');
  await see(second.getByText('Connected')).toBeVisible();
  await message(page).fill('And what does it cost, please?');
  await page.getByRole('button', { name: 'Send' }).click();
  for (const one of [first, second]) {
    await see(one.getByRole('article').last()).toContainText('9,000 euros');
    await see(one.getByRole('article').last()).toContainText('ms');
  }
  await page.getByRole('button', { name: 'Remove this model' }).last().click();

  // The server goes in the middle of an answer, and comes back before the attempts are spent.
  await message(page).fill('Tell me about boats. How much is it? And how long does it take? And who are you?');
  await page.keyboard.press('Enter');
  await product.kill();
  await see(first.getByText('Disconnected')).toBeVisible();
  await see(page.getByRole('button', { name: 'Send' })).toBeDisabled();
  await see(first.getByRole('alert')).toContainText('Failed to reconnect to chat server after 3 attempts');
  await first.getByRole('button', { name: 'Dismiss' }).click();
  await see(first.getByRole('alert')).toHaveCount(0);
  await product.start();
  await page.reload();
  page.once('dialog', (dialog) => void dialog.accept());
  await see(first.getByText('Connected')).toBeVisible();
}, 60_000);

it('after a reconnect the chat is cleared, and a retry begins anew', async () => {
  const page = await openConsole(await chromium.context(), product.url, '/?page=chatbot');
  const only = lane(page, 'gpt-4o-mini');
  await see(only.getByText('Connected')).toBeVisible();
  await message(page).fill('Hello');
  await page.keyboard.press('Enter');
  await see(only.getByRole('article')).toHaveCount(2);
  await product.kill();
  await see(only.getByRole('alert')).toContainText('Failed to reconnect to chat server after 3 attempts');
  await see(only.getByRole('article')).toHaveCount(2);
  await product.start();
  await only.getByRole('button', { name: 'Retry Connection' }).click();
  await see(only.getByText('Connected')).toBeVisible();
  await see(only.getByRole('article')).toHaveCount(0);
  await see(only.getByRole('alert')).toHaveCount(0);
}, 60_000);

it('settings of a product: defaults, the first edit, a vendor without a model, validity, reset, delete', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=settings-product');
  const { productId } = await choice(context, product.url, PRODUCT);
  const config = async () =>
    ((await ask(context, product.url, 'GET', `/v1/products/${productId}`)) as { config: Record<string, unknown> })
      .config;
  const before = await config();
  const section = (name: string) => page.getByRole('region', { name, exact: true });
  const save = page.getByRole('button', { name: 'Save Settings' });
  const reset = page.getByRole('button', { name: 'Reset', exact: true });
  for (const name of ['Chatbot', 'Classification', 'Pings', 'Documents']) {
    await see(section(name).getByText('DEFAULT')).toBeVisible();
  }
  await see(save).toBeDisabled();
  expect(await findings(page, 'settings-product')).toEqual([]);
  await section('Pings').getByRole('combobox', { name: 'Vendor' }).click();
  await option(page, 'Gemini');
  await see(section('Pings').getByRole('combobox', { name: 'Model' })).toHaveValue('');
  await see(section('Pings').getByRole('textbox', { name: 'Temperature' })).toHaveValue('0.7');
  await see(page.getByText('DEFAULT', { exact: true })).toHaveCount(0);
  await reset.click();
  await see(page.getByText('Configuration reset to saved values.')).toBeVisible();
  await see(section('Pings').getByText('DEFAULT')).toBeVisible();
  await section('Pings').getByRole('combobox', { name: 'Vendor' }).click();
  await option(page, 'Gemini');
  await section('Pings').getByRole('combobox', { name: 'Model' }).click();
  await option(page, 'gemini-2.5-flash');

  await page.getByRole('tab', { name: 'Outreach' }).click();
  await see(section('First messages')).toContainText('0: no automated first messages on Telegram.');
  await page.getByRole('textbox', { name: 'Telegram daily limit' }).fill('20');
  const invalid = page.getByRole('alert').filter({ hasText: 'Validation Error' });
  await see(invalid).toContainText('Either a prepared message or initial message text is required');
  await see(save).toBeDisabled();
  await page.getByRole('textbox', { name: 'Initial message text' }).fill('Good day!');
  await see(invalid).toHaveCount(0);
  await page.route(/\/v1\/products\/\d+/, (route) => route.abort(), { times: 1 });
  await save.click();
  await see(page.getByText('Failed to save settings. Please try again.')).toBeVisible();
  await save.click();
  await see(page.getByText('Settings saved successfully!')).toBeVisible();
  expect(await config()).toMatchObject({
    models_config: { ping_model_config: { vendor: 'gemini', model: 'gemini-2.5-flash', temperature: 0.7 } },
    messaging_config: { tg_daily_limit: 20, initial_message_text: 'Good day!', add_interval_seconds: 180 },
  });

  await page.getByRole('tab', { name: 'General' }).click();
  await page.getByRole('textbox', { name: 'Leads expire after, hours' }).fill('48');
  await page.getByRole('link', { name: 'Leads', exact: true }).click();
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await reset.click();
  await page.getByRole('button', { name: 'Delete Config' }).click();
  await page.getByRole('dialog', { name: 'Delete Config' }).getByRole('button', { name: 'Delete Config' }).click();
  await see(page.getByText('Configuration deleted successfully! Product is now using system defaults.')).toBeVisible();
  expect(await config()).toEqual({ lead_expires_in_hours: 0, models_config: null, messaging_config: null });
  await see(page.getByRole('button', { name: 'Delete Config' })).toHaveCount(0);
  await ask(context, product.url, 'PUT', `/v1/products/${productId}`, {
    ...((await ask(context, product.url, 'GET', `/v1/products/${productId}`)) as { name: string; company_id: number }),
    id: undefined,
    created_at: undefined,
    config: before,
  });
}, 60_000);

it('a key is tested, a budget is set and seen, a price is changed', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=crm-company-llms');
  const { companyId } = await choice(context, product.url, PRODUCT);
  await page.getByRole('button', { name: /^Actions for Anthropic/ }).click();
  await page.getByRole('menuitem', { name: 'Test' }).click();
  await see(page.getByText(/^Anthropic … ?\S* works: claude-haiku-4-5 answered in \d+ ms$/)).toBeVisible();
  await ask(context, product.url, 'PUT', '/sandbox/faults/anthropic.unauthorized', { on: true });
  await page.getByRole('button', { name: /^Actions for Anthropic/ }).click();
  await page.getByRole('menuitem', { name: 'Test' }).click();
  await see(page.getByText(/does not work\. The model vendor answered 401: invalid x-api-key/)).toBeVisible();
  await ask(context, product.url, 'PUT', '/sandbox/faults/anthropic.unauthorized', { on: false });

  await page.getByRole('button', { name: 'Budget' }).click();
  const budget = page.getByRole('dialog', { name: 'Budget for models' });
  await budget.getByRole('textbox', { name: 'US dollars a day' }).fill('5');
  await budget.getByRole('button', { name: 'Save' }).click();
  await see(page.getByText('Budget saved')).toBeVisible();
  await see(page.getByRole('status').filter({ hasText: 'of $5.00 today' })).toBeVisible();
  // Everybody sees on every page when nothing may be spent any more.
  await ask(context, product.url, 'PUT', `/v1/companies/${companyId}/llm-budget`, { usd_per_day: 0 });
  await page.goto(`${product.url}/?page=crm-leads`);
  await page.getByRole('link', { name: 'Budget spent: replies pause' }).click();
  await see(page.getByRole('status').filter({ hasText: 'of $0.00 today' })).toBeVisible();
  await ask(context, product.url, 'PUT', `/v1/companies/${companyId}/llm-budget`, { usd_per_day: null });
  await page.reload();
  await see(page.getByRole('status').filter({ hasText: /^\$[\d.]+ today$/ })).toBeVisible();
  await see(page.getByText('Budget spent: replies pause')).toHaveCount(0);
  await page.getByRole('button', { name: 'Prices' }).click();
  const prices = page.getByRole('dialog', { name: 'Prices of models' });
  const rows = await prices.getByRole('row').count();
  await prices.getByRole('button', { name: 'Add a price' }).click();
  await prices.getByRole('textbox', { name: `Model of row ${rows}` }).fill('our-own-model');
  await prices.getByRole('textbox', { name: `Price in of row ${rows}` }).fill('0.5');
  expect(await findings(page, 'prices')).toEqual([]);
  await prices.getByRole('button', { name: 'Save' }).click();
  await see(page.getByText('Prices saved')).toBeVisible();
  const stored = JSON.stringify(await ask(context, product.url, 'GET', '/v1/llm/prices'));
  expect(stored).toContain(
    '{"vendor":"chatgpt","model":"our-own-model","input_per_million":0.5,"output_per_million":0}',
  );
});
