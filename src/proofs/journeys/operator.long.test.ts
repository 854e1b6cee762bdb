/** An operator's daily tasks by the shortest way: each step was a complaint once. */
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { expectPage, openConsole } from './signIn.ts';

setUpJourney();

const WIDE = { width: 1440, height: 900 };
const palette = (page: Page) => page.getByRole('dialog', { name: 'Go to' });

it('the palette closes by Esc, outside and by its own keys, gives the focus back, and says what is marked', async () => {
  const page = await openConsole(await chromium.context(), product.url, '/?page=crm-leads');
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

it('a prompt that would replace another one says so before it is saved', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=prompts');
  const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name });
  const used = page.getByRole('row').filter({ hasText: 'Chatbot' }).filter({ hasText: 'In use' });
  await expectPage(used).toHaveCount(1);
  const former = (await used.getByRole('link').first().textContent()) ?? '';
  await page.getByRole('button', { name: 'New prompt' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Experiment');
  await page.getByRole('textbox', { name: 'Text of the prompt' }).fill('Do not use.');
  const warning = `“${former}” is in use now. “Experiment” replaces it as soon as it is saved.`;
  await expectPage(page.getByRole('status').filter({ hasText: warning })).toBeVisible();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'This changes which prompt is in use' });
  await expectPage(question).toContainText(warning);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Ping' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectPage(page.getByText('Not in use: no step of the follow-ups uses it.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Chatbot' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await question.getByRole('button', { name: 'Save and replace' }).click();
  await expectPage(page.getByRole('main').getByText('In use', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await expectPage(rowOf('Experiment')).toContainText('In use');
  await expectPage(rowOf(former)).not.toContainText('In use');
  await rowOf('Experiment').getByRole('button', { name: 'Actions for Experiment' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const removal = page.getByRole('dialog', { name: 'Delete' });
  await expectPage(removal).toContainText(`It is in use. “${former}” takes its place.`);
  await removal.getByRole('button', { name: 'Delete' }).click();
  await expectPage(rowOf(former)).toContainText('In use');
});

it('an answer of the bot is tried again in the playground, with the talk that led to it', async () => {
  const page = await openConsole(await chromium.context(WIDE), product.url, '/?page=crm-dialogues&search=Anna');
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

it('the frame stands before the server has said anything, and gives its room to the page', async () => {
  const context = await chromium.context(WIDE);
  const page = await openConsole(context, product.url, '/?page=crm-dialogues');
  await expectPage(page.getByRole('row').nth(1)).toBeVisible();
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/v1/**', async (route) => {
    await answered;
    await route.continue().catch(() => undefined);
  });
  await page.reload();
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await expectPage(menu.getByRole('link', { name: 'Leads', exact: true })).toBeVisible();
  await expectPage(menu.getByRole('button', { name: /^Admin/ })).toBeVisible();
  await expectPage(page.getByRole('heading', { name: 'Dialogues', level: 1 })).toBeVisible();
  await expectPage(page.getByText('Checking authentication...')).toBeVisible();
  answer();
  await page.getByRole('row').nth(1).click();
  const column = page.getByRole('navigation', { name: 'Dialogues' });
  await expectPage(column).toBeVisible();
  const panel = page.getByRole('complementary', { name: 'Assistant panel' });
  await expectPage(panel).toHaveCount(0);
  await page.getByRole('button', { name: 'Assistant panel' }).click();
  await expectPage(panel).toBeVisible();
  await expectPage(column).toBeVisible();
  const share = async () => {
    const [main, aside] = await Promise.all([page.getByRole('main').boundingBox(), panel.boundingBox()]);
    return Math.round((100 * (aside?.width ?? 0)) / ((aside?.width ?? 0) + (main?.width ?? 0)));
  };
  expect(await share()).toBe(30);
  await page.reload();
  await expectPage(panel).toBeVisible();
  await panel.getByRole('button', { name: 'Close the assistant panel' }).click();
  await page.reload();
  await expectPage(column).toBeVisible();
  await expectPage(panel).toHaveCount(0);
});

it('a chat keeps to the list that it was opened from, and the keyboard does what the buttons do', async () => {
  const context = await chromium.context(WIDE);
  const page = await openConsole(context, product.url, '/?page=crm-dialogues&owner=human&sort=-created_at');
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
  await expectPage(page.getByRole('button', { name: 'Hand over' })).toBeVisible();
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
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await expectPage(page.getByRole('heading', { name: 'Dialogues', level: 1 })).toBeVisible();
  await expectPage(page).toHaveURL(/owner=human/);
});

it('what needs attention is named, forms ask by name, and the log speaks in words', async () => {
  const context = await chromium.context(WIDE);
  const page = await openConsole(context, product.url, '/?page=crm-companies');
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
  await form.getByRole('button', { name: 'Cancel' }).click();

  // A message to a contact is written in one place, with one set of defaults.
  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  await page.getByRole('button', { name: 'New message' }).click();
  const whom = page.getByRole('dialog', { name: 'New message' });
  await whom.getByRole('combobox', { name: 'Lead' }).fill('Anna');
  await page
    .getByRole('option', { name: /^Anna .* · / })
    .first()
    .click();
  await whom.getByRole('button', { name: 'Continue' }).click();
  await expectPage(page.getByRole('heading', { name: /^Send to / })).toBeVisible();
  for (const name of ['Split into parts at blank lines', 'With the delay of the channel', 'Only in working hours'])
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
  await page.getByRole('button', { name: 'Save Settings' }).click();
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
