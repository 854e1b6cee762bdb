/** amoCRM both ways: connected, mapped, a card that becomes a lead and is followed by it, disconnected. */
import type { BrowserContext, Page } from '@playwright/test';
import { beforeAll, expect, it } from 'vitest';
import { crmIntegrations, productIntegrations } from '../../crm/contract.ts';
import { disconnectClient, readBoard } from '../../sandbox/boardContract.ts';
import { boardColumn, runCrmRoundTrip, scheduleFirstMessage } from './crmRoundTrip.ts';
import { callApi, findProduct } from './journeyApi.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { expectPage, openConsole, PRODUCT, signInByApi } from './signIn.ts';

setUpJourney({ withoutOutreach: true });
beforeAll(async () => {
  await leaveAccount(await chromium.context());
  await chromium.closePages();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first();
const main = (page: Page) => page.getByRole('main');
const step = (page: Page, stage: string) => page.getByRole('combobox', { name: `Step for ${stage}`, exact: true });

async function pick(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** Restore the state before the demo's account was connected. */
async function leaveAccount(context: BrowserContext): Promise<void> {
  await signInByApi(context, product.url);
  const { companyId, productId } = await findProduct(context, product.url, PRODUCT);
  const { board } = readBoard.replies[200].parse(await callApi(context, product.url, 'GET', readBoard.path));
  for (const one of board.clients)
    await callApi(context, product.url, 'POST', disconnectClient.path.replace('{client_id}', one.client_id));
  const list = await callApi(context, product.url, 'GET', `${crmIntegrations.list.path}?company_id=${companyId}`);
  for (const { id } of crmIntegrations.list.replies[200].parse(list).items) {
    await callApi(context, product.url, 'DELETE', `${productIntegrations.list.path}${productId}/${id}`);
    await callApi(context, product.url, 'DELETE', `${crmIntegrations.list.path}${id}`);
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

/** Fail the next call of a path and method. */
const failNext = (page: Page, path: RegExp, method: string) =>
  page.route(
    path,
    (route) => (route.request().method() === method ? route.fulfill({ status: 500, body: '{}' }) : route.fallback()),
    { times: 1 },
  );

async function stored(context: BrowserContext): Promise<unknown> {
  const { productId } = await findProduct(context, product.url, PRODUCT);
  const list = await callApi(context, product.url, 'GET', `${productIntegrations.list.path}?product_id=${productId}`);
  return productIntegrations.list.replies[200].parse(list).items.map(({ config }) => config);
}

it('an account is connected: refused, with the window blocked, allowed', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=settings-integration');
  await expectPage(main(page).getByText('No CRM account is connected')).toBeVisible();
  await expectPage(main(page).getByText('Not Configured', { exact: true })).toBeVisible();
  await button(page, 'Go to CRM Integrations').click();
  await expectPage(main(page).getByText('No CRM integrations found')).toBeVisible();

  await consent(context, () => button(page, 'Connect amoCRM').click(), 'Deny');
  await expectPage(page.getByText('amoCRM is not connected. See the other window for the reason.')).toBeVisible();
  await expectPage(main(page).getByText('No CRM integrations found')).toBeVisible();

  // A browser that blocks pop-up windows.
  await page.evaluate(() => {
    window.open = () => null;
  });
  await button(page, 'Connect amoCRM').click();
  await expectPage(page.getByText('The browser blocked the window. Open it with this link:')).toBeVisible();
  await consent(context, () => page.getByRole('link', { name: 'Open amoCRM' }).click(), 'Allow');
  await expectPage(page.getByText('amoCRM is connected', { exact: true })).toBeVisible();
  const row = main(page).getByRole('row').filter({ hasText: 'Demo account' });
  await expectPage(row).toContainText('Connected');
  await expectPage(row).toContainText(/\d cards read/);

  await row.getByRole('link', { name: 'Demo account' }).click();
  await expectPage(page.getByRole('region', { name: 'Connection' })).toContainText(
    'amoCRM tells of each change at once',
  );
  await expectPage(page.getByRole('region', { name: 'Used by' })).toContainText('No products found');
});

it('the settings: not configured, wrong, failed, saved, reset, left, removed, without names', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=settings-integration');
  const selection = page.getByRole('region', { name: 'CRM integration', exact: true });
  await expectPage(selection.getByText('Not Configured')).toBeVisible();
  await expectPage(page.getByRole('combobox', { name: 'Account' })).toHaveValue('Demo account');
  await expectPage(main(page).getByText('Without a pipeline, no cards are imported or moved.')).toBeVisible();
  await button(page, 'Add Pipeline').click();
  await expectPage(page.getByRole('combobox', { name: 'Pipeline in amoCRM' })).toBeFocused();
  await expectPage(main(page).getByText('No pipeline is chosen, so nothing happens.')).toBeVisible();
  await pick(page, 'Pipeline in amoCRM', 'Kitchens');
  await expectPage(step(page, 'Initial')).toHaveValue('Not mapped');
  await expectPage(
    main(page).getByText('No step is mapped to Initial, so none of its cards are imported.'),
  ).toBeVisible();
  await pick(page, 'Step for Initial', 'New lead');
  await pick(page, 'Step for Success', 'Closed - won');

  const telegram = page.getByRole('combobox', { name: /^Custom field with the Telegram address/ });
  await expectPage(telegram).toHaveValue('telegram');
  await telegram.fill(' ');
  await button(page, 'Save Settings').click();
  await expectPage(main(page).getByText('Custom field with the Telegram address is required')).toBeVisible();
  await expectPage(telegram).toBeFocused();
  expect(await stored(context)).toEqual([]);
  await telegram.fill('Telegram');

  await page.route(
    /\/v1\/product_integrations\//,
    (route) => {
      const detail = [{ loc: ['body', 'config', 'pipelines', 0, 'steps', 'success'], msg: 'is no step', type: 'x' }];
      return route.request().method() === 'POST' ? route.fulfill({ status: 422, json: { detail } }) : route.fallback();
    },
    { times: 1 },
  );
  await button(page, 'Save Settings').click();
  await expectPage(page.getByText('Failed to save integration settings. Please try again.')).toBeVisible();
  await expectPage(main(page).getByText('is no step')).toBeVisible();
  await expectPage(step(page, 'Success')).toBeFocused();
  await button(page, 'Save Settings').click();
  await expectPage(page.getByText('Integration settings saved successfully!')).toBeVisible();
  await expectPage(selection.getByText('Configured', { exact: true })).toBeVisible();
  await expectPage(button(page, 'Save Settings')).toBeDisabled();
  const saved = {
    import_enabled: true,
    tg_contact_custom_field_name: 'Telegram',
    whatsapp_contact_custom_field_name: 'whatsapp',
    pipelines: [{ is_active: true, pipeline_id: 50_001, steps: { initial: 60_001, success: 142, failed: 0 } }],
  };
  expect(await stored(context)).toMatchObject([saved]);

  await page.getByRole('switch', { name: /^Import cards/ }).uncheck({ force: true });
  await button(page, 'Remove pipeline 1').click();
  await page.getByRole('link', { name: 'Leads', exact: true }).click();
  await button(page, 'Keep editing').click();
  await button(page, 'Reset').click();
  await expectPage(page.getByText('Configuration reset to saved values.')).toBeVisible();
  await expectPage(step(page, 'Success')).toHaveValue('Closed - won');
  await expectPage(page.getByRole('switch', { name: /^Import cards/ })).toBeChecked();

  // Without names, all settings are shown by their ids and can be changed.
  await page.route(/\/v1\/crm-integrations\/\d+\/directory/, (route) =>
    route.fulfill({ status: 503, json: { detail: 'amoCRM does not answer. Please try again.' } }),
  );
  await page.reload();
  await expectPage(main(page).getByText('Names are unavailable')).toBeVisible();
  const byId = page.getByRole('textbox', { name: 'Step for Initial' });
  await expectPage(byId).toHaveValue('60001');
  await page.getByRole('textbox', { name: 'Step for Pending' }).fill('60004');
  await failNext(page, /\/v1\/product_integrations\//, 'PUT');
  await button(page, 'Save Settings').click();
  await expectPage(page.getByText('Failed to save integration settings. Please try again.')).toBeVisible();
  await button(page, 'Save Settings').click();
  await expectPage(page.getByText('Integration settings saved successfully!')).toBeVisible();
  expect(await stored(context)).toMatchObject([{ pipelines: [{ steps: { pending: 60_004 } }] }]);
  await page.unroute(/\/v1\/crm-integrations\/\d+\/directory/);
  await button(page, 'Retry').click();
  await expectPage(step(page, 'Pending')).toHaveValue('Thinking it over');

  await page.getByRole('link', { name: 'Connection and sync' }).click();
  await expectPage(page.getByRole('region', { name: 'Used by' })).toContainText(PRODUCT);
  await button(page, 'Actions for Demo account').click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete' });
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expectPage(dialog).toContainText('This integration is still used by 1 product(s).');
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('link', { name: PRODUCT }).click();
  await button(page, 'Stop using').click();
  await page.getByRole('dialog', { name: 'Delete' }).getByRole('button', { name: 'Delete' }).click();
  await expectPage(selection.getByText('Not Configured')).toBeVisible();
  expect(await stored(context)).toEqual([]);
}, 60_000);

it('a card becomes a lead, who is greeted, answers and agrees; the card has moved; disconnected, all stays', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=settings-integration');
  const circle = {
    url: product.url,
    product: PRODUCT,
    pipeline: 'Kitchens',
    leadName: 'Klara Card',
    address: { field: 'Phone', value: '+371 2777 1234' },
    greeting: 'Good day! Which kitchen do you dream of?',
    steps: { initial: 'New lead', started: 'First message sent', ongoing: 'Talking', success: 'Closed - won' },
  } as const;
  await scheduleFirstMessage(context, circle);
  await button(page, 'Add Pipeline').click();
  await pick(page, 'Pipeline in amoCRM', 'Kitchens');
  for (const [stage, name] of [
    ['Initial', 'New lead'],
    ['Started', 'First message sent'],
    ['Ongoing', 'Talking'],
    ['Success', 'Closed - won'],
    ['Failed', 'Closed - lost'],
  ] as const)
    await pick(page, `Step for ${stage}`, name);
  await button(page, 'Save Settings').click();
  await expectPage(page.getByText('Integration settings saved successfully!')).toBeVisible();

  const board = await runCrmRoundTrip(context, page, circle);

  // A person moves the card to a step that no stage is mapped to.
  await page.getByRole('link', { name: 'Open the lead' }).click();
  await board.getByRole('group', { name: /Klara Card/ }).dragTo(boardColumn(board, circle, 'Manager calls'));
  await expectPage(boardColumn(board, circle, 'Manager calls')).toContainText('Klara Card');
  await expectPage(
    main(page)
      .getByText(/no stage is mapped to this step, handed to a human/)
      .first(),
  ).toBeVisible();
  await expectPage(page.getByRole('region', { name: 'Details' })).toContainText('Manager calls');

  await board.getByRole('button', { name: /^Disconnect/ }).click();
  await page.goto(`${product.url}/?page=crm-integrations`);
  const row = main(page).getByRole('row').filter({ hasText: 'Demo account' });
  await expectPage(row).toContainText('Disconnected in amoCRM');
  await row.getByRole('link', { name: 'Demo account' }).click();
  await expectPage(main(page).getByText('Nothing is read or written.', { exact: false })).toBeVisible();
  await expectPage(button(page, 'Reconnect amoCRM')).toBeVisible();
  await expectPage(button(page, 'Sync now')).toBeDisabled();
  await page.goto(`${product.url}/?page=settings-integration`);
  await expectPage(page.getByRole('combobox', { name: 'Account' })).toHaveValue('Demo account (disconnected)');

  // The lead continues, and nothing waits for a CRM that is disconnected.
  await page.goto(`${product.url}/?page=crm-leads&search=Klara`);
  await page.getByRole('link', { name: 'Klara Card' }).click();
  await button(page, 'Change stage').click();
  const dialog = page.getByRole('dialog', { name: 'Change stage' });
  await pick(page, 'Stage', 'Pending');
  await dialog.getByRole('button', { name: 'Change stage' }).click();
  await expectPage(page.locator('[data-stage=pending]').first()).toBeVisible();
  const opened = await context.request.get(
    (await page.getByRole('link', { name: /in amoCRM$/ }).getAttribute('href')) ?? '',
  );
  expect(await opened.text()).toContain('in the step Manager calls');
  await expectPage(page.getByText('Waiting to sync to the CRM')).toHaveCount(0);

  await page.goto(`${product.url}/?page=crm-integrations`);
  await row.getByRole('link', { name: 'Demo account' }).click();
  await consent(context, () => button(page, 'Reconnect amoCRM').click(), 'Allow');
  await expectPage(page.getByText('Connected', { exact: true }).first()).toBeVisible();
}, 90_000);
