/** The rehearsal in each of its states, and what comes next where a conversation is shown. */
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { skipPings } from '../dialogues/skipContract.ts';
import { pingConfigs } from '../outreach/contract.ts';
import { type MessagingConfig, products } from '../products/contract.ts';
import { preparedMessages } from '../prompts/contract.ts';
import { ask, choice } from './ask.ts';
import type { Demo } from './demo.ts';
import { PRODUCT, see } from './signIn.ts';
import { button, fail, plain, type Visit } from './visit.ts';

const FIRSTS: MessagingConfig = {
  tg_daily_limit: 1,
  whatsapp_daily_limit: 1,
  add_interval_seconds: 180,
  add_interval_jitter_seconds: 0,
  // Whatever the hour, the next one is a while away.
  initial_message_send_at: new Date(Date.now() - 2 * 3_600_000).toISOString().slice(11, 16),
  initial_message_document_prompt_id: null,
  initial_message_prepared_message_id: null,
  initial_message_text: 'Good day! You asked us about a kitchen made to measure.\n\nWhen may we call you?',
};

/** First messages and follow-ups for the length of a visit; the steps come days later, so that none leaves. */
async function outreach(page: Page, demo: Demo): Promise<() => Promise<void>> {
  const context = page.context();
  const { productId } = await choice(context, demo.url, PRODUCT);
  const path = `${products.list.path}${productId}`;
  const stored = products.get.replies[200].parse(await ask(context, demo.url, 'GET', path));
  const { name, company_id, crm_id, is_active, config } = stored;
  const put = (messaging_config: MessagingConfig | null) => {
    const body = { name, company_id, crm_id, is_active, config: { ...config, messaging_config } };
    return ask(context, demo.url, 'PUT', path, body);
  };
  await put(FIRSTS);
  const listed = await ask(context, demo.url, 'GET', `${preparedMessages.list.path}?type=ping&product_id=${productId}`);
  const { items } = preparedMessages.list.replies[200].parse(listed);
  const steps = [
    { step_number: 1, after_minutes: 4 * 1440, prepared_message_id: items[0]?.id ?? null },
    { step_number: 2, after_minutes: 4 * 1440, prompt_id: demo.promptId },
  ];
  const made = await ask(context, demo.url, 'POST', pingConfigs.create.path, {
    product_id: productId,
    config: { steps },
  });
  const { id } = z.object({ id: z.int() }).parse(made);
  return async () => {
    await ask(context, demo.url, 'DELETE', `${pingConfigs.list.path}${id}`);
    await put(config.messaging_config);
  };
}

/** The same, in a dialogue that the demo leaves out of it. */
async function resumed(page: Page, demo: Demo): Promise<() => Promise<void>> {
  const undo = await outreach(page, demo);
  const path = skipPings.path.replace('{id}', String(demo.dialogueId));
  await ask(page.context(), demo.url, 'POST', path, { skip: false });
  return async () => {
    await ask(page.context(), demo.url, 'POST', path, { skip: true });
    await undo();
  };
}

const calendar = (page: Page) => page.getByRole('group', { name: 'Days' });
const followUps = (page: Page) => page.getByRole('region', { name: 'Follow-ups' });

export const outreachVisits: readonly Visit[] = [
  {
    ...plain('rehearsal'),
    shows: calendar,
  },
  {
    ...plain('rehearsal'),
    name: 'rehearsal-full',
    before: outreach,
    shows: calendar,
  },
  {
    name: 'rehearsal-day',
    page: 'rehearsal',
    address: () => '/?page=rehearsal&days=92&kind=first,ping&list_size=10',
    before: outreach,
    shows: calendar,
    act: async (page) => {
      await calendar(page)
        .getByRole('button', { name: /First messages: / })
        .first()
        .click();
      await see(button(page, 'All days')).toBeVisible();
    },
  },
  {
    name: 'rehearsal-nothing',
    page: 'rehearsal',
    address: () => '/?page=rehearsal&days=7',
    before: emptied,
    shows: (page) => page.getByRole('heading', { name: 'Nothing would go out' }),
  },
  {
    ...plain('rehearsal'),
    name: 'rehearsal-failed',
    before: (page) => fail(page, '/v1/outreach/rehearsal'),
    shows: (page) => page.getByRole('alert'),
  },
  {
    name: 'settings-product-consequences',
    page: 'settings-product',
    address: () => '/?page=settings-product&tab=outreach',
    before: outreach,
    shows: (page) => page.getByRole('textbox', { name: 'Initial message text' }),
    act: async (page) => {
      await page.getByRole('textbox', { name: 'WhatsApp daily limit' }).fill('0');
      await see(page.getByRole('region', { name: 'What this would change' })).toContainText('fall');
    },
  },
  {
    name: 'dialogue-chat',
    page: 'dialogue-chat',
    address: ({ dialogueId }) => `/?page=dialogue-chat&dialogueId=${dialogueId}`,
    shows: (page) => page.getByRole('log', { name: 'Messages' }).getByRole('article').last(),
  },
  {
    name: 'dialogue-chat-skipped',
    page: 'dialogue-chat',
    address: ({ dialogueId }) => `/?page=dialogue-chat&dialogueId=${dialogueId}`,
    before: outreach,
    shows: (page) => followUps(page).getByRole('button', { name: 'Resume follow-ups' }),
  },
  {
    name: 'dialogue-chat-follow-up',
    page: 'dialogue-chat',
    address: ({ dialogueId }) => `/?page=dialogue-chat&dialogueId=${dialogueId}`,
    before: resumed,
    shows: (page) => followUps(page).getByRole('button', { name: 'Skip' }),
  },
  {
    name: 'lead-detail-follow-up',
    page: 'lead-detail',
    address: ({ leadId }) => `/?page=lead-detail&leadId=${leadId}`,
    before: resumed,
    shows: (page) => page.getByText(/^Why not now/),
  },
];

/** A product as it begins: the server's answer without a lead. */
async function emptied(page: Page): Promise<() => Promise<void>> {
  const pattern = /\/v1\/outreach\/rehearsal\?/;
  await page.route(pattern, async (route) => {
    const answer = await route.fetch();
    const body = z.looseObject({ days: z.array(z.looseObject({})) }).parse(await answer.json());
    const days = body.days.map((day) => ({ ...day, first: 0, ping: 0, scheduled: 0, expired: 0 }));
    await route.fulfill({ response: answer, json: { ...body, days, leads: 0, items: [], total: 0, silent: [] } });
  });
  return () => page.unroute(pattern);
}
