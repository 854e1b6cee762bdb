/**
 * The system's page: a message that failed at a vendor is sent again, a member is added, and the audit log shows it.
 */
import type { BrowserContext, Page } from '@playwright/test';
import { expect, it } from 'vitest';
import {
  call,
  createLead,
  demoProduct,
  download,
  goTo,
  openPage,
  pick,
  press,
  receivedBy,
  setFault,
} from './actions.ts';
import { type JourneyLead } from './journeyApi.ts';
import { chromium, setUpJourney } from './journeySetup.ts';
import { COMPANY, expectPage } from './signIn.ts';

setUpJourney();

const FAULT = 'wazzup24.refuse';

/** Send a message manually; the vendor refuses it for now. */
async function writeTo(context: BrowserContext, lead: JourneyLead, message: string): Promise<void> {
  const { productId } = await demoProduct(context);
  await call(context, 'POST', '/v1/messages/', {
    product_id: productId,
    contact_id: lead.contactId,
    dialogue_id: lead.dialogueId,
    message,
    delay_enabled: false,
    schedule_enabled: false,
  });
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

  await page.getByRole('button', { name: 'Retry all matching' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send again' });
  await expectPage(dialog.getByText(/^3 under a new key/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Send 3 again' }).click();
  await expectPage(dialog.getByText('3 are being sent again, 0 were left as they are.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  await expectPage(page.getByText('No messages found')).toBeVisible({ timeout: 30_000 });
  for (const one of leads)
    await expect.poll(() => receivedBy(context, one), { timeout: 30_000 }).toEqual([`Are you well, ${one.name}?`]);
});

it('adds a member who sees only their company, and records it in the audit log', async () => {
  const { context, page } = await openPage('system&tab=operators');
  await call(context, 'POST', '/v1/companies/', { name: 'Somebody else' });
  await page.getByRole('button', { name: 'New operator' }).click();
  const dialog = page.getByRole('dialog', { name: 'New operator' });
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
  await expectPage(page2.getByRole('combobox', { name: 'Company' })).toBeVisible();
  await page2.getByRole('combobox', { name: 'Company' }).click();
  await expectPage(page2.getByRole('option', { name: COMPANY })).toBeVisible();
  await expectPage(page2.getByRole('option')).toHaveCount(1);

  // Words of the recorded change find the entry.
  await goTo(page, 'system&tab=audit&search=mira');
  const createdRow = rows(page).filter({ hasText: 'Created' });
  await expectPage(createdRow).toHaveCount(1);
  await createdRow.getByRole('button', { name: 'View change' }).click();
  const changed = page.getByRole('dialog', { name: 'What changed' });
  await expectPage(changed.getByText('mira').first()).toBeVisible();
  await expectPage(changed.getByText('a long password')).toHaveCount(0);
  await page.keyboard.press('Escape');

  // The export contains what the search finds, including itself: its entry names the search.
  const file = await download(page, 'Export log');
  expect(file.name).toBe('audit-log.ndjson');
  const lines = file.text.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { action: 'created', after: { login: 'mira' } },
    { action: 'signed in', after: { login: 'mira' } },
    { action: 'new password', after: { login: 'mira' } },
    { action: 'exported', after: { search: 'mira' } },
  ]);
});
