/** The console under fast hands: the focus stays, letters are typed where they belong, and nothing goes by mistake. */
import type { BrowserContext, Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { channels } from '../../channels/contract.ts';
import { companies } from '../../companies/contract.ts';
import { dialogues } from '../../conversations/contract.ts';
import { suggestReply } from '../../desk/contract.ts';
import { holdCalls, press } from './actions.ts';
import { call, create, createLead, type JourneyLead, writeAs } from './calls.ts';
import { setUpJourney } from './journeySetup.ts';
import { button, dialogOf, field, main, panel, row, threadOf } from './locators.ts';
import { QUESTION } from './phone.ts';
import { expectPage } from './signIn.ts';
import { goTo, startOperator } from './start.ts';

setUpJourney();

const composer = (page: Page) => field(page, 'Message');
const readDialogue = async (context: BrowserContext, { dialogueId }: JourneyLead) =>
  dialogues.get.replies[200].parse(await call(context, 'GET', `/v1/dialogues/${dialogueId}`));

/** Open the dialogue of a lead who waits for a person. */
async function openWaiting(context: BrowserContext, page: Page, name: string): Promise<JourneyLead> {
  const lead = await createLead(context, name);
  await call(context, 'POST', `/v1/dialogues/${lead.dialogueId}/owner`, { owner: 'human' });
  await writeAs(context, lead, QUESTION);
  await goTo(page, `inbox&dialogueId=${lead.dialogueId}`);
  await expectPage(threadOf(page).getByText(QUESTION)).toBeVisible();
  return lead;
}

it('keeps what is typed after Suggest reply in the composer, and no key changes the lead', async () => {
  const { context, page } = await startOperator();
  const lead = await openWaiting(context, page, 'Suggested Lead');
  const answer = await holdCalls(page, new RegExp(suggestReply.path.replace('{id}', '\\d+')));
  await button(page, 'Suggest reply').click();
  await answer.arrived;
  await expectPage(composer(page)).toBeFocused();
  await page.keyboard.type('See these: ');
  answer.release();
  await expectPage(composer(page)).toHaveValue(/^See these: [\s\S]*weeks/);
  await page.keyboard.type(' these');
  await expectPage(composer(page)).toHaveValue(/weeks[\s\S]* these$/);
  await expectPage(page.getByRole('dialog')).toHaveCount(0);
  expect((await readDialogue(context, lead)).done_at).toBeNull();
});

it('keeps the focus on a button that is busy, where letters do nothing', async () => {
  const { context, page } = await startOperator();
  const lead = await createLead(context, 'Busy Lead');
  await goTo(page, `inbox&dialogueId=${lead.dialogueId}`);
  const change = await holdCalls(page, /\/v1\/dialogues\/\d+\/owner/, 'writes');
  const busy = button(page, 'Take over');
  await busy.focus();
  await page.keyboard.press('Enter');
  await change.arrived;
  await expectPage(busy).toBeFocused();
  await expectPage(busy).toBeDisabled();
  await page.keyboard.type('es');
  await expectPage(page.getByRole('dialog', { name: 'Change stage' })).toHaveCount(0);
  change.release();
  await expectPage(button(page, 'Hand back to bot')).toBeFocused();
  expect((await readDialogue(context, lead)).done_at).toBeNull();
});

it('does not take letters for keys when a field vanishes under them', async () => {
  const { context, page } = await startOperator();
  const lead = await openWaiting(context, page, 'Interrupted Lead');
  await composer(page).pressSequentially('Thes');
  await composer(page).evaluate((one) => one.blur());
  await page.keyboard.type('e');
  await page.keyboard.press('Escape');
  // Once the operator has left the field, the keys work again.
  await page.keyboard.press('s');
  await expectPage(dialogOf(page, 'Change stage')).toBeVisible();
  expect((await readDialogue(context, lead)).done_at).toBeNull();
});

it('undoes what single keys have changed', async () => {
  const { context, page } = await startOperator();
  const lead = await openWaiting(context, page, 'Undone Lead');
  const { attention } = await readDialogue(context, lead);
  const undo = button(page, 'Undo');
  await page.keyboard.press('e');
  await expectPage(page.getByText('Marked as done')).toBeVisible();
  await undo.click();
  await expectPage.poll(async () => (await readDialogue(context, lead)).attention).toEqual(attention);
  await expectPage(undo).toHaveCount(0);

  await page.keyboard.press('h');
  await page.getByRole('menuitem', { name: 'Until the lead writes' }).click();
  await expectPage(page.getByRole('status').filter({ hasText: 'Snoozed' })).toBeVisible();
  await page.keyboard.press('z');
  await expectPage.poll(async () => (await readDialogue(context, lead)).inbox_state).toBe('needs_human');
  await expectPage(undo).toHaveCount(0);

  await page.keyboard.press('b');
  await button(dialogOf(page, 'Hand back to bot'), 'Hand back and stay silent').click();
  await expectPage(page.getByText('Handed back to the bot')).toBeVisible();
  await undo.click();
  await expectPage.poll(async () => (await readDialogue(context, lead)).owner).toBe('human');
});

it('uses a dialog that was opened from a popover by mouse and by keyboard', async () => {
  const { page } = await startOperator();
  await goTo(page, 'crm-messages');
  const form = dialogOf(page, 'What should it have said?');
  const open = async () => {
    // A text from a prompt.
    const written = row(page, /Bot\s*·\s*Runs/).first();
    await written.getByRole('button', { name: /^Runs: why/ }).click();
    await button(page, 'Should have said…').click();
  };
  await open();
  const words = form.getByRole('textbox', { name: 'What it should have said' });
  await words.click();
  // Wherever the popover is on the screen, the dialog and what dims the page lie above it.
  const isOnTop = await dialogOf(page, /: why the bot said this$/).evaluate((one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    return hit === null ? 'out of sight' : one.contains(hit);
  });
  expect(isOnTop).toBe(false);
  await page.keyboard.type('Four weeks');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  // Cancel: the popover below is still there.
  await expectPage(form).toHaveCount(0);
  await button(page, 'Should have said…').click();
  await page.keyboard.type('In four weeks.');
  await button(form, 'Make a test case').click();
  await expectPage(page.getByText(/^Test case “/)).toBeVisible();
});

it('survives a double click on Assistant, and asks before it clears the conversation', async () => {
  const { page } = await startOperator();
  await goTo(page, 'crm-leads');
  await button(main(page), 'Assistant panel').click();
  const words = panel(page).getByRole('textbox', { name: 'Message to the assistant' });
  await words.fill('How many leads are there?');
  await words.press('Enter');
  const question = panel(page).getByRole('article', { name: 'You' });
  await expectPage(question).toBeVisible();
  await expectPage(words).toBeFocused();
  await button(panel(page), 'Close the assistant panel').click();
  await button(main(page), 'Assistant panel').dblclick();
  await expectPage(question).toBeVisible();
  await press(panel(page), 'Clear');
  await button(dialogOf(page, 'Clear'), 'Cancel').click();
  await expectPage(question).toBeVisible();
  await press(panel(page), 'Clear');
  await button(dialogOf(page, 'Clear'), 'Clear').click();
  await expectPage(question).toHaveCount(0);
});

it('replaces the chosen name by what is typed, and takes the first match with Enter', async () => {
  const { page } = await startOperator();
  await goTo(page, 'settings-product&tab=general');
  const zone = page.getByRole('combobox', { name: 'Time zone' });
  await zone.click();
  await page.keyboard.type('Tokyo');
  await expectPage(zone).toHaveValue('Tokyo');
  await page.keyboard.press('Enter');
  await expectPage(zone).toHaveValue(/Tokyo/);
  await expectPage(button(page, 'Reset')).toBeEnabled();
  await button(page, 'Reset').click();
});

it('offers a product no channel of another company, and asks for the companies of a member', async () => {
  const { context, page } = await startOperator();
  const other = await create(context, companies.create.path, { name: 'Next Door' });
  const { items } = channels.list.replies[200].parse(await call(context, 'GET', channels.list.path));
  const [first] = items;
  if (!first) throw new Error('The demo has no channel');
  const foreign = await create(context, channels.create.path, {
    name: 'Number next door',
    vendor: 'wazzup24',
    channel_type: 'whatsapp',
    company_id: other,
    credentials: { api_key: 'sandbox-wazzup24-key-0002', channel_id: '5f0c1a52-0d3e-4b7e-9a61-2f6f3c1d7b01' },
  });
  expect(foreign).toBeGreaterThan(0);
  await goTo(page, 'settings-channel');
  await button(page, 'Add Channel').click();
  await dialogOf(page, 'Add Channel').getByRole('combobox', { name: 'Channel' }).click();
  await expectPage(page.getByText(/Nothing found|·/).last()).toBeVisible();
  await expectPage(page.getByRole('option', { name: /Number next door/ })).toHaveCount(0);

  await goTo(page, 'system&tab=operators');
  await button(page, 'New operator').click();
  const form = dialogOf(page, /operator/i);
  await field(form, 'Login').fill('nobody');
  await form.locator('input[type=password]').fill('a long enough password');
  await form.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Member' }).click();
  await button(form, 'Create').click();
  await expectPage(form.getByText('Companies is required')).toBeVisible();
});

it('says of a new prompt what it replaces, and opens an existing one without renaming it', async () => {
  const { page } = await startOperator();
  await goTo(page, 'prompt-detail');
  await expectPage(page.getByText('This prompt replaces it as soon as it is saved.')).toBeVisible();
  await expectPage(page.getByText('“”')).toHaveCount(0);
  await expectPage(field(page, 'Name')).toBeFocused();
  await goTo(page, 'prompts');
  await page.getByRole('link', { name: 'Kitchen consultant' }).click();
  await expectPage(field(page, 'Name')).toHaveValue('Kitchen consultant');
  await expectPage(field(page, 'Name')).not.toBeFocused();
});
