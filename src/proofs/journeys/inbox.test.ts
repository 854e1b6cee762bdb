/** The inbox: those who wait are answered one after another, by keyboard alone; colleagues see changes at once. */
import type { BrowserContext, Page, Route } from '@playwright/test';
import { beforeAll, expect, it } from 'vitest';
import { operators } from '../../access/accountContract.ts';
import { messages } from '../../conversations/contract.ts';
import { listInbox, snoozeMany } from '../../desk/contract.ts';
import { products } from '../../products/contract.ts';
import { preparedMessages } from '../../prompts/contract.ts';
import { call, create, createLead, demoProduct, type JourneyLead, receivedBy, writeAs } from './calls.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { bubble, threadOf } from './locators.ts';
import { QUESTION } from './phone.ts';
import { SCREENS } from './screens.ts';
import { expectPage, PRODUCT, signInByApi } from './signIn.ts';
import { goTo, startOperator } from './start.ts';

setUpJourney();

const rows = (page: Page) => page.getByRole('region', { name: 'Dialogues', exact: true }).getByRole('link');
const rowOf = (page: Page, lead: JourneyLead) => rows(page).filter({ hasText: lead.name });
const view = (page: Page, name: string) => page.getByRole('group', { name: 'Views' }).getByRole('link', { name });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 2, exact: true });
const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });

/** Choose from the open menu by keyboard alone. */
async function chooseByKeys(page: Page, name: string): Promise<void> {
  const item = page.getByRole('menuitem', { name });
  await expectPage(item).toBeVisible();
  const isFocused = () => item.evaluate((one) => one === document.activeElement);
  for (let presses = 0; presses < 10 && !(await isFocused()); presses += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
}

/** What the demo leaves undone is no part of these journeys. */
beforeAll(async () => {
  const { context } = await startOperator();
  const { items } = listInbox.replies[200].parse(await call(context, 'GET', `${listInbox.path}?limit=100`));
  const ids = items.map(({ id }) => id);
  const until = new Date(Date.now() + 365 * 86_400_000).toISOString();
  if (ids.length > 0) await call(context, 'POST', snoozeMany.path, { ids, until, until_reply: false });
  await chromium.closePages();
});

/** A lead who has written in a dialogue that a person has. */
async function waitingLead(context: BrowserContext, name: string): Promise<JourneyLead> {
  const lead = await createLead(context, name);
  await call(context, 'POST', `/v1/dialogues/${lead.dialogueId}/owner`, { owner: 'human' });
  await writeAs(context, lead, QUESTION);
  return lead;
}

/** Answer a list with one dialogue as if it belonged to another product. */
async function moveToOtherProduct(route: Route, dialogueId: number): Promise<void> {
  const response = await route.fetch();
  const list = listInbox.replies[200].parse(await response.json());
  const items = list.items.map((row) => (row.id === dialogueId ? { ...row, product_id: row.product_id + 1 } : row));
  await route.fulfill({ response, json: { ...list, items } });
}

/** Sign a new operator in, in a browser of their own. */
async function startColleague(context: BrowserContext, login: string): Promise<Page> {
  const browser = await chromium.context();
  const password = 'a long password';
  await call(context, 'POST', operators.create.path, { login, password, role: 'admin', company_ids: [] });
  await signInByApi(browser, product.url, PRODUCT);
  await call(browser, 'POST', '/v1/auth/login', { login, password });
  await call(browser, 'POST', '/v1/auth/password', { current: password, password: 'a password of their own' });
  return browser.newPage();
}

it('answers ten who wait by keyboard alone, with one key from each to the next', async () => {
  const { context, page } = await startOperator();
  const leads: JourneyLead[] = [];
  for (let number = 1; number <= 10; number += 1) leads.push(await waitingLead(context, `Queue Lead ${number}`));
  await goTo(page, 'inbox');
  await expectPage(rows(page)).toHaveCount(10);
  await expectPage(view(page, 'Needs me')).toContainText('10');
  await page.keyboard.press('j');
  await expectPage(rowOf(page, leads[0] as JourneyLead).first()).toBeFocused();
  await page.keyboard.press('Enter');
  await expectPage(heading(page, 'Queue Lead 1')).toBeVisible();
  await page.keyboard.press('r');
  for (const [index, lead] of leads.entries()) {
    await expectPage(heading(page, lead.name)).toBeVisible();
    await expectPage(composer(page)).toBeFocused();
    await page.keyboard.type(`Answer ${index + 1}`);
    await page.keyboard.press('Control+Shift+Enter');
  }
  await expectPage(page.getByText('Nobody else is waiting.')).toBeVisible();
  await expectPage(page.getByText('Nobody is waiting for you.')).toBeVisible();
  await expectPage(view(page, 'Needs me')).toContainText('0');
  for (const [index, lead] of leads.entries())
    await expectPage.poll(() => receivedBy(context, lead)).toEqual([`Answer ${index + 1}`]);
});

it('takes over and gives back, snoozes until the lead writes, and marks as done, with one key each', async () => {
  const { context, page } = await startOperator();
  const lead = await waitingLead(context, 'Keys Lead');
  await goTo(page, `inbox&dialogueId=${lead.dialogueId}`);
  const owner = page.getByRole('status').filter({ hasText: /replying|answering|Human/ });
  await expectPage(owner).toHaveText('demo is replying');
  await expectPage(threadOf(page).getByText(QUESTION)).toBeVisible();

  await page.keyboard.press('h');
  await chooseByKeys(page, 'Until the lead writes');
  await expectPage(rowOf(page, lead)).toHaveCount(0);
  const snoozed = `${listInbox.path}?view=snoozed&search=Keys`;
  expect(listInbox.replies[200].parse(await call(context, 'GET', snoozed)).total).toBe(1);
  await writeAs(context, lead, 'Are you there?');
  await expectPage(rowOf(page, lead)).toContainText('Waiting for a reply');

  await page.keyboard.press('e');
  await expectPage(rowOf(page, lead)).toHaveCount(0);
  await page.keyboard.press('s');
  const stage = page.getByRole('dialog', { name: 'Change stage' });
  await expectPage(stage.getByRole('combobox', { name: 'Stage' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expectPage(stage).toHaveCount(0);
  await page.keyboard.press('/');
  await expectPage(page.getByRole('searchbox', { name: 'Search the inbox' })).toBeFocused();
  await page.keyboard.press('Escape');
  // The lead's last words have no answer: the key asks first.
  await page.keyboard.press('b');
  await expectPage(page.getByRole('button', { name: 'Hand back', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expectPage(owner).toHaveText('Bot is answering');
  await page.keyboard.press('t');
  await expectPage(owner).toHaveText('demo is replying');
});

it('shows in full why a lead waits, on a laptop and on a phone', async () => {
  const { context, page } = await startOperator(SCREENS.wide);
  const lead = await waitingLead(context, 'Readable Lead of a Rather Long Name');
  await goTo(page, `inbox&dialogueId=${lead.dialogueId}`);
  const reasons = page.getByText('Waiting for a reply', { exact: true }).filter({ visible: true });
  const cutOff = () =>
    reasons.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.outerHTML));
  await expectPage(composer(page)).toBeVisible();
  // In its row, and above the thread.
  await expectPage(rowOf(page, lead).getByText('Waiting for a reply')).toBeVisible();
  await expectPage(page.getByText('under 1 min').filter({ visible: true }).last()).toBeVisible();
  expect(await cutOff()).toEqual([]);
  await page.setViewportSize(SCREENS.narrow);
  await expectPage(rowOf(page, lead)).toHaveCount(0);
  await expectPage(reasons).toHaveCount(1);
  expect(await cutOff()).toEqual([]);
  await expectPage(page.getByRole('button', { name: 'Snooze', exact: true })).toBeVisible();
  await goTo(page, 'inbox');
  await expectPage(rowOf(page, lead)).toBeVisible();
  expect(await cutOff()).toEqual([]);
});

it('marks several dialogues as done on a phone', async () => {
  const { context, page } = await startOperator(SCREENS.narrow);
  const leads = [await waitingLead(context, 'First Lead by Thumb'), await waitingLead(context, 'Second Lead by Thumb')];
  await goTo(page, 'inbox');
  const select = page.getByRole('button', { name: 'Select dialogues' });
  await select.click();
  for (const lead of leads) await rowOf(page, lead).click();
  const bar = page.getByRole('toolbar', { name: 'Selected rows' });
  await expectPage(bar).toContainText('2 selected');
  await bar.getByRole('button', { name: 'Done' }).click();
  for (const lead of leads) await expectPage(rowOf(page, lead)).toHaveCount(0);
  // Outside of that, a tap opens.
  const last = await waitingLead(context, 'Third Lead by Thumb');
  await select.click();
  await rowOf(page, last).click();
  await expectPage(composer(page)).toBeVisible();
});

it('needs no chosen product, unlike the pages of a product', async () => {
  const { context, page } = await startOperator();
  const lead = await waitingLead(context, 'Unchosen Lead');
  for (const name of ['rapport_company_id', 'rapport_product_id']) await context.clearCookies({ name });
  const choice = page.getByRole('dialog', { name: 'Select company & product' });
  await goTo(page, 'inbox');
  await rowOf(page, lead).click();
  await expectPage(composer(page)).toBeVisible();
  await expectPage(choice).toHaveCount(0);
  await page.getByRole('navigation').getByRole('link', { name: 'Leads', exact: true }).click();
  await expectPage(choice).toBeVisible();
});

it('snoozes on the operator’s clock, also where the product has another', async () => {
  const { context, page } = await startOperator();
  const { productId } = await demoProduct(context);
  const settings = `${products.list.path}${productId}`;
  const { timezone } = products.get.replies[200].parse(await call(context, 'GET', settings));
  await call(context, 'PATCH', settings, { timezone: 'Pacific/Kiritimati' });
  const first = await waitingLead(context, 'First Snoozed Lead');
  const second = await waitingLead(context, 'Second Snoozed Lead');
  await page.route(`**${listInbox.path}?*`, (route) => moveToOtherProduct(route, second.dialogueId));
  await goTo(page, 'inbox');
  const zoneOfMenu = async () => {
    await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Snooze' }).click();
    const note = page.getByText(/^Times in /).filter({ visible: true });
    await expectPage(note).toBeVisible();
    const text = await note.textContent();
    await page.keyboard.press('Escape');
    await expectPage(note).toHaveCount(0);
    return text;
  };
  await page.getByRole('checkbox', { name: `Select ${first.name}` }).check();
  expect(await zoneOfMenu()).not.toContain('GMT+14');
  await page.getByRole('checkbox', { name: `Select ${second.name}` }).check();
  expect(await zoneOfMenu()).not.toContain('GMT+14');
  await call(context, 'PATCH', settings, { timezone });
});

it('shows an assignment to the colleague at once', async () => {
  const { context, page } = await startOperator();
  const lead = await waitingLead(context, 'Handed Lead');
  const colleague = await startColleague(context, 'colleague');
  await goTo(colleague, 'inbox&view=mine');
  await expectPage(colleague.getByText('No dialogue is assigned to you.')).toBeVisible();
  await goTo(page, `inbox&dialogueId=${lead.dialogueId}`);
  await expectPage(rowOf(page, lead)).toBeVisible();
  await expectPage(threadOf(page).getByText(QUESTION)).toBeVisible();
  await page.keyboard.press('a');
  await chooseByKeys(page, 'colleague');
  await expectPage(rowOf(colleague, lead)).toBeVisible();
  await expectPage(view(colleague, 'Mine')).toContainText('1');
  await expectPage(rowOf(page, lead)).toHaveCount(0);
  expect(await colleague.title()).toContain('Inbox');
});

it('shows who else types, and asks before a second answer is sent', async () => {
  const { context, page } = await startOperator();
  const lead = await waitingLead(context, 'Wanted Lead');
  const colleague = await startColleague(context, 'quick');
  for (const one of [page, colleague]) {
    await goTo(one, `inbox&dialogueId=${lead.dialogueId}`);
    await expectPage(threadOf(one).getByText(QUESTION)).toBeVisible();
  }
  await expectPage(page.getByText('quick is viewing')).toBeVisible();
  await composer(colleague).pressSequentially('Four');
  await expectPage(page.getByText('quick is typing…')).toBeVisible();

  await composer(page).fill('In a month.');
  const { productId } = await demoProduct(context);
  await call(colleague.context(), 'POST', messages.create.path, {
    product_id: productId,
    contact_id: lead.contactId,
    dialogue_id: lead.dialogueId,
    message: 'Four weeks.',
    delay_enabled: false,
    schedule_enabled: false,
  });
  await composer(page).press('Enter');
  const mine = bubble(page, 'In a month.');
  await expectPage(mine.getByRole('alert')).toContainText('quick has answered in the meantime: "Four weeks."');
  expect(await receivedBy(context, lead)).not.toContain('In a month.');
  await mine.getByRole('button', { name: 'Send anyway' }).click();
  await expectPage.poll(() => receivedBy(context, lead)).toEqual(['Four weeks.', 'In a month.']);
  await colleague.close();
  await expectPage(page.getByText(/^quick is/)).toHaveCount(0, { timeout: 150_000 });
});

it('writes with prepared messages, a draft of the bot, and notes', async () => {
  const { context, page } = await startOperator();
  const lead = await waitingLead(context, 'Composed Lead');
  const { productId: product_id } = await demoProduct(context);
  const message = 'Good day, {{ lead.name }}! The drawings are ready.';
  await create(context, preparedMessages.create.path, { product_id, name: 'Drawings ready', type: 'ping', message });
  await goTo(page, `inbox&dialogueId=${lead.dialogueId}`);
  await composer(page).fill('/drawings ready');
  await expectPage(page.getByText('Good day, Composed Lead! The drawings are ready.')).toBeVisible();
  await composer(page).press('Enter');
  await expectPage(composer(page)).toHaveValue('Good day, Composed Lead! The drawings are ready.');
  await page.reload();
  await expectPage(composer(page)).toHaveValue('Good day, Composed Lead! The drawings are ready.');

  await composer(page).fill('');
  await page.getByRole('button', { name: 'Suggest reply' }).click();
  await expectPage(composer(page)).toHaveValue(/weeks/);
  await composer(page).press('End');
  await composer(page).pressSequentially(' Shall we call?');
  await composer(page).press('Control+Enter');
  await expectPage(bubble(page, 'Shall we call?')).toContainText('demo, with a draft of the bot');

  await page.getByText('Note', { exact: true }).last().click();
  const note = page.getByRole('textbox', { name: 'Note', exact: true });
  await note.fill('Prefers calls after six.');
  await note.press('Enter');
  await expectPage(bubble(page, 'Prefers calls after six.')).toContainText('Note by demo');
  await expectPage.poll(() => receivedBy(context, lead)).toHaveLength(1);
});
