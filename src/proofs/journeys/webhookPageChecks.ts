/** Webhooks: the list and its form, and what one was sent. */
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { readDeliveryBody, type WebhookDelivery, webhookDeliveries, webhooks } from '../../webhooks/contract.ts';
import type { DemoIds } from './demoData.ts';
import { dialog, text } from './find.ts';
import { callApi, findProduct } from './journeyApi.ts';
import { check, type PageCheck } from './pageCheck.ts';
import { PRODUCT } from './signIn.ts';
import { openRowMenu, press, shows } from './steps.ts';
import { answer, emptyList, type Undo } from './stubs.ts';

const URL = 'https://hooks.example.com/rapport/weekly-report-of-the-kitchens';
const ID = 900_002;
const AT = '2026-11-23T00:00:00.412Z';

/** The checks read it by its name in the list. */
async function prepare(page: Page, { url }: DemoIds): Promise<Undo> {
  const context = page.context();
  const { companyId: company_id } = await findProduct(context, url, PRODUCT);
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  const body = { company_id, url: URL, events: ['report.weekly'], secret };
  const { id } = z.object({ id: z.int() }).parse(await callApi(context, url, 'POST', webhooks.create.path, body));
  return () => callApi(context, url, 'DELETE', `${webhooks.list.path}${id}`);
}

const delivery = (id: number, more: Partial<WebhookDelivery>): WebhookDelivery => ({
  id,
  webhook_id: ID,
  product_id: 1,
  event: 'report.weekly',
  event_id: '5ade74a5-4f3e-4cc8-8821-d4b2042742d6',
  state: 'delivered',
  attempts: 1,
  created_at: AT,
  last_attempt_at: AT,
  next_attempt_at: null,
  response_status: 204,
  error: null,
  ...more,
});

const deliveries = [
  delivery(3, { state: 'pending', attempts: 0, response_status: null, last_attempt_at: null }),
  delivery(2, { state: 'failed', attempts: 31, response_status: 503, error: 'The receiver answered 503' }),
  delivery(1, { event: 'test' }),
];

/** Answer for a webhook that the demo does not have. */
const record = {
  at: `webhookId=${ID}`,
  stubs: [
    answer(webhooks.get.path, {
      id: ID,
      company_id: 1,
      product_id: null,
      url: URL,
      events: ['report.weekly'],
      secret: '…aB3=',
      is_active: true,
      last_delivery: null,
      created_at: AT,
      version: 1,
    }),
    answer(webhookDeliveries.list.path, { items: deliveries, total: 3, page: 1, limit: 25 }),
    answer(readDeliveryBody.path, {
      type: 'report.weekly',
      timestamp: AT,
      data: { product_id: 1, from: '2026-11-16' },
    }),
  ],
};

export const webhookPageChecks: readonly PageCheck[] = [
  check('webhooks', '', { prepare }),
  check('webhooks', 'empty', { stubs: [emptyList(webhooks.list.path)], ready: text(/^No webhooks/) }),
  check('webhooks', 'form', {
    stubs: [emptyList(webhooks.list.path)],
    ready: text(/^No webhooks/),
    // The errors of an empty form.
    act: [press('New webhook'), press('Create'), shows(text('Address is required'))],
  }),
  check('webhook', '', record),
  check('webhook', 'content', { ...record, act: [openRowMenu('Show content'), shows(dialog(/delivery 3$/))] }),
];
