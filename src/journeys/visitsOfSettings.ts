/** The settings of a product's outreach: its hours, its follow-ups, its channels. */
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { pingConfigs, schedules } from '../outreach/contract.ts';
import { DEFAULT_DAYS } from '../outreach/schedule.ts';
import { preparedMessages } from '../prompts/contract.ts';
import { ask, choice } from './ask.ts';
import type { Demo } from './demo.ts';
import { PRODUCT, see } from './signIn.ts';
import { button, dialog, fail, plain, type Visit } from './visit.ts';

const stored = z.object({ items: z.array(z.looseObject({ id: z.int(), created_at: z.string() })) });

/** Has the product of the demo go without its schedule or follow-ups for the length of a visit. */
export async function without(page: Page, demo: Demo, path: string): Promise<() => Promise<void>> {
  const context = page.context();
  const { productId } = await choice(context, demo.url, PRODUCT);
  const { items } = stored.parse(await ask(context, demo.url, 'GET', `${path}?product_id=${productId}`));
  for (const { id } of items) await ask(context, demo.url, 'DELETE', `${path}${id}`);
  return async () => {
    for (const { id: _, created_at: __, version: ___, ...body } of items)
      await ask(context, demo.url, 'POST', path, body);
  };
}

/** Stores a setting of the product in place of its own for the length of a visit. */
export async function store(
  page: Page,
  demo: Demo,
  path: string,
  body: Record<string, unknown>,
): Promise<() => Promise<void>> {
  const bringBack = await without(page, demo, path);
  const { productId: product_id } = await choice(page.context(), demo.url, PRODUCT);
  const made = await ask(page.context(), demo.url, 'POST', path, { product_id, ...body });
  const { id } = z.object({ id: z.int() }).parse(made);
  return async () => {
    await ask(page.context(), demo.url, 'DELETE', `${path}${id}`);
    await bringBack();
  };
}

async function storeSteps(page: Page, demo: Demo) {
  const { productId } = await choice(page.context(), demo.url, PRODUCT);
  const path = `${preparedMessages.list.path}?type=ping&product_id=${productId}`;
  const { items } = preparedMessages.list.replies[200].parse(await ask(page.context(), demo.url, 'GET', path));
  const steps = Array.from({ length: 20 }, (_one, index) => ({
    step_number: index + 1,
    after_minutes: 60 + 1440 * index,
    prepared_message_id: index % 2 === 0 ? (items[0]?.id ?? null) : null,
    prompt_id: index % 2 === 0 ? null : demo.promptId,
    document_type: index % 2 === 0 ? null : 'offer',
  }));
  return store(page, demo, pingConfigs.create.path, { config: { steps, use_on_no_init_msg_reply: false } });
}

export const settingVisits: readonly Visit[] = [
  {
    ...plain('settings-schedule'),
    shows: (page) => page.getByRole('region', { name: 'Summary' }),
  },
  {
    ...plain('settings-schedule'),
    name: 'settings-schedule-none',
    before: (page, demo) => without(page, demo, schedules.create.path),
    shows: (page) => button(page, 'Create Schedule'),
  },
  {
    ...plain('settings-schedule'),
    name: 'settings-schedule-new',
    before: (page, demo) => without(page, demo, schedules.create.path),
    shows: (page) => button(page, 'Create Schedule'),
    act: async (page) => {
      await button(page, 'Create Schedule').click();
      await page.getByRole('textbox', { name: 'Monday, from' }).fill('9');
      await page.getByRole('textbox', { name: 'Tuesday, from' }).fill('18:00');
      await page.getByRole('textbox', { name: 'Tuesday, from' }).blur();
      await see(page.getByRole('alert')).toHaveCount(2);
    },
  },
  {
    ...plain('settings-schedule'),
    name: 'settings-schedule-saved',
    before: (page, demo) =>
      store(page, demo, schedules.create.path, { timezone: 'Asia/Tokyo', config: { days: DEFAULT_DAYS } }),
    shows: (page) => page.getByRole('region', { name: 'Summary' }),
  },
  {
    ...plain('settings-schedule'),
    name: 'settings-schedule-failed',
    before: (page) => fail(page, '/v1/schedules/for-product/\\d+'),
    shows: (page) => page.getByRole('alert'),
  },
  {
    ...plain('settings-ping'),
    shows: (page) => page.getByRole('listitem', { name: 'Step 3' }),
  },
  {
    ...plain('settings-ping'),
    name: 'settings-ping-none',
    before: (page, demo) => without(page, demo, pingConfigs.create.path),
    shows: (page) => button(page, 'Create Ping Configuration'),
  },
  {
    ...plain('settings-ping'),
    name: 'settings-ping-new',
    before: (page, demo) => without(page, demo, pingConfigs.create.path),
    shows: (page) => button(page, 'Create Ping Configuration'),
    act: async (page) => {
      await button(page, 'Create Ping Configuration').click();
      await button(page, 'Save Configuration').click();
      await see(page.getByRole('main').getByText('Step 1: Please select an AI prompt')).toBeVisible();
    },
  },
  {
    ...plain('settings-ping'),
    name: 'settings-ping-long',
    before: storeSteps,
    shows: (page) => page.getByRole('listitem', { name: 'Step 20' }),
  },
  plain('settings-channel'),
  {
    ...plain('settings-channel'),
    name: 'settings-channel-form',
    act: async (page) => {
      await page.locator('[data-row-opener]').first().click();
      await see(dialog(page, 'Edit product channel')).toBeVisible();
    },
  },
  {
    ...plain('settings-channel'),
    name: 'settings-channel-failed',
    before: (page) => fail(page, '/v1/product-channels/'),
    shows: (page) => page.getByRole('alert'),
  },
];
