/** A lead from its creation to the model's runs behind its answers, and everything that belongs to a lead. */
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { accessibilityViolations } from './accessibility.ts';
import { callApi, createLeadWithDialogue, findProduct } from './journeyApi.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { expectPage, openConsole, PRODUCT, signInByApi } from './signIn.ts';

setUpJourney({ withoutOutreach: true });

const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name });
const section = (page: Page, name: string) => page.getByRole('region', { name });

it('a new lead is written to, answers, and the runs behind the bot are found', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=crm-leads');
  await page.getByRole('button', { name: 'New lead' }).first().click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Rita Nordwind');
  await page.getByRole('button', { name: 'Create' }).click();
  await expectPage(section(page, 'What comes next')).toContainText('No messages yet.');
  await page.getByRole('button', { name: 'Add contact' }).click();
  const contact = dialogOf(page, 'New contact');
  await contact.getByRole('combobox', { name: 'Messenger' }).click();
  await page.getByRole('option', { name: 'WhatsApp' }).click();
  await contact.getByLabel('Address').fill('+371 29 333 444');
  await contact.getByRole('button', { name: 'Create' }).click();
  await expectPage(section(page, 'Contacts').getByRole('link', { name: '+371 29 333 444' })).toBeVisible();
  await section(page, 'Contacts').getByRole('link', { name: 'Send message' }).click();
  await expectPage(page.getByRole('note')).toHaveText('Starts a new dialogue, owned by the bot.');
  for (const name of ['Split into parts', 'With the delay', 'Only in working hours']) {
    await expectPage(page.getByRole('switch', { name })).toBeChecked();
  }
  await page.getByRole('main').getByRole('button', { name: 'Send', exact: true }).click();
  await expectPage(page.getByText('Message is required')).toBeVisible();
  const contactId = new URL(page.url()).searchParams.get('contactId');
  await page
    .getByRole('main')
    .getByRole('textbox', { name: 'Message' })
    .fill('Good day, Rita!\n\nShall we talk about your kitchen?');
  const found = await accessibilityViolations(page, 'send-message');
  await page.getByRole('main').getByRole('button', { name: 'Send', exact: true }).click();

  // Two parts, and the bot answers the lead's reply to them.
  const thread = page.getByRole('log', { name: 'Messages' });
  await expectPage(thread.getByRole('article')).toHaveCount(2);
  await expectPage(page.getByRole('status').filter({ hasText: 'Bot is answering' })).toBeVisible();
  await expectPage(thread.getByRole('img', { name: 'Read' })).toHaveCount(2);
  await callApi(context, product.url, 'POST', `/sandbox/phones/${contactId}/write`, { text: 'How much is it?' });
  await expectPage(thread.locator('article[data-author="bot"]')).toHaveCount(1);

  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  const row = page.getByRole('row').filter({ hasText: 'Rita Nordwind' }).filter({ hasText: 'Bot' });
  await row.getByRole('button', { name: 'Runs' }).click();
  const runs = dialogOf(page, 'Why the bot said this');
  await expectPage(runs).toContainText('Kitchen consultant v5');
  await expectPage(runs).toContainText('chatgpt / gpt-4o-mini');
  await expectPage(runs).toContainText(/\d+ in, \d+ out/);
  await expectPage(runs).toContainText(/\d+ ms/);
  expect(found).toEqual([]);
}, 60_000);

it("a lead's document is made, changed and deleted, and its events are found among all", async () => {
  const context = await chromium.context();
  await signInByApi(context, product.url);
  const { leadId } = await createLeadWithDialogue(context, product.url, PRODUCT, 'Olof Vinter');
  const page = await openConsole(context, product.url, `/?page=lead-detail&leadId=${leadId}`);
  const documents = section(page, 'Documents');
  await documents.getByRole('button', { name: 'Add document' }).click();
  const form = dialogOf(page, 'New document');
  await form.getByRole('textbox', { name: 'Name' }).fill('Offer of November');
  await form.getByRole('textbox', { name: 'Type' }).fill('an offer');
  await form.getByRole('textbox', { name: 'Text' }).fill('Oak, 4200 €');
  await form.getByRole('button', { name: 'Create' }).click();
  await expectPage(form.getByText('Only letters, digits, _ and -, beginning with a letter')).toBeVisible();
  await form.getByRole('textbox', { name: 'Type' }).fill('offer');
  await form.getByRole('button', { name: 'Create' }).click();
  await expectPage(documents).toContainText('document.offer');
  const act = async (action: string) => {
    await documents.getByRole('button', { name: /^Actions for Offer/ }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await act('Edit');
  await expectPage(dialogOf(page, 'Edit document').getByRole('textbox', { name: 'Text' })).toHaveValue('Oak, 4200 €');
  await dialogOf(page, 'Edit document').getByRole('textbox', { name: 'Name' }).fill('Offer of December');
  await dialogOf(page, 'Edit document').getByRole('button', { name: 'Save' }).click();
  await expectPage(documents).toContainText('Offer of December');
  await act('Delete');
  await expectPage(dialogOf(page, 'Delete')).toContainText('Are you sure you want to delete');
  await dialogOf(page, 'Delete').getByRole('button', { name: 'Delete' }).click();
  await expectPage(documents).toContainText('No lead documents found');

  // A link needs no text; with neither, the form shows an error beside the field.
  await documents.getByRole('button', { name: 'Add document' }).click();
  await form.getByRole('textbox', { name: 'Name' }).fill('Catalogue');
  await form.getByRole('textbox', { name: 'Type' }).fill('catalogue');
  await form.getByRole('button', { name: 'Create' }).click();
  await expectPage(form.getByRole('textbox', { name: 'Text' })).toHaveAccessibleDescription(
    'A text or a link is required',
  );
  await form.getByRole('textbox', { name: 'Link' }).fill('https://example.com/catalogue.pdf');
  await form.getByRole('button', { name: 'Create' }).click();
  await expectPage(documents.getByRole('link', { name: 'Catalogue' })).toHaveAttribute(
    'href',
    'https://example.com/catalogue.pdf',
  );

  await page.getByRole('button', { name: 'Actions for Olof Vinter' }).click();
  await page.getByRole('menuitem', { name: 'Deactivate' }).click();
  await dialogOf(page, 'Deactivate Olof Vinter?').getByRole('button', { name: 'Deactivate' }).click();
  await expectPage(section(page, 'What comes next')).toHaveText(/The bot is off: the lead is not active\./);
  await page.getByRole('link', { name: 'Lead Events', exact: true }).click();
  const rows = page.getByRole('row').filter({ has: page.getByRole('link') });
  await expectPage(rows.first()).toContainText('Deactivated');
  await page.getByRole('button', { name: 'Event', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Stage' }).check();
  await page.keyboard.press('Escape');
  await expectPage(rows.filter({ hasText: 'Deactivated' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove filter Event' }).click();
  const found = await accessibilityViolations(page, 'crm-lead-events');
  await rows.first().getByRole('link', { name: 'Olof Vinter' }).click();
  await expectPage(page.getByRole('heading', { name: 'Olof Vinter', level: 1 })).toBeVisible();
  await page.goto(`${product.url}/?page=crm-integrations`);
  await expectPage(page.getByRole('row').filter({ hasText: 'Demo account' })).toBeVisible();
  found.push(...(await accessibilityViolations(page, 'crm-integrations')));
  expect(found).toEqual([]);
}, 60_000);

it('the dashboard shows what is stored, each figure leads to its list, and follows what happens', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=dashboard');
  const { productId } = await findProduct(context, product.url, PRODUCT);
  const total = async (path: string) =>
    ((await callApi(context, product.url, 'GET', `${path}?product_id=${productId}&limit=1`)) as { total: number })
      .total;
  const tile = (name: string) => page.getByRole('region', { name, exact: true });
  await expectPage(tile('Users')).toContainText(String(await total('/v1/leads/')));
  await expectPage(tile('Active')).toContainText('dialogues with a message in 7 days');
  const before = await total('/v1/leads/');
  await createLeadWithDialogue(context, product.url, PRODUCT, 'Dora Dash');
  await expectPage(tile('Users')).toContainText(String(before + 1));
  await expectPage(tile('Growth')).toContainText(/\+\d/);
  for (const [name, key, title] of [
    ['Users', 'crm-leads', 'Leads'],
    ['Messages', 'crm-messages', 'Messages'],
    ['Growth', 'crm-leads', 'Leads'],
    ['Active', 'crm-dialogues', 'Dialogues'],
  ] as const) {
    const figure = (await tile(name).locator('[data-figure]').innerText()).replace('+', '');
    await tile(name).getByRole('link', { name }).click();
    await expectPage(page).toHaveURL(new RegExp(`page=${key}`));
    await expectPage(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
    await expectPage(page.getByRole('status').filter({ hasText: `of ${figure} ${title.toLowerCase()}` })).toBeVisible();
    await page.goBack();
    await expectPage(tile(name)).toBeVisible();
  }

  await page.getByRole('button', { name: 'Test text diff' }).click();
  const tester = dialogOf(page, 'Text diff tester');
  const show = tester.getByRole('button', { name: 'Show Diff' });
  await expectPage(show).toBeDisabled();
  await tester.getByRole('textbox', { name: 'Old text' }).fill('one');
  await expectPage(show).toBeDisabled();
  await tester.getByRole('button', { name: 'Sample: A price' }).click();
  await show.click();
  await expectPage(tester).toContainText('4,500');
  // The diff disappears when the fields no longer contain its texts.
  await tester.getByRole('textbox', { name: 'New text' }).fill('A kitchen costs nothing.');
  await expectPage(tester.getByRole('region', { name: 'Differences' })).toHaveCount(0);
  await tester.getByRole('button', { name: 'Clear', exact: true }).click();
  await expectPage(tester.getByRole('textbox', { name: 'Old text' })).toHaveValue('');
  await expectPage(show).toBeDisabled();
  await tester.getByRole('button', { name: 'Close', exact: true }).click();
  await expectPage(tester).toBeHidden();
});

it('a document prompt is made; where prompts or prepared messages do not load, the page says so', async () => {
  const context = await chromium.context();
  // Start elsewhere than on the list of prompts: a loaded list is shown from the cache for half a minute.
  const page = await openConsole(context, product.url, '/?page=dashboard');
  const { productId } = await findProduct(context, product.url, PRODUCT);
  await callApi(context, product.url, 'POST', '/v1/prompts/', {
    product_id: productId,
    name: 'Sketch of an offer',
    text: 'Write an offer.',
    type: 'document',
  });
  await page.getByRole('link', { name: 'Document Prompts', exact: true }).click();
  await page.getByRole('button', { name: 'New document prompt' }).first().click();
  const form = dialogOf(page, 'New document prompt');
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Sketch');
  await form.getByRole('textbox', { name: 'Type', exact: true }).fill('sketch');
  await form.getByRole('combobox', { name: 'Prompt' }).click();
  await page.getByRole('option', { name: 'Sketch of an offer' }).click();
  await form.getByRole('button', { name: 'Create' }).click();
  const row = page.getByRole('row').filter({ hasText: 'sketch' });
  await expectPage(row).toContainText('Sketch of an offer');

  await page.route(/\/v1\/(prompts|prepared-messages)\/\?/, (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.getByRole('link', { name: 'Prompts', exact: true }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'Failed to load prompts for product' });
  await expectPage(alert).toContainText('Backend error 500: Internal Server Error');
  await page.getByRole('link', { name: 'Prepared Messages', exact: true }).click();
  await expectPage(page.getByRole('alert').filter({ hasText: 'Failed to load prepared messages' })).toBeVisible();
  const lead = await createLeadWithDialogue(context, product.url, PRODUCT, 'Paul Prepared');
  await page.goto(`${product.url}/?page=send-message&contactId=${lead.contactId}`);
  await page.getByText('Prepared message', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Prepared message' }).click();
  await expectPage(page.getByRole('alert').filter({ hasText: 'Failed to load prepared messages' })).toBeVisible();
});
