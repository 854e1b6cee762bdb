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

it('shows and sends a message once when the answer to its send was lost', async () => {
  const { context, page, lead } = await talkTo('Lars Lost');
  // The server accepts the message; the browser does not receive the answer.
  const loseAnswer = () =>
    page.route('**/v1/messages/', async (route) => {
      await route.fetch();
      await route.abort();
    });
  await loseAnswer();
  await type(page, 'The stream tells of this one.');
  await expectPage(bubble(page, 'The stream tells').getByRole('img', { name: 'Read' })).toBeVisible();
  await expectPage(bubble(page, 'The stream tells')).toHaveCount(1);

  // Now without the stream, and without reading the thread again.
  await page.route('**/v1/live?*', (route) => route.abort());
  await page.reload();
  await expectPage(bubble(page, 'The stream tells')).toBeVisible();
  await page.route('**/thread?*', (route) => route.abort());
  await type(page, 'Nobody tells of this one.');
  const unsentBubble = bubble(page, 'Nobody tells');
  await expectPage(unsentBubble.getByRole('button', { name: 'Retry' })).toBeVisible();
  await expectPage.poll(() => receivedBy(context, lead)).toContain('Nobody tells of this one.');
  await page.unroute('**/v1/messages/');
  await press(unsentBubble, 'Retry');
  await expectPage(unsentBubble.getByRole('alert')).toBeHidden();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.reload();
  await expectPage(unsentBubble.getByRole('img', { name: 'Read' })).toBeVisible();
  await expectPage(unsentBubble).toHaveCount(1);
  expect(await receivedBy(context, lead)).toEqual(['The stream tells of this one.', 'Nobody tells of this one.']);
});

it('catches up without a reload after the server was killed and restarted', async () => {
  const { context, page, lead } = await talkTo('Kira Killed');
  await page.evaluate(() => document.body.setAttribute('data-same-page', 'yes'));
  await product.kill();
  try {
    await expectPage(page.getByText('Reconnecting...')).toBeVisible();
    await type(page, 'Are you there?');
    await expectPage(bubble(page, 'Are you there?')).toContainText('The server cannot be reached');
  } finally {
    await product.start();
  }
  await writeAs(context, lead, QUESTION);
  await expectPage(bubble(page, QUESTION)).toBeVisible();
  await expectPage(page.getByText('Reconnecting...')).toBeHidden();
  await bubble(page, 'Are you there?').getByRole('button', { name: 'Retry' }).click();
  await expectPage(bubble(page, 'Are you there?').getByRole('img', { name: 'Read' })).toBeVisible();
  await expectPage(page.locator('body')).toHaveAttribute('data-same-page', 'yes');
  expect((await receivedBy(context, lead)).filter((text) => text === 'Are you there?')).toHaveLength(1);
  // The assistant's socket could not reconnect either, which the browser reports by itself.
  expect(chromium.takeErrors().filter((fault) => !fault.includes('/ws/master_chat/'))).toEqual([]);
});
