/** An operator's daily tasks by the shortest way: each step was a complaint once. */
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { fillIn, holdCalls, openPage, pick, press } from './actions.ts';
import { setUpJourney } from './journeySetup.ts';
import { expectPage } from './signIn.ts';

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
  await expectPage(palette(page).getByRole('combobox')).toHaveAttribute(
    'aria-activedescendant',
    (await marked.getAttribute('id')) ?? '',
  );
  await page.keyboard.press('Enter');
  await expectPage(page.getByRole('heading', { name: 'Dialogues', level: 1 })).toBeVisible();
  await expectPage(palette(page)).toHaveCount(0);
});

it('says before saving that a prompt would replace another one', async () => {
  const { page } = await openPage('prompts');
  const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name });
  const used = page.getByRole('row').filter({ hasText: 'Chatbot' }).filter({ hasText: 'In use' });
  await expectPage(used).toHaveCount(1);
  const former = (await used.getByRole('link').first().textContent()) ?? '';
  await page.getByRole('button', { name: 'New prompt' }).click();
  await fillIn(page, { Name: 'Experiment', 'Text of the prompt': 'Do not use.' });
  const warning = `“${former}” is in use now. “Experiment” replaces it as soon as it is saved.`;
  await expectPage(page.getByRole('status').filter({ hasText: warning })).toBeVisible();
  await press(page, 'Save');
  const question = page.getByRole('dialog', { name: 'This changes which prompt is in use' });
  await expectPage(question).toContainText(warning);
  await press(question, 'Cancel');
  await pick(page, 'Type', 'Ping');
  await press(page, 'Save', 'Not in use: no step of the follow-ups uses it.');
  await pick(page, 'Type', 'Chatbot');
  await press(page, 'Save');
  await question.getByRole('button', { name: 'Save and replace' }).click();
  await expectPage(page.getByRole('main').getByText('In use', { exact: true })).toBeVisible();
  await press(page, 'Back');
  await expectPage(rowOf('Experiment')).toContainText('In use');
  await expectPage(rowOf(former)).not.toContainText('In use');
  await rowOf('Experiment').getByRole('button', { name: 'Actions for Experiment' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const removal = page.getByRole('dialog', { name: 'Delete' });
  await expectPage(removal).toContainText(`It is in use. “${former}” takes its place.`);
  await press(removal, 'Delete');
  await expectPage(rowOf(former)).toContainText('In use');
});

it('answers a dialogue’s turn again in the playground, with the conversation that led to it', async () => {
  const { page } = await openPage('crm-dialogues&search=Anna', WIDE);
  await page.getByRole('row').filter({ hasText: 'Anna' }).first().click();
  const thread = page.getByRole('log', { name: 'Messages' });
  const whyButton = thread.getByRole('button', { name: /why the bot said this/ }).last();
  await whyButton.click();
  await page.getByRole('link', { name: 'Open in the playground' }).click();

  const contextPanel = page.getByRole('region', { name: 'Conversation from a dialogue' });
  const talk = page.getByRole('log', { name: 'Conversation' }).getByRole('article');
  await expectPage(contextPanel).toContainText('Dialogue with Anna');
  const eventCount = await talk.count();
  await expectPage(page.getByRole('combobox', { name: 'As this lead' })).toHaveValue(/Anna/);
  const again = contextPanel.getByRole('button', { name: 'Answer again' });
  for (const _ of [1, 2]) {
    await expectPage(again).toBeEnabled();
    await again.click();
    // The lead's last message, and a new answer to it below everything sent before.
    await expectPage(talk).toHaveCount(eventCount + 2);
    await expectPage(talk.last()).toContainText(/ms$/);
  }
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
  await expectPage(menu.getByRole('button', { name: /^Admin/ })).toBeVisible();
  await expectPage(page.getByRole('heading', { name: 'Dialogues', level: 1 })).toBeVisible();
  await expectPage(page.getByText('Checking authentication...')).toBeVisible();
  answer.release();
  await page.getByRole('row').nth(1).click();
  const column = page.getByRole('navigation', { name: 'Dialogues' });
  await expectPage(column).toBeVisible();
  const panel = page.getByRole('complementary', { name: 'Assistant panel' });
  await expectPage(panel).toHaveCount(0);
  await page.getByRole('button', { name: 'Assistant panel' }).click();
  await expectPage(panel).toBeVisible();
  await expectPage(column).toBeVisible();
  await page.reload();
  await expectPage(panel).toBeVisible();
  await panel.getByRole('button', { name: 'Close the assistant panel' }).click();
  await page.reload();
  await expectPage(column).toBeVisible();
  await expectPage(panel).toHaveCount(0);
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
  expect((await column.getByRole('link').allTextContents()).map((one, at) => one.startsWith(names[at] ?? '?'))).toEqual(
    names.map(() => true),
  );
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
  const owner = page.getByRole('main').getByRole('status').first();
  const before = (await owner.textContent()) ?? '';
  await page.keyboard.press('b');
  await expectPage(page.getByRole('button', { name: 'Take over' })).toBeVisible();
  await page.keyboard.press('t');
  await expectPage(page.getByRole('button', { name: 'Hand back to bot' })).toBeVisible();
  expect(before).not.toBe('');
  await page.keyboard.press('n');
  await expectPage(heading).not.toHaveText(names[0] ?? '');
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Help' });
  for (const line of ['Take the dialogue over from the bot', 'Hand the dialogue back to the bot', 'leave the composer'])
    await expectPage(help).toContainText(line);
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
    const figures = real.figures.map((one) => ({ ...one, level: one.key === 'messages_failed' ? 'look' : 'fine' }));
    await route.fulfill({ json: { ...real, level: 'look', figures } });
  });
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
  const strip = page.getByRole('status').filter({ hasText: 'Needs attention: Messages failed' });
  await expectPage(strip.getByRole('link', { name: 'Open System' })).toBeVisible();

  await page.getByRole('link', { name: 'Dialogues', exact: true }).click();
  await page.getByRole('button', { name: 'New dialogue' }).click();
  const form = page.getByRole('dialog', { name: 'New dialogue' });
  await expectPage(form.getByRole('textbox', { name: 'Chat id' })).toBeHidden();
  await form.getByRole('combobox', { name: 'Lead' }).fill('Anna');
  await expectPage(page.getByRole('option', { name: /^Anna .* · / }).first()).toBeVisible();
  await page.keyboard.press('Escape');
  await form.getByRole('button', { name: 'Advanced' }).click();
  await expectPage(form.getByRole('textbox', { name: 'Chat id' })).toBeVisible();
  await press(form, 'Cancel');

  // A message to a contact is written in one place, with one set of defaults.
  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  await page.getByRole('button', { name: 'New message' }).click();
  const whom = page.getByRole('dialog', { name: 'New message' });
  await whom.getByRole('combobox', { name: 'Lead' }).fill('Anna');
  await page
    .getByRole('option', { name: /^Anna .* · / })
    .first()
    .click();
  await press(whom, 'Continue');
  await expectPage(page.getByRole('heading', { name: /^Send to / })).toBeVisible();
  for (const name of ['Split into parts at blank lines', 'Use the channel’s delay', 'Only in working hours'])
    await expectPage(page.getByRole('switch', { name })).toBeChecked();

  await page.getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Product', exact: true }).click();
  const problem = page.getByRole('alert').filter({ hasText: 'Validation Error' });
  await page.getByRole('tab', { name: 'General' }).click();
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('');
  await expectPage(problem).toHaveCount(0);
  await name.blur();
  await expectPage(problem).toContainText('Name is required');
  await name.fill('Kitchens, renamed');
  await expectPage(problem).toHaveCount(0);
  await press(page, 'Save Settings');
  const toast = page.getByText('Settings saved successfully!');
  await expectPage(toast).toBeVisible();

  await page.getByRole('link', { name: 'System', exact: true }).click();
  await page.getByRole('link', { name: 'Audit trail' }).click();
  const entry = page.getByRole('row').filter({ hasText: 'Product “Kitchens, renamed”' }).first();
  await expectPage(entry).toContainText('Changed');
  await entry.getByRole('button', { name: 'View change' }).click();
  const changes = page.getByRole('dialog', { name: 'What changed' }).getByRole('region', { name: 'Changes' });
  await expectPage(changes.getByRole('row').filter({ hasText: 'Name' })).toContainText('Kitchens to measure');
});
