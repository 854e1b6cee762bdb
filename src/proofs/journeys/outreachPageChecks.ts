/** The rehearsal in each of its states, and the next step where a conversation is shown. */
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { skipPings } from '../../conversations/skipFollowUpsContract.ts';
import { pingConfigs } from '../../outreach/contract.ts';
import { products } from '../../products/contract.ts';
import type { DemoIds } from './demoData.ts';
import { callApi, findProduct } from './journeyApi.ts';
import { button, failCalls, type PageCheck, simplePageCheck } from './pageCheck.ts';
import { withoutSetting } from './settingsPageChecks.ts';
import { expectPage, PRODUCT } from './signIn.ts';

/** Skip the dialogue's follow-ups during a page check. */
async function withSkippedFollowUps(page: Page, demo: DemoIds): Promise<() => Promise<void>> {
  const path = skipPings.path.replace('{id}', String(demo.dialogueId));
  await callApi(page.context(), demo.url, 'POST', path, { skip: true });
  return async () => {
    await callApi(page.context(), demo.url, 'POST', path, { skip: false });
  };
}

/** Remove the product's first messages and follow-ups during a page check. */
async function withoutOutreach(page: Page, demo: DemoIds): Promise<() => Promise<void>> {
  const context = page.context();
  const { productId } = await findProduct(context, demo.url, PRODUCT);
  const path = `${products.list.path}${productId}`;
  const {
    id: _,
    created_at: __,
    ...stored
  } = products.get.replies[200].parse(await callApi(context, demo.url, 'GET', path));
  const restore = await withoutSetting(page, demo, pingConfigs.create.path);
  await callApi(context, demo.url, 'PUT', path, { ...stored, config: { ...stored.config, messaging_config: null } });
  return async () => {
    await callApi(context, demo.url, 'PUT', path, stored);
    await restore();
  };
}

const calendar = (page: Page) => page.getByRole('group', { name: 'Days' });
const followUps = (page: Page) => page.getByRole('region', { name: 'Follow-ups' });

export const outreachPageChecks: readonly PageCheck[] = [
  {
    ...simplePageCheck('rehearsal'),
    readyWhen: calendar,
  },
  {
    ...simplePageCheck('rehearsal'),
    name: 'rehearsal-unset',
    prepare: withoutOutreach,
    readyWhen: calendar,
  },
  {
    name: 'rehearsal-day',
    page: 'rehearsal',
    address: () => '/?page=rehearsal&days=92&kind=first,ping&list_size=10',
    readyWhen: calendar,
    act: async (page) => {
      await calendar(page)
        .getByRole('button', { name: /First messages: / })
        .first()
        .click();
      await expectPage(button(page, 'All days')).toBeVisible();
    },
  },
  {
    name: 'rehearsal-nothing',
    page: 'rehearsal',
    address: () => '/?page=rehearsal&days=7',
    prepare: withEmptyRehearsal,
    readyWhen: (page) => page.getByRole('heading', { name: 'No messages planned' }),
  },
  {
    ...simplePageCheck('rehearsal'),
    name: 'rehearsal-failed',
    prepare: (page) => failCalls(page, '/v1/outreach/rehearsal'),
    readyWhen: (page) => page.getByRole('alert'),
  },
  {
    name: 'settings-product-consequences',
    page: 'settings-product',
    address: () => '/?page=settings-product&tab=outreach',
    readyWhen: (page) => page.getByRole('textbox', { name: 'Initial message text' }),
    act: async (page) => {
      await page.getByRole('textbox', { name: 'WhatsApp daily limit' }).fill('0');
      await expectPage(page.getByRole('region', { name: 'Effect of your changes' })).toContainText('fall');
    },
  },
  {
    name: 'dialogue-chat',
    page: 'dialogue-chat',
    address: ({ dialogueId }) => `/?page=dialogue-chat&dialogueId=${dialogueId}`,
    readyWhen: (page) => page.getByRole('log', { name: 'Messages' }).getByRole('article').last(),
  },
  {
    name: 'dialogue-chat-skipped',
    page: 'dialogue-chat',
    address: ({ dialogueId }) => `/?page=dialogue-chat&dialogueId=${dialogueId}`,
    prepare: withSkippedFollowUps,
    readyWhen: (page) => followUps(page).getByRole('button', { name: 'Resume follow-ups' }),
  },
  {
    name: 'dialogue-chat-follow-up',
    page: 'dialogue-chat',
    address: ({ dialogueId }) => `/?page=dialogue-chat&dialogueId=${dialogueId}`,
    readyWhen: (page) => followUps(page).getByRole('button', { name: 'Skip' }),
  },
  {
    name: 'lead-detail-follow-up',
    page: 'lead-detail',
    address: ({ leadId }) => `/?page=lead-detail&leadId=${leadId}`,
    readyWhen: (page) => page.getByText(/^Why not now/),
  },
];

/** Show a new product: the server's answer without a lead. */
async function withEmptyRehearsal(page: Page): Promise<() => Promise<void>> {
  const pattern = /\/v1\/outreach\/rehearsal\?/;
  await page.route(pattern, async (route) => {
    const answer = await route.fetch();
    const body = z.looseObject({ days: z.array(z.looseObject({})) }).parse(await answer.json());
    const days = body.days.map((day) => ({ ...day, first: 0, ping: 0, scheduled: 0, expired: 0 }));
    await route.fulfill({ response: answer, json: { ...body, days, leads: 0, items: [], total: 0, silent: [] } });
  });
  return () => page.unroute(pattern);
}
