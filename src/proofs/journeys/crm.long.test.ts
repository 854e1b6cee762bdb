/** amoCRM both ways: connected, mapped, a card that becomes a lead and is followed by it, disconnected. */
import type { BrowserContext, Page } from '@playwright/test';
import { beforeAll, expect, it } from 'vitest';
import { crmIntegrations, productIntegrations } from '../../crm/contract.ts';
import { readClock } from '../../platform/installationContract.ts';
import { products } from '../../products/contract.ts';
import { disconnectClient, readBoard } from '../../sandbox/boardContract.ts';
import { moveClock } from '../../sandbox/contract.ts';
import { expectTexts, failNext, pick, press, rowAction, submit } from './actions.ts';
import { call, demoProduct } from './calls.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { button, dialogOf, main, row } from './locators.ts';
import { openPhone, seenOn, writeOn } from './phone.ts';
import { expectPage, PRODUCT, signInByApi } from './signIn.ts';
import { goTo, openPage } from './start.ts';

const LEAD = 'Klara Card';
const GREETING = 'Good day! Which kitchen do you dream of?';
const FIRST_MESSAGE_DELAY_SECONDS = 120;

setUpJourney({ withoutOutreach: true });
beforeAll(async () => {
  await leaveAccount(await chromium.context());
  await chromium.closePages();
});

const step = (page: Page, stage: string) => page.getByRole('combobox', { name: `Step for ${stage}`, exact: true });

/** Restore the state before the demo's account was connected. */
async function leaveAccount(context: BrowserContext): Promise<void> {
  await signInByApi(context, product.url);
  const { companyId, productId } = await demoProduct(context);
  const { board } = readBoard.replies[200].parse(await call(context, 'GET', readBoard.path));
  for (const one of board.clients)
    await call(context, 'POST', disconnectClient.path.replace('{client_id}', one.client_id));
  const list = await call(context, 'GET', `${crmIntegrations.list.path}?company_id=${companyId}`);
  for (const { id } of crmIntegrations.list.replies[200].parse(list).items) {
    await call(context, 'DELETE', `${productIntegrations.list.path}${productId}/${id}`);
    await call(context, 'DELETE', `${crmIntegrations.list.path}${id}`);
  }
}

/** Answer amoCRM's consent page in its own window. */
async function consent(context: BrowserContext, click: () => Promise<void>, answer: 'Allow' | 'Deny'): Promise<void> {
  const [popup] = await Promise.all([context.waitForEvent('page'), click()]);
  await popup.getByRole('button', { name: answer }).click();
  if (answer === 'Deny') {
    await expectPage(popup.getByText('amoCRM was not allowed to connect. Nothing was changed.')).toBeVisible();
    await popup.close();
  }
}

async function stored(context: BrowserContext): Promise<unknown> {
  const { productId } = await demoProduct(context);
  const list = await call(context, 'GET', `${productIntegrations.list.path}?product_id=${productId}`);
  return productIntegrations.list.replies[200].parse(list).items.map(({ config }) => config);
}

it('connects an account after it was refused once and its window was blocked', async () => {
  const { context, page } = await openPage('settings-integration');
  await expectPage(main(page).getByText('No CRM account is connected')).toBeVisible();
  await expectPage(main(page).getByText('Not Configured', { exact: true })).toBeVisible();
  await press(page, 'Go to CRM Integrations', 'No CRM integrations found');

  await consent(context, () => button(page, 'Connect amoCRM').click(), 'Deny');
  await expectPage(page.getByText('amoCRM is not connected. See the other window for the reason.')).toBeVisible();

  // A browser that blocks pop-up windows.
  await page.evaluate(() => {
    window.open = () => null;
  });
  await press(page, 'Connect amoCRM', 'The browser blocked the window. Open it with this link:');
  await consent(context, () => page.getByRole('link', { name: 'Open amoCRM' }).click(), 'Allow');
  await expectPage(page.getByText('amoCRM is connected', { exact: true })).toBeVisible();
  await expectTexts(row(page, 'Demo account'), 'Connected', /\d cards read/);
});

it('maps a pipeline in every state of the integration’s settings', async () => {
  const { context, page } = await openPage('settings-integration');
  const selection = page.getByRole('region', { name: 'CRM integration', exact: true });
  await expectPage(selection.getByText('Not Configured')).toBeVisible();
  await expectPage(page.getByRole('combobox', { name: 'Account' })).toHaveValue('Demo account');
  await press(page, 'Add Pipeline');
  await expectPage(page.getByRole('combobox', { name: 'Pipeline in amoCRM' })).toBeFocused();
  await pick(page, 'Pipeline in amoCRM', 'Kitchens');
  await expectPage(step(page, 'Initial')).toHaveValue('Not mapped');
  await pick(page, 'Step for Initial', 'New lead');
  await pick(page, 'Step for Success', 'Closed - won');

  const telegram = page.getByRole('combobox', { name: /^Custom field with the Telegram address/ });
  await expectPage(telegram).toHaveValue('telegram');
  await telegram.fill(' ');
  await press(page, 'Save Settings', 'Custom field with the Telegram address is required');
  await expectPage(telegram).toBeFocused();
  expect(await stored(context)).toEqual([]);
  await telegram.fill('Telegram');

  await failNext(page, /\/v1\/product_integrations\//, 'POST');
  await press(page, 'Save Settings', 'Failed to save integration settings. Please try again.');
  await press(page, 'Save Settings', 'Integration settings saved successfully!');
  await expectPage(selection.getByText('Configured', { exact: true })).toBeVisible();
  const saved = {
    import_enabled: true,
    tg_contact_custom_field_name: 'Telegram',
    whatsapp_contact_custom_field_name: 'whatsapp',
    pipelines: [{ is_active: true, pipeline_id: 50_001, steps: { initial: 60_001, success: 142, failed: 0 } }],
  };
  expect(await stored(context)).toMatchObject([saved]);

  await page.getByRole('switch', { name: /^Import cards/ }).uncheck({ force: true });
  await press(page, 'Remove pipeline 1');
  await press(page, 'Reset', 'Configuration reset to saved values.');
  await expectPage(step(page, 'Success')).toHaveValue('Closed - won');
  await expectPage(page.getByRole('switch', { name: /^Import cards/ })).toBeChecked();

  // Without names, all settings are shown by their ids and can be changed.
  const directory = /\/v1\/crm-integrations\/\d+\/directory/;
  await page.route(directory, (route) => route.fulfill({ status: 503, json: { detail: 'amoCRM does not answer.' } }));
  await page.reload();
  await expectPage(main(page).getByText('Names are unavailable')).toBeVisible();
  await expectPage(page.getByRole('textbox', { name: 'Step for Initial' })).toHaveValue('60001');
  await submit(page, { 'Step for Pending': '60004' }, 'Save Settings', 'Integration settings saved successfully!');
  expect(await stored(context)).toMatchObject([{ pipelines: [{ steps: { pending: 60_004 } }] }]);
  await page.unroute(directory);
  await press(page, 'Retry');
  await expectPage(step(page, 'Pending')).toHaveValue('Thinking it over');

  await page.getByRole('link', { name: 'Connection and sync' }).click();
  await expectPage(page.getByRole('region', { name: 'Used by' })).toContainText(PRODUCT);
  await rowAction(page, 'Demo account', 'Delete');
  const dialog = dialogOf(page, 'Delete');
  await press(dialog, 'Delete', 'This integration is still used by 1 product(s).');
  await press(dialog, 'Cancel');
  await page.getByRole('link', { name: PRODUCT }).click();
  await press(page, 'Stop using');
  await press(dialog, 'Delete');
  await expectPage(selection.getByText('Not Configured')).toBeVisible();
  expect(await stored(context)).toEqual([]);
});

/** Schedule a greeting for the product's leads, due when the clock has moved this far. */
async function scheduleFirstMessage(context: BrowserContext): Promise<void> {
  const { productId } = await demoProduct(context);
  const path = `${products.list.path}${productId}`;
  const { id: _, created_at: __, ...stored } = products.get.replies[200].parse(await call(context, 'GET', path));
  const { now } = readClock.replies[200].parse(await call(context, 'GET', readClock.path));
  const at = Date.parse(now) + FIRST_MESSAGE_DELAY_SECONDS * 1000;
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: stored.timezone, hour: '2-digit', minute: '2-digit' });
  const messaging_config = {
    tg_daily_limit: 10,
    whatsapp_daily_limit: 10,
    add_interval_seconds: 0,
    initial_message_send_at: clock.format(at),
    initial_message_text: GREETING,
  };
  await call(context, 'PUT', path, { ...stored, config: { ...stored.config, messaging_config } });
}

/** Return a pipeline's step on the board. */
const boardColumn = (board: Page, name: string) =>
  board.getByRole('list', { name: 'Kitchens' }).getByRole('listitem', { name, exact: true });

/** Run the whole round trip, which ends on the dialogue's page. Returns the board. */
async function runRoundTrip(context: BrowserContext, page: Page): Promise<Page> {
  const board = await context.newPage();
  // All steps side by side: dragging does not scroll.
  await board.setViewportSize({ width: 1900, height: 800 });
  await board.goto(`${product.url}/sandbox`);
  await board.getByRole('link', { name: 'amoCRM' }).click();
  await board.getByRole('radiogroup', { name: 'Pipeline' }).getByText('Kitchens', { exact: true }).click();
  await submit(board, { Name: LEAD, Phone: '+371 2777 1234' }, 'Add card');
  await expectPage(board.getByRole('group', { name: /Klara Card/ })).toBeVisible();

  await goTo(page, 'crm-leads&search=Klara');
  await page.getByRole('link', { name: LEAD }).click();
  await expectPage(page.getByRole('link', { name: /^Card \d+ in amoCRM$/ })).toBeVisible();
  const details = page.getByRole('region', { name: 'Details' });
  await expectPage(details).toContainText('New lead in Kitchens');
  await call(context, 'POST', moveClock.path, { seconds: FIRST_MESSAGE_DELAY_SECONDS });
  await expectPage(page.locator('[data-stage=started]').first()).toBeVisible();
  await expectPage(details).toContainText('First message sent in Kitchens');
  await expectPage(boardColumn(board, 'First message sent')).toContainText(LEAD);

  const phone = await openPhone(context, product.url, LEAD);
  await expectPage(seenOn(phone)).toContainText(GREETING);
  await writeOn(phone, "Great, let's do it, sign me up");
  await expectPage(seenOn(phone).getByRole('article').nth(2)).toBeVisible();
  await expectPage(boardColumn(board, 'Talking')).toContainText(LEAD);

  await page.getByRole('region', { name: 'Dialogues' }).getByRole('link').first().click();
  const classification = page.getByRole('region', { name: 'Classification' });
  await classification.getByRole('button', { name: 'Detect stage now' }).click();
  await expectPage(classification).toContainText(/Detected stage:\s*Success/);
  await expectPage(boardColumn(board, 'Closed - won')).toContainText(LEAD);
  return board;
}

it('follows a card from its creation to the lead’s consent, moves it, and reconnects after a disconnect', async () => {
  const { context, page } = await openPage('settings-integration');
  await scheduleFirstMessage(context);
  await press(page, 'Add Pipeline');
  await pick(page, 'Pipeline in amoCRM', 'Kitchens');
  const steps = { Initial: 'New lead', Started: 'First message sent', Ongoing: 'Talking', Success: 'Closed - won' };
  for (const [stage, name] of Object.entries(steps)) await pick(page, `Step for ${stage}`, name);
  await press(page, 'Save Settings', 'Integration settings saved successfully!');

  const board = await runRoundTrip(context, page);

  // A person moves the card to a step that no stage is mapped to.
  await page.getByRole('link', { name: 'Open the lead' }).click();
  await board.getByRole('group', { name: /Klara Card/ }).dragTo(boardColumn(board, 'Manager calls'));
  await expectPage(boardColumn(board, 'Manager calls')).toContainText('Klara Card');
  await expectPage(page.getByText(/no stage is mapped to this step, handed to a human/).first()).toBeVisible();

  await board.getByRole('button', { name: /^Disconnect/ }).click();
  await goTo(page, 'crm-integrations');
  const account = row(page, 'Demo account');
  await expectPage(account).toContainText('Disconnected in amoCRM');
  await account.getByRole('link', { name: 'Demo account' }).click();
  await expectPage(main(page).getByText('Nothing is read or written.', { exact: false })).toBeVisible();
  await expectPage(button(page, 'Sync now')).toBeDisabled();
  await consent(context, () => button(page, 'Reconnect amoCRM').click(), 'Allow');
  await expectPage(page.getByText('Connected', { exact: true }).first()).toBeVisible();
});
