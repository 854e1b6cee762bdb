/** The settings of a product's outreach: its hours, its follow-ups, its channels. */
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { pingConfigs, schedules } from '../../outreach/contract.ts';
import { DEFAULT_DAYS } from '../../outreach/schedule.ts';
import { preparedMessages } from '../../prompts/contract.ts';
import type { DemoIds } from './demoData.ts';
import { callApi, findProduct } from './journeyApi.ts';
import { button, dialog, failCalls, type PageCheck, simplePageCheck } from './pageCheck.ts';
import { expectPage, PRODUCT } from './signIn.ts';

const storedList = z.object({ items: z.array(z.looseObject({ id: z.int(), created_at: z.string() })) });

/** Remove the schedule or follow-ups of the demo's product during a page check. */
export async function withoutSetting(page: Page, demo: DemoIds, path: string): Promise<() => Promise<void>> {
  const context = page.context();
  const { productId } = await findProduct(context, demo.url, PRODUCT);
  const { items } = storedList.parse(await callApi(context, demo.url, 'GET', `${path}?product_id=${productId}`));
  for (const { id } of items) await callApi(context, demo.url, 'DELETE', `${path}${id}`);
  return async () => {
    for (const { id: _, created_at: __, version: ___, ...body } of items)
      await callApi(context, demo.url, 'POST', path, body);
  };
}

/** Replace a setting of the product during a page check. */
export async function withSetting(
  page: Page,
  demo: DemoIds,
  path: string,
  body: Record<string, unknown>,
): Promise<() => Promise<void>> {
  const restore = await withoutSetting(page, demo, path);
  const { productId: product_id } = await findProduct(page.context(), demo.url, PRODUCT);
  const created = await callApi(page.context(), demo.url, 'POST', path, { product_id, ...body });
  const { id } = z.object({ id: z.int() }).parse(created);
  return async () => {
    await callApi(page.context(), demo.url, 'DELETE', `${path}${id}`);
    await restore();
  };
}

async function withManySteps(page: Page, demo: DemoIds) {
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

export const settingsPageChecks: readonly PageCheck[] = [
  {
    ...simplePageCheck('settings-schedule'),
    readyWhen: (page) => page.getByRole('region', { name: 'Summary' }),
  },
  {
    ...simplePageCheck('settings-schedule'),
    name: 'settings-schedule-none',
    prepare: (page, demo) => withoutSetting(page, demo, schedules.create.path),
    readyWhen: (page) => button(page, 'Create Schedule'),
  },
  {
    ...simplePageCheck('settings-schedule'),
    name: 'settings-schedule-new',
    prepare: (page, demo) => withoutSetting(page, demo, schedules.create.path),
    readyWhen: (page) => button(page, 'Create Schedule'),
    act: async (page) => {
      await button(page, 'Create Schedule').click();
      await page.getByRole('textbox', { name: 'Monday, from' }).fill('9');
      await page.getByRole('textbox', { name: 'Tuesday, from' }).fill('18:00');
      await page.getByRole('textbox', { name: 'Tuesday, from' }).blur();
      await expectPage(page.getByRole('alert')).toHaveCount(2);
    },
  },
  {
    ...simplePageCheck('settings-schedule'),
    name: 'settings-schedule-saved',
    prepare: (page, demo) =>
      withSetting(page, demo, schedules.create.path, { timezone: 'Asia/Tokyo', config: { days: DEFAULT_DAYS } }),
    readyWhen: (page) => page.getByRole('region', { name: 'Summary' }),
  },
  {
    ...simplePageCheck('settings-schedule'),
    name: 'settings-schedule-failed',
    prepare: (page) => failCalls(page, '/v1/schedules/for-product/\\d+'),
    readyWhen: (page) => page.getByRole('alert'),
  },
  {
    ...simplePageCheck('settings-ping'),
    readyWhen: (page) => page.getByRole('listitem', { name: 'Step 3' }),
  },
  {
    ...simplePageCheck('settings-ping'),
    name: 'settings-ping-none',
    prepare: (page, demo) => withoutSetting(page, demo, pingConfigs.create.path),
    readyWhen: (page) => button(page, 'Create Ping Configuration'),
  },
  {
    ...simplePageCheck('settings-ping'),
    name: 'settings-ping-new',
    prepare: (page, demo) => withoutSetting(page, demo, pingConfigs.create.path),
    readyWhen: (page) => button(page, 'Create Ping Configuration'),
    act: async (page) => {
      await button(page, 'Create Ping Configuration').click();
      await button(page, 'Save Configuration').click();
      await expectPage(page.getByRole('main').getByText('Step 1: Please select an AI prompt')).toBeVisible();
    },
  },
  {
    ...simplePageCheck('settings-ping'),
    name: 'settings-ping-long',
    prepare: withManySteps,
    readyWhen: (page) => page.getByRole('listitem', { name: 'Step 20' }),
  },
  simplePageCheck('settings-channel'),
  {
    ...simplePageCheck('settings-channel'),
    name: 'settings-channel-form',
    act: async (page) => {
      await page.locator('[data-row-opener]').first().click();
      await expectPage(dialog(page, 'Edit product channel')).toBeVisible();
    },
  },
  {
    ...simplePageCheck('settings-channel'),
    name: 'settings-channel-failed',
    prepare: (page) => failCalls(page, '/v1/product-channels/'),
    readyWhen: (page) => page.getByRole('alert'),
  },
];
