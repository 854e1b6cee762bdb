/** Lists and forms: creating, changing, finding and deleting. */
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { download, expectHeading, follow, holdCalls, pick, press, rowAction, submit } from './actions.ts';
import { setFault } from './calls.ts';
import { setUpJourney } from './journeySetup.ts';
import { dialogOf, field, row } from './locators.ts';
import { chooseProduct, expectPage } from './signIn.ts';
import { openPage } from './start.ts';

setUpJourney({ withoutOutreach: true });

/** Delete a row of the list in view through the confirmation with the specification's wording. */
async function remove(page: Page, singular: string, name: string): Promise<void> {
  await rowAction(page, name, 'Delete');
  const question = `Are you sure you want to delete the ${singular} “${name}”? This action cannot be undone.`;
  await expectPage(dialogOf(page, 'Delete')).toContainText(question);
  await press(dialogOf(page, 'Delete'), 'Delete');
}

it('creates, changes and deletes a company, its product, a lead and a contact', async () => {
  const { page } = await openPage('crm-companies');
  await press(page, 'New company');
  const company = dialogOf(page, 'New company');
  await press(company, 'Create', 'Name is required');
  await field(company, 'Name').fill('Harbour Ltd');
  await expectPage(company.getByText('Name is required')).toBeHidden();
  await press(company, 'Create', 'Created Harbour Ltd');
  await follow(page, 'Products');
  await press(page, 'New product');
  await pick(dialogOf(page, 'New product'), 'Company', 'Harbour Ltd');
  await submit(dialogOf(page, 'New product'), { Name: 'Boats' }, 'Create', 'Created Boats');

  // A company with products cannot be deleted, and the refusal counts them.
  await follow(page, 'Companies');
  await remove(page, 'company', 'Harbour Ltd');
  await expectPage(dialogOf(page, 'Delete').getByRole('alert')).toContainText('This company still has 1 product(s)');
  await press(dialogOf(page, 'Delete'), 'Cancel');
  await press(page, 'Change');
  await chooseProduct(page, 'Harbour Ltd', 'Boats');
  await follow(page, 'Leads');
  await press(page, 'New lead');
  await submit(page, { Name: 'Olga Berg' }, 'Create');
  await expectHeading(page, 'Olga Berg');
  await press(page, 'Add contact');
  const contact = dialogOf(page, 'New contact');
  await pick(contact, 'Messenger', 'WhatsApp');
  await submit(contact, { Address: 'not a number' }, 'Create', 'Enter a phone number with its country code');
  await submit(contact, { Address: '+371 29 111 222' }, 'Create');
  await expectPage(page.getByRole('link', { name: '+371 29 111 222' })).toBeVisible();
  await press(page, 'Edit');
  await submit(dialogOf(page, 'Edit lead'), { Name: 'Olga Bergman' }, 'Save');
  await expectHeading(page, 'Olga Bergman');
  await press(page, 'Change stage');
  await pick(dialogOf(page, 'Change stage'), 'Stage', 'Success');
  await press(dialogOf(page, 'Change stage'), 'Change stage', 'Stage changed to Success');
  await expectPage(page.getByText(/^Stage.*Initial.*Success$/)).toBeVisible();

  await follow(page, 'Leads');
  await rowAction(page, 'Olga Bergman', 'Delete');
  await expectPage(dialogOf(page, 'Delete')).toContainText('Also deleted: 1 contact, 0 dialogues with their messages');
  await press(dialogOf(page, 'Delete'), 'Delete', 'No leads found');
  await follow(page, 'Products');
  await remove(page, 'product', 'Boats');
  await follow(page, 'Companies');
  await remove(page, 'company', 'Harbour Ltd');
  await expectPage(row(page, 'Harbour Ltd')).toHaveCount(0);
});

it('pages, sorts, filters and searches a list, keeps that through a reload and on the way back, and saves it as CSV', async () => {
  const { page } = await openPage('crm-leads');
  const rows = page.locator('tbody tr').filter({ has: page.locator('[data-row-opener]') });
  const names = () => rows.locator('[data-row-opener]').allInnerTexts();
  await page.getByRole('combobox', { name: 'Rows per page' }).selectOption('10');
  await expectPage(rows).toHaveCount(10);
  const first = await names();
  await press(page, 'Page 2');
  await expectPage(page).toHaveURL(/list_page=2/);
  await expectPage.poll(async () => (await names()).some((name) => first.includes(name))).toBe(false);

  await press(page, 'Name');
  await expectPage(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending');
  await expectPage(page).not.toHaveURL(/list_page/);
  // Sorted like the database: only whether neighbours are in order matters here.
  const isSorted = (all: readonly string[]) =>
    all.every((name, at) => name.localeCompare(all[at + 1] ?? name, 'en') <= 0);
  await expectPage.poll(async () => isSorted(await names())).toBe(true);

  await press(page, 'Stage');
  await page.getByRole('checkbox', { name: 'Ongoing' }).check();
  await page.keyboard.press('Escape');
  const filter = page.getByRole('button', { name: 'Stage: Ongoing' });
  await expectPage(filter).toBeVisible();
  await expectPage(rows.filter({ hasNotText: 'Ongoing' })).toHaveCount(0);
  const narrowed = await names();
  await page.reload();
  await expectPage.poll(names).toEqual(narrowed);
  await rows.first().locator('[data-row-opener]').click();
  await expectHeading(page, narrowed[0] ?? '');
  await press(page, 'Back');
  await expectPage(filter).toBeVisible();
  await expectPage.poll(names).toEqual(narrowed);
  const file = await download(page, 'Save as CSV');
  const lines = file.text.split('\r\n').filter((line) => line !== '');
  expect(file.name).toBe('leads.csv');
  expect(lines[0]).toMatch(/^\ufeff"Name","Stage",/);
  expect(lines.slice(1).every((line) => line.includes('ngoing'))).toBe(true);

  await press(page, 'Remove filter Stage');
  await page.locator('main').focus();
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox', { name: 'Search leads' });
  await expectPage(search).toBeFocused();
  await page.keyboard.type(narrowed[0] ?? '');
  await expectPage(rows).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expectPage(search).toHaveValue('');
  await expectPage(rows).toHaveCount(10);
  await page.keyboard.type('nobody is called this');
  await expectPage(page.getByText('No leads found')).toBeVisible();
  await press(page, 'Clear filters');
  await expectPage(rows).toHaveCount(10);
});

it('writes a prompt, saves its versions, asks before unsaved text is lost, and restores a version', async () => {
  const { page } = await openPage('prompts');
  await press(page, 'New prompt');
  const text = field(page, 'Text of the prompt');
  const name = field(page, 'Name');
  const version = (number: number) =>
    expectPage(page.getByText(`Version ${number}`, { exact: true }).first()).toBeVisible();
  await expectPage(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
  await text.fill('Hello {{ lead.name }}');
  await expectPage(page.getByText('Unsaved', { exact: true })).toBeVisible();
  await pick(page, 'Type', 'Subprompt');
  // What is typed while it is being created is unsaved on its own page.
  const creation = await holdCalls(page, /\/v1\/prompts\/$/, 'writes');
  await submit(page, { Name: 'Greeter' }, 'Save');
  await creation.arrived;
  await text.fill('Hello {{ lead.name }}, typed meanwhile');
  creation.release();
  await expectHeading(page, 'Greeter');
  await expectPage(text).toHaveText('Hello {{ lead.name }}, typed meanwhile');
  await press(page, 'Discard');
  await expectPage(text).toHaveText('Hello {{ lead.name }}');
  await version(1);

  await text.fill('Good day, {{ lead.name }}');
  // A failed save shows an error, also where the server names a field.
  await page.route(/\/v1\/prompts\/\d+$/, (route) =>
    route.fulfill({ status: 422, json: { detail: [{ loc: ['body', 'name'], msg: 'Taken', type: 'custom' }] } }),
  );
  await name.press('Control+s');
  await expectPage(page.getByText('Failed to update prompt')).toBeVisible();
  await expectPage(page.getByText('Taken', { exact: true })).toBeVisible();
  await page.unroute(/\/v1\/prompts\/\d+$/);
  await name.press('Control+s');
  await version(2);

  await text.fill('Something unfinished');
  await page.getByRole('link', { name: 'Leads', exact: true }).click();
  await press(dialogOf(page, 'Unsaved changes'), 'Keep editing');
  await expectPage(text).toHaveText('Something unfinished');
  await press(page, 'Save');
  await version(3);

  // The first saved version is restored as a new version.
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('button', { name: 'Show Diff' }).last().click();
  await expectPage(page.getByRole('region', { name: 'Differences' })).toContainText('Hello {{ lead.name }}');
  await page.getByRole('button', { name: 'Restore' }).last().click();
  await expectPage(page.getByText('Version 1 restored')).toBeVisible();
  await expectPage(text).toHaveText('Hello {{ lead.name }}');
});

it('asks before a text with errors goes live, and saves nothing when that is not confirmed', async () => {
  const { page } = await openPage('prompts');
  await press(page, 'New prompt');
  await field(page, 'Text of the prompt').fill('Hello {{ lead.nam }}');
  await pick(page, 'Type', 'Subprompt');
  await field(page, 'Name').fill('Misspelt');
  await press(page, 'Save');
  const question = dialogOf(page, 'This text has errors');
  await expectPage(question).toContainText('Unknown variable lead.nam');
  await press(question, 'Cancel');
  await expectPage(question).toBeHidden();
  await expectPage(page.getByText('Unsaved', { exact: true })).toBeVisible();
  await press(page, 'Save');
  await press(question, 'Make it live with these errors');
  await expectHeading(page, 'Misspelt');
  await expectPage(page.getByText('Version 1', { exact: true }).first()).toBeVisible();
});

it('shows only the last characters of a company’s key, and keeps one active for each vendor', async () => {
  const { context, page } = await openPage('crm-company-llms');
  await press(page, 'New LLM credential');
  const dialog = dialogOf(page, 'New LLM credential');
  await pick(dialog, 'Vendor', 'Gemini');
  await dialog.getByLabel('API key').fill('key-of-gemini-9876');
  await press(dialog, 'Create');
  // The demo's own key is the active one.
  await expectPage(dialog.getByRole('alert')).toContainText('already has an active key for gemini');
  await dialog.getByRole('switch', { name: 'Active' }).uncheck({ force: true });
  await press(dialog, 'Create');
  await expectPage(row(page, '…9876')).toContainText('Inactive');
  await expectPage(page.getByText('key-of-gemini')).toHaveCount(0);
  await rowAction(page, 'Gemini …0001', 'Switch off');
  await expectPage(page.getByText('Gemini …0001 is off')).toBeVisible();
  await rowAction(page, 'Gemini …9876', 'Activate');
  await expectPage(page.getByText('Gemini …9876 is active')).toBeVisible();
  await expectPage(row(page, '…9876')).not.toContainText('Inactive');
  await setFault(context, 'anthropic.unauthorized', true);
  await rowAction(page, /^Actions for Anthropic/, 'Test');
  await expectPage(page.getByText(/does not work\. The model vendor answered 401: invalid x-api-key/)).toBeVisible();
  await setFault(context, 'anthropic.unauthorized', false);
});
