/** Two-factor sign-in and an operator's own sessions, in a browser with its own authenticator. */
import type { BrowserContext, Page } from '@playwright/test';
import pg from 'pg';
import { expect, it } from 'vitest';
import { codeOf, stepAt } from '../../access/totp.ts';
import { DEMO_PASSWORD } from '../../sandbox/demoOperator.ts';
import { press } from './actions.ts';
import { chromium, database, product, setUpJourney } from './journeySetup.ts';
import { byHostName, expectPage, openConsole } from './signIn.ts';

setUpJourney();

const consoleUrl = (): string => byHostName(product.url);

async function ask(text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Return a code of the app, as if half a minute had passed since the last one. */
async function nextCode(secret: string): Promise<string> {
  await ask('update operator_authenticators set last_step = null');
  const [row] = await ask('select extract(epoch from clock_timestamp())::float8 as now');
  return codeOf(secret, stepAt(Number(row?.['now'])));
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account of demo' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expectPage(page.getByRole('button', { name: 'Log in' })).toBeVisible();
}

async function withAuthenticator(context: BrowserContext, page: Page): Promise<void> {
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
}

it('adds a passkey and an authenticator app after the password is confirmed, and signs in with each', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, consoleUrl(), '/?page=crm-companies');
  await withAuthenticator(context, page);
  await page.getByRole('button', { name: 'Account of demo' }).click();
  await page.getByRole('menuitem', { name: 'Account security' }).click();
  await expectPage(page.getByRole('heading', { name: 'Account security', level: 1 })).toBeVisible();

  // The password was entered long ago: one dialog asks for it, and the pending action continues.
  await ask("update sessions set reauthenticated_at = clock_timestamp() - interval '20 minutes'");
  await page.getByRole('button', { name: 'Add passkey' }).click();
  const naming = page.getByRole('dialog', { name: 'Add passkey' });
  await naming.getByLabel('Name').fill('Test laptop');
  await naming.getByRole('button', { name: 'Add passkey' }).click();
  const confirm = page.getByRole('dialog', { name: 'Confirm your identity' });
  await confirm.getByLabel('Password', { exact: true }).fill('wrong');
  await press(confirm, 'Continue');
  await expectPage(confirm.getByText('The current password is wrong.')).toBeVisible();
  await confirm.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD);
  await press(confirm, 'Continue');

  const recovery = page.getByRole('dialog', { name: 'Recovery codes' });
  await expectPage(recovery.getByRole('listitem')).toHaveCount(10);
  const spare = (await recovery.getByRole('listitem').first().textContent()) ?? '';
  await press(recovery, 'I have saved them', 'Test laptop');

  await page.getByRole('button', { name: 'Set up authenticator app' }).click();
  const setUp = page.getByRole('dialog', { name: 'Set up authenticator app' });
  await expectPage(setUp.getByRole('img', { name: 'QR code' })).toBeVisible();
  const secret = ((await setUp.getByTestId('authenticator-secret').textContent()) ?? '').replaceAll(' ', '');
  await setUp.getByLabel('Code from the app').fill(await nextCode(secret));
  await press(setUp, 'Confirm', '10 codes are left.');
  await expectPage(page.getByText('On', { exact: true })).toBeVisible();

  await logOut(page);
  await press(page, 'Log in');
  await page.getByRole('button', { name: 'Continue with a passkey' }).click();
  await expectPage(page.getByRole('button', { name: 'Account of demo' })).toBeVisible();

  await logOut(page);
  await press(page, 'Log in');
  await page.getByRole('button', { name: 'Use the authenticator app' }).click();
  await page.getByLabel('Code from your authenticator app').fill('000000');
  await press(page, 'Continue');
  await expectPage(page.getByRole('alert')).toHaveText('The second factor is wrong, or was used before.');
  await page.getByLabel('Code from your authenticator app').fill(await nextCode(secret));
  await press(page, 'Continue');
  await expectPage(page.getByRole('button', { name: 'Account of demo' })).toBeVisible();

  // Another browser signs in with a recovery code and is signed out.
  const elsewhere = await (await chromium.context()).newPage();
  await elsewhere.goto(`${consoleUrl()}/?page=account`);
  await press(elsewhere, 'Log in');
  await elsewhere.getByRole('button', { name: 'Use a recovery code' }).click();
  await elsewhere.getByLabel('Recovery code').fill(spare);
  await press(elsewhere, 'Continue');
  await elsewhere.getByRole('dialog', { name: 'Select company & product' }).waitFor();
  await page.goto(`${consoleUrl()}/?page=account`);
  await expectPage(page.getByText('9 codes are left.')).toBeVisible();
  await page.getByRole('button', { name: 'End session', exact: true }).first().click();
  await expectPage(page.getByText('The session has ended')).toBeVisible();
  await elsewhere.goto(`${consoleUrl()}/?page=crm-companies`);
  await expectPage(elsewhere.getByRole('button', { name: 'Log in' })).toBeVisible();

  await page.getByRole('button', { name: 'Remove Test laptop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expectPage(page.getByText('Test laptop', { exact: true })).toBeHidden();
  await press(page, 'Remove');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expectPage(page.getByRole('button', { name: 'Set up authenticator app' })).toBeVisible();
  expect(await ask('select 1 from operator_recovery_codes')).toEqual([]);
}, 180_000);

it('opens the console only after a required second factor is added', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, consoleUrl(), '/?page=crm-companies');
  await withAuthenticator(context, page);
  await expectPage(page.getByRole('heading', { name: 'Companies', level: 1 })).toBeVisible();
  await ask('update installation set second_factor_required = true');
  await page.reload();
  await expectPage(page.getByRole('heading', { name: 'Set up two-factor sign-in', level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('dialog', { name: 'Add passkey' }).getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('button', { name: 'I have saved them' }).click();
  await expectPage(page.getByRole('heading', { name: 'Companies', level: 1 })).toBeVisible();
});
