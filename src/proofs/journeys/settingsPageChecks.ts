/** The settings of a product, its models and its outreach: rehearsal, follow-ups of a conversation, playground. */
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { pingConfigs, schedules } from '../../outreach/contract.ts';
import type { DemoIds } from './demoData.ts';
import { button, dialog, role, text } from './find.ts';
import { callApi, findProduct } from './journeyApi.ts';
import { check, type PageCheck } from './pageCheck.ts';
import { expectPage, PRODUCT } from './signIn.ts';
import { click, fill, keys, press, shows } from './steps.ts';
import type { Undo } from './stubs.ts';
import { webhookPageChecks } from './webhookPageChecks.ts';

const storedList = z.object({ items: z.array(z.looseObject({ id: z.int(), created_at: z.string() })) });

/** Remove the schedule or follow-ups of the demo's product during a page check. */
const withoutSetting =
  (path: string) =>
  async (page: Page, { url }: DemoIds): Promise<Undo> => {
    const context = page.context();
    const { productId } = await findProduct(context, url, PRODUCT);
    const { items } = storedList.parse(await callApi(context, url, 'GET', `${path}?product_id=${productId}`));
    for (const { id } of items) await callApi(context, url, 'DELETE', `${path}${id}`);
    return async () => {
      for (const { id: _, created_at: __, version: ___, ...body } of items)
        await callApi(context, url, 'POST', path, body);
    };
  };
const withoutSchedule = withoutSetting(schedules.create.path);
const withoutFollowUps = withoutSetting(pingConfigs.create.path);

const promptText = role('textbox', 'Text of the prompt');
const calendar = role('group', 'Days');
const generalTab = role('tab', 'General');
const createSchedule = button('Create Schedule');
const createPings = button('Create Ping Configuration');

const modelPageChecks: readonly PageCheck[] = [
  check('crm-company-llms'),
  check('crm-company-llms', 'prices', { act: [press('Prices'), shows(dialog('Model prices'))] }),
  check('crm-company-llms', 'spending', { act: [press('Spending'), shows(role('row', /^Total/))] }),
  check('crm-company-llms', 'budget', { act: [press('Budget'), shows(dialog('Model budget'))] }),
  check('crm-company-llms', 'form', {
    // The errors of an empty form.
    act: [press('New LLM credential'), press('Create'), shows(text('API key is required'))],
  }),
  check('chatbot', '', {
    ready: promptText,
    act: [
      shows((page) => page.getByRole('main').getByText('Connected', { exact: true })),
      fill('Message', 'How much is a kitchen?'),
      keys('Enter'),
      (page) => expectPage(page.getByRole('article').last()).toContainText(/\d ms$/),
    ],
  }),
  check('chatbot', 'compare', {
    ready: promptText,
    act: [
      press('Compare'),
      (page) => expectPage(page.getByRole('main').getByText('Connected', { exact: true })).toHaveCount(2),
    ],
  }),
];

const outreachPageChecks: readonly PageCheck[] = [
  check('rehearsal', '', { ready: calendar }),
  check('rehearsal', 'day', {
    at: 'days=92&kind=first,ping&list_size=10',
    ready: calendar,
    act: [click(role('button', /First messages: /)), shows(button('All days'))],
  }),
  check('dialogue-chat', '', {
    at: ({ dialogueId }) => `dialogueId=${dialogueId}`,
    ready: (page) => page.getByRole('region', { name: 'Follow-ups' }).getByRole('button', { name: 'Skip' }),
    act: [shows(role('article'))],
  }),
];

export const settingsPageChecks: readonly PageCheck[] = [
  ...modelPageChecks,
  ...webhookPageChecks,
  ...outreachPageChecks,
  ...['settings-product', 'settings'].map((key) => check(key, '', { ready: role('region', 'Documents') })),
  check('settings-product', 'invalid', {
    ready: generalTab,
    act: [click(generalTab), fill('Name', ''), keys('Tab'), shows(text('Name is required'))],
  }),
  check('settings-product', 'consequences', {
    at: 'tab=outreach',
    ready: role('textbox', 'Initial message text'),
    act: [
      fill('WhatsApp daily limit', '0'),
      (page) =>
        expectPage(page.getByRole('region', { name: 'Effect of your changes' })).toContainText('fewer messages'),
    ],
  }),
  check('settings-schedule', '', { ready: role('region', 'Summary') }),
  check('settings-schedule', 'none', { prepare: withoutSchedule, ready: createSchedule }),
  check('settings-schedule', 'new', {
    prepare: withoutSchedule,
    ready: createSchedule,
    act: [
      press('Create Schedule'),
      fill('Monday, from', '9'),
      fill('Tuesday, from', '18:00'),
      keys('Tab'),
      (page) => expectPage(page.getByRole('alert')).toHaveCount(2),
    ],
  }),
  check('settings-ping', '', { ready: role('listitem', 'Step 3') }),
  check('settings-ping', 'none', { prepare: withoutFollowUps, ready: createPings }),
  check('settings-ping', 'new', {
    prepare: withoutFollowUps,
    ready: createPings,
    act: [
      press('Create Ping Configuration'),
      press('Save Configuration'),
      shows((page) => page.getByRole('main').getByText('Step 1: Please select an AI prompt')),
    ],
  }),
  check('settings-channel'),
  check('settings-channel', 'form', {
    act: [click((page) => page.locator('[data-row-opener]').first()), shows(dialog('Edit product channel'))],
  }),
];
