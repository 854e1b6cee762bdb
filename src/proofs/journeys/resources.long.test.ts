/** A lead from its creation to the model's runs behind its answers, and everything that belongs to a lead. */
import { expect, it } from 'vitest';
import { accessibilityViolations } from './accessibility.ts';
import {
  call,
  countRows,
  createLead,
  dialogOf,
  goTo,
  openPage,
  pick,
  press,
  rowAction,
  section,
  startOperator,
  submit,
} from './actions.ts';
import { setUpJourney } from './journeySetup.ts';
import { expectPage } from './signIn.ts';

setUpJourney({ withoutOutreach: true });

it('writes to a new lead, who answers, and shows the runs behind the bot’s reply', async () => {
  const { context, page } = await openPage('crm-leads');
  await page.getByRole('button', { name: 'New lead' }).first().click();
  await submit(page, { Name: 'Rita Nordwind' }, 'Create');
  await expectPage(section(page, 'What comes next')).toContainText('No messages yet.');
  await press(page, 'Add contact');
  const contact = dialogOf(page, 'New contact');
  await pick(contact, 'Messenger', 'WhatsApp');
  await contact.getByLabel('Address').fill('+371 29 333 444');
  await press(contact, 'Create');
  await expectPage(section(page, 'Contacts').getByRole('link', { name: '+371 29 333 444' })).toBeVisible();
  await section(page, 'Contacts').getByRole('link', { name: 'Send message' }).click();
  await expectPage(page.getByRole('note')).toHaveText('Starts a new dialogue, owned by the bot.');
  for (const name of ['Split into parts', 'Use the channel’s delay', 'Only in working hours']) {
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
  await call(context, 'POST', `/sandbox/phones/${contactId}/write`, { text: 'How much is it?' });
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
});

it('creates, changes and deletes a lead’s document, and finds its events among all', async () => {
  const { context, page } = await startOperator();
  const { leadId } = await createLead(context, 'Olof Vinter');
  await goTo(page, `lead-detail&leadId=${leadId}`);
  const documents = section(page, 'Documents');
  await documents.getByRole('button', { name: 'Add document' }).click();
  const form = dialogOf(page, 'New document');
  await submit(form, { Name: 'Offer of November', Type: 'an offer', Text: 'Oak, 4200 €' }, 'Create');
  await expectPage(form.getByText('Only letters, digits, _ and -, beginning with a letter')).toBeVisible();
  await submit(form, { Type: 'offer' }, 'Create');
  await expectPage(documents).toContainText('document.offer');
  const act = async (action: string) => {
    await rowAction(documents, /^Actions for Offer/, action);
  };
  await act('Edit');
  await expectPage(dialogOf(page, 'Edit document').getByRole('textbox', { name: 'Text' })).toHaveValue('Oak, 4200 €');
  await submit(dialogOf(page, 'Edit document'), { Name: 'Offer of December' }, 'Save');
  await expectPage(documents).toContainText('Offer of December');
  await act('Delete');
  await expectPage(dialogOf(page, 'Delete')).toContainText('Are you sure you want to delete');
  await press(dialogOf(page, 'Delete'), 'Delete');
  await expectPage(documents).toContainText('No lead documents found');

  // A link needs no text; with neither, the form shows an error beside the field.
  await documents.getByRole('button', { name: 'Add document' }).click();
  await submit(form, { Name: 'Catalogue', Type: 'catalogue' }, 'Create');
  await expectPage(form.getByRole('textbox', { name: 'Text' })).toHaveAccessibleDescription(
    'A text or a link is required',
  );
  await submit(form, { Link: 'https://example.com/catalogue.pdf' }, 'Create');
  await expectPage(documents.getByRole('link', { name: 'Catalogue' })).toHaveAttribute(
    'href',
    'https://example.com/catalogue.pdf',
  );

  await rowAction(page, 'Olof Vinter', 'Deactivate');
  await dialogOf(page, 'Deactivate Olof Vinter?').getByRole('button', { name: 'Deactivate' }).click();
  await expectPage(section(page, 'What comes next')).toHaveText(/The bot is off: the lead is not active\./);
  await page.getByRole('link', { name: 'Lead Events', exact: true }).click();
  const rows = page.getByRole('row').filter({ has: page.getByRole('link') });
  await expectPage(rows.first()).toContainText('Deactivated');
  await press(page, 'Event');
  await page.getByRole('checkbox', { name: 'Stage' }).check();
  await page.keyboard.press('Escape');
  await expectPage(rows.filter({ hasText: 'Deactivated' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove filter Event' }).click();
  const found = await accessibilityViolations(page, 'crm-lead-events');
  await rows.first().getByRole('link', { name: 'Olof Vinter' }).click();
  await expectPage(page.getByRole('heading', { name: 'Olof Vinter', level: 1 })).toBeVisible();
  await goTo(page, 'crm-integrations');
  await expectPage(page.getByRole('row').filter({ hasText: 'Demo account' })).toBeVisible();
  found.push(...(await accessibilityViolations(page, 'crm-integrations')));
  expect(found).toEqual([]);
});

it('shows the stored figures on the dashboard, updates them, and leads from each to its list', async () => {
  const { context, page } = await openPage('dashboard');
  const tile = (name: string) => page.getByRole('region', { name, exact: true });
  await expectPage(tile('Users')).toContainText(String(await countRows(context, '/v1/leads/')));
  await expectPage(tile('Active')).toContainText('dialogues with a message in 7 days');
  const before = await countRows(context, '/v1/leads/');
  await createLead(context, 'Dora Dash');
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
  await press(tester, 'Clear');
  await expectPage(tester.getByRole('textbox', { name: 'Old text' })).toHaveValue('');
  await expectPage(show).toBeDisabled();
  await press(tester, 'Close');
  await expectPage(tester).toBeHidden();
});
