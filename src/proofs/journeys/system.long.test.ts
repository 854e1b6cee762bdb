/**
 * The system's page: a message that failed at a vendor is sent again, a member is added, and the audit log shows it.
 */
import { readFile } from 'node:fs/promises';
import type { BrowserContext, Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { callApi, createLeadWithDialogue, findProduct, type JourneyLead, receivedTexts } from './journeyApi.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { COMPANY, expectPage, openConsole, PRODUCT } from './signIn.ts';

setUpJourney();

const FAULT = 'wazzup24.refuse';

/** Send a message manually; the vendor refuses it for now. */
async function writeTo(context: BrowserContext, lead: JourneyLead, message: string): Promise<void> {
  const { productId } = await findProduct(context, product.url, PRODUCT);
  await callApi(context, product.url, 'POST', '/v1/messages/', {
    product_id: productId,
    contact_id: lead.contactId,
    dialogue_id: lead.dialogueId,
    message,
    delay_enabled: false,
    schedule_enabled: false,
  });
}

const rows = (page: Page) => page.locator('tbody tr:not([aria-hidden])');

it('what a vendor refused is sent again for all, and arrives once', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=system&tab=messages&state=error');
  await callApi(context, product.url, 'PUT', `/sandbox/faults/${FAULT}`, { on: true });
  const leads = [];
  for (const name of ['Ida Outage', 'Jon Outage', 'Kay Outage'])
    leads.push(await createLeadWithDialogue(context, product.url, PRODUCT, name));
  for (const one of leads) await writeTo(context, one, `Are you well, ${one.name}?`);
  // The list updates by itself; the search restricts it to these messages.
  await page.getByRole('searchbox', { name: 'Search messages' }).fill('Are you well');
  await expectPage(rows(page).filter({ hasText: 'Outage' })).toHaveCount(3, { timeout: 30_000 });
  await callApi(context, product.url, 'PUT', `/sandbox/faults/${FAULT}`, { on: false });

  await page.getByRole('button', { name: 'Retry for all matching' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send again' });
  await expectPage(dialog.getByText(/^3 under a new key/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Send 3 again' }).click();
  await expectPage(dialog.getByText('3 are being sent again, 0 were skipped.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  await expectPage(page.getByText('No messages found')).toBeVisible({ timeout: 30_000 });
  for (const one of leads)
    await expect
      .poll(() => receivedTexts(context, product.url, one), { timeout: 30_000 })
      .toEqual([`Are you well, ${one.name}?`]);
});

it('a member is let in, sees his company alone, and the trail tells who did it', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=system&tab=operators');
  await callApi(context, product.url, 'POST', '/v1/companies/', { name: 'Somebody else' });
  await page.getByRole('button', { name: 'New operator' }).click();
  const dialog = page.getByRole('dialog', { name: 'New operator' });
  await dialog.getByLabel('Login').fill('mira');
  await dialog.getByLabel(/^Password/).fill('a long password');
  await dialog.getByRole('combobox', { name: 'Companies' }).click();
  await page.getByRole('option', { name: COMPANY }).click();
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expectPage(rows(page).filter({ hasText: 'mira' })).toContainText(COMPANY);

  const theirs = await chromium.context();
  await callApi(theirs, product.url, 'POST', '/v1/auth/login', { login: 'mira', password: 'a long password' });
  const own = { current: 'a long password', password: 'a password of their own' };
  await callApi(theirs, product.url, 'POST', '/v1/auth/password', own);
  const page2 = await theirs.newPage();
  await page2.goto(`${product.url}/?page=system`);
  await expectPage(page2.getByRole('combobox', { name: 'Company' })).toBeVisible();
  await page2.getByRole('combobox', { name: 'Company' }).click();
  await expectPage(page2.getByRole('option', { name: COMPANY })).toBeVisible();
  await expectPage(page2.getByRole('option')).toHaveCount(1);

  // Words of the recorded change find the entry.
  await page.goto(`${product.url}/?page=system&tab=audit&search=mira`);
  const createdRow = rows(page).filter({ hasText: 'Created' });
  await expectPage(createdRow).toHaveCount(1);
  await createdRow.getByRole('button', { name: 'View change' }).click();
  const changed = page.getByRole('dialog', { name: 'What changed' });
  await expectPage(changed.getByText('mira').first()).toBeVisible();
  await expectPage(changed.getByText('a long password')).toHaveCount(0);
  await page.keyboard.press('Escape');

  // The export contains what the search finds, including itself: its entry names the search.
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export log' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('audit-log.ndjson');
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { action: 'created', after: { login: 'mira' } },
    { action: 'signed in', after: { login: 'mira' } },
    { action: 'exported', after: { search: 'mira' } },
  ]);
});
