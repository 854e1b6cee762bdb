/** A lead from its creation to the model's runs behind its answers, and everything that belongs to a lead. */
import { it } from 'vitest';
import { expectHeading, expectTexts, follow, pick, press, rowAction, submit } from './actions.ts';
import { call, countRows, createLead } from './calls.ts';
import { setUpJourney } from './journeySetup.ts';
import { dialogOf, field, main, row, section } from './locators.ts';
import { expectPage } from './signIn.ts';
import { goTo, openPage, startOperator } from './start.ts';

setUpJourney({ withoutOutreach: true });

it('writes to a new lead, who answers, and shows the runs behind the bot’s reply', async () => {
  const { context, page } = await openPage('crm-leads');
  await press(page, 'New lead');
  await submit(page, { Name: 'Rita Nordwind' }, 'Create');
  await expectPage(section(page, 'What comes next')).toContainText('No messages yet.');
  await press(page, 'Add contact');
  const contact = dialogOf(page, 'New contact');
  await pick(contact, 'Messenger', 'WhatsApp');
  await submit(contact, { Address: '+371 29 333 444' }, 'Create');
  await section(page, 'Contacts').getByRole('link', { name: 'Send message' }).click();
  await expectPage(page.getByRole('note')).toHaveText('Starts a new dialogue, owned by the bot.');
  for (const name of ['Split into parts', 'Use the channel’s delay', 'Only in working hours'])
    await expectPage(page.getByRole('switch', { name })).toBeChecked();
  await press(main(page), 'Send', 'Message is required');
  await page.getByRole('switch', { name: 'Only in working hours' }).click();
  const contactId = new URL(page.url()).searchParams.get('contactId');
  await submit(main(page), { Message: 'Good day, Rita!\n\nShall we talk about your kitchen?' }, 'Send');

  // Two parts, and the bot answers the lead's reply to them.
  const thread = page.getByRole('log', { name: 'Messages' });
  await expectPage(thread.getByRole('img', { name: 'Read' })).toHaveCount(2);
  await call(context, 'POST', `/sandbox/phones/${contactId}/write`, { text: 'How much is it?' });
  await expectPage(thread.locator('article[data-author="bot"]')).toHaveCount(1);
  await follow(page, 'Messages');
  await row(page, 'Rita Nordwind').filter({ hasText: 'Bot' }).getByRole('button', { name: 'Runs' }).click();
  const runs = dialogOf(page, 'Why the bot said this');
  await expectTexts(runs, 'Kitchen consultant v5', 'chatgpt / gpt-4o-mini', /\d+ in, \d+ out/, /\d+ ms/);
});

it('creates, changes and deletes a lead’s document, and finds its events among all', async () => {
  const { context, page } = await startOperator();
  const { leadId } = await createLead(context, 'Olof Vinter');
  await goTo(page, `lead-detail&leadId=${leadId}`);
  const documents = section(page, 'Documents');
  await press(documents, 'Add document');
  const form = dialogOf(page, 'New document');
  const invalid = 'Only letters, digits, _ and -, beginning with a letter';
  await submit(form, { Name: 'Offer of November', Type: 'an offer', Text: 'Oak, 4200 €' }, 'Create', invalid);
  await submit(form, { Type: 'offer' }, 'Create');
  await expectPage(documents).toContainText('document.offer');
  await rowAction(documents, /^Actions for Offer/, 'Edit');
  await submit(dialogOf(page, 'Edit document'), { Name: 'Offer of December' }, 'Save');
  await expectPage(documents).toContainText('Offer of December');
  await rowAction(documents, /^Actions for Offer/, 'Delete');
  await press(dialogOf(page, 'Delete'), 'Delete');
  await expectPage(documents).toContainText('No lead documents found');

  // A link needs no text; with neither, the form shows an error beside the field.
  await press(documents, 'Add document');
  await submit(form, { Name: 'Catalogue', Type: 'catalogue' }, 'Create', 'A text or a link is required');
  const link = 'https://example.com/catalogue.pdf';
  await submit(form, { Link: link }, 'Create');
  await expectPage(documents.getByRole('link', { name: 'Catalogue' })).toHaveAttribute('href', link);

  await rowAction(page, 'Olof Vinter', 'Deactivate');
  await press(dialogOf(page, 'Deactivate Olof Vinter?'), 'Deactivate');
  await expectPage(section(page, 'What comes next')).toHaveText(/The bot is off: the lead is not active\./);
  await follow(page, 'Lead Events');
  const rows = page.getByRole('row').filter({ has: page.getByRole('link') });
  await expectPage(rows.first()).toContainText('Deactivated');
  await press(page, 'Event');
  await page.getByRole('checkbox', { name: 'Stage' }).check();
  await page.keyboard.press('Escape');
  await expectPage(rows.filter({ hasText: 'Deactivated' })).toHaveCount(0);
  await press(page, 'Remove filter Event');
  await rows.first().getByRole('link', { name: 'Olof Vinter' }).click();
  await expectHeading(page, 'Olof Vinter');
});

it('shows the stored figures on the dashboard, updates them, and leads from each to its list', async () => {
  const { context, page } = await openPage('dashboard');
  const tile = (name: string) => section(page, name);
  const before = await countRows(context, '/v1/leads/');
  await expectPage(tile('Users')).toContainText(String(before));
  await expectPage(tile('Active')).toContainText('dialogues with a message in 7 days');
  await createLead(context, 'Dora Dash');
  await expectPage(tile('Users')).toContainText(String(before + 1));
  for (const [name, key, title] of [
    ['Users', 'crm-leads', 'Leads'],
    ['Messages', 'crm-messages', 'Messages'],
    ['Growth', 'crm-leads', 'Leads'],
    ['Active', 'crm-dialogues', 'Dialogues'],
  ] as const) {
    const figure = (await tile(name).locator('[data-figure]').innerText()).replace('+', '');
    await tile(name).getByRole('link', { name }).click();
    await expectPage(page).toHaveURL(new RegExp(`page=${key}`));
    await expectPage(page.getByRole('status').filter({ hasText: `of ${figure} ${title.toLowerCase()}` })).toBeVisible();
    await page.goBack();
    await expectPage(tile(name)).toBeVisible();
  }

  await press(page, 'Test text diff');
  const tester = dialogOf(page, 'Text diff tester');
  const show = tester.getByRole('button', { name: 'Show Diff' });
  await expectPage(show).toBeDisabled();
  await field(tester, 'Old text').fill('one');
  await expectPage(show).toBeDisabled();
  await press(tester, 'Sample: A price');
  await show.click();
  await expectPage(tester).toContainText('4,500');
  // The diff disappears when the fields no longer contain its texts.
  await field(tester, 'New text').fill('A kitchen costs nothing.');
  await expectPage(tester.getByRole('region', { name: 'Differences' })).toHaveCount(0);
  await press(tester, 'Clear');
  await expectPage(field(tester, 'Old text')).toHaveValue('');
  await press(tester, 'Close');
  await expectPage(tester).toBeHidden();
});
