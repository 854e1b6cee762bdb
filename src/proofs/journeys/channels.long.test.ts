/** Channels: connected by choosing among the vendor's, owned, warmed up, and their sessions with what repairs them. */
import type { Page } from '@playwright/test';
import { beforeAll, expect, it } from 'vitest';
import { accessibilityViolations } from './accessibility.ts';
import { expectTexts, pick, press, rowAction, submit } from './actions.ts';
import { call } from './calls.ts';
import { product, setUpJourney } from './journeySetup.ts';
import { layoutFaults } from './layout.ts';
import { dialogOf, row } from './locators.ts';
import { SCREENS } from './screens.ts';
import { COMPANY, expectPage } from './signIn.ts';
import { goTo, openPage, startOperator } from './start.ts';

const TOKEN = 'a-token-of-the-journey';

setUpJourney();
beforeAll(async () => {
  await (await product.emulators()).putChatpush(TOKEN, { customerId: 20_002, bot: true, tdlib: 1 });
});

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
  await page.getByRole('button', { name: 'Connect a channel' }).click();
  const dialog = dialogOf(page, 'Connect a channel');
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
  await pick(page, `Company that owns ${name}`, COMPANY);
  await press(asked, 'Set owner', `Saved the owner of ${name}`);
  await expectPage(asked).toBeHidden();

  await goTo(page, 'channels');
  await expectPage(row(page, name)).toContainText(COMPANY);
  await rowAction(page, name, 'Owner and sharing');
  const dialog = page.getByRole('dialog', { name: `Owner of ${name}` });
  await expectPage(dialog.getByRole('combobox', { name: 'Company', exact: true })).toHaveValue(COMPANY);
  await pick(page, 'Shared with', 'Boats Ltd');
  await page.keyboard.press('Tab');
  await press(dialog, 'Save');
  await expectPage(row(page, name)).toContainText(`${COMPANY}Shared`);
});

it('warms a new number up, and stops', async () => {
  const { page } = await openPage('channels');
  const name = 'Telegram, sales';
  const warmUp = async () => {
    await rowAction(page, name, 'Warm up');
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
  await sessions.getByRole('combobox', { name: /^Telegram, sales/ }).selectOption('qr');
  await rowAction(page, 'Telegram, sales', 'Check session');
  const wazzup = dialogOf(page, 'Session of Telegram, sales');
  await expectTexts(wazzup, 'Wazzup24 reports:', 'Signed out', 'Authorise: scan the QR code again');
  await expectPage(wazzup.getByRole('img', { name: 'QR code to scan with the phone' })).toBeVisible();
  await press(wazzup, 'Pairing link', 'Wazzup24 has no pairing link');
  await fits(page, 'Session');
  await sessions.getByRole('combobox', { name: /^Telegram, sales/ }).selectOption('active');
  await press(wazzup, 'Check again');
  await expectPage(wazzup).toContainText('Connected');
  await expectPage(wazzup.getByRole('img', { name: 'QR code to scan with the phone' })).toHaveCount(0);
});

it('renews the secret of a webhook, shows it once, and the vendor has it', async () => {
  const { page } = await openPage('channels');
  const name = 'Second Telegram';
  await rowAction(page, name, 'Renew webhook secret');
  const dialog = dialogOf(page, `Renew the webhook secret of ${name}`);
  const secret = await dialog.getByRole('textbox', { name: 'New secret' }).inputValue();
  expect(secret).toMatch(/^[\w-]{43}$/);
  await fits(page, 'Renew webhook secret');
  await press(dialog, 'Renew secret', 'The webhook secret is renewed');
  const [account] = (await (await product.emulators()).chatpushAccounts()).filter((one) => one.token === TOKEN);
  expect(account?.webhooks.map(({ url }) => url)).toEqual([`${product.url}/hooks/chatpush/${secret}`]);
});
