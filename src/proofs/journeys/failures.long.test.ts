/** Failing calls: the console's messages, and what it must not repeat when an answer is lost. */
import type { Page, Route } from '@playwright/test';
import { expect, it } from 'vitest';
import { pick, press, rowAction, submit } from './actions.ts';
import { create, demoProduct, receivedBy, writeAs } from './calls.ts';
import { talkTo, type } from './dialogue.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { bubble, dialogOf, main } from './locators.ts';
import { QUESTION } from './phone.ts';
import { expectPage } from './signIn.ts';
import { goTo, openPage } from './start.ts';

setUpJourney({ withoutOutreach: true });

const alert = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });

/** Let the server execute a request, but lose the answer. */
async function loseAnswer(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}

it('says what cannot be loaded in place of a list, and in a toast where choices are missing', async () => {
  const { page } = await openPage('prompt-groups');
  const failed = alert(page, 'Failed to load prompts for product');
  await page.route(/\/v1\/prompt_groups\/\?/, (route) => route.abort());
  await page.reload();
  await expectPage(failed).toBeVisible();
  await page.unroute(/\/v1\/prompt_groups\/\?/);
  await press(failed, 'Retry');

  // A dropdown has no place for the error: a toast shows it.
  await page.getByRole('link', { name: 'Document Prompts', exact: true }).click();
  await page.route(/\/v1\/prompts\/\?/, (route) => route.fulfill({ status: 500, body: '{}' }));
  await press(page, 'New document prompt');
  await dialogOf(page, 'New document prompt').getByRole('combobox', { name: 'Prompt' }).click();
  await expectPage(failed).toBeVisible();
});

it('keeps a prompt that cannot be saved in the editor, and says so after a refusal and a lost call', async () => {
  const { context, page } = await openPage('prompts');
  const { productId } = await demoProduct(context);
  const prompt = { product_id: productId, name: 'Kept', text: 'First text', type: 'subprompt' };
  const promptId = await create(context, '/v1/prompts/', prompt);
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
  await press(page, 'Prompt');
  await page.getByRole('combobox', { name: 'Prompt' }).fill('Warr');
  await page.getByRole('option', { name: 'Warranty writer' }).click();
  await expectPage(rows.filter({ hasText: 'Invoice writer' })).toHaveCount(0);
  await expectPage(rows.filter({ hasText: 'Warranty writer' })).toHaveCount(1);
  await page.keyboard.press('Escape');

  await rowAction(rows, /^Actions for/, 'Edit');
  const form = dialogOf(page, 'Edit document prompt');
  await submit(form, { Name: '' }, 'Save', 'Name is required');
  await submit(form, { Name: 'Guarantee' }, 'Save');
  await expectPage(rows.filter({ hasText: 'Guarantee' })).toHaveCount(1);
  await rowAction(rows, /^Actions for/, 'Delete');
  await press(dialogOf(page, 'Delete'), 'Delete', 'No document prompts found');
});

it('shows and sends a message once when the answer to its send was lost', async () => {
  const { context, page, lead } = await talkTo('Lars Lost');
  // The server accepts the message; the browser receives neither the answer nor the event, and cannot read the thread.
  await page.route('**/v1/live?*', (route) => route.abort());
  await page.reload();
  await expectPage(page.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible();
  await page.route('**/thread?*', (route) => route.abort());
  await page.route('**/v1/messages/', loseAnswer);
  await type(page, 'Nobody tells of this one.');
  const unsent = bubble(page, 'Nobody tells');
  await expectPage(unsent.getByRole('button', { name: 'Retry' })).toBeVisible();
  await expectPage.poll(() => receivedBy(context, lead)).toHaveLength(1);
  await page.unroute('**/v1/messages/');
  await press(unsent, 'Retry');
  await expectPage(unsent.getByRole('alert')).toBeHidden();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.reload();
  await expectPage(unsent.getByRole('img', { name: 'Read' })).toBeVisible();
  await expectPage(unsent).toHaveCount(1);
  expect(await receivedBy(context, lead)).toHaveLength(1);
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

it('sends a message once when the answer to it was lost and it is sent again by hand', async () => {
  const { context, page, lead } = await talkTo('Lena Lost');
  await goTo(page, `send-message&contactId=${lead.contactId}`);
  await page.route(/\/v1\/messages\/$/, loseAnswer, { times: 1 });
  await submit(main(page), { Message: 'Only once, please.' }, 'Send');
  await expectPage(alert(page, 'Network error')).toBeVisible();
  await press(main(page), 'Send');
  await expectPage(page.getByRole('log', { name: 'Messages' }).getByRole('img', { name: 'Read' })).toHaveCount(1);
  expect(await receivedBy(context, lead)).toEqual(['Only once, please.']);
});
