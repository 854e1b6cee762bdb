/** The settings of a product: every state of its configuration, and every sentence about it. */
import type { BrowserContext, Page } from '@playwright/test';
import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { products } from '../products/contract.ts';
import { preparedMessages } from '../prompts/contract.ts';
import { ask, choice } from './ask.ts';
import { findings } from './findings.ts';
import { enter, PRODUCT, see } from './signIn.ts';
import { chromium, product, setStage } from './stage.ts';

let context: BrowserContext;
let page: Page;
let productId = 0;
setStage({ quiet: true });
beforeEach(async () => {
  context = await chromium.context();
  await enter(context, product.url);
  ({ productId } = await choice(context, product.url, PRODUCT));
  await writeConfig(NOTHING);
  page = await context.newPage();
  await page.goto(`${product.url}/?page=settings-product`);
  await see(section('Chatbot')).toBeVisible();
});

const NOTHING = { lead_expires_in_hours: 0, models_config: null, messaging_config: null };
const PURPOSES = ['Chatbot', 'Classification', 'Pings', 'Documents'] as const;
const OF_PRODUCT = /\/v1\/products\/\d+$/;
const EITHER = 'Either a prepared message or initial message text is required';

const section = (name: string) => page.getByRole('region', { name, exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const tab = (name: string) => page.getByRole('tab', { name, exact: true }).click();
const box = (name: string) => page.getByRole('textbox', { name, exact: true });
const invalid = () => page.getByRole('alert').filter({ hasText: 'Validation Error' });
const picker = (purpose: string, name: string) => section(purpose).getByRole('combobox', { name });
const told = (text: string) => see(page.getByText(text, { exact: true })).toBeVisible();

async function pick(purpose: string, name: string, value: string): Promise<void> {
  await picker(purpose, name).click();
  await page.getByRole('option', { name: value, exact: true }).click();
}
const read = async () =>
  products.get.replies[200].parse(await ask(context, product.url, 'GET', `/v1/products/${productId}`));
async function writeConfig(config: z.input<typeof products.replace.body>['config']): Promise<void> {
  const { name, company_id, crm_id, is_active } = await read();
  await ask(context, product.url, 'PUT', `/v1/products/${productId}`, { name, company_id, crm_id, is_active, config });
}
async function deleteConfig(): Promise<void> {
  await button('Delete Config').click();
  await page.getByRole('dialog', { name: 'Delete Config' }).getByRole('button', { name: 'Delete Config' }).click();
}

it('models: the defaults, the first edit, a vendor that clears the model, reset, save', async () => {
  await see(page.getByText('DEFAULT', { exact: true })).toHaveCount(PURPOSES.length);
  await see(button('Save Settings')).toBeDisabled();
  await see(button('Reset')).toBeDisabled();
  await see(button('Delete Config')).toHaveCount(0);
  expect(await findings(page, 'models')).toEqual([]);

  // The first edit makes a configuration of the product's own out of the defaults.
  const temperature = section('Pings').getByRole('textbox', { name: 'Temperature' });
  await temperature.fill('0.4');
  await see(page.getByText('DEFAULT', { exact: true })).toHaveCount(0);
  await see(page.getByText('Unsaved', { exact: true })).toBeVisible();
  await see(button('Reset')).toBeEnabled();
  await pick('Pings', 'Vendor', 'Gemini');
  await see(picker('Pings', 'Model')).toHaveValue('');
  await see(temperature).toHaveValue('0.4');
  await see(picker('Chatbot', 'Model')).toHaveValue('gpt-4o-mini');
  await see(button('Save Settings')).toBeEnabled();
  await button('Reset').click();
  await told('Configuration reset to saved values.');
  await see(page.getByText('DEFAULT', { exact: true })).toHaveCount(PURPOSES.length);
  await see(button('Save Settings')).toBeDisabled();
  expect((await read()).config).toEqual(NOTHING);

  await pick('Pings', 'Vendor', 'Gemini');
  await pick('Pings', 'Model', 'gemini-2.5-flash');
  // What is emptied is the default again, not nothing.
  await temperature.fill('');
  await temperature.blur();
  await see(temperature).toHaveValue('0.7');
  await button('Save Settings').click();
  await told('Settings saved successfully!');
  await see(button('Save Settings')).toBeDisabled();
  await see(button('Delete Config')).toBeVisible();
  expect((await read()).config).toMatchObject({
    models_config: {
      chatbot_model_config: { vendor: 'chatgpt', model: 'gpt-4o-mini', temperature: 0.7 },
      ping_model_config: { vendor: 'gemini', model: 'gemini-2.5-flash', temperature: 0.7 },
    },
    messaging_config: null,
  });
});

it('models without a vendor wait for one, and without the settings of models there is a kept list', async () => {
  const none = { vendor: null, model: null, temperature: 0.3 };
  await writeConfig({ ...NOTHING, models_config: { chatbot_model_config: none } });
  await page.route(/\/v1\/llm\/settings/, (route) => route.abort());
  await page.reload();
  await see(picker('Chatbot', 'Vendor')).toHaveValue('');
  await see(picker('Chatbot', 'Model')).toBeDisabled();
  await see(section('Chatbot').getByRole('textbox', { name: 'Temperature' })).toHaveValue('0.3');
  // The other purposes have no entry of their own, and their defaults are not known.
  await see(section('Pings').getByText('DEFAULT', { exact: true })).toHaveCount(0);
  await pick('Chatbot', 'Vendor', 'ChatGPT');
  await see(picker('Chatbot', 'Model')).toBeEnabled();
  await picker('Chatbot', 'Model').click();
  await see(page.getByRole('option')).toHaveText(['gpt-4', 'gpt-3.5-turbo']);
  await page.keyboard.press('Escape');
  await pick('Chatbot', 'Vendor', 'Anthropic');
  await picker('Chatbot', 'Model').click();
  await see(page.getByRole('option')).toHaveText(['claude-3-5-sonnet-20241022', 'claude-3-5-haiku-20241022']);
  await see(page.getByRole('alert')).toContainText('Failed to load the default models');
  await see(picker('Pings', 'Vendor')).toBeEnabled();
});

it('outreach: limits and their zero, what has to be there, the red box, a save that fails', async () => {
  const name = 'First message after the fair';
  const prepared = { product_id: productId, name, type: 'initial', message: 'Good day, {{ lead.name }}!' };
  await ask(context, product.url, 'POST', preparedMessages.create.path, prepared);
  await tab('Outreach');
  const first = section('First messages');
  await see(first.getByText('DEFAULT', { exact: true })).toBeVisible();
  for (const messenger of ['Telegram', 'WhatsApp']) {
    await see(box(`${messenger} daily limit`)).toHaveValue('0');
    await see(first).toContainText(`0: no automated first messages on ${messenger}.`);
  }
  await see(box('Seconds between first messages')).toHaveValue('180');
  await see(box('Send at (UTC)')).toHaveValue('10:30');
  await box('Telegram daily limit').fill('20');
  // Still being typed.
  await see(invalid()).toHaveCount(0);
  await page.keyboard.press('Tab');
  await see(first.getByText('DEFAULT', { exact: true })).toHaveCount(0);
  await see(first).not.toContainText('no automated first messages on Telegram');
  await see(first).toContainText('First messages on Telegram in a day (UTC), at most.');
  await see(invalid()).toContainText(EITHER);
  await see(button('Save Settings')).toBeDisabled();
  expect(await findings(page, 'outreach')).toEqual([]);
  // It is told wherever one looks for the reason.
  await tab('LLM Models');
  await see(invalid()).toContainText(EITHER);
  await tab('Outreach');
  await box('Initial message text').fill('   ');
  await page.keyboard.press('Tab');
  await see(invalid()).toContainText(EITHER);
  await box('Initial message text').fill('Good day!');
  await see(invalid()).toHaveCount(0);
  await box('Send at (UTC)').fill('24:30');
  await page.keyboard.press('Tab');
  await see(invalid()).toContainText('Please use 24-hour HH:MM format.');
  await see(button('Save Settings')).toBeDisabled();
  await box('Send at (UTC)').fill('09:15');
  await box('Initial message text').fill('');
  await page.getByRole('combobox', { name: 'Prepared message' }).click();
  await page.getByRole('option', { name }).click();
  await see(invalid()).toHaveCount(0);

  await page.route(OF_PRODUCT, (route) => route.abort(), { times: 1 });
  await button('Save Settings').click();
  await told('Failed to save settings. Please try again.');
  await see(button('Save Settings')).toBeEnabled();
  await button('Save Settings').click();
  await told('Settings saved successfully!');
  expect((await read()).config).toMatchObject({
    models_config: null,
    messaging_config: {
      tg_daily_limit: 20,
      whatsapp_daily_limit: 0,
      add_interval_seconds: 180,
      initial_message_send_at: '09:15',
      initial_message_prepared_message_id: expect.any(Number),
    },
  });
});

it('outreach: prepared messages that cannot be loaded', async () => {
  await page.route(/\/v1\/prepared-messages\//, (route) => route.abort());
  await tab('Outreach');
  await page.getByRole('combobox', { name: 'Prepared message' }).click();
  await see(page.getByText('Failed to load prepared messages').first()).toBeVisible();
});

it('Delete Config: asked first, a failure without a toast, then the system defaults', async () => {
  await writeConfig({ ...NOTHING, lead_expires_in_hours: 48, messaging_config: { initial_message_text: 'Good day!' } });
  await page.reload();
  const dialog = page.getByRole('dialog', { name: 'Delete Config' });
  await button('Delete Config').click();
  await see(dialog).toContainText('switches lead expiry off');
  expect(await findings(page, 'delete config')).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await see(dialog).toHaveCount(0);
  expect((await read()).config).toMatchObject({ lead_expires_in_hours: 48 });

  await page.route(OF_PRODUCT, (route) => route.fulfill({ status: 503, json: { detail: 'The database is away.' } }), {
    times: 1,
  });
  await deleteConfig();
  await see(dialog.getByRole('alert')).toContainText('Backend error 503: Service Unavailable');
  await see(page.locator('.mantine-Notification-root')).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Delete Config' }).click();
  await told('Configuration deleted successfully! Product is now using system defaults.');
  expect((await read()).config).toEqual(NOTHING);
  await see(button('Delete Config')).toHaveCount(0);
  await see(page.getByText('DEFAULT', { exact: true })).toHaveCount(PURPOSES.length);
});

it('general: the name, expiry and its zero; what is unsaved is asked about; a product that is gone', async () => {
  await tab('General');
  await see(page.getByText(/0: never/)).toBeVisible();
  await box('Name').fill(' ');
  await page.keyboard.press('Tab');
  await see(invalid()).toContainText('Name is required');
  await see(button('Save Settings')).toBeDisabled();
  await box('Name').fill(PRODUCT);
  await see(button('Save Settings')).toBeDisabled();
  await box('Leads expire after, hours').fill('48');
  await page.getByRole('link', { name: 'Leads', exact: true }).click();
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await see(box('Leads expire after, hours')).toHaveValue('48');
  // Somebody else deletes it meanwhile.
  await page.route(OF_PRODUCT, (route) =>
    route.fulfill({ status: 404, json: { detail: 'There is no such product.' } }),
  );
  await button('Save Settings').click();
  await told('Please select a product first');
  await page.unroute(OF_PRODUCT);
  await button('Save Settings').click();
  await told('Settings saved successfully!');
  expect((await read()).config).toEqual({ ...NOTHING, lead_expires_in_hours: 48 });
});

it('without a product there is nothing to set', async () => {
  await context.clearCookies({ name: 'rapport_product_id' });
  await page.reload();
  await page.getByRole('dialog', { name: 'Select company & product' }).getByRole('button', { name: 'Cancel' }).click();
  await see(page.getByRole('heading', { name: 'No Product Selected' })).toBeVisible();
});
