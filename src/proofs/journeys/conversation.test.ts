/** The dialogue: messages of the lead, the bot, the operator and our own phone, and how the console shows them. */
import type { Locator, Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { call, createLead, goTo, press, receivedBy, setFault, startOperator, submit, writeAs } from './actions.ts';
import { delayBot } from './journeyApi.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { expectPage, PRODUCT, signInAndChoose } from './signIn.ts';

setUpJourney({ env: { RAPPORT_ECHO_HOLD_SECONDS: '1' } });

const QUESTION = 'How long does production take?';
const HOUR_AWAY = /^in (1:00:00|59:\d\d|1 h)/;

const threadOf = (page: Page): Locator => page.getByRole('log', { name: 'Messages' });
const bubble = (page: Page, text: string | RegExp): Locator =>
  threadOf(page).getByRole('article').filter({ hasText: text });
const ownerOf = (page: Page): Locator => page.locator('main').getByRole('status').first();

async function type(page: Page, text: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message', exact: true });
  await composer.fill(text);
  await composer.press('Enter');
}

/** Create a lead for one journey, and open its dialogue in the console. */
async function talkTo(name: string) {
  const { context, page } = await startOperator();
  const lead = await createLead(context, name);
  await page.goto(`${product.url}${lead.chat}`);
  await expectPage(page.getByRole('heading', { name, level: 1 })).toBeVisible();
  return { context, page, lead };
}

it('shows a lead’s message, the answer and its ticks in the open console', async () => {
  const context = await chromium.context();
  const page = await signInAndChoose(context, product.url);
  await page.getByRole('link', { name: 'Dialogues', exact: true }).click();
  await page.getByRole('row').filter({ hasText: 'Anna' }).first().click();
  await threadOf(page).getByRole('article').last().waitFor();

  const phone = await context.newPage();
  await phone.goto(`${product.url}/sandbox`);
  await phone.getByText('Anna', { exact: false }).first().click();
  const composer = phone.getByRole('textbox', { name: /^Write as/ });
  await composer.fill(QUESTION);
  await composer.press('Enter');
  const seen = phone.getByRole('log', { name: 'What the lead sees' });
  await seen.getByText(QUESTION).waitFor();

  await page.bringToFront();
  await threadOf(page).getByText(QUESTION).waitFor();
  const answer = bubble(page, /weeks/).last();
  await answer.getByRole('img', { name: 'Read' }).waitFor();
  expect(await threadOf(page).getByText(QUESTION).count()).toBe(1);

  await phone.bringToFront();
  await seen.getByText(/weeks/).last().waitFor();
});

it('updates lists and the lead’s page over one stream for all pages', async () => {
  const { context, page, lead } = await talkTo('Lina Listed');
  const streams: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/v1/live')) streams.push(request.url());
  });
  await goTo(page, 'crm-dialogues&search=Lina');
  const row = page.getByRole('row').filter({ hasText: lead.name });
  await expectPage(row).toContainText('No messages yet');
  await writeAs(context, lead, QUESTION);
  await expectPage(row).toContainText(/weeks/);

  await row.getByRole('link').first().click();
  await expectPage(bubble(page, /weeks/)).toBeVisible();
  await page.getByRole('link', { name: 'Open the lead' }).click();
  await expectPage(page.getByRole('heading', { name: 'Recent events' })).toBeVisible();
  const change = `/v1/leads/${lead.leadId}/change_stage?new_stage=pending&update_in_crm=false`;
  await call(context, 'POST', change);
  await expectPage(page.locator('[data-stage=pending]').first()).toBeVisible();
  await expectPage(page.getByText(/^Stage.*Pending$/).first()).toBeVisible();
  expect(streams).toHaveLength(1);
});

it('answers an open turn after a human hands the dialogue back', async () => {
  const { context, page, lead } = await talkTo('Hanna Over');
  await expectPage(ownerOf(page)).toHaveText('Bot is answering');
  await page.getByRole('button', { name: 'Take over' }).click();
  await expectPage(ownerOf(page)).toHaveText('demo is replying');
  await writeAs(context, lead, QUESTION);
  await expectPage(bubble(page, QUESTION)).toBeVisible();
  await page.getByRole('button', { name: 'Hand back to bot' }).click();
  await expectPage(ownerOf(page)).toHaveText('Bot is answering');
  await expectPage(bubble(page, /weeks/).getByRole('img', { name: 'Read' })).toBeVisible();
  expect(await receivedBy(context, lead)).toHaveLength(1);
});

it('cancels the bot’s waiting message when an operator types', async () => {
  const { context, page, lead } = await talkTo('Tim Taken');
  await delayBot(context, product.url, PRODUCT, 600);
  try {
    await writeAs(context, lead, QUESTION);
    const strip = page.getByRole('region', { name: 'Scheduled messages' });
    await expectPage(strip).toContainText(/weeks/);
    await type(page, 'I will look into this myself.');
    await expectPage(ownerOf(page)).toHaveText('demo is replying');
    await expectPage(strip).toBeHidden();
    await expectPage(bubble(page, /weeks/)).toContainText('A human took over (demo)');
    await expectPage(bubble(page, 'I will look').getByRole('img', { name: 'Read' })).toBeVisible();
    expect(await receivedBy(context, lead)).toEqual(['I will look into this myself.']);
  } finally {
    await delayBot(context, product.url, PRODUCT, null);
  }
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

it('schedules a message, changes it while it waits, and cancels it', async () => {
  const { context, page, lead } = await talkTo('Sven Later');
  const composer = page.getByRole('textbox', { name: 'Message', exact: true });
  await composer.fill('See you next week.');
  await page.getByRole('button', { name: 'Send later' }).click();
  const when = page.getByRole('dialog', { name: 'Send later' });
  await when.getByRole('button', { name: 'In 1 hour' }).click();
  await when.getByRole('button', { name: 'Schedule' }).click();
  const strip = page.getByRole('region', { name: 'Scheduled messages' });
  await expectPage(strip).toContainText('See you next week.');
  await expectPage(strip.getByRole('time')).toHaveText(HOUR_AWAY);

  await strip.getByRole('button', { name: 'More actions for this message' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit scheduled message' });
  await submit(edit, { Message: 'See you on Friday.' }, 'Save');
  await expectPage(strip).toContainText('See you on Friday.');

  await strip.getByRole('button', { name: 'More actions for this message' }).click();
  await page.getByRole('menuitem', { name: 'Cancel message' }).click();
  await expectPage(strip).toBeHidden();
  await expectPage(bubble(page, 'See you on Friday.').getByRole('img', { name: 'Cancelled' })).toBeVisible();
  expect(await receivedBy(context, lead)).toEqual([]);
});

it('shows why a message was refused, and sends it on Retry after the vendor accepts it', async () => {
  const { context, page, lead } = await talkTo('Rita Refused');
  const sandbox = await context.newPage();
  await sandbox.goto(`${product.url}/sandbox`);
  const fault = sandbox.getByRole('switch', { name: 'The message is refused: no such contact' });
  // The switch shows the emulators' answer, a moment after the click.
  await fault.click();
  await expectPage(fault).toBeChecked();
  try {
    await page.bringToFront();
    await type(page, 'Does this arrive?');
    const refused = bubble(page, 'Does this arrive?');
    await expectPage(refused.getByRole('img', { name: 'Failed' })).toBeVisible();
    await expectPage(refused.getByRole('alert')).toContainText('BAD_CONTACT');
    await sandbox.bringToFront();
    await fault.click();
    await expectPage(fault).not.toBeChecked();
    await page.bringToFront();
    await press(refused, 'Retry');
    await expectPage(refused.getByRole('img', { name: 'Read' })).toBeVisible();
    expect(await receivedBy(context, lead)).toEqual(['Does this arrive?']);
  } finally {
    await setFault(context, 'wazzup24.refuse', false);
  }
});

it('hands the dialogue to the human who writes on our own phone', async () => {
  const { context, page, lead } = await talkTo('Pia Phone');
  const phone = await context.newPage();
  await phone.goto(`${product.url}/sandbox`);
  await phone.getByText(lead.name).first().click();
  await submit(phone, { 'Write from our own phone': 'Hello from the workshop!' }, 'Send');
  await page.bringToFront();
  await expectPage(bubble(page, 'Hello from the workshop!')).toContainText('From our phone');
  await expectPage(ownerOf(page)).toHaveText('Human');
  await expectPage(page.getByText(/^replied from our phone/)).toBeVisible();
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
