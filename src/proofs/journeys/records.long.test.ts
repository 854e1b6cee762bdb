/** Lists and forms: creating, changing, finding and deleting. */
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { dialogOf, download, goTo, openPage, pick, press, rowAction, submit } from './actions.ts';
import { setUpJourney } from './journeySetup.ts';
import { chooseProduct, expectPage } from './signIn.ts';

setUpJourney({ withoutOutreach: true });

/** Delete a row of the list in view through the confirmation with the specification's wording. */
async function remove(page: Page, singular: string, name: string): Promise<void> {
  await rowAction(page, name, 'Delete');
  const question = dialogOf(page, 'Delete');
  await expectPage(question).toContainText(
    `Are you sure you want to delete the ${singular} “${name}”? This action cannot be undone.`,
  );
  await press(question, 'Delete');
}

it('creates, changes and deletes a company, its product, a lead and a contact', async () => {
  const { page } = await openPage('crm-companies');
  await page.getByRole('button', { name: 'New company' }).click();
  const company = dialogOf(page, 'New company');
  await press(company, 'Create');
  await expectPage(company.getByText('Name is required')).toBeVisible();
  await company.getByLabel('Name').fill('Harbour Ltd');
  await expectPage(company.getByText('Name is required')).toBeHidden();
  await press(company, 'Create', 'Created Harbour Ltd');

  await page.getByRole('link', { name: 'Products', exact: true }).click();
  await page.getByRole('button', { name: 'New product' }).first().click();
  const productDialog = dialogOf(page, 'New product');
  await productDialog.getByLabel('Name').fill('Boats');
  await pick(productDialog, 'Company', 'Harbour Ltd');
  await press(productDialog, 'Create', 'Created Boats');

  // A company with products cannot be deleted, and the refusal counts them.
  await page.getByRole('link', { name: 'Companies', exact: true }).click();
  await remove(page, 'company', 'Harbour Ltd');
  await expectPage(dialogOf(page, 'Delete').getByRole('alert')).toContainText('Backend error 409: Conflict');
  await expectPage(dialogOf(page, 'Delete').getByRole('alert')).toContainText('This company still has 1 product(s)');
  await press(dialogOf(page, 'Delete'), 'Cancel');

  await page.getByRole('button', { name: 'Change' }).click();
  await chooseProduct(page, 'Harbour Ltd', 'Boats');
  await page.getByRole('link', { name: 'Leads', exact: true }).click();
  await expectPage(page.getByText('No leads found')).toBeVisible();
  await page.getByRole('button', { name: 'New lead' }).first().click();
  await submit(page, { Name: 'Olga Berg' }, 'Create');
  await expectPage(page.getByRole('heading', { name: 'Olga Berg', level: 1 })).toBeVisible();

  await press(page, 'Add contact');
  const contact = dialogOf(page, 'New contact');
  await pick(contact, 'Messenger', 'WhatsApp');
  await contact.getByLabel('Address').fill('not a number');
  await press(contact, 'Create');
  await expectPage(contact.getByText('Enter a phone number with its country code')).toBeVisible();
  await contact.getByLabel('Address').fill('+371 29 111 222');
  await press(contact, 'Create');
  await expectPage(page.getByRole('link', { name: '+371 29 111 222' })).toBeVisible();

  await press(page, 'Edit');
  const edit = dialogOf(page, 'Edit lead');
  await submit(edit, { Name: 'Olga Bergman' }, 'Save');
  await expectPage(page.getByRole('heading', { name: 'Olga Bergman', level: 1 })).toBeVisible();
  await press(page, 'Change stage');
  const stage = dialogOf(page, 'Change stage');
  await stage.getByRole('combobox').click();
  await page.getByRole('option', { name: 'Success' }).click();
  await press(stage, 'Change stage', 'Stage changed to Success');
  await expectPage(page.getByText(/^Stage.*Initial.*Success$/)).toBeVisible();

  await page.getByRole('link', { name: 'Leads', exact: true }).click();
  await rowAction(page, 'Olga Bergman', 'Delete');
  await expectPage(dialogOf(page, 'Delete')).toContainText('Also deleted: 1 contact, 0 dialogues with their messages');
  await press(dialogOf(page, 'Delete'), 'Delete', 'No leads found');
  await page.getByRole('link', { name: 'Products', exact: true }).click();
  await remove(page, 'product', 'Boats');
  await expectPage(page.getByText('Deleted Boats')).toBeVisible();
  await page.getByRole('link', { name: 'Companies', exact: true }).click();
  await remove(page, 'company', 'Harbour Ltd');
  await expectPage(page.getByText('Deleted Harbour Ltd')).toBeVisible();
  await expectPage(page.getByRole('row', { name: /Harbour Ltd/ })).toHaveCount(0);
});

it('asks before typed text is lost', async () => {
  const { page } = await openPage('crm-leads');
  await page.getByRole('button', { name: 'New lead' }).first().click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Half a lead');
  await page.getByRole('link', { name: 'Dialogues', exact: true }).click();
  const question = dialogOf(page, 'Unsaved changes');
  await press(question, 'Keep editing');
  await expectPage(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Half a lead');
  await page.goBack();
  await press(question, 'Discard changes');
  await expectPage(page.getByRole('heading', { name: 'Leads', level: 1 })).toBeVisible();

  await page.getByRole('link', { name: 'Companies', exact: true }).click();
  await page.getByRole('button', { name: 'New company' }).click();
  await dialogOf(page, 'New company').getByLabel('Name').fill('Half a company');
  await page.keyboard.press('Escape');
  await press(question, 'Keep editing');
  // Wait until the dialog is gone: until then it handles the next Escape.
  await expectPage(question).toBeHidden();
  await page.keyboard.press('Escape');
  await press(question, 'Discard changes');
  await expectPage(dialogOf(page, 'New company')).toBeHidden();
});

it('pages, sorts, filters and searches a list, and keeps that through a reload and on the way back', async () => {
  const { page } = await openPage('crm-leads');
  const rows = page.locator('tbody tr').filter({ has: page.locator('[data-row-opener]') });
  const names = () => rows.locator('[data-row-opener]').allInnerTexts();
  await page.getByRole('combobox', { name: 'Rows per page' }).selectOption('10');
  await expectPage(rows).toHaveCount(10);
  const first = await names();
  await page.getByRole('button', { name: 'Page 2' }).click();
  await expectPage(page).toHaveURL(/list_page=2/);
  await expectPage.poll(async () => (await names()).some((name) => first.includes(name))).toBe(false);

  await press(page, 'Name');
  await expectPage(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending');
  await expectPage(page).not.toHaveURL(/list_page/);
  const inOrder = async () => {
    const now = await names();
    return JSON.stringify(now) === JSON.stringify(sorted(now));
  };
  await expectPage.poll(inOrder).toBe(true);

  await page.getByRole('button', { name: 'Stage' }).first().click();
  await page.getByRole('checkbox', { name: 'Ongoing' }).check();
  await page.keyboard.press('Escape');
  await expectPage(page.getByRole('button', { name: 'Stage: Ongoing' })).toBeVisible();
  await expectPage(rows.filter({ hasNotText: 'Ongoing' })).toHaveCount(0);
  const narrowed = await names();
  await page.reload();
  await expectPage(page.getByRole('button', { name: 'Stage: Ongoing' })).toBeVisible();
  await expectPage.poll(names).toEqual(narrowed);

  await rows.first().locator('[data-row-opener]').click();
  await expectPage(page.getByRole('heading', { name: narrowed[0] ?? '', level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'Back' }).click();
  await expectPage(page.getByRole('button', { name: 'Stage: Ongoing' })).toBeVisible();
  await expectPage.poll(names).toEqual(narrowed);

  await page.getByRole('button', { name: 'Remove filter Stage' }).click();
  await expectPage(page.getByRole('heading', { name: 'Leads', level: 1 })).toBeVisible();
  await page.locator('main').focus();
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox', { name: 'Search leads' });
  await expectPage(search).toBeFocused();
  const firstName = narrowed[0] ?? '';
  await page.keyboard.type(firstName);
  await expectPage(rows).toHaveCount(1);
  await expectPage(rows).toContainText(firstName);
  await page.keyboard.press('Escape');
  await expectPage(search).toHaveValue('');
  await expectPage(rows).toHaveCount(10);
  await page.keyboard.type('nobody is called this');
  await expectPage(page.getByText('No leads found')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expectPage(rows).toHaveCount(10);
});

/** Sort like the database: only whether neighbours are in order matters here. */
function sorted(names: readonly string[]): string[] {
  return [...names].sort((a, b) => a.localeCompare(b, 'en'));
}

it('writes a prompt, saves its versions, asks before unsaved text is lost, and restores a version', async () => {
  const { page } = await openPage('prompts');
  await page.getByRole('button', { name: 'New prompt' }).click();
  const text = page.getByRole('textbox', { name: 'Text of the prompt' });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await expectPage(save).toBeDisabled();
  await text.fill('Hello {{ lead.nmae }}');
  await expectPage(page.getByText('Unsaved', { exact: true })).toBeVisible();
  await expectPage(page.getByText('Unknown variable lead.nmae', { exact: true })).toBeVisible();
  await text.fill('Hello {{ lead.name }}');
  await expectPage(page.getByText('Unknown variable lead.nmae', { exact: true })).toBeHidden();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Greeter');
  await pick(page, 'Type', 'Subprompt');
  await save.click();
  await expectPage(page.getByRole('heading', { name: 'Greeter', level: 1 })).toBeVisible();
  await expectPage(page.getByText('Version 1', { exact: true }).first()).toBeVisible();

  // The preview as a real lead would see it.
  await page.getByRole('combobox', { name: 'Lead of preview 1', exact: true }).fill('Anna Snegurkina');
  await page.getByRole('option', { name: 'Anna Snegurkina' }).click();
  await expectPage(page.getByRole('region', { name: 'Text of preview 1' })).toHaveText('Hello Anna Snegurkina');

  await text.fill('Good day, {{ lead.name }}');
  // A failed save shows an error, also where the server names a field.
  await page.route(/\/v1\/prompts\/\d+$/, (route) =>
    route.fulfill({ status: 422, json: { detail: [{ loc: ['body', 'name'], msg: 'Taken', type: 'custom' }] } }),
  );
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.press('Control+s');
  await expectPage(page.getByText('Failed to update prompt')).toBeVisible();
  await expectPage(page.getByText('Taken', { exact: true })).toBeVisible();
  await page.unroute(/\/v1\/prompts\/\d+$/);
  await name.press('Control+s');
  await expectPage(page.getByText('Version 2', { exact: true }).first()).toBeVisible();
  await expectPage(save).toBeDisabled();

  // Leaving with unsaved changes asks for confirmation.
  await text.fill('Something unfinished');
  await page.getByRole('link', { name: 'Leads', exact: true }).click();
  await press(dialogOf(page, 'Unsaved changes'), 'Keep editing');
  await expectPage(text).toHaveText('Something unfinished');

  await text.fill('Written elsewhere');
  await press(page, 'Save');
  await expectPage(page.getByText('Version 3', { exact: true }).first()).toBeVisible();

  // The first saved version is restored as a new version.
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('button', { name: 'Show Diff' }).last().click();
  await expectPage(page.getByRole('region', { name: 'Differences' })).toContainText('Hello {{ lead.name }}');
  await page.getByRole('button', { name: 'Restore' }).last().click();
  await expectPage(page.getByText('Version 1 is back')).toBeVisible();
  await expectPage(text).toHaveText('Hello {{ lead.name }}');
  await press(page, 'Back');
  await expectPage(page.getByRole('heading', { name: 'Prompts', level: 1 })).toBeVisible();
  await expectPage(page.locator('[data-row-opener]').filter({ hasText: 'Greeter' })).toBeVisible();
});

it('shows only the last characters of a company’s key, and keeps one active for each vendor', async () => {
  const { page } = await openPage('crm-company-llms');
  await page.getByRole('button', { name: 'New LLM credential' }).click();
  const dialog = dialogOf(page, 'New LLM credential');
  await pick(dialog, 'Vendor', 'Gemini');
  await dialog.getByLabel('API key').fill('key-of-gemini-9876');
  await press(dialog, 'Create');
  // The demo's own key is the active one.
  await expectPage(dialog.getByRole('alert')).toContainText('already has an active key for gemini');
  await dialog.getByRole('switch', { name: 'Active' }).uncheck({ force: true });
  await press(dialog, 'Create');
  const row = page.getByRole('row').filter({ hasText: '…9876' });
  await expectPage(row).toContainText('Inactive');
  await expectPage(page.getByText('key-of-gemini')).toHaveCount(0);
  await rowAction(page, 'Gemini …0001', 'Switch off');
  await expectPage(page.getByText('Gemini …0001 is off')).toBeVisible();
  await rowAction(page, 'Gemini …9876', 'Activate');
  await expectPage(page.getByText('Gemini …9876 is active')).toBeVisible();
  await expectPage(row).not.toContainText('Inactive');
  await rowAction(page, 'Gemini …9876', 'Delete');
  await press(dialogOf(page, 'Delete'), 'Delete');
  await expectPage(row).toHaveCount(0);
});

it('finds a page and a lead in the palette, and saves a list as CSV as it is shown', async () => {
  const { page } = await openPage('crm-leads');
  await expectPage(page.locator('[data-row-opener]').first()).toBeVisible();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Go to' });
  await field.fill('100-00-01');
  await expectPage(page.getByRole('dialog').getByRole('option', { name: /Anna Snegurkina/ })).toBeVisible();
  await page
    .getByRole('dialog')
    .getByRole('option', { name: /Anna Snegurkina/ })
    .click();
  await expectPage(page.getByRole('heading', { name: 'Anna Snegurkina', level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  await field.fill('leads');
  await expectPage(page.getByRole('dialog').getByRole('option', { name: 'Leads', exact: true })).toBeVisible();
  await page.getByRole('dialog').getByRole('option', { name: 'Leads', exact: true }).click();
  await expectPage(page.getByRole('heading', { name: 'Leads', level: 1 })).toBeVisible();
  await expectPage(field).toHaveCount(0);

  await goTo(page, 'crm-leads&stage=refused');
  await expectPage(page.locator('[data-row-opener]')).toHaveCount(2);
  const file = await download(page, 'Save as CSV');
  const lines = file.text.split('\r\n').filter((line) => line !== '');
  expect(file.name).toBe('leads.csv');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^\ufeff"Name","Stage",/);
});
