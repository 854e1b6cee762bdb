/** Two-factor sign-in and an operator's own sessions, in a browser with its own authenticator. */
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { codeOf, stepAt } from '../../access/totp.ts';
import { DEMO_PASSWORD } from '../../sandbox/demoOperator.ts';
import { press } from './actions.ts';
import { chromium, product, query, setUpJourney } from './journeySetup.ts';
import { button, dialogOf } from './locators.ts';
import { byHostName, expectPage, signInByApi } from './signIn.ts';

setUpJourney();

const consoleUrl = (): string => byHostName(product.url);

/** Open the console of an operator whose browser has an authenticator of its own. */
async function openConsole(): Promise<Page> {
  const context = await chromium.context();
  await signInByApi(context, consoleUrl());
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(`${consoleUrl()}/?page=crm-companies`);
  return page;
}

/** Return a code of the app, as if half a minute had passed since the last one. */
async function nextCode(secret: string): Promise<string> {
  await query('update operator_authenticators set last_step = null');
  const [row] = await query('select extract(epoch from clock_timestamp())::float8 as now');
  return codeOf(secret, stepAt(Number(row?.['now'])));
}

/** Sign in again, up to the second factor. */
async function signInAgain(page: Page): Promise<void> {
  await press(page, 'Account of demo');
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await press(page, 'Log in');
}

const signedIn = (page: Page) => expectPage(button(page, 'Account of demo')).toBeVisible();

it('adds a passkey and an authenticator app after the password is confirmed, and signs in with each', async () => {
  const page = await openConsole();
  await press(page, 'Account of demo');
  await page.getByRole('menuitem', { name: 'Account', exact: true }).click();

  // The password was entered long ago: one dialog asks for it, and the pending action continues.
  await query("update sessions set reauthenticated_at = clock_timestamp() - interval '20 minutes'");
  await press(page, 'Add passkey');
  const naming = dialogOf(page, 'Add passkey');
  await naming.getByLabel('Name').fill('Test laptop');
  await press(naming, 'Add passkey');
  const confirm = dialogOf(page, 'Confirm your identity');
  await confirm.getByLabel('Password', { exact: true }).fill('wrong');
  await press(confirm, 'Continue');
  await expectPage(confirm.getByText('The current password is wrong.')).toBeVisible();
  await confirm.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD);
  await press(confirm, 'Continue');

  const recovery = dialogOf(page, 'Recovery codes');
  await expectPage(recovery.getByRole('listitem')).toHaveCount(10);
  const spare = (await recovery.getByRole('listitem').first().textContent()) ?? '';
  await press(recovery, 'I have saved them', 'Test laptop');

  await press(page, 'Set up authenticator app');
  const setUp = dialogOf(page, 'Set up authenticator app');
  await expectPage(setUp.getByRole('img', { name: 'QR code' })).toBeVisible();
  const secret = ((await setUp.getByTestId('authenticator-secret').textContent()) ?? '').replaceAll(' ', '');
  await setUp.getByLabel('Code from the app').fill(await nextCode(secret));
  await press(setUp, 'Confirm', '10 codes are left.');
  await expectPage(page.getByText('On', { exact: true })).toBeVisible();

  await signInAgain(page);
  await press(page, 'Continue with a passkey');
  await signedIn(page);

  await signInAgain(page);
  await press(page, 'Use the authenticator app');
  await page.getByLabel('Code from your authenticator app').fill('000000');
  await press(page, 'Continue');
  await expectPage(page.getByRole('alert')).toHaveText('The second factor is wrong, or was used before.');
  await page.getByLabel('Code from your authenticator app').fill(await nextCode(secret));
  await press(page, 'Continue');
  await signedIn(page);

  // Another browser signs in with a recovery code and is signed out.
  const elsewhere = await (await chromium.context()).newPage();
  await elsewhere.goto(`${consoleUrl()}/?page=account`);
  await press(elsewhere, 'Log in');
  await press(elsewhere, 'Use a recovery code');
  await elsewhere.getByLabel('Recovery code').fill(spare);
  await press(elsewhere, 'Continue');
  await elsewhere.getByRole('dialog', { name: 'Select company & product' }).waitFor();
  await page.goto(`${consoleUrl()}/?page=account`);
  await expectPage(page.getByText('9 codes are left.')).toBeVisible();
  await press(page, 'End session', 'The session has ended');
  await elsewhere.goto(`${consoleUrl()}/?page=crm-companies`);
  await expectPage(elsewhere.getByRole('button', { name: 'Log in' })).toBeVisible();

  await press(page, 'Remove Test laptop');
  await press(page.getByRole('dialog'), 'Remove');
  await expectPage(page.getByText('Test laptop', { exact: true })).toBeHidden();
  await press(page, 'Remove');
  await press(page.getByRole('dialog'), 'Remove');
  await expectPage(page.getByRole('button', { name: 'Set up authenticator app' })).toBeVisible();
  expect(await query('select 1 from operator_recovery_codes')).toEqual([]);
});

it('opens the console only after a required second factor is added', async () => {
  const page = await openConsole();
  await expectPage(page.getByRole('heading', { name: 'Companies', level: 1 })).toBeVisible();
  await query('update installation set second_factor_required = true');
  await page.reload();
  await expectPage(page.getByRole('heading', { name: 'Set up two-factor sign-in', level: 1 })).toBeVisible();
  await press(page, 'Add passkey');
  await press(dialogOf(page, 'Add passkey'), 'Add passkey');
  await press(page, 'I have saved them');
  await expectPage(page.getByRole('heading', { name: 'Companies', level: 1 })).toBeVisible();
});
