/**
 * Channels: connected by choosing among the vendor's, their sessions with what repairs them, and a round trip over
 * ChatPush.
 */
import type { BrowserContext, Page } from '@playwright/test';
import { beforeAll, expect, it } from 'vitest';
import { classificationConfigs } from '../../conversations/classificationConfigContract.ts';
import { crmIntegrations, productIntegrations } from '../../crm/contract.ts';
import { scheduleOfProduct, schedules } from '../../outreach/contract.ts';
import { prompts } from '../../prompts/contract.ts';
import { PRODUCTS } from '../../sandbox/demoContent.ts';
import { accessibilityViolations } from './accessibility.ts';
import { call, create, goTo, openPage, pick, press, rowAction, startOperator, submit } from './actions.ts';
import { runCrmRoundTrip, scheduleFirstMessage } from './crmRoundTrip.ts';
import { findProduct } from './journeyApi.ts';
import { product, setUpJourney } from './journeySetup.ts';
import { layoutFaults } from './layout.ts';
import { SCREENS } from './screens.ts';
import { COMPANY, expectPage } from './signIn.ts';

const OFFICES = 'Office furniture';
const TOKEN = 'a-token-of-the-journey';

setUpJourney({ env: { RAPPORT_CHATPUSH_PACE_SECONDS: '1' } });
beforeAll(async () => {
  await (await product.emulators()).putChatpush(TOKEN, { customerId: 20_002, bot: true, tdlib: 1 });
});

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** Check that the open page is accessible and fits on both screens. */
async function fits(page: Page, place: string): Promise<void> {
  const found = [...(await accessibilityViolations(page, place, false)), ...(await layoutFaults(page, place))];
  await page.setViewportSize(SCREENS.narrow);
  found.push(...(await layoutFaults(page, place)));
  await page.setViewportSize(SCREENS.wide);
  expect(found).toEqual([]);
}

it('connects a channel chosen from the vendor’s list, after a wrong token was refused', async () => {
  const { page } = await openPage('channels');
  await expectPage(row(page, 'Telegram, offices')).toContainText('ChatPush');
  await page.getByRole('button', { name: 'Connect a channel' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect a channel' });
  await pick(page, 'Vendor', 'ChatPush');
  await pick(page, 'Messenger', 'Telegram');
  const token = dialog.getByRole('textbox', { name: 'Token of the account' });
  await token.fill('wrong');
  await token.press('Enter');
  await expectPage(dialog.getByRole('alert')).toContainText('The vendor refused: Not authorized!');
  await token.fill(TOKEN);
  await dialog.getByRole('button', { name: 'Find channels' }).click();
  const choices = dialog.getByRole('radiogroup', { name: 'Channels of this account' });
  await expectPage(choices.getByRole('radio')).toHaveCount(2);
  await expectPage(choices).toContainText('Code needed');
  await expectPage(dialog.getByRole('button', { name: 'Connect', exact: true })).toBeDisabled();
  await choices.getByRole('radio', { name: 'Telegram, account 20002' }).check();
  await fits(page, 'Connect a channel');
  await submit(dialog, { Name: 'Second Telegram' }, 'Connect', 'Connected Second Telegram');
  await expectPage(row(page, 'Second Telegram')).toContainText('ChatPush');
  const [account] = (await (await product.emulators()).chatpushAccounts()).filter((one) => one.token === TOKEN);
  expect(account?.webhooks.map(({ url }) => new URL(url).origin)).toEqual([product.url]);

  // The same channel again: it is already connected.
  await page.getByRole('button', { name: 'Connect a channel' }).click();
  await pick(page, 'Vendor', 'ChatPush');
  await pick(page, 'Messenger', 'Telegram');
  await token.fill(TOKEN);
  await token.press('Enter');
  await choices.getByRole('radio', { name: 'Telegram, account 20002' }).check();
  await press(dialog, 'Connect');
  await expectPage(dialog.getByRole('alert')).toBeVisible();
});

it('asks on the system page who owns a channel, and shares it with another company', async () => {
  const name = 'Spare number';
  const { context, page } = await startOperator();
  await call(context, 'POST', '/v1/companies/', { name: 'Boats Ltd' });
  await call(context, 'POST', '/v1/channels/', {
    name,
    vendor: 'wazzup24',
    channel_type: 'whatsapp',
    credentials: { api_key: 'a-key-of-the-journey', channel_id: 'spare' },
  });
  await goTo(page, 'system');
  const asked = page.getByRole('region', { name: 'Channels without an owner' });
  await expectPage(asked).toContainText('Not used by any company');
  await fits(page, 'a channel without an owner');
  await pick(page, `Company that owns ${name}`, COMPANY);
  await press(asked, 'Set owner', `Saved the owner of ${name}`);
  await expectPage(asked).toBeHidden();

  await goTo(page, 'channels');
  await expectPage(row(page, name)).toContainText(COMPANY);
  await rowAction(page, name, 'Owner and sharing');
  const dialog = page.getByRole('dialog', { name: `Owner of ${name}` });
  await expectPage(dialog.getByRole('combobox', { name: 'Company', exact: true })).toHaveValue(COMPANY);
  await fits(page, 'Owner and sharing');
  await pick(page, 'Shared with', 'Boats Ltd');
  await page.keyboard.press('Tab');
  await press(dialog, 'Save');
  await expectPage(row(page, name)).toContainText(`${COMPANY}Shared`);
});

it('warms a new number up, and stops', async () => {
  const { page } = await openPage('channels');
  const name = 'Telegram, sales';
  const warmUp = async () => {
    await row(page, name)
      .getByRole('button', { name: `Actions for ${name}` })
      .click();
    await page.getByRole('menuitem', { name: 'Warm up' }).click();
    return page.getByRole('dialog', { name: `Warm up ${name}` });
  };
  const dialog = await warmUp();
  const first = dialog.getByRole('textbox', { name: 'First messages on its first day' });
  await expectPage(first).toBeFocused();
  await first.fill('4');
  await expectPage(dialog.getByRole('status')).toHaveText('Day 1: 4 · Day 2: 7 · Day 7: 22 · Day 14: 43');
  await fits(page, 'Warm up');
  await first.press('Enter');
  await expectPage(page.getByText(`${name} is warmed up`)).toBeVisible();
  await expectPage(row(page, name)).toContainText('Warming up');
  await fits(page, 'channels, one warming up');
  // A pause by rule takes precedence. The answer gets hours of silence.
  const list = /\/v1\/channels\/\?/;
  await page.route(list, async (route) => {
    const response = await route.fetch();
    const { items, ...rest } = (await response.json()) as { items: object[] };
    const stopped = { firsts_stopped_reason: 'Nobody has answered', firsts_stopped_at: new Date().toISOString() };
    await route.fulfill({ response, json: { ...rest, items: items.map((one) => ({ ...one, ...stopped })) } });
  });
  await page.reload();
  await expectPage(row(page, name)).toContainText('First messages stopped');
  await fits(page, 'channels, one stopped');
  await page.unroute(list);
  await warmUp();
  await expectPage(first).toHaveValue('4');
  await press(dialog, 'Stop warming up', `${name} is no longer warmed up`);
  await expectPage(row(page, name)).not.toContainText('Warming up');
});

it('explains an ended session, with the remedy and the QR code to scan', async () => {
  const { context, page } = await openPage('channels');
  const sandbox = await context.newPage();
  await sandbox.goto(`${product.url}/sandbox`);
  const sessions = sandbox.getByRole('region', { name: 'Sessions' });
  const check = async (name: string) => {
    await rowAction(page, name, 'Check session');
    return page.getByRole('dialog', { name: `Session of ${name}` });
  };
  await sessions.getByRole('combobox', { name: /^Telegram, sales/ }).selectOption('qr');
  const wazzup = await check('Telegram, sales');
  await expectPage(wazzup).toContainText('Wazzup24 reports:');
  await expectPage(wazzup).toContainText('Signed out');
  await expectPage(wazzup).toContainText('Authorise: scan the QR code again in the vendor’s dashboard.');
  await expectPage(wazzup.getByRole('img', { name: 'QR code to scan with the phone' })).toBeVisible();
  await wazzup.getByRole('button', { name: 'Pairing link' }).click();
  await expectPage(wazzup).toContainText('Wazzup24 gives no link for pairing');
  await fits(page, 'Session');
  await sessions.getByRole('combobox', { name: /^Telegram, sales/ }).selectOption('active');
  await wazzup.getByRole('button', { name: 'Check again' }).click();
  await expectPage(wazzup).toContainText('Connected');
  await expectPage(wazzup.getByRole('img', { name: 'QR code to scan with the phone' })).toHaveCount(0);
  await page.keyboard.press('Escape');

  await sessions.getByRole('combobox', { name: /^Telegram, account 10001/ }).selectOption('password wanted');
  const chatpush = await check('Telegram, offices');
  await expectPage(chatpush).toContainText('ChatPush reports:');
  await expectPage(chatpush).toContainText('Password needed');
  await expectPage(chatpush).toContainText('Enter the second password in the vendor’s dashboard.');
  await page.keyboard.press('Escape');
  await expectPage(row(page, 'Telegram, offices')).toContainText('Password needed');
  await fits(page, 'channels');
  await sessions.getByRole('combobox', { name: /^Telegram, account 10001/ }).selectOption('signed in');
  await check('Telegram, offices');
  await expectPage(chatpush).toContainText('Connected');
});

/** Set up the product to write at any hour, classify, and import the cards of a pipeline. */
async function prepareOffices(context: BrowserContext): Promise<void> {
  const { companyId, productId: product_id } = await findProduct(context, product.url, OFFICES);
  const hours = scheduleOfProduct.replies[200].parse(
    await call(context, 'GET', scheduleOfProduct.path.replace('{product_id}', String(product_id))),
  );
  await call(context, 'DELETE', `${schedules.list.path}${hours.id}`);
  for (const { name, type, text } of PRODUCTS[0]?.classification?.prompts ?? []) {
    const prompt_id = await create(context, prompts.create.path, { product_id, name, type, text });
    if (type === 'classification')
      await call(context, 'POST', classificationConfigs.create.path, {
        product_id,
        config: { interval_minutes: 1, prompt_id },
      });
  }
  const list = await call(context, 'GET', `${crmIntegrations.list.path}?company_id=${companyId}`);
  const [account] = crmIntegrations.list.replies[200].parse(list).items;
  const steps = { initial: 60_101, started: 60_102, ongoing: 60_102, success: 142 };
  await call(context, 'POST', productIntegrations.create.path, {
    product_id,
    crm_integration_id: account?.id,
    config: { tg_contact_custom_field_name: 'Telegram', pipelines: [{ pipeline_id: 50_002, steps }] },
  });
}

it('follows a card over ChatPush and Telegram from its creation to the lead’s consent, and moves it', async () => {
  const { context, page } = await startOperator({}, OFFICES);
  await prepareOffices(context);
  const circle = {
    url: product.url,
    product: OFFICES,
    pipeline: 'Wardrobes',
    leadName: 'Theo Telegram',
    address: { field: 'Telegram', value: '@theo_telegram' },
    greeting: 'Good day! How many of you work there?',
    steps: { initial: 'New lead', started: 'Negotiation', ongoing: 'Negotiation', success: 'Closed - won' },
  } as const;
  await scheduleFirstMessage(context, circle);
  await runCrmRoundTrip(context, page, circle);
  const reached = (await (await product.emulators()).entriesOf('reached')).filter((one) => one.to === 'theo_telegram');
  expect(reached.map((one) => one.vendor)).toEqual(reached.map(() => 'chatpush'));
  expect(reached.length).toBeGreaterThanOrEqual(2);
}, 180_000);
