/** The settings of a product: every state of its configuration, and every text about it. */
import type { BrowserContext, Page } from '@playwright/test';
import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { productLlm, products } from '../../products/contract.ts';
import { preparedMessages } from '../../prompts/contract.ts';
import { failNext, pick, press } from './actions.ts';
import { call, demoProduct } from './calls.ts';
import { setUpJourney } from './journeySetup.ts';
import { button, field, section } from './locators.ts';
import { expectPage, PRODUCT } from './signIn.ts';
import { goTo, startOperator } from './start.ts';

let context: BrowserContext;
let page: Page;
let productId = 0;
setUpJourney({ withoutOutreach: true });
beforeEach(async () => {
  ({ context, page } = await startOperator());
  ({ productId } = await demoProduct(context));
  await writeConfig(NOTHING);
  await goTo(page, 'settings-product');
  await expectPage(section(page, 'Chatbot')).toBeVisible();
});

const NOTHING = { lead_expires_in_hours: 0, models_config: null, messaging_config: null };
const PURPOSES = ['Chatbot', 'Classification', 'Pings', 'Documents', 'Judge'] as const;
const OF_PRODUCT = /\/v1\/products\/\d+$/;
const EITHER = 'Either a prepared message or initial message text is required';

const tab = (name: string) => page.getByRole('tab', { name, exact: true }).click();
const box = (name: string) => field(page, name);
const invalid = () => page.getByRole('alert').filter({ hasText: 'Validation Error' });
const picker = (purpose: string, name: string) => section(page, purpose).getByRole('combobox', { name });
const read = async () => products.get.replies[200].parse(await call(context, 'GET', `/v1/products/${productId}`));
async function writeConfig(config: z.input<typeof products.replace.body>['config']): Promise<void> {
  const { id: _, created_at: __, version: ___, ...stored } = await read();
  await call(context, 'PUT', `/v1/products/${productId}`, { ...stored, config });
}

it('shows the default models, and edits, resets and saves the product’s own', async () => {
  await expectPage(page.getByText('DEFAULT', { exact: true })).toHaveCount(PURPOSES.length);
  await expectPage(button(page, 'Save Settings')).toBeDisabled();
  await expectPage(button(page, 'Reset')).toBeDisabled();
  await expectPage(button(page, 'Delete Config')).toHaveCount(0);

  // The first edit creates the product's own configuration from the defaults.
  const temperature = section(page, 'Pings').getByRole('textbox', { name: 'Temperature' });
  await temperature.fill('2');
  await temperature.press('ArrowUp');
  await expectPage(temperature).toHaveValue('2');
  await temperature.fill('0.3');
  await temperature.press('ArrowUp');
  // The judge's model is beside the four.
  await expectPage(page.getByText('DEFAULT', { exact: true })).toHaveCount(1);
  await pick(section(page, 'Pings'), 'Vendor', 'Gemini');
  await expectPage(picker('Pings', 'Model')).toHaveValue('');
  await expectPage(temperature).toHaveValue('0.4');
  await press(page, 'Reset', 'Configuration reset to saved values.');
  await expectPage(page.getByText('DEFAULT', { exact: true })).toHaveCount(PURPOSES.length);
  expect((await read()).config).toMatchObject(NOTHING);

  await pick(section(page, 'Pings'), 'Vendor', 'Gemini');
  await pick(section(page, 'Pings'), 'Model', 'gemini-2.5-flash');
  // Clearing a field restores the default, not an empty value.
  await temperature.fill('');
  await temperature.blur();
  await expectPage(temperature).toHaveValue('0.7');
  await press(page, 'Save Settings', 'Settings saved successfully!');
  await expectPage(button(page, 'Delete Config')).toBeVisible();
  expect((await read()).config.models_config).toMatchObject({
    chatbot_model_config: { vendor: 'chatgpt', model: 'gpt-4o-mini', temperature: 0.7 },
    ping_model_config: { vendor: 'gemini', model: 'gemini-2.5-flash', temperature: 0.7 },
  });
});

it('waits for a vendor before a model, and offers a built-in list when the settings of models cannot be loaded', async () => {
  const none = { vendor: null, model: null, temperature: 0.3 };
  await writeConfig({ ...NOTHING, models_config: { chatbot_model_config: none } });
  const logged: string[] = [];
  page.on('console', (line) => logged.push(line.text()));
  await page.route(/\/v1\/llm\/settings/, (route) => route.fulfill({ status: 503, json: { detail: 'Away.' } }));
  await page.reload();
  await expectPage(picker('Chatbot', 'Vendor')).toHaveValue('');
  await expectPage(picker('Chatbot', 'Model')).toBeDisabled();
  await expectPage(section(page, 'Chatbot').getByRole('textbox', { name: 'Temperature' })).toHaveValue('0.3');
  await pick(section(page, 'Chatbot'), 'Vendor', 'ChatGPT');
  await expectPage(picker('Chatbot', 'Model')).toBeEnabled();
  await picker('Chatbot', 'Model').click();
  await expectPage(page.getByRole('option')).toHaveText(['gpt-4', 'gpt-3.5-turbo']);
  await page.keyboard.press('Escape');
  await pick(section(page, 'Chatbot'), 'Vendor', 'Anthropic');
  await picker('Chatbot', 'Model').click();
  await expectPage(page.getByRole('option')).toHaveText(['claude-3-5-sonnet-20241022', 'claude-3-5-haiku-20241022']);
  await page.keyboard.press('Escape');
  await expectPage(page.getByRole('alert')).toContainText('Failed to load the default models');
  expect(logged.filter((line) => line.includes('Failed to load LLM settings'))).toHaveLength(1);
  await page.unroute(/\/v1\/llm\/settings/);
  await press(page, 'Retry');
  await expectPage(picker('Pings', 'Vendor')).toHaveValue('ChatGPT');
});

it('validates first messages, and saves them after a failed attempt', async () => {
  const name = 'First message after the fair';
  const prepared = { product_id: productId, name, type: 'initial', message: 'Good day, {{ lead.name }}!' };
  await call(context, 'POST', preparedMessages.create.path, prepared);
  await tab('Outreach');
  const first = section(page, 'First messages');
  await expectPage(first.getByText('DEFAULT', { exact: true })).toBeVisible();
  for (const messenger of ['Telegram', 'WhatsApp']) {
    await expectPage(box(`${messenger} daily limit`)).toHaveValue('0');
    await expectPage(first).toContainText(`0: no automated first messages on ${messenger}.`);
  }
  await expectPage(box('Seconds between first messages')).toHaveValue('180');
  await expectPage(box('Send at (UTC)')).toHaveValue('10:30');
  await box('Telegram daily limit').fill('20');
  // The operator is still typing.
  await expectPage(invalid()).toHaveCount(0);
  await page.keyboard.press('Tab');
  await expectPage(first.getByText('DEFAULT', { exact: true })).toHaveCount(0);
  await expectPage(invalid()).toContainText(EITHER);
  await expectPage(button(page, 'Save Settings')).toBeDisabled();
  await box('Initial message text').fill('Good day!');
  await expectPage(invalid()).toHaveCount(0);
  await box('Send at (UTC)').fill('24:30');
  await page.keyboard.press('Tab');
  await expectPage(invalid()).toContainText('Please use 24-hour HH:MM format.');
  await expectPage(button(page, 'Save Settings')).toBeDisabled();
  await box('Send at (UTC)').fill('09:15');
  await box('Initial message text').fill('');
  await pick(page, 'Prepared message', name);
  await expectPage(invalid()).toHaveCount(0);

  await failNext(page, OF_PRODUCT, 'PUT');
  await press(page, 'Save Settings', 'Failed to save settings. Please try again.');
  await press(page, 'Save Settings', 'Settings saved successfully!');
  const limits = { tg_daily_limit: 20, whatsapp_daily_limit: 0, add_interval_seconds: 180 };
  const initial = { initial_message_send_at: '09:15', initial_message_prepared_message_id: expect.any(Number) };
  expect((await read()).config.messaging_config).toMatchObject({ ...limits, ...initial });
});

it('deletes the configuration after a confirmation, and returns to the defaults', async () => {
  await writeConfig({ ...NOTHING, lead_expires_in_hours: 48, messaging_config: { initial_message_text: 'Good day!' } });
  await page.reload();
  const dialog = page.getByRole('dialog', { name: 'Delete Config' });
  await press(page, 'Delete Config');
  await expectPage(dialog).toContainText('switches lead expiry off');
  await failNext(page, OF_PRODUCT, 'PUT');
  await press(dialog, 'Delete Config');
  await expectPage(dialog.getByRole('alert')).toContainText('Backend error 500');
  await expectPage(page.locator('.mantine-Notification-root')).toHaveCount(0);
  const deleted = 'Configuration deleted successfully! Product is now using system defaults.';
  await press(dialog, 'Delete Config', deleted);
  expect((await read()).config).toMatchObject(NOTHING);
  await expectPage(button(page, 'Delete Config')).toHaveCount(0);
  await expectPage(page.getByText('DEFAULT', { exact: true })).toHaveCount(PURPOSES.length);
});

it('validates name and expiry, and says when the product is gone', async () => {
  await tab('General');
  await expectPage(page.getByText(/0: never.*not expire while .* a person answers/)).toBeVisible();
  await box('Name').fill(' ');
  await page.keyboard.press('Tab');
  await expectPage(invalid()).toContainText('Name is required');
  await expectPage(button(page, 'Save Settings')).toBeDisabled();
  await box('Name').fill(PRODUCT);
  await box('Leads expire after, hours').fill('48');
  // Another operator deletes it meanwhile.
  await page.route(OF_PRODUCT, (route) =>
    route.fulfill({ status: 404, json: { detail: 'There is no such product.' } }),
  );
  await press(page, 'Save Settings', 'Please select a product first');
  await page.unroute(OF_PRODUCT);
  await press(page, 'Save Settings', 'Settings saved successfully!');
  expect((await read()).config).toEqual({ ...NOTHING, lead_expires_in_hours: 48 });
});

it('says which model answers while none is chosen, and does not save where none would', async () => {
  await pick(section(page, 'Chatbot'), 'Vendor', 'Gemini');
  const chatbot = section(page, 'Chatbot');
  await expectPage(chatbot.getByText('No model chosen: ChatGPT gpt-4o-mini answers')).toBeVisible();
  await expectPage(chatbot.getByText('DEFAULT', { exact: true })).toBeVisible();
  await press(page, 'Save Settings', 'Settings saved successfully!');
  const info = await call(context, 'GET', productLlm.path.replace('{id}', String(productId)));
  expect(info).toMatchObject({ vendor: 'chatgpt', is_default: true });

  await page.route(/\/v1\/company-llms\/\?/, (route) =>
    route.fulfill({ json: { items: [], total: 0, page: 1, limit: 100 } }),
  );
  await page.reload();
  await field(chatbot, 'Temperature').fill('0.2');
  await page.keyboard.press('Tab');
  await expectPage(invalid()).toContainText(
    'Chatbot: choose a model. There is no active key for ChatGPT, the default.',
  );
  await expectPage(button(page, 'Save Settings')).toBeDisabled();
  await pick(chatbot, 'Model', 'gemini-2.5-flash');
  await expectPage(chatbot.getByText('No model chosen')).toHaveCount(0);
  await press(page, 'Save Settings', 'Settings saved successfully!');
});

it('says the bounds of a number that it does not take', async () => {
  const temperature = field(section(page, 'Chatbot'), 'Temperature');
  await temperature.fill('3');
  await expectPage(section(page, 'Chatbot').getByText('From 0 to 2')).toBeVisible();
  await expectPage(button(page, 'Save Settings')).toBeDisabled();
  await temperature.blur();
  await expectPage(temperature).toHaveValue('2');
  await expectPage(section(page, 'Chatbot').getByText('From 0 to 2')).toBeVisible();
  await temperature.fill('1');
  await expectPage(section(page, 'Chatbot').getByText('From 0 to 2')).toHaveCount(0);
  await goTo(page, 'settings-product&tab=outreach');
  await box('Telegram daily limit').fill('1000001');
  await expectPage(page.getByText('From 0 to 1,000,000')).toBeVisible();
});
