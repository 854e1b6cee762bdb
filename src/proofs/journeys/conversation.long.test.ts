/** The dialogue: messages of the lead, the bot and the operator, and how the console shows them. */
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { insertMessages } from '../../testing/longThread.ts';
import { holdCalls, press, submit } from './actions.ts';
import { call, createLead, receivedBy, setFault, writeAs } from './calls.ts';
import { talkTo, type } from './dialogue.ts';
import { chromium, product, query, setUpJourney } from './journeySetup.ts';
import { bubble, dialogOf, main, ownerOf, row, threadOf } from './locators.ts';
import { askOnPhone, QUESTION } from './phone.ts';
import { SCREENS } from './screens.ts';
import { expectPage } from './signIn.ts';
import { goTo, startOperator } from './start.ts';

const NUMBERED = /Message (\d+)\./;

setUpJourney();

it('shows a lead’s message, the answer and its ticks in the open console', async () => {
  const { page, phone } = await askOnPhone(await chromium.context(), product.url);
  await expectPage(threadOf(page).getByText(QUESTION)).toHaveCount(1);
  await phone.bringToFront();
  await expectPage(phone.getByRole('log', { name: 'What the lead sees' })).toContainText(/weeks/);
});

it('updates lists and the lead’s page over one stream for all pages', async () => {
  const { context, page: first, lead } = await talkTo('Lina Listed');
  await first.close();
  const page = await context.newPage();
  const streams: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/v1/live?product_id')) streams.push(request.url());
  });
  await goTo(page, 'crm-dialogues&search=Lina');
  const listed = row(page, lead.name);
  await expectPage(listed).toContainText('No messages yet');
  await writeAs(context, lead, QUESTION);
  await expectPage(listed).toContainText(/weeks/);

  await listed.getByRole('link').first().click();
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
  const asked = page.getByRole('dialog', { name: 'Hand back to bot' });
  await expectPage(asked).toContainText(new RegExp(`The bot answers now: “${QUESTION.replace('?', '\\?')}”`));
  await press(asked, 'Hand back');
  await expectPage(ownerOf(page)).toHaveText('Bot is answering');
  await expectPage(bubble(page, /weeks/).getByRole('img', { name: 'Read' })).toBeVisible();
  expect(await receivedBy(context, lead)).toHaveLength(1);
});

it('stays silent when a human hands the dialogue back so, and answers the next message', async () => {
  const { context, page, lead } = await talkTo('Silva Silent');
  await page.getByRole('button', { name: 'Take over' }).click();
  await expectPage(ownerOf(page)).toHaveText('demo is replying');
  await writeAs(context, lead, QUESTION);
  await expectPage(bubble(page, QUESTION)).toBeVisible();
  await page.keyboard.press('b');
  await press(page.getByRole('dialog', { name: 'Hand back to bot' }), 'Hand back and stay silent');
  await expectPage(ownerOf(page)).toHaveText('Bot is answering');
  await writeAs(context, lead, 'And when can you come?');
  await expectPage.poll(() => receivedBy(context, lead)).toHaveLength(1);
});

it('takes a key while the answer to the key before is on its way', async () => {
  const { page } = await talkTo('Kora Keys');
  await expectPage(ownerOf(page)).toHaveText('Bot is answering');
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/v1\/dialogues\/\d+\/owner$/, async (route) => {
    const response = await route.fetch();
    await isReleased;
    await route.fulfill({ response });
  });
  await page.keyboard.press('t');
  // By the live stream.
  await expectPage(ownerOf(page)).toHaveText('demo is replying');
  await page.keyboard.press('b');
  release();
  await expectPage(ownerOf(page)).toHaveText('Bot is answering');
});

it('writes to a contact from a draft of the bot, and then in the bot’s place', async () => {
  const { context, page } = await startOperator();
  const lead = await createLead(context, 'Sonja Sent');
  const own = (owner: string) => call(context, 'POST', `/v1/dialogues/${lead.dialogueId}/owner`, { owner });
  const text = main(page).getByRole('textbox', { name: 'Message' });
  await own('human');
  await writeAs(context, lead, QUESTION);
  await goTo(page, `send-message&contactId=${lead.contactId}`);
  await expectPage(text).toBeFocused();
  await main(page).getByRole('switch', { name: 'Only in working hours' }).click();
  await press(page, 'Suggest reply');
  await expectPage(text).toHaveValue(/weeks/);
  await expectPage(page.getByText('Suggested by the bot: check it before you send it.')).toBeVisible();
  await text.press('End');
  await text.pressSequentially(' Shall we call?');
  await text.press('Control+Enter');
  await expectPage(bubble(page, 'Shall we call?')).toContainText('demo, with a draft of the bot');

  await own('bot');
  await goTo(page, `send-message&contactId=${lead.contactId}`);
  await main(page).getByRole('switch', { name: 'Only in working hours' }).click();
  await text.fill('The drawings are on their way, too.');
  await press(page, 'More ways to send');
  await page.getByRole('menuitem', { name: 'Send and keep the bot' }).click();
  await expectPage(bubble(page, 'The drawings are on their way')).toBeVisible();
  await expectPage(ownerOf(page)).toHaveText('Bot is answering');
  await expectPage.poll(() => receivedBy(context, lead)).toHaveLength(2);
});

it('asks before a contact gets an answer that a colleague has given since the form was opened', async () => {
  const { context, page } = await startOperator();
  const lead = await createLead(context, 'Wanda Written');
  await writeAs(context, lead, QUESTION);
  await expectPage.poll(() => receivedBy(context, lead)).toHaveLength(1);
  await goTo(page, `send-message&contactId=${lead.contactId}`);
  await main(page).getByRole('switch', { name: 'Only in working hours' }).click();
  await main(page).getByRole('textbox', { name: 'Message' }).fill('In a month.');
  await query(`insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status, thread_at)
    select product_id, contact_id, id, channel_id, 'Four weeks.', 'bot', 'operator', 'quick', 'sent', domain_now()
      from dialogues where id = ${lead.dialogueId}`);
  await press(main(page), 'Send');
  await expectPage(page.getByRole('alert')).toContainText('quick has answered in the meantime: "Four weeks."');
  expect(await receivedBy(context, lead)).toHaveLength(1);
  await press(page, 'Send anyway');
  await expectPage(bubble(page, 'In a month.')).toBeVisible();
  await expectPage.poll(() => receivedBy(context, lead)).toHaveLength(2);
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
  await expectPage(strip.getByRole('time')).toHaveText(/^in (1:00:00|59:\d\d|1 h)/);

  const openEdit = async () => {
    await strip.getByRole('button', { name: 'More actions for this message' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
  };
  await openEdit();
  const edit = page.getByRole('dialog', { name: 'Edit scheduled message' });
  const text = edit.getByRole('textbox', { name: 'Message' });
  await text.fill('See you on Thursday.');
  await page.reload();
  await openEdit();
  await expectPage(text).toHaveValue('See you on Thursday.');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await submit(edit, { Message: 'See you on Friday.' }, 'Save');
  await expectPage(strip).toContainText('See you on Friday.');

  await strip.getByRole('button', { name: 'More actions for this message' }).click();
  await page.getByRole('menuitem', { name: 'Cancel message' }).click();
  await press(dialogOf(page, 'Cancel message'), 'Cancel message');
  await expectPage(strip).toBeHidden();
  await expectPage(bubble(page, 'See you on Friday.').getByRole('img', { name: 'Cancelled' })).toBeVisible();
  expect(await receivedBy(context, lead)).toEqual([]);
});

it('shows why a message was refused, and sends it on Retry after the vendor accepts it', async () => {
  const { context, page, lead } = await talkTo('Rita Refused');
  await setFault(context, 'wazzup24.refuse', true);
  await type(page, 'Does this arrive?');
  const refused = bubble(page, 'Does this arrive?');
  await expectPage(refused.getByRole('img', { name: 'Failed' })).toBeVisible();
  await expectPage(refused.getByRole('alert')).toContainText('BAD_CONTACT');
  await setFault(context, 'wazzup24.refuse', false);
  await press(refused, 'Retry');
  await expectPage(refused.getByRole('img', { name: 'Read' })).toBeVisible();
  expect(await receivedBy(context, lead)).toEqual(['Does this arrive?']);
});

it.each(Object.entries(SCREENS))(
  'opens a thread of 10,000 messages at a link, and reads on at both ends: %s',
  async (_name, size) => {
    const { context, page } = await startOperator(size);
    const lead = await createLead(context, 'Long Reader');
    await insertMessages(query, lead.dialogueId, 10_000);
    const [first] = await query('select min(id)::int as id from messages where dialogue_id = $1', [lead.dialogueId]);
    const pages: string[] = [];
    page.on('request', (request) => request.url().includes('/thread?') && pages.push(request.url()));
    await page.goto(`${product.url}${lead.chat}&messageId=${Number(first?.id) + 4999}`);
    await expectPage(bubble(page, 'Message 5000.')).toBeInViewport();
    expect(pages.filter((url) => !url.includes('around='))).toEqual([]);

    // A message that arrives is not put into the middle of the conversation.
    await writeAs(context, lead, 'Are you there?');
    await readTo(page, 4800, -700);
    await readTo(page, 5200, 700);
    await expectPage(bubble(page, 'Are you there?')).toHaveCount(0);

    // What is being read stays in its place while older messages are put in front.
    const older = await holdCalls(page, '**/thread?*before=*');
    await threadOf(page).evaluate((log) => log.scrollTo(0, 500));
    await older.arrived;
    const text = await visibleMessage(page);
    const top = async () => Math.round((await bubble(page, text).boundingBox())?.y ?? 0);
    const before = await top();
    older.release();
    await expectPage(page.getByText('Loading messages...')).toBeHidden();
    expect(Math.abs((await top()) - before)).toBeLessThan(3);

    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await expectPage(bubble(page, 'Are you there?')).toBeInViewport();
    await expectPage(page.getByRole('button', { name: 'Jump to latest' })).toBeHidden();
    await readTo(page, 9900, -700);
  },
);

/** Turn the wheel until a message is shown, and expect no gap between any messages on the way. */
async function readTo(page: Page, number: number, wheel: number): Promise<void> {
  await threadOf(page).hover();
  for (;;) {
    const texts = await threadOf(page).getByRole('article').allInnerTexts();
    const numbers = texts.flatMap((text) => NUMBERED.exec(text)?.[1] ?? []).map(Number);
    expect(numbers).toEqual(numbers.map((_one, index) => (numbers[0] ?? 0) + index));
    if (numbers.includes(number)) return;
    await page.mouse.wheel(0, wheel);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
}

/** Return the beginning of a message in the middle of the thread. */
async function visibleMessage(page: Page): Promise<string> {
  const texts = await threadOf(page).getByRole('article').allInnerTexts();
  return NUMBERED.exec(texts[Math.floor(texts.length / 2)] ?? '')?.[0] ?? '';
}
