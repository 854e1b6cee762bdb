/** The settings of a product's outreach in all their states: hours, follow-ups, channels. */
import type { BrowserContext, Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { listProductChannels } from '../../channels/contract.ts';
import { pingConfigs, schedules } from '../../outreach/contract.ts';
import { preparedMessages, prompts } from '../../prompts/contract.ts';
import { call, demoProduct, failNext, fillIn, goTo, openPage, press, rowAction, submit } from './actions.ts';
import { setUpJourney } from './journeySetup.ts';
import { expectPage } from './signIn.ts';

setUpJourney({ withoutOutreach: true });

const open = async (key: string) => {
  const { page, context } = await openPage(key);
  return { page, context, productId: (await demoProduct(context)).productId };
};
const stored = async (context: BrowserContext, path: string, productId: number) =>
  z.object({ items: z.array(z.unknown()) }).parse(await call(context, 'GET', `${path}?product_id=${productId}`)).items;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
/** Matches on the page itself; the assistant's panel repeats some of it. */
const text = (page: Page, words: string) => page.getByRole('main').getByText(words);
const options = (page: Page) => page.getByRole('listbox').getByRole('option');
const summary = (page: Page) => page.getByRole('region', { name: 'Summary' });
it('says on every settings page that no product is selected', async () => {
  const { page, context } = await open('settings-schedule');
  await expectPage(button(page, 'Create Schedule')).toBeVisible();
  await context.clearCookies({ name: 'rapport_product_id' });
  for (const key of ['settings-product', 'settings-schedule', 'settings-ping', 'settings-channel']) {
    await goTo(page, key);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await expectPage(text(page, 'No Product Selected')).toBeVisible();
  }
});

it('creates, validates, changes, resets and deletes working hours, and says when that fails', async () => {
  const { page, context, productId } = await open('settings-schedule');
  const path = schedules.list.path;
  await expectPage(page.getByRole('heading', { name: 'No Schedule for Product' })).toBeVisible();
  await expectPage(text(page, 'No restrictions')).toBeVisible();
  await press(page, 'Create Schedule');
  await expectPage(summary(page)).toContainText('Creating new schedule');
  await press(page, 'Cancel');
  await expectPage(text(page, 'No restrictions')).toBeVisible();

  await press(page, 'Create Schedule');
  await expectPage(page.getByRole('combobox', { name: 'Time zone' })).toHaveValue('Moscow (GMT+3)');
  await expectPage(summary(page).getByRole('list', { name: 'Messages are sent, Moscow (GMT+3)' })).toHaveText(
    'Monday to Friday, 09:00–18:00',
  );
  // The browser's time zone is UTC.
  await expectPage(summary(page).getByRole('list', { name: /^In your time zone/ })).toHaveText(
    'Monday to Friday, 06:00–15:00',
  );

  await field(page, 'Monday, from').fill('9:00');
  await field(page, 'Monday, from').blur();
  const fault = text(page, 'Invalid time format for Monday. Please use HH:MM format.');
  await expectPage(fault).toBeVisible();
  await press(page, 'Save Schedule');
  await expectPage(field(page, 'Monday, from')).toBeFocused();
  await field(page, 'Monday, from').fill('18:00');
  await expectPage(fault).toHaveCount(0);
  await expectPage(text(page, 'Start time must be before end time for Monday.')).toBeVisible();
  expect(await stored(context, path, productId)).toEqual([]);

  // Switched off and on again, the day has the default hours.
  const monday = page.getByRole('group', { name: 'Monday' }).getByRole('switch');
  await monday.uncheck({ force: true });
  await expectPage(field(page, 'Monday, from')).toHaveValue('00:00');
  await expectPage(field(page, 'Monday, to')).toBeDisabled();
  await monday.check({ force: true });
  await expectPage(field(page, 'Monday, from')).toHaveValue('09:00');
  await expectPage(field(page, 'Monday, to')).toHaveValue('18:00');

  await failNext(page, /\/v1\/schedules\//, 'POST');
  await press(page, 'Save Schedule', 'Failed to save schedule. Please try again.');
  await expectPage(summary(page)).toContainText('Creating new schedule');
  await press(page, 'Save Schedule', 'Schedule saved successfully!');
  await expectPage(summary(page)).toContainText('Saved');
  await expectPage(button(page, 'Save Schedule')).toBeDisabled();

  await page.getByRole('combobox', { name: 'Time zone' }).fill('kathm');
  await options(page).filter({ hasText: 'Asia/Kathmandu' }).click();
  await field(page, 'Friday, to').fill('15:30');
  await expectPage(summary(page)).toContainText('Has unsaved changes');
  await expectPage(summary(page)).toContainText('Monday to Thursday, 03:15–12:15');
  await page.getByRole('link', { name: 'Leads', exact: true }).click();
  await press(page, 'Keep editing');
  await press(page, 'Reset', 'Configuration reset to saved values.');
  await expectPage(field(page, 'Friday, to')).toHaveValue('18:00');
  await field(page, 'Friday, to').fill('15:30');
  await press(page, 'Copy first day to all');
  await expectPage(field(page, 'Friday, to')).toHaveValue('18:00');
  await field(page, 'Friday, to').fill('15:30');
  await press(page, 'Save Schedule');
  await expectPage(summary(page)).toContainText('Saved');
  expect(await stored(context, path, productId)).toMatchObject([
    {
      timezone: 'Europe/Moscow',
      config: {
        days: {
          '0': { is_working_day: true, time_start: '09:00', time_end: '18:00' },
          '4': { is_working_day: true, time_start: '09:00', time_end: '15:30' },
          '6': { is_working_day: false, time_start: '00:00', time_end: '00:00' },
        },
      },
    },
  ]);

  await press(page, 'Delete Schedule');
  const dialog = page.getByRole('dialog', { name: 'Delete' });
  await expectPage(dialog).toContainText('Are you sure you want to delete the schedule? This action cannot be undone.');
  await failNext(page, /\/v1\/schedules\//, 'DELETE');
  await press(dialog, 'Delete', 'Failed to delete schedule. Please try again.');
  expect(await stored(context, path, productId)).toHaveLength(1);
  await press(dialog, 'Delete', 'Schedule deleted successfully!');
  await expectPage(text(page, 'No restrictions')).toBeVisible();
  expect(await stored(context, path, productId)).toEqual([]);
});

it('creates, validates, changes and resets follow-ups, and says when that fails', async () => {
  const { page, context, productId } = await open('settings-ping');
  const path = pingConfigs.list.path;
  const make = (to: string, body: Record<string, unknown>) =>
    call(context, 'POST', to, { product_id: productId, ...body });
  await make(preparedMessages.create.path, { name: 'Gentle reminder', type: 'ping', message: 'Any news?' });
  await make(preparedMessages.create.path, { name: 'Not a ping', type: 'initial', message: 'Hello' });
  await make(prompts.create.path, { name: 'Write a nudge', type: 'ping', text: 'Write a nudge.' });
  await make(prompts.create.path, { name: 'Not a ping prompt', type: 'document', text: 'Write a document.' });
  const step = (number: number) => page.getByRole('listitem', { name: `Step ${number}`, exact: true });
  const minutes = (number: number) => step(number).getByRole('textbox', { name: 'After minutes' });
  const source = (number: number, name: string) => step(number).getByText(name, { exact: true }).first().click();

  await failNext(page, /\/v1\/prepared-messages\//, 'GET');
  await page.reload();
  await expectPage(page.getByText('Failed to load prepared messages')).toBeVisible();
  await page.reload();
  await press(page, 'Create Ping Configuration');
  await expectPage(summary(page)).toContainText('Creating new ping configuration');
  await expectPage(minutes(1)).toHaveValue('60');
  await expectPage(step(1).getByRole('radio', { name: 'AI prompt' })).toBeChecked();
  await expectPage(page.getByRole('switch', { name: /^Follow up leads who never replied/ })).toBeChecked();
  await expectPage(page.getByRole('switch', { name: /^Pings enabled/ })).toBeChecked();
  await expectPage(step(1).getByRole('button', { name: 'At least one ping step is required' })).toBeVisible();
  await step(1).getByRole('button', { name: 'At least one ping step is required' }).click({ force: true });
  await expectPage(step(1)).toBeVisible();
  await press(page, 'Reset', 'Configuration reset to saved values.');
  await press(page, 'Create Ping Configuration');

  await press(page, 'Add Step');
  await expectPage(minutes(2)).toBeFocused();
  await minutes(2).fill('0');
  await source(2, 'Prepared message');
  await press(page, 'Save Configuration');
  for (const fault of [
    'Step 1: Please select an AI prompt',
    'Step 2: After minutes must be greater than 0',
    'Step 2: Please select a prepared message',
  ])
    await expectPage(text(page, fault)).toBeVisible();
  expect(await stored(context, path, productId)).toEqual([]);

  await step(1).getByRole('combobox', { name: 'AI prompt' }).click();
  await expectPage(options(page)).toHaveText(['Write a nudge']);
  await options(page).filter({ hasText: 'Write a nudge' }).click();
  await step(2).getByRole('combobox', { name: 'Prepared message' }).click();
  await expectPage(options(page)).toHaveText(['Gentle reminder']);
  await options(page).filter({ hasText: 'Gentle reminder' }).click();
  // A text is written where it is used, and previewed as leads would read it.
  await step(2).getByRole('button', { name: 'New message' }).click();
  const dialog = page.getByRole('dialog', { name: 'New prepared message' });
  await fillIn(dialog, { Name: 'Second reminder', Message: '{{ lead.first_name }}, {{ lead.crm_fields.nothing }}' });
  await expectPage(dialog.getByText('Not sent to this lead: lead.crm_fields.nothing is empty').first()).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Message' }).fill("Hello {{ lead.first_name | default: 'there' }}");
  await expectPage(dialog.getByRole('region', { name: 'Text of preview 1' })).toHaveText(/^Hello \S+$/);
  await press(dialog, 'Create');
  await expectPage(step(2).getByRole('combobox', { name: 'Prepared message' })).toHaveValue('Second reminder');
  await step(2).getByRole('button', { name: 'Edit message' }).click();
  const editing = page.getByRole('dialog', { name: 'Edit Second reminder' });
  await submit(editing, { Name: 'Gentle reminder two' }, 'Save');
  await expectPage(step(2).getByRole('combobox', { name: 'Prepared message' })).toHaveValue('Gentle reminder two');
  await step(2).getByRole('combobox', { name: 'Prepared message' }).click();
  await options(page)
    .filter({ hasText: /^Gentle reminder$/ })
    .click();
  // Durations are shown in minutes, hours or days.
  await minutes(2).fill('3');
  await step(2).getByRole('combobox', { name: 'Unit' }).click();
  await options(page).filter({ hasText: 'days' }).click();
  await expectPage(step(2).getByRole('textbox', { name: 'After days' })).toHaveValue('3');
  await expectPage(step(2)).toContainText('3 d later');
  await step(2).getByRole('combobox', { name: 'Unit' }).click();
  await options(page).filter({ hasText: 'minutes' }).click();
  await expectPage(step(2).getByRole('link', { name: 'Open the prepared message' })).toHaveAttribute(
    'href',
    /page=prepared-message-detail&messageId=\d+&messageName=Gentle\+reminder&source=settings-ping/,
  );
  await minutes(2).fill('1500');
  await step(1).getByRole('combobox', { name: 'Document type of step 1' }).fill('offer');
  await press(page, 'Add Step');
  await expectPage(summary(page)).toContainText('3 messages within 1 d 3 h to a lead who does not reply.');
  await press(page, 'Remove step 3');
  await expectPage(summary(page)).toContainText('1 d 2 h');
  await expectPage(summary(page)).toContainText('Prepared message “Gentle reminder”');

  await failNext(page, /\/v1\/ping-configs\//, 'POST');
  await press(page, 'Save Configuration', 'Failed to save ping configuration. Please try again.');
  await press(page, 'Save Configuration', 'Ping configuration saved successfully!');
  await expectPage(summary(page)).toContainText('Saved');
  expect(await stored(context, path, productId)).toMatchObject([
    {
      is_enabled: true,
      config: {
        use_on_no_init_msg_reply: true,
        steps: [
          { step_number: 1, after_minutes: 60, prepared_message_id: null, document_type: 'offer' },
          { step_number: 2, after_minutes: 1500, prompt_id: null },
        ],
      },
    },
  ]);

  // Remove the first step; the second takes its place.
  await press(page, 'Remove step 1');
  // After reloading, 1500 minutes are shown as 25 hours.
  await expectPage(step(1).getByRole('textbox', { name: 'After hours' })).toHaveValue('25');
  await expectPage(summary(page)).toContainText('Has unsaved changes');
  await page.getByRole('switch', { name: /^Follow up leads who never replied/ }).uncheck({ force: true });
  await expectPage(summary(page)).toContainText('Leads who never wrote get none.');
  // Another source keeps nothing of the previous one.
  await source(1, 'AI prompt');
  await source(1, 'Prepared message');
  await expectPage(step(1).getByRole('combobox', { name: 'Prepared message' })).toHaveValue('');
  await page.getByRole('link', { name: 'Leads', exact: true }).click();
  await press(page, 'Keep editing');
  await press(page, 'Reset');
  await expectPage(step(2)).toBeVisible();
  await expectPage(summary(page)).toContainText('Saved');
  await page.getByRole('switch', { name: /^Pings enabled/ }).uncheck({ force: true });
  await expectPage(summary(page)).toContainText('Follow-ups are off: none of this is sent.');
  await press(page, 'Remove step 1');
  await press(page, 'Save Configuration');
  await expectPage(summary(page)).toContainText('Saved');
  expect(await stored(context, path, productId)).toMatchObject([
    { is_enabled: false, config: { steps: [{ step_number: 1, after_minutes: 1500 }] } },
  ]);
});

it('lists, adds, changes and removes a product’s channels, and says when that fails', async () => {
  const { page, context, productId } = await open('settings-channel');
  const path = listProductChannels.path;
  const before = await stored(context, path, productId);
  await expectPage(page.getByRole('columnheader')).toHaveText([
    'Channel',
    'Inbound Enabled',
    'Delay (symbols/sec)',
    'Delay (seconds)',
    'Actions',
  ]);
  await expectPage(page.getByRole('combobox', { name: 'Rows per page' })).toHaveValue('50');
  await expectPage(page.locator('tbody tr')).toHaveCount(before.length);
  const row = (name: string) => page.locator('tbody tr').filter({ hasText: name });
  const name = 'WhatsApp, main number';
  const remove = page.getByRole('dialog', { name: 'Delete' });
  await rowAction(page, name, 'Delete');
  await expectPage(remove).toContainText('This action cannot be undone.');
  await failNext(page, /\/v1\/product-channels\//, 'DELETE');
  await press(remove, 'Delete', 'Failed to delete product channel. Please try again.');
  await press(remove, 'Delete');
  await expectPage(row(name)).toHaveCount(0);
  expect(await stored(context, path, productId)).toHaveLength(before.length - 1);

  await button(page, 'Add Channel').first().click();
  const adding = page.getByRole('dialog', { name: 'Add Channel' });
  await press(adding, 'Create');
  await expectPage(adding.getByText('Channel is required')).toBeVisible();
  await adding.getByRole('combobox', { name: 'Channel' }).click();
  // Linked channels are not offered.
  await expectPage(options(page)).toHaveText([
    'Telegram, offices · Telegram',
    'WhatsApp, offices · WhatsApp',
    `${name} · WhatsApp`,
  ]);
  await options(page)
    .filter({ hasText: `${name} · WhatsApp` })
    .click();
  await adding.getByRole('combobox', { name: 'Inbound Messages Enabled' }).click();
  await expectPage(options(page)).toHaveText(['Disabled', 'Enabled']);
  await options(page)
    .filter({ hasText: /^Enabled$/ })
    .click();
  await submit(adding, { 'Delay (symbols/sec)': '0' }, 'Create');
  await expectPage(adding.getByText('Delay (symbols/sec) has to be at least 1')).toBeVisible();
  await adding.getByRole('textbox', { name: 'Delay (symbols/sec)' }).fill('20');
  await failNext(page, /\/v1\/product-channels\//, 'POST');
  await press(adding, 'Create', 'Failed to save product channel. Please try again.');
  await press(adding, 'Create', 'Product channel created successfully');
  await expectPage(row(name)).toContainText('Enabled20–');

  await rowAction(page, name, 'Edit');
  const editing = page.getByRole('dialog', { name: 'Edit product channel' });
  await expectPage(editing.getByRole('combobox', { name: 'Channel' })).toHaveValue(`${name} · WhatsApp`);
  await editing.getByRole('textbox', { name: 'Delay (seconds)' }).fill('4');
  await editing.getByRole('combobox', { name: 'Inbound Messages Enabled' }).click();
  await options(page).filter({ hasText: 'Disabled' }).click();
  await press(editing, 'Save', 'Product channel updated successfully');
  await expectPage(row(name)).toContainText('Disabled204');

  // A second product receives messages of unknown senders; ours may not receive them too.
  const all = await call(context, 'GET', `${path}?limit=100`);
  const { items } = listProductChannels.replies[200].parse(all);
  const ours = items.find((one) => one.product_id === productId && one.config.delay_messages_seconds === 4);
  const theirs = items.find((one) => one.product_id !== productId && one.channel_id === ours?.channel_id);
  await call(context, 'PUT', path, { ...theirs, config: { ...theirs?.config, inbound_enabled: true } });
  await rowAction(page, name, 'Edit');
  await editing.getByRole('combobox', { name: 'Inbound Messages Enabled' }).click();
  await options(page)
    .filter({ hasText: /^Enabled$/ })
    .click();
  await press(editing, 'Save');
  await expectPage(editing.getByRole('alert')).toContainText('Inbound messages of this channel already go to');
  await press(editing, 'Cancel');
  await press(page, 'Discard changes');
  await press(page, 'Refresh');
  await expectPage(row(name)).toContainText('Disabled204');
});
