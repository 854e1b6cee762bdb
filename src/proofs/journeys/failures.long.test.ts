/** Failing calls: the console's messages, and what it must not repeat when an answer is lost. */
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { accessibilityViolations } from './accessibility.ts';
import {
  create,
  createLead,
  demoProduct,
  dialogOf,
  goTo,
  openPage,
  pick,
  press,
  receivedBy,
  rowAction,
  submit,
} from './actions.ts';
import { product, setUpJourney } from './journeySetup.ts';
import { expectPage } from './signIn.ts';

setUpJourney({ withoutOutreach: true });

const alert = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });

it('says what cannot be loaded in place of a list, in a toast where choices are missing, and at the start', async () => {
  const { page } = await openPage('prompt-groups');
  await expectPage(page.getByRole('heading', { name: 'RAG Prompts', level: 1 })).toBeVisible();
  await page.route(/\/v1\/prompt_groups\/\?/, (route) => route.abort());
  await page.reload();
  await expectPage(alert(page, 'Failed to load prompts for product')).toBeVisible();
  await page.unroute(/\/v1\/prompt_groups\/\?/);
  await press(alert(page, 'Failed to load prompts for product'), 'Retry');
  await expectPage(alert(page, 'Failed to load prompts for product')).toBeHidden();

  await page.route(/\/v1\/prepared-messages\/\?/, (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.getByRole('link', { name: 'Prepared Messages', exact: true }).click();
  await expectPage(alert(page, 'Failed to load prepared messages')).toContainText(
    'Backend error 500: Internal Server Error',
  );

  // A dropdown has no place for the error: a toast shows it.
  await page.getByRole('link', { name: 'Document Prompts', exact: true }).click();
  await page.route(/\/v1\/prompts\/\?/, (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.getByRole('button', { name: 'New document prompt' }).first().click();
  await page.getByRole('dialog', { name: 'New document prompt' }).getByRole('combobox', { name: 'Prompt' }).click();
  await expectPage(alert(page, 'Failed to load prompts for product')).toBeVisible();

  await page.route(/\/v1\/products\/\d+$/, (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.goto(product.url);
  await expectPage(page.getByRole('heading', { name: 'Failed to load application data' })).toBeVisible();
});

it('keeps a prompt that cannot be saved in the editor, and says so after a refusal and a lost call', async () => {
  const { context, page } = await openPage('prompts');
  const { productId } = await demoProduct(context);
  const promptId = await create(context, '/v1/prompts/', {
    product_id: productId,
    name: 'Kept',
    text: 'First text',
    type: 'subprompt',
  });
  await goTo(page, `prompt-detail&promptId=${promptId}`);
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  for (const fail of ['answer', 'abort'] as const) {
    await page.route(/\/v1\/prompts\/\d+$/, (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      return fail === 'abort' ? route.abort() : route.fulfill({ status: 500, body: '{}' });
    });
    await name.fill(`Changed, ${fail}`);
    await press(page, 'Save');
    const toast = alert(page, 'Failed to update prompt');
    await expectPage(toast).toBeVisible();
    await expectPage(page.getByText('Unsaved', { exact: true })).toBeVisible();
    await press(toast, 'Close');
    await expectPage(toast).toBeHidden();
    await page.unroute(/\/v1\/prompts\/\d+$/);
  }
  await press(page, 'Save', 'Saved Changed, abort');
});

it('sends a message once when the answer to it was lost and it is sent again by hand', async () => {
  const { context, page } = await openPage('crm-leads');
  const lead = await createLead(context, 'Lena Lost');
  await goTo(page, `send-message&contactId=${lead.contactId}`);
  await page.getByRole('main').getByRole('textbox', { name: 'Message' }).fill('Only once, please.');
  const keys: unknown[] = [];
  await page.route(/\/v1\/chatbot\/send-new/, async (route) => {
    keys.push((route.request().postDataJSON() as { client_key: unknown }).client_key);
    if (keys.length > 1) return route.continue();
    // The server executes the request, but the answer is lost.
    await route.fetch();
    return route.abort();
  });
  await page.getByRole('main').getByRole('button', { name: 'Send', exact: true }).click();
  await expectPage(alert(page, 'Network error')).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'Send', exact: true }).click();
  const thread = page.getByRole('log', { name: 'Messages' });
  await expectPage(thread.getByRole('img', { name: 'Read' })).toHaveCount(1);
  await expectPage(thread.getByRole('article')).toHaveCount(1);
  expect(await receivedBy(context, lead)).toEqual(['Only once, please.']);
  expect(keys).toHaveLength(2);
  expect(keys[0]).toMatch(/^[\da-f-]{36}$/);
  expect(keys[1]).toBe(keys[0]);
});

it('creates a document prompt, finds it by its prompt, changes and deletes it', async () => {
  const { context, page } = await openPage('document-prompts');
  const { productId } = await demoProduct(context);
  const names = ['Warranty', 'Invoice'];
  for (const name of names) {
    const prompt = { product_id: productId, name: `${name} writer`, text: 'Write it.', type: 'document' };
    await create(context, '/v1/prompts/', prompt);
  }
  for (const name of names) {
    await press(page, 'New document prompt');
    const added = dialogOf(page, 'New document prompt');
    await pick(added, 'Prompt', `${name} writer`);
    await submit(added, { Name: name, Type: name.toLowerCase() }, 'Create', `Created ${name}`);
  }
  const rows = page.getByRole('row').filter({ has: page.getByRole('button', { name: /^Actions for/ }) });
  await expectPage(rows.filter({ hasText: 'Invoice writer' })).toHaveCount(1);
  const found = await accessibilityViolations(page, 'document-prompts');
  await press(page, 'Prompt');
  await page.getByRole('combobox', { name: 'Prompt' }).fill('Warr');
  await page.getByRole('option', { name: 'Warranty writer' }).click();
  await expectPage(rows.filter({ hasText: 'Invoice writer' })).toHaveCount(0);
  await expectPage(rows.filter({ hasText: 'Warranty writer' })).toHaveCount(1);
  await page.keyboard.press('Escape');

  const act = async (action: string) => {
    await rowAction(rows, /^Actions for/, action);
  };
  await act('Edit');
  const form = page.getByRole('dialog', { name: 'Edit document prompt' });
  await submit(form, { Name: '' }, 'Save');
  await expectPage(form.getByText('Name is required')).toBeVisible();
  await submit(form, { Name: 'Guarantee' }, 'Save');
  await expectPage(rows.filter({ hasText: 'Guarantee' })).toHaveCount(1);
  await act('Delete');
  await expectPage(page.getByRole('dialog', { name: 'Delete' })).toContainText(
    'Are you sure you want to delete the document prompt “Guarantee”? This action cannot be undone.',
  );
  await page.getByRole('dialog', { name: 'Delete' }).getByRole('button', { name: 'Delete' }).click();
  await expectPage(page.getByText('No document prompts found')).toBeVisible();
  expect(found).toEqual([]);
});
