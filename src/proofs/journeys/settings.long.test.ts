/** The settings of a product's outreach in all their states: hours, follow-ups, channels. */
import type { BrowserContext, Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { listProductChannels } from '../../channels/contract.ts';
import { pingConfigs, schedules } from '../../outreach/contract.ts';
import { preparedMessages, prompts } from '../../prompts/contract.ts';
import { expectTexts, failNext, pick, press, rowAction, submit } from './actions.ts';
import { call, demoProduct } from './calls.ts';
import { setUpJourney } from './journeySetup.ts';
import { button, dialogOf, field, main } from './locators.ts';
import { expectPage } from './signIn.ts';
import { goTo, openPage } from './start.ts';

setUpJourney({ withoutOutreach: true });

const open = async (key: string) => {
  const { page, context } = await openPage(key);
  return { page, context, productId: (await demoProduct(context)).productId };
};
const stored = async (context: BrowserContext, path: string, productId: number) =>
  z.object({ items: z.array(z.unknown()) }).parse(await call(context, 'GET', `${path}?product_id=${productId}`)).items;
/** Expect a text on the page itself; the assistant's panel repeats some of it. */
const shows = (page: Page, words: string) => expectPage(main(page).getByText(words)).toBeVisible();
const options = (page: Page) => page.getByRole('listbox').getByRole('option');
const summary = (page: Page) => page.getByRole('region', { name: 'Summary' });

it('says on every settings page that no product is selected', async () => {
  const { page, context } = await open('settings-schedule');
  await context.clearCookies({ name: 'rapport_product_id' });
  for (const key of ['settings-product', 'settings-schedule', 'settings-ping', 'settings-channel']) {
    await goTo(page, key);
    await press(page.getByRole('dialog'), 'Cancel');
    await shows(page, 'No Product Selected');
  }
});

it('keeps the current entry of the menu in view on the screen of a laptop', async () => {
  const { page } = await openPage('settings-ping', { width: 1280, height: 800 });
  const current = page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Ping', exact: true });
  await expectPage(page.getByRole('button', { name: /^(?:Pause|Resume) outreach/ })).toBeVisible();
  await expectPage(current).toBeInViewport({ ratio: 0.95 });
  await page.setViewportSize({ width: 1280, height: 640 });
  await expectPage(current).toBeInViewport({ ratio: 0.95 });
});

it('creates, validates, changes, resets and deletes working hours, and says when that fails', async () => {
  const { page, context, productId } = await open('settings-schedule');
  const path = schedules.list.path;
  await expectPage(page.getByRole('heading', { name: 'No Schedule for Product' })).toBeVisible();
  await press(page, 'Create Schedule');
  await expectPage(summary(page)).toContainText('Creating new schedule');
  await press(page, 'Cancel', 'No restrictions');
  await press(page, 'Create Schedule');
  await expectPage(page.getByRole('combobox', { name: 'Time zone' })).toHaveValue('Moscow (GMT+3)');
  // The browser's time zone is UTC.
  await expectTexts(summary(page), 'Monday to Friday, 09:00–18:00', 'Monday to Friday, 06:00–15:00');

  await field(page, 'Monday, from').fill('9:00');
  await field(page, 'Monday, from').blur();
  await shows(page, 'Invalid time format for Monday. Please use HH:MM format.');
  // The other days alone would read as the whole week.
  await expectTexts(summary(page), 'Correct the working days to see when messages are sent.');
  await expectPage(summary(page)).not.toContainText('Tuesday');
  await press(page, 'Save Schedule');
  await expectPage(field(page, 'Monday, from')).toBeFocused();
  await field(page, 'Monday, from').fill('18:00');
  await shows(page, 'Start time must be before end time for Monday.');
  expect(await stored(context, path, productId)).toEqual([]);
  await field(page, 'Monday, from').fill('09:00');
  await failNext(page, /\/v1\/schedules\//, 'POST');
  await press(page, 'Save Schedule', 'Failed to save schedule. Please try again.');
  await press(page, 'Save Schedule', 'Schedule saved successfully!');
  await expectPage(summary(page)).toContainText('Saved');
  await expectPage(button(page, 'Save Schedule')).toBeDisabled();

  await field(page, 'Friday, to').fill('15:30');
  await expectTexts(summary(page), 'Has unsaved changes', 'Monday to Thursday, 09:00–18:00');
  await press(page, 'Reset', 'Configuration reset to saved values.');
  await expectPage(field(page, 'Friday, to')).toHaveValue('18:00');
  await field(page, 'Friday, to').fill('15:30');
  await press(page, 'Save Schedule');
  await expectPage(summary(page)).toContainText('Saved');
  const friday = { is_working_day: true, time_start: '09:00', time_end: '15:30' };
  const hours = { timezone: 'Europe/Moscow', config: { days: { '4': friday, '6': { is_working_day: false } } } };
  expect(await stored(context, path, productId)).toMatchObject([hours]);

  await press(page, 'Delete Schedule');
  const dialog = dialogOf(page, 'Delete');
  await expectPage(dialog).toContainText('Are you sure you want to delete the schedule? This action cannot be undone.');
  await failNext(page, /\/v1\/schedules\//, 'DELETE');
  await press(dialog, 'Delete', 'Failed to delete schedule. Please try again.');
  await press(dialog, 'Delete', 'Schedule deleted successfully!');
  await shows(page, 'No restrictions');
  expect(await stored(context, path, productId)).toEqual([]);
});

it('creates, validates, changes and resets follow-ups, and says when that fails', async () => {
  const { page, context, productId: product_id } = await open('settings-ping');
  const path = pingConfigs.list.path;
  for (const [type, name] of Object.entries({ ping: 'Gentle reminder', initial: 'Not a ping' }))
    await call(context, 'POST', preparedMessages.create.path, { product_id, name, type, message: 'Any news?' });
  await call(context, 'POST', prompts.create.path, { product_id, name: 'Write a nudge', type: 'ping', text: 'Nudge.' });
  const step = (number: number) => page.getByRole('listitem', { name: `Step ${number}`, exact: true });
  const minutes = (number: number) => field(step(number), 'After minutes');
  const source = (number: number, name: string) => step(number).getByText(name, { exact: true }).first().click();
  const message = step(2).getByRole('combobox', { name: 'Prepared message' });

  await page.reload();
  await press(page, 'Create Ping Configuration');
  await expectPage(summary(page)).toContainText('Creating new ping configuration');
  await expectPage(minutes(1)).toHaveValue('60');
  for (const name of [/^Follow up leads who never replied/, /^Pings enabled/])
    await expectPage(page.getByRole('switch', { name })).toBeChecked();
  await button(step(1), 'At least one ping step is required').click({ force: true });
  await press(page, 'Add Step');
  await expectPage(minutes(2)).toBeFocused();
  await minutes(2).fill('0');
  await source(2, 'Prepared message');
  await press(page, 'Save Configuration');
  await shows(page, 'Step 1: Please select an AI prompt');
  await shows(page, 'Step 2: After minutes must be greater than 0');
  await shows(page, 'Step 2: Please select a prepared message');
  expect(await stored(context, path, product_id)).toEqual([]);

  await pick(step(1), 'AI prompt', 'Write a nudge');
  await message.click();
  await expectPage(options(page)).toHaveText(['Gentle reminder']);
  await page.keyboard.press('Escape');
  // A text is written where it is used.
  await press(step(2), 'New message');
  await submit(dialogOf(page, 'New prepared message'), { Name: 'Second reminder', Message: 'Any news yet?' }, 'Create');
  await expectPage(message).toHaveValue('Second reminder');
  await press(step(2), 'Edit message');
  await submit(dialogOf(page, 'Edit Second reminder'), { Name: 'Gentle reminder two' }, 'Save');
  await expectPage(message).toHaveValue('Gentle reminder two');
  await pick(step(2), 'Prepared message', 'Gentle reminder');
  // Durations are shown in minutes, hours or days.
  await minutes(2).fill('3');
  await pick(step(2), 'Unit', 'days');
  await expectPage(field(step(2), 'After days')).toHaveValue('3');
  await pick(step(2), 'Unit', 'minutes');
  await minutes(2).fill('1500');
  await expectPage(step(2).getByRole('link', { name: 'Open the prepared message' })).toHaveAttribute(
    'href',
    /page=prepared-message-detail&messageId=\d+&messageName=Gentle\+reminder&source=settings-ping/,
  );
  await step(1).getByRole('combobox', { name: 'Document type of step 1' }).fill('offer');
  await expectTexts(summary(page), '2 messages within 1 d 2 h', 'Prepared message “Gentle reminder”');
  await failNext(page, /\/v1\/ping-configs\//, 'POST');
  await press(page, 'Save Configuration', 'Failed to save ping configuration. Please try again.');
  await press(page, 'Save Configuration', 'Ping configuration saved successfully!');
  await expectPage(summary(page)).toContainText('Saved');
  const steps = [
    { step_number: 1, after_minutes: 60, prepared_message_id: null, document_type: 'offer' },
    { step_number: 2, after_minutes: 1500, prompt_id: null },
  ];
  const saved = { is_enabled: true, config: { use_on_no_init_msg_reply: true, steps } };
  expect(await stored(context, path, product_id)).toMatchObject([saved]);

  // Without the first step, the second takes its place: 1500 minutes are 25 hours.
  await press(page, 'Remove step 1');
  await expectPage(field(step(1), 'After hours')).toHaveValue('25');
  await expectPage(summary(page)).toContainText('Has unsaved changes');
  await press(page, 'Reset');
  await expectPage(step(2)).toBeVisible();
  await page.getByRole('switch', { name: /^Pings enabled/ }).uncheck({ force: true });
  await expectPage(summary(page)).toContainText('Follow-ups are off: none of this is sent.');
  await press(page, 'Remove step 1');
  await press(page, 'Save Configuration');
  await expectPage(summary(page)).toContainText('Saved');
  const changed = { is_enabled: false, config: { steps: [{ step_number: 1, after_minutes: 1500 }] } };
  expect(await stored(context, path, product_id)).toMatchObject([changed]);
});

it('lists, adds, changes and removes a product’s channels, and says when that fails', async () => {
  const { page, context, productId } = await open('settings-channel');
  const before = await stored(context, listProductChannels.path, productId);
  const columns = ['Channel', 'Inbound Enabled', 'Delay (symbols/sec)', 'Delay (seconds)', 'Actions'];
  await expectPage(page.getByRole('columnheader')).toHaveText(columns);
  await expectPage(page.getByRole('combobox', { name: 'Rows per page' })).toHaveValue('50');
  await expectPage(page.locator('tbody tr')).toHaveCount(before.length);
  const name = 'WhatsApp, main number';
  const row = page.locator('tbody tr').filter({ hasText: name });
  const remove = dialogOf(page, 'Delete');
  await rowAction(page, name, 'Delete');
  await expectPage(remove).toContainText('This action cannot be undone.');
  await failNext(page, /\/v1\/product-channels\//, 'DELETE');
  await press(remove, 'Delete', 'Failed to delete product channel. Please try again.');
  await press(remove, 'Delete');
  await expectPage(row).toHaveCount(0);
  expect(await stored(context, listProductChannels.path, productId)).toHaveLength(before.length - 1);

  await press(page, 'Add Channel');
  const adding = dialogOf(page, 'Add Channel');
  await press(adding, 'Create', 'Channel is required');
  await adding.getByRole('combobox', { name: 'Channel' }).click();
  // Linked channels are not offered.
  await expectPage(options(page)).toHaveText([/^Telegram, offices/, /^WhatsApp, offices/, `${name} · WhatsApp`]);
  await page.keyboard.press('Escape');
  await pick(adding, 'Channel', `${name} · WhatsApp`);
  await pick(adding, 'Inbound Messages Enabled', 'Enabled');
  await submit(adding, { 'Delay (symbols/sec)': '0' }, 'Create', 'Delay (symbols/sec) has to be at least 1');
  await failNext(page, /\/v1\/product-channels\//, 'POST');
  const failed = 'Failed to save product channel. Please try again.';
  await submit(adding, { 'Delay (symbols/sec)': '20' }, 'Create', failed);
  await press(adding, 'Create', 'Product channel created successfully');
  await expectPage(row).toContainText('Enabled20–');

  await rowAction(page, name, 'Edit');
  const editing = dialogOf(page, 'Edit product channel');
  await pick(editing, 'Inbound Messages Enabled', 'Disabled');
  await submit(editing, { 'Delay (seconds)': '4' }, 'Save', 'Product channel updated successfully');
  await press(page, 'Refresh');
  await expectPage(row).toContainText('Disabled204');
});
