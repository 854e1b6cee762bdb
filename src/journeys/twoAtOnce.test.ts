/** What two people change at once, and what one types while it is saved: nothing of either is lost. */
import type { BrowserContext, Page, Route } from '@playwright/test';
import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { type Lead, leads } from '../leads/contract.ts';
import { type Product, products } from '../products/contract.ts';
import { prompts } from '../prompts/contract.ts';
import { ask, choice, meet } from './ask.ts';
import { SCREENS } from './screens.ts';
import { enter, PRODUCT, see } from './signIn.ts';
import { chromium, product, setStage } from './stage.ts';

let context: BrowserContext;
let page: Page;
let productId = 0;
setStage();
beforeEach(async () => {
  context = await chromium.context(SCREENS.wide);
  await enter(context, product.url);
  ({ productId } = await choice(context, product.url, PRODUCT));
  page = await context.newPage();
});

const open = (address: string) => page.goto(`${product.url}/?page=${address}`);
const main = () => page.getByRole('main');
const button = (name: string) => main().getByRole('button', { name, exact: true });
const box = (name: string) => main().getByRole('textbox', { name, exact: true });
const told = (text: string) => see(page.getByText(text, { exact: true }).last()).toBeVisible();
const unsaved = () => main().getByText('Unsaved', { exact: true });

async function readProduct(): Promise<Product> {
  return products.get.replies[200].parse(await ask(context, product.url, 'GET', `/v1/products/${productId}`));
}
async function changeProduct(change: Partial<Product['config']>): Promise<void> {
  const { name, company_id, crm_id, is_active, config } = await readProduct();
  const body = { name, company_id, crm_id, is_active, config: { ...config, ...change } };
  await ask(context, product.url, 'PUT', `/v1/products/${productId}`, body);
}

/** Keeps the next write to such an address until it is let go. */
async function holdWrite(address: RegExp): Promise<{ arrived: Promise<unknown>; letGo: () => Promise<void> }> {
  const held = Promise.withResolvers<Route>();
  const isRead = (route: Route) => route.request().method() === 'GET';
  await page.route(address, (route) => (isRead(route) ? route.continue() : held.resolve(route)));
  return {
    arrived: held.promise,
    letGo: async () => {
      await (await held.promise).continue();
      await page.unroute(address);
    },
  };
}

it('a lead that opts out and moves while its form is open stays out, where it moved', async () => {
  const person = await meet(context, product.url, PRODUCT, 'Two at once');
  const path = `${leads.list.path}${person.leadId}`;
  const read = async (): Promise<Lead> => leads.get.replies[200].parse(await ask(context, product.url, 'GET', path));
  await open(`lead-detail&leadId=${person.leadId}`);
  await button('Edit').click();
  const dialog = page.getByRole('dialog', { name: 'Edit lead' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Two at once, renamed');
  const { product_id, name, crm_id } = await read();
  await ask(context, product.url, 'PUT', path, {
    product_id,
    name,
    crm_id,
    stage: 'started',
    is_active: true,
    timezone: 'Asia/Tokyo',
    crm_fields: { budget: 900 },
  });
  await ask(context, product.url, 'POST', `${path}/change_stage?new_stage=ongoing&update_in_crm=false`);
  await ask(context, product.url, 'POST', `${path}/deactivate`);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await told('Saved Two at once, renamed');
  expect(await read()).toMatchObject({
    name: 'Two at once, renamed',
    is_active: false,
    stage: 'ongoing',
    timezone: 'Asia/Tokyo',
    crm_fields: { budget: 900 },
  });
});

it('product settings: read anew on coming back; what is typed during a save stays; a refusal is told in full', async () => {
  await open('dashboard');
  await see(page.getByRole('region', { name: 'Messages per day' })).toBeVisible();
  await changeProduct({ lead_expires_in_hours: 48 });
  // The palette knows the settings too.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to' }).fill('product sett');
  await page.getByRole('dialog').getByRole('button', { name: 'Product Settings', exact: true }).click();
  await main().getByRole('tab', { name: 'General' }).click();
  const hours = box('Leads expire after, hours');
  await see(hours).toHaveValue('48');

  await hours.fill('50');
  const write = await holdWrite(/\/v1\/products\/\d+$/);
  await button('Save Settings').click();
  await write.arrived;
  await box('Name').fill(`${PRODUCT}, and doors`);
  await write.letGo();
  await told('Settings saved successfully!');
  await see(box('Name')).toHaveValue(`${PRODUCT}, and doors`);
  await see(unsaved()).toBeVisible();
  expect(await readProduct()).toMatchObject({ name: PRODUCT, config: { lead_expires_in_hours: 50 } });

  await page.route(/\/v1\/products\/\d+$/, (route) =>
    route.fulfill({ status: 409, json: { detail: 'Somebody else is at it.' } }),
  );
  await button('Save Settings').click();
  await told('Failed to save settings. Please try again.');
  await see(main().getByRole('alert')).toContainText('Somebody else is at it.');
  await page.unroute(/\/v1\/products\/\d+$/);
  await button('Reset').click();
  await see(main().getByRole('alert')).toHaveCount(0);
  await see(box('Name')).toHaveValue(PRODUCT);
});

it('models cannot be changed before their defaults are there', async () => {
  const logged: string[] = [];
  page.on('console', (line) => logged.push(line.text()));
  await page.route(/\/v1\/llm\/settings/, (route) => route.fulfill({ status: 503, json: { detail: 'Away.' } }));
  await open('settings-product');
  const vendor = main().getByRole('region', { name: 'Chatbot' }).getByRole('combobox', { name: 'Vendor' });
  await see(main().getByRole('alert')).toContainText('Failed to load the default models');
  await see(vendor).toBeDisabled();
  expect(logged.filter((line) => line.includes('Failed to load LLM settings'))).toHaveLength(1);
  await page.unroute(/\/v1\/llm\/settings/);
  await button('Retry').click();
  await see(vendor).toBeEnabled();
  await see(vendor).toHaveValue('ChatGPT');
});

it('the playground: no text is unsaved before something is typed, none is lost in a save, each has its own undo', async () => {
  const make = async (name: string, text: string) => {
    const body = { product_id: productId, name, type: 'prompt', text };
    return z.object({ id: z.int() }).parse(await ask(context, product.url, 'POST', prompts.create.path, body)).id;
  };
  const id = await make('Prompt from elsewhere', 'You sell kitchens.\r\nBe brief.');
  await make('Another prompt', 'You sell doors.');
  const editor = box('Text of the prompt');
  await open(`prompt-detail&promptId=${id}`);
  await see(editor).toContainText('Be brief.');
  await see(main().getByText('Version 1')).toBeVisible();
  // Somebody else saves; who comes back begins from that.
  await page.getByRole('link', { name: 'Prompts', exact: true }).click();
  const text = 'You sell kitchens.\r\nBe very brief.';
  await ask(context, product.url, 'PATCH', `${prompts.list.path}${id}`, { text });
  await main().getByRole('link', { name: 'Prompt from elsewhere' }).click();
  await see(editor).toContainText('Be very brief.');
  await see(main().getByText('Version 2')).toBeVisible();

  await open(`chatbot&promptId=${id}`);
  await see(editor).toContainText('Be very brief.');
  await see(unsaved()).toHaveCount(0);
  await editor.fill('You sell tables.');
  const write = await holdWrite(/\/v1\/prompts\/\d+$/);
  await button('Save').click();
  await write.arrived;
  await editor.press('End');
  await editor.pressSequentially(' And chairs.');
  await write.letGo();
  await told('Saved Prompt from elsewhere');
  await see(editor).toHaveText('You sell tables. And chairs.');
  await see(unsaved()).toBeVisible();
  await button('Save').click();
  await see(unsaved()).toHaveCount(0);

  await main().getByRole('combobox', { name: 'Prompt' }).click();
  await page.getByRole('option', { name: 'Another prompt' }).click();
  await see(editor).toHaveText('You sell doors.');
  await editor.press('Control+z');
  await see(editor).toHaveText('You sell doors.');
  await see(unsaved()).toHaveCount(0);
});

it('the assistant says when a page tells it nothing, and can be connected anew after any error', async () => {
  await page.routeWebSocket(/master_chat/, (socket) => {
    const content = { message: 'The key is wrong.', message_type: 'full', tool_calls: [] };
    socket.onMessage(() => socket.send(JSON.stringify({ content, is_finished: true, is_error: true })));
  });
  await open('nowhere');
  await page.getByRole('button', { name: 'Master LLM' }).click();
  const panel = page.getByRole('complementary', { name: 'Assistant panel' });
  await see(panel.getByText('No page context available')).toBeVisible();
  await open('crm-products');
  await see(main().getByRole('row').nth(1)).toBeVisible();
  await see(panel.getByText('No page context available')).toHaveCount(0);
  await panel.getByRole('textbox', { name: 'Message to the assistant' }).fill('Hello');
  await page.keyboard.press('Enter');
  const trouble = panel.getByRole('alert').filter({ hasText: 'Master LLM Error' });
  await see(trouble).toContainText('The key is wrong.');
  await trouble.getByRole('button', { name: 'Retry Connection' }).click();
  await see(trouble).toHaveCount(0);
  await see(panel.getByText('Connected')).toBeVisible();

  await main()
    .getByRole('button', { name: `Actions for ${PRODUCT}` })
    .click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete' });
  await see(dialog).toContainText(/[1-9]\d* leads are in the way/);
});
