/** An operator's daily tasks by the shortest way: each step was a complaint once. */
import type { Locator, Page } from '@playwright/test';
import { it } from 'vitest';
import { expectHeading, expectTexts, fillIn, follow, holdCalls, pick, press, rowAction, submit } from './actions.ts';
import { setUpJourney } from './journeySetup.ts';
import { bubble, dialogOf, field, main, panel, row } from './locators.ts';
import { SCREENS } from './screens.ts';
import { expectPage } from './signIn.ts';
import { goTo, openPage } from './start.ts';

setUpJourney();

const WIDE = { width: 1440, height: 900 };
const palette = (page: Page) => page.getByRole('dialog', { name: 'Go to' });

it('closes the palette by Esc, its own keys and a click outside, and returns the focus', async () => {
  const { page } = await openPage('crm-leads');
  const search = page.getByRole('searchbox', { name: 'Search leads' });
  await search.focus();
  for (const close of [
    () => page.keyboard.press('Escape'),
    () => page.keyboard.press('Control+k'),
    () => page.mouse.click(5, 400),
  ]) {
    await page.keyboard.press('Control+k');
    const field = palette(page).getByRole('combobox', { name: 'Go to' });
    await expectPage(field).toBeFocused();
    await close();
    await expectPage(palette(page)).toHaveCount(0);
    await expectPage(search).toBeFocused();
  }
  await page.keyboard.press('Control+k');
  await palette(page).getByRole('combobox', { name: 'Go to' }).fill('dialog');
  const marked = palette(page).getByRole('option', { selected: true });
  await expectPage(marked).toHaveText('Dialogues');
  await page.keyboard.press('Enter');
  await expectHeading(page, 'Dialogues');
  // A name that is no page is found a moment later, and is marked as well.
  await page.keyboard.press('Control+k');
  await palette(page).getByRole('combobox', { name: 'Go to' }).fill('Dexter Roundabout');
  await expectPage(marked).toContainText('Dexter Roundabout');
  await page.keyboard.press('Enter');
  await expectHeading(page, 'Dexter Roundabout');
});

it('says before saving that a prompt would replace another one', async () => {
  const { page } = await openPage('prompts');
  const used = row(page, 'Chatbot').filter({ hasText: 'In use' });
  await expectPage(used).toHaveCount(1);
  const former = (await used.getByRole('link').first().textContent()) ?? '';
  await press(page, 'New prompt');
  await fillIn(page, { Name: 'Experiment', 'Text of the prompt': 'Do not use.' });
  const warning = `“${former}” is in use now. “Experiment” replaces it as soon as it is saved.`;
  await expectPage(page.getByRole('status').filter({ hasText: warning })).toBeVisible();
  await press(page, 'Save');
  const question = dialogOf(page, 'This changes which prompt is in use');
  await expectPage(question).toContainText(warning);
  await press(question, 'Cancel');
  await pick(page, 'Type', 'Ping');
  await press(page, 'Save', 'Not in use: no step of the follow-ups uses it.');
  await pick(page, 'Type', 'Chatbot');
  await press(page, 'Save');
  await press(question, 'Save and replace');
  await expectPage(page.getByRole('main').getByText('In use', { exact: true })).toBeVisible();
  await press(page, 'Back');
  await expectPage(row(page, 'Experiment')).toContainText('In use');
  await rowAction(page, 'Experiment', 'Delete');
  await expectPage(dialogOf(page, 'Delete')).toContainText(`It is in use. “${former}” takes its place.`);
  await press(dialogOf(page, 'Delete'), 'Delete');
  await expectPage(row(page, former)).toContainText('In use');
});

it('answers a dialogue’s turn again in the playground, with the conversation that led to it', async () => {
  const { page } = await openPage('crm-dialogues&search=Anna', WIDE);
  await row(page, 'Anna').first().click();
  const thread = page.getByRole('log', { name: 'Messages' });
  const why = thread.getByRole('button', { name: /why the bot said this/ });
  await why.last().click();
  await page.getByRole('link', { name: 'Open in the playground' }).click();

  const contextPanel = page.getByRole('region', { name: 'Conversation from a dialogue' });
  const talk = page.getByRole('log', { name: 'Conversation' }).getByRole('article');
  await expectPage(contextPanel).toContainText('Dialogue with Anna');
  await expectPage(page.getByRole('combobox', { name: 'As this lead' })).toHaveValue(/Anna/);
  const again = contextPanel.getByRole('button', { name: 'Answer again' });
  await expectPage(again).toBeEnabled();
  await expectPage(talk).not.toHaveCount(0);
  const eventCount = await talk.count();
  await again.click();
  // The lead's last message, and a new answer to it below everything sent before.
  await expectPage(talk).toHaveCount(eventCount + 2);
  await expectPage(talk.last()).toContainText(/\d ms/);
  await contextPanel.getByRole('button', { name: 'Remove conversation' }).click();
  await expectPage(contextPanel).toHaveCount(0);
});

it('shows the frame before the server answers, and leaves its space to the page', async () => {
  const { page } = await openPage('crm-dialogues', WIDE);
  await expectPage(page.getByRole('row').nth(1)).toBeVisible();
  const answer = await holdCalls(page, '**/v1/**');
  await page.reload();
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await expectPage(menu.getByRole('link', { name: 'Leads', exact: true })).toBeVisible();
  await expectPage(page.getByRole('heading', { name: 'Dialogues', level: 1 })).toBeVisible();
  await expectPage(page.getByText('Checking authentication...')).toBeVisible();
  answer.release();
  await page.getByRole('row').nth(1).click();
  const column = page.getByRole('navigation', { name: 'Dialogues' });
  await expectPage(column).toBeVisible();
  // Open at first on a screen of this width, closed on a smaller one; then as the operator left it.
  await expectPage(panel(page)).toBeVisible();
  await page.setViewportSize(SCREENS.wide);
  await expectPage(panel(page)).toHaveCount(0);
  await page.setViewportSize(WIDE);
  await press(panel(page), 'Close the assistant panel');
  await page.reload();
  await expectPage(column).toBeVisible();
  await expectPage(panel(page)).toHaveCount(0);
  await press(page, 'Assistant panel');
  await page.setViewportSize(SCREENS.wide);
  await page.reload();
  await expectPage(panel(page)).toBeVisible();
});

it('keeps a dialogue in the list it was opened from, and offers its actions on the keyboard', async () => {
  const { page } = await openPage('crm-dialogues&owner=human&sort=-created_at', WIDE);
  const opener = page.locator('[data-row-opener]');
  await expectPage(opener.nth(2)).toBeVisible();
  const names = await opener.allTextContents();
  await opener.nth(1).click();
  const column = page.getByRole('navigation', { name: 'Dialogues' });
  const heading = page.getByRole('heading', { level: 1 });
  await expectPage(heading).toHaveText(names[1] ?? '');
  await expectPage(column.getByRole('link')).toHaveCount(names.length);
  await page.keyboard.press('j');
  await expectPage(heading).toHaveText(names[2] ?? '');
  await page.keyboard.press('k');
  await page.keyboard.press('k');
  await expectPage(heading).toHaveText(names[0] ?? '');
  await expectPage(page).toHaveURL(/owner=human/);

  const composer = page.getByRole('textbox', { name: 'Message', exact: true });
  await expectPage(composer).toBeVisible();
  await page.keyboard.press('r');
  await expectPage(composer).toBeFocused();
  await page.keyboard.type('jt');
  await page.keyboard.press('Escape');
  await expectPage(composer).not.toBeFocused();
  await expectPage(composer).toHaveValue('jt');
  await page.keyboard.press('b');
  await press(dialogOf(page, 'Hand back to bot'), 'Hand back');
  await expectPage(page.getByRole('button', { name: 'Take over' })).toBeVisible();
  await page.keyboard.press('t');
  await expectPage(page.getByRole('button', { name: 'Hand back to bot' })).toBeVisible();
  await page.keyboard.press('n');
  await expectPage(heading).not.toHaveText(names[0] ?? '');
  await page.keyboard.press('?');
  await expectTexts(dialogOf(page, 'Help'), 'Take the dialogue over from the bot', 'leave the composer');
  await page.keyboard.press('Escape');
  await press(page, 'Back');
  await expectPage(page.getByRole('heading', { name: 'Dialogues', level: 1 })).toBeVisible();
  await expectPage(page).toHaveURL(/owner=human/);
});

it('names what needs attention, finds leads by name in forms, and describes changes in the audit log', async () => {
  const { page } = await openPage('crm-companies', WIDE);
  await page.route('**/v1/system/health', async (route) => {
    const answer = await route.fetch();
    const real = (await answer.json()) as { figures: { key: string; level: string }[] };
    const figures = real.figures.map((one) => ({ ...one, level: one.key === 'migrations_missing' ? 'look' : 'fine' }));
    await route.fulfill({ json: { ...real, level: 'look', figures } });
  });
  await follow(page, 'Dashboard');
  const strip = page.getByRole('status').filter({ hasText: 'Needs attention: Migrations missing' });
  await expectPage(strip.getByRole('link', { name: 'Open System' })).toBeVisible();

  const findAnna = async (form: Locator) => {
    await form.getByRole('combobox', { name: 'Lead' }).fill('Anna');
    const annas = page.getByRole('option', { name: /^Anna .* · / });
    await annas.first().click();
  };
  await follow(page, 'Dialogues');
  await press(page, 'New dialogue');
  const form = dialogOf(page, 'New dialogue');
  await expectPage(field(form, 'Chat id')).toBeHidden();
  await findAnna(form);
  await press(form, 'Advanced');
  await expectPage(field(form, 'Chat id')).toBeVisible();
  await press(form, 'Cancel');
  await press(page, 'Discard changes');

  // A message to a contact is written in one place, with one set of defaults.
  await follow(page, 'Messages');
  await press(page, 'New message');
  await findAnna(dialogOf(page, 'New message'));
  await press(dialogOf(page, 'New message'), 'Continue');
  await expectPage(page.getByRole('heading', { name: /^Send to / })).toBeVisible();
  // Prepared messages are offered there as in a dialogue, filled in for the lead.
  const text = main(page).getByRole('textbox', { name: 'Message' });
  await text.fill('/');
  const offered = main(page).getByRole('region', { name: 'Prepared messages' });
  await expectPage(offered.getByText('{{')).toHaveCount(0);
  await expectPage(offered.getByText(/Anna/)).toBeVisible();
  await text.press('Enter');
  await expectPage(text).toHaveValue(/Anna/);
  await text.press('Enter');
  await expectPage(text).toHaveValue(/Anna.*\n$/s);
  await text.press('Control+Enter');
  await expectPage(bubble(page, /Anna/).last()).toContainText('demo');

  await goTo(page, 'settings-product&tab=general');
  const problem = page.getByRole('alert').filter({ hasText: 'Validation Error' });
  await field(page, 'Name').fill('');
  await expectPage(problem).toHaveCount(0);
  await field(page, 'Name').blur();
  await expectPage(problem).toContainText('Name is required');
  await submit(page, { Name: 'Kitchens, renamed' }, 'Save Settings', 'Settings saved successfully!');

  await goTo(page, 'system&tab=audit');
  const entry = row(page, 'Product “Kitchens, renamed”').first();
  await expectPage(entry).toContainText('Changed');
  await press(entry, 'View change');
  const changes = dialogOf(page, 'What changed').getByRole('region', { name: 'Changes' });
  await expectPage(changes.getByRole('row').filter({ hasText: 'Name' })).toContainText('Kitchens to measure');
});
