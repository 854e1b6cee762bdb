/** Failing calls: the console's messages, and what it must not repeat when an answer is lost. */
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { accessibilityViolations } from './accessibility.ts';
import { callApi, createLeadWithDialogue, findProduct, receivedTexts } from './journeyApi.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { expectPage, openConsole, PRODUCT } from './signIn.ts';

setUpJourney({ withoutOutreach: true });

const alert = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });

it('what cannot be loaded is said: in place of a list, in a toast where choices are missing, at the start', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=prompt-groups');
  await expectPage(page.getByRole('heading', { name: 'RAG Prompts', level: 1 })).toBeVisible();
  await page.route(/\/v1\/prompt_groups\/\?/, (route) => route.abort());
  await page.reload();
  await expectPage(alert(page, 'Failed to load prompts for product')).toBeVisible();
  await page.unroute(/\/v1\/prompt_groups\/\?/);
  await alert(page, 'Failed to load prompts for product').getByRole('button', { name: 'Retry' }).click();
  await expectPage(alert(page, 'Failed to load prompts for product')).toBeHidden();

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

it('a prompt that cannot be saved stays in the editor, and both a refusal and a lost call say so', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=prompts');
  const { productId } = await findProduct(context, product.url, PRODUCT);
  const created = (await callApi(context, product.url, 'POST', '/v1/prompts/', {
    product_id: productId,
    name: 'Kept',
    text: 'First text',
    type: 'subprompt',
  })) as { id: number };
  await page.goto(`${product.url}/?page=prompt-detail&promptId=${created.id}`);
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  for (const fail of ['answer', 'abort'] as const) {
    await page.route(/\/v1\/prompts\/\d+$/, (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      return fail === 'abort' ? route.abort() : route.fulfill({ status: 500, body: '{}' });
    });
    await name.fill(`Changed, ${fail}`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const toast = alert(page, 'Failed to update prompt');
    await expectPage(toast).toBeVisible();
    await expectPage(page.getByText('Unsaved', { exact: true })).toBeVisible();
    await toast.getByRole('button', { name: 'Close' }).click();
    await expectPage(toast).toBeHidden();
    await page.unroute(/\/v1\/prompts\/\d+$/);
  }
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectPage(page.getByText('Saved Changed, abort')).toBeVisible();
});

it('a message whose answer was lost is sent again by hand and goes out once', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=crm-leads');
  const lead = await createLeadWithDialogue(context, product.url, PRODUCT, 'Lena Lost');
  await page.goto(`${product.url}/?page=send-message&contactId=${lead.contactId}`);
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
  expect(await receivedTexts(context, product.url, lead)).toEqual(['Only once, please.']);
  expect(keys).toHaveLength(2);
  expect(keys[0]).toMatch(/^[\da-f-]{36}$/);
  expect(keys[1]).toBe(keys[0]);
});

it('a document prompt is found by its prompt, changed and deleted', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=document-prompts');
  const { productId } = await findProduct(context, product.url, PRODUCT);
  const make = async (path: string, body: object) =>
    ((await callApi(context, product.url, 'POST', path, { product_id: productId, ...body })) as { id: number }).id;
  for (const name of ['Warranty', 'Invoice']) {
    const promptId = await make('/v1/prompts/', { name: `${name} writer`, text: 'Write it.', type: 'document' });
    await make('/v1/document-prompts/', { name, document_type: name.toLowerCase(), prompt_id: promptId });
  }
  await page.reload();
  const rows = page.getByRole('row').filter({ has: page.getByRole('button', { name: /^Actions for/ }) });
  await expectPage(rows.filter({ hasText: 'Invoice writer' })).toHaveCount(1);
  const found = await accessibilityViolations(page, 'document-prompts');
  await page.getByRole('button', { name: 'Prompt', exact: true }).click();
  await page.getByRole('combobox', { name: 'Prompt' }).fill('Warr');
  await page.getByRole('option', { name: 'Warranty writer' }).click();
  await expectPage(rows.filter({ hasText: 'Invoice writer' })).toHaveCount(0);
  await expectPage(rows.filter({ hasText: 'Warranty writer' })).toHaveCount(1);
  await page.keyboard.press('Escape');

  const act = async (action: string) => {
    await rows
      .first()
      .getByRole('button', { name: /^Actions for/ })
      .click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await act('Edit');
  const form = page.getByRole('dialog', { name: 'Edit document prompt' });
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('');
  await form.getByRole('button', { name: 'Save' }).click();
  await expectPage(form.getByText('Name is required')).toBeVisible();
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Guarantee');
  await form.getByRole('button', { name: 'Save' }).click();
  await expectPage(rows.filter({ hasText: 'Guarantee' })).toHaveCount(1);
  await act('Delete');
  await expectPage(page.getByRole('dialog', { name: 'Delete' })).toContainText(
    'Are you sure you want to delete the document prompt “Guarantee”? This action cannot be undone.',
  );
  await page.getByRole('dialog', { name: 'Delete' }).getByRole('button', { name: 'Delete' }).click();
  await expectPage(page.getByText('No document prompts found')).toBeVisible();
  expect(found).toEqual([]);
}, 60_000);
