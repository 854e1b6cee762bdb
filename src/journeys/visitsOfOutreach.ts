/** The rehearsal in each of its states, and what comes next where a conversation is shown. */
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { skipPings } from '../dialogues/skipContract.ts';
import { pingConfigs } from '../outreach/contract.ts';
import { products } from '../products/contract.ts';
import { ask, choice } from './ask.ts';
import type { Demo } from './demo.ts';
import { PRODUCT, see } from './signIn.ts';
import { button, fail, plain, type Visit } from './visit.ts';
import { without } from './visitsOfSettings.ts';

/** The dialogue's follow-ups are skipped for the length of a visit. */
async function skipped(page: Page, demo: Demo): Promise<() => Promise<void>> {
  const path = skipPings.path.replace('{id}', String(demo.dialogueId));
  await ask(page.context(), demo.url, 'POST', path, { skip: true });
  return async () => {
    await ask(page.context(), demo.url, 'POST', path, { skip: false });
  };
}

/** The product has neither first messages nor follow-ups for the length of a visit. */
async function nothing(page: Page, demo: Demo): Promise<() => Promise<void>> {
  const context = page.context();
  const { productId } = await choice(context, demo.url, PRODUCT);
  const path = `${products.list.path}${productId}`;
  const {
    id: _,
    created_at: __,
    ...stored
  } = products.get.replies[200].parse(await ask(context, demo.url, 'GET', path));
  const bringBack = await without(page, demo, pingConfigs.create.path);
  await ask(context, demo.url, 'PUT', path, { ...stored, config: { ...stored.config, messaging_config: null } });
  return async () => {
    await ask(context, demo.url, 'PUT', path, stored);
    await bringBack();
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
    name: 'rehearsal-unset',
    before: nothing,
    shows: calendar,
  },
  {
    name: 'rehearsal-day',
    page: 'rehearsal',
    address: () => '/?page=rehearsal&days=92&kind=first,ping&list_size=10',
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
    before: skipped,
    shows: (page) => followUps(page).getByRole('button', { name: 'Resume follow-ups' }),
  },
  {
    name: 'dialogue-chat-follow-up',
    page: 'dialogue-chat',
    address: ({ dialogueId }) => `/?page=dialogue-chat&dialogueId=${dialogueId}`,
    shows: (page) => followUps(page).getByRole('button', { name: 'Skip' }),
  },
  {
    name: 'lead-detail-follow-up',
    page: 'lead-detail',
    address: ({ leadId }) => `/?page=lead-detail&leadId=${leadId}`,
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
