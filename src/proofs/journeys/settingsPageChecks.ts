/** The settings of a product, its models and its outreach: rehearsal, follow-ups of a conversation, playground. */
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { skipPings } from '../../conversations/skipFollowUpsContract.ts';
import { pingConfigs, schedules } from '../../outreach/contract.ts';
import { DEFAULT_DAYS } from '../../outreach/schedule.ts';
import { products } from '../../products/contract.ts';
import { preparedMessages } from '../../prompts/contract.ts';
import type { DemoIds } from './demoData.ts';
import { callApi, findProduct } from './journeyApi.ts';
import {
  button,
  check,
  click,
  dialog,
  failCalls,
  fill,
  keys,
  type PageCheck,
  press,
  role,
  shows,
  type Undo,
  within,
} from './pageCheck.ts';
import { expectPage, PRODUCT } from './signIn.ts';

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

/** Replace a setting of the product during a page check. */
async function withSetting(page: Page, demo: DemoIds, path: string, body: object): Promise<Undo> {
  const context = page.context();
  const restore = await withoutSetting(path)(page, demo);
  const { productId: product_id } = await findProduct(context, demo.url, PRODUCT);
  const created = await callApi(context, demo.url, 'POST', path, { product_id, ...body });
  const { id } = z.object({ id: z.int() }).parse(created);
  return async () => {
    await callApi(context, demo.url, 'DELETE', `${path}${id}`);
    await restore();
  };
}

async function withManySteps(page: Page, demo: DemoIds): Promise<Undo> {
  const { productId } = await findProduct(page.context(), demo.url, PRODUCT);
  const path = `${preparedMessages.list.path}?type=ping&product_id=${productId}`;
  const { items } = preparedMessages.list.replies[200].parse(await callApi(page.context(), demo.url, 'GET', path));
  const steps = Array.from({ length: 20 }, (_one, index) => ({
    step_number: index + 1,
    after_minutes: 60 + 1440 * index,
    prepared_message_id: index % 2 === 0 ? (items[0]?.id ?? null) : null,
    prompt_id: index % 2 === 0 ? null : demo.promptId,
    document_type: index % 2 === 0 ? null : 'offer',
  }));
  return withSetting(page, demo, pingConfigs.create.path, { config: { steps, use_on_no_init_msg_reply: false } });
}

/** Skip the dialogue's follow-ups during a page check. */
async function withSkippedFollowUps(page: Page, { url, dialogueId }: DemoIds): Promise<Undo> {
  const path = skipPings.path.replace('{id}', String(dialogueId));
  await callApi(page.context(), url, 'POST', path, { skip: true });
  return () => callApi(page.context(), url, 'POST', path, { skip: false });
}

/** Remove the product's first messages and follow-ups during a page check. */
async function withoutOutreach(page: Page, demo: DemoIds): Promise<Undo> {
  const context = page.context();
  const { productId } = await findProduct(context, demo.url, PRODUCT);
  const path = `${products.list.path}${productId}`;
  const product = products.get.replies[200].parse(await callApi(context, demo.url, 'GET', path));
  const { id: _, created_at: __, ...stored } = product;
  const restore = await withoutFollowUps(page, demo);
  await callApi(context, demo.url, 'PUT', path, { ...stored, config: { ...stored.config, messaging_config: null } });
  return async () => {
    await callApi(context, demo.url, 'PUT', path, stored);
    await restore();
  };
}

/** Show the rehearsal of a new product: the server's answer without a lead. */
async function emptyRehearsal(page: Page): Promise<void> {
  await page.route(/\/v1\/outreach\/rehearsal\?/, async (route) => {
    const response = await route.fetch();
    const body = z.looseObject({ days: z.array(z.looseObject({})) }).parse(await response.json());
    const days = body.days.map((day) => ({ ...day, first: 0, ping: 0, scheduled: 0, expired: 0 }));
    await route.fulfill({ response, json: { ...body, days, leads: 0, items: [], total: 0, silent: [] } });
  });
}

const main = (words: string) => within(role('main'), (page) => page.getByText(words, { exact: true }).first());
const promptText = role('textbox', 'Text of the prompt');
const summary = role('region', 'Summary');
const calendar = role('group', 'Days');
const followUp = (name: string) =>
  within(role('region', 'Follow-ups'), (region) => region.getByRole('button', { name }));
const generalTab = role('tab', 'General');
const createSchedule = button('Create Schedule');
const createPings = button('Create Ping Configuration');
const newCredential = dialog('New LLM credential');
const dialogue = ({ dialogueId }: DemoIds) => `dialogueId=${dialogueId}`;

const modelPageChecks: readonly PageCheck[] = [
  check('crm-company-llms'),
  check('crm-company-llms', 'prices', {
    act: [press('Prices'), shows(within(dialog('Prices of models'), (prices) => prices.getByRole('textbox').first()))],
  }),
  check('crm-company-llms', 'spending', {
    act: [
      press('Spending'),
      shows(within(dialog('Spending on models'), (spending) => spending.getByRole('row').last())),
    ],
  }),
  check('crm-company-llms', 'budget', { act: [press('Budget'), shows(dialog('Budget for models'))] }),
  check('crm-company-llms', 'form', {
    // The errors of an empty form.
    act: [
      press('New LLM credential'),
      click(within(newCredential, (form) => form.getByRole('button', { name: 'Create' }))),
    ],
  }),
  check('chatbot', '', {
    ready: promptText,
    act: [
      shows(main('Connected')),
      fill('Message', 'How much is a kitchen?'),
      keys('Enter'),
      (page) => expectPage(page.getByRole('article').last()).toContainText(/\d ms$/),
    ],
  }),
  check('chatbot', 'compare', {
    ready: main('Connected'),
    act: [
      press('Compare'),
      (page) => expectPage(page.getByRole('main').getByText('Connected', { exact: true })).toHaveCount(2),
    ],
  }),
];

const outreachPageChecks: readonly PageCheck[] = [
  check('rehearsal', '', { ready: calendar }),
  check('rehearsal', 'unset', { prepare: withoutOutreach, ready: calendar }),
  check('rehearsal', 'day', {
    at: 'days=92&kind=first,ping&list_size=10',
    ready: calendar,
    act: [
      click(within(calendar, (days) => days.getByRole('button', { name: /First messages: / }).first())),
      shows(button('All days')),
    ],
  }),
  check('rehearsal', 'nothing', {
    at: 'days=7',
    stubs: [emptyRehearsal],
    ready: role('heading', 'No messages planned'),
  }),
  check('rehearsal', 'failed', { stubs: [failCalls('/v1/outreach/rehearsal')], ready: role('alert') }),
  check('dialogue-chat', '', {
    at: dialogue,
    ready: within(role('log', 'Messages'), (log) => log.getByRole('article').last()),
  }),
  check('dialogue-chat', 'skipped', {
    at: dialogue,
    prepare: withSkippedFollowUps,
    ready: followUp('Resume follow-ups'),
  }),
  check('dialogue-chat', 'follow-up', { at: dialogue, ready: followUp('Skip') }),
];

export const settingsPageChecks: readonly PageCheck[] = [
  ...modelPageChecks,
  ...outreachPageChecks,
  ...['settings-product', 'settings'].map((key) => check(key, '', { ready: role('region', 'Documents') })),
  check('settings-product', 'invalid', {
    ready: generalTab,
    act: [
      click(generalTab),
      (page) => page.getByRole('textbox', { name: 'Name' }).fill(''),
      keys('Tab'),
      (page) => expectPage(page.getByRole('alert').filter({ hasText: 'Validation Error' })).toBeVisible(),
    ],
  }),
  check('settings-product', 'general', {
    ready: generalTab,
    act: [click(generalTab), (page) => expectPage(page.getByRole('switch', { name: 'Active' })).toBeAttached()],
  }),
  check('settings-product', 'consequences', {
    at: 'tab=outreach',
    ready: role('textbox', 'Initial message text'),
    act: [
      fill('WhatsApp daily limit', '0'),
      (page) => expectPage(page.getByRole('region', { name: 'Effect of your changes' })).toContainText('fall'),
    ],
  }),
  check('settings-schedule', '', { ready: summary }),
  check('settings-schedule', 'none', { prepare: withoutSchedule, ready: createSchedule }),
  check('settings-schedule', 'new', {
    prepare: withoutSchedule,
    ready: createSchedule,
    act: [
      press('Create Schedule'),
      fill('Monday, from', '9'),
      fill('Tuesday, from', '18:00'),
      (page) => page.getByRole('textbox', { name: 'Tuesday, from' }).blur(),
      (page) => expectPage(page.getByRole('alert')).toHaveCount(2),
    ],
  }),
  check('settings-schedule', 'saved', {
    prepare: (page, demo) =>
      withSetting(page, demo, schedules.create.path, { timezone: 'Asia/Tokyo', config: { days: DEFAULT_DAYS } }),
    ready: summary,
  }),
  check('settings-schedule', 'failed', {
    stubs: [failCalls('/v1/schedules/for-product/{id}')],
    ready: role('alert'),
  }),
  check('settings-ping', '', { ready: role('listitem', 'Step 3') }),
  check('settings-ping', 'none', { prepare: withoutFollowUps, ready: createPings }),
  check('settings-ping', 'new', {
    prepare: withoutFollowUps,
    ready: createPings,
    act: [
      press('Create Ping Configuration'),
      press('Save Configuration'),
      (page) => expectPage(page.getByRole('main').getByText('Step 1: Please select an AI prompt')).toBeVisible(),
    ],
  }),
  check('settings-ping', 'long', { prepare: withManySteps, ready: role('listitem', 'Step 20') }),
  check('settings-channel'),
  check('settings-channel', 'form', {
    act: [click((page) => page.locator('[data-row-opener]').first()), shows(dialog('Edit product channel'))],
  }),
  check('settings-channel', 'failed', { stubs: [failCalls('/v1/product-channels/')], ready: role('alert') }),
];
