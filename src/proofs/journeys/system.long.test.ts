/** The system's page: messages that failed at a vendor are sent again, and a member is added. */
import type { BrowserContext, Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { pick, press } from './actions.ts';
import { call, createLead, demoProduct, type JourneyLead, receivedBy, setFault } from './calls.ts';
import { chromium, setUpJourney } from './journeySetup.ts';
import { dialogOf } from './locators.ts';
import { COMPANY, expectPage } from './signIn.ts';
import { goTo, openPage } from './start.ts';

setUpJourney();

const FAULT = 'wazzup24.refuse';

/** Send a message manually; the vendor refuses it for now. */
async function writeTo(context: BrowserContext, lead: JourneyLead, message: string): Promise<void> {
  const { productId: product_id } = await demoProduct(context);
  const to = { product_id, contact_id: lead.contactId, dialogue_id: lead.dialogueId };
  await call(context, 'POST', '/v1/messages/', { ...to, message, delay_enabled: false, schedule_enabled: false });
}

const rows = (page: Page) => page.locator('tbody tr:not([aria-hidden])');

it('sends all refused messages again, each of which arrives once', async () => {
  const { context, page } = await openPage('system&tab=messages&state=error');
  await setFault(context, FAULT, true);
  const leads = [];
  for (const name of ['Ida Outage', 'Jon Outage', 'Kay Outage']) leads.push(await createLead(context, name));
  for (const one of leads) await writeTo(context, one, `Are you well, ${one.name}?`);
  // The list updates by itself; the search restricts it to these messages.
  await page.getByRole('searchbox', { name: 'Search messages' }).fill('Are you well');
  await expectPage(rows(page).filter({ hasText: 'Outage' })).toHaveCount(3, { timeout: 30_000 });
  await setFault(context, FAULT, false);

  await press(page, 'Retry all matching');
  const dialog = dialogOf(page, 'Send again');
  await expectPage(dialog.getByText(/^3 under a new key/)).toBeVisible();
  await press(dialog, 'Send 3 again', '3 are being sent again, 0 were skipped.');
  await press(dialog, 'Close');
  await expectPage(page.getByText('No messages found')).toBeVisible({ timeout: 30_000 });
  for (const one of leads)
    await expect.poll(() => receivedBy(context, one), { timeout: 30_000 }).toEqual([`Are you well, ${one.name}?`]);
});

it('adds a member who sees only their company', async () => {
  const { context, page } = await openPage('system&tab=operators');
  await call(context, 'POST', '/v1/companies/', { name: 'Somebody else' });
  await press(page, 'New operator');
  const dialog = dialogOf(page, 'New operator');
  await dialog.getByLabel('Login').fill('mira');
  await dialog.getByLabel(/^Password/).fill('a long password');
  await pick(dialog, 'Companies', COMPANY);
  await page.keyboard.press('Escape');
  await press(dialog, 'Create');
  await expectPage(rows(page).filter({ hasText: 'mira' })).toContainText(COMPANY);

  const theirs = await chromium.context();
  await call(theirs, 'POST', '/v1/auth/login', { login: 'mira', password: 'a long password' });
  const own = { current: 'a long password', password: 'a password of their own' };
  await call(theirs, 'POST', '/v1/auth/password', own);
  const page2 = await theirs.newPage();
  await goTo(page2, 'system');
  await page2.getByRole('combobox', { name: 'Company' }).click();
  await expectPage(page2.getByRole('option')).toHaveText([COMPANY]);
});
