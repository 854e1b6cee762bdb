/** Outreach before it is sent: the rehearsal, the effect of a change, and a follow-up sent when the clock moves. */
import type { BrowserContext, Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { contacts, leads } from '../../leads/contract.ts';
import { pingConfigs } from '../../outreach/contract.ts';
import { preparedMessages } from '../../prompts/contract.ts';
import { expectTexts, fillIn, press } from './actions.ts';
import { call, create, createLead, demoProduct, receivedBy, writeAs } from './calls.ts';
import { product, setUpJourney } from './journeySetup.ts';
import { main, section } from './locators.ts';
import { expectPage } from './signIn.ts';
import { goTo, openPage, startOperator } from './start.ts';

setUpJourney({ withoutOutreach: true });

const change = (page: Page) => page.getByRole('region', { name: 'Effect of your changes' });
const day = (page: Page, name: RegExp) => page.getByRole('group', { name: 'Days' }).getByRole('button', { name });
const listed = (page: Page) => page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
const follow = (page: Page) => page.getByRole('region', { name: 'Follow-ups' });

/** Create leads of the product without any message. */
async function fresh(context: BrowserContext, count: number): Promise<void> {
  const { productId: product_id } = await demoProduct(context);
  for (let index = 0; index < count; index++) {
    const name = `Fresh ${index}`;
    const lead_id = await create(context, leads.create.path, { product_id, name });
    const contact = { product_id, lead_id, contact_type: 'whatsapp', contact: `+3712000${1000 + index}` };
    await call(context, 'POST', contacts.create.path, contact);
  }
}

/** Clock and calendar of the demo's product: first messages due tomorrow are not sent while the test runs. */
const ZONE = { timeZone: 'Europe/Berlin' } as const;
const TOMORROW = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', ...ZONE });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...ZONE });

it('rehearses outreach, and shows what an edit would change before it is saved', async () => {
  const { context, page } = await openPage('rehearsal');
  await fresh(context, 6);
  await expectPage(main(page)).toContainText('No first messages: the product has no initial message and no limits.');
  await main(page).getByRole('link', { name: 'Set up first messages' }).first().click();

  // Some hours before now, so due tomorrow; in the first hours of a day, its beginning.
  const now = Date.now();
  const isEarly = CLOCK.format(now) < '03:00';
  await fillIn(page, {
    'Send at (Berlin time)': isEarly ? '00:00' : CLOCK.format(now - 3 * 3_600_000),
    'Initial message text': 'Good day, we are glad about your interest.',
    'WhatsApp daily limit': '50',
  });
  await expectPage(change(page)).toContainText(/[6-9] more messages/);
  await press(page, 'Save Settings', 'Settings saved successfully!');

  await change(page).getByRole('link', { name: 'Rehearsal' }).click();
  const tomorrow = TOMORROW.format(now + 86_400_000).replace(',', '');
  await day(page, new RegExp(`${tomorrow}.*First messages: [6-9]`)).click();
  const planned = listed(page).filter({ hasText: 'Fresh 5' });
  await expectTexts(planned, 'Good day, we are glad about your interest.', /Queued: /);

  await goTo(page, 'settings-product&tab=outreach');
  await fillIn(page, { 'WhatsApp daily limit': '2' });
  await expectTexts(change(page), /\d messages move/, new RegExp(`${tomorrow}.* reach the limit on WhatsApp`));
  await press(page, 'Save Settings', 'Settings saved successfully!');
  await page.goBack();
  const atLimit = new RegExp(`${tomorrow}.*First messages: 2\\b.*the limit on WhatsApp is reached`);
  await expectPage(day(page, atLimit)).toBeVisible();

  // None of it was sent.
  expect(await call(context, 'GET', '/v1/messages/?search=glad+about')).toMatchObject({ total: 0 });
});

it('sends a due follow-up, except where follow-ups are skipped until they are resumed', async () => {
  const { context, page } = await startOperator();
  const { productId: product_id } = await demoProduct(context);
  const text = 'Shall I keep the date for you?';
  const prepared = { product_id, name: 'Keep the date', type: 'ping', message: text };
  const prepared_message_id = await create(context, preparedMessages.create.path, prepared);
  const steps = [{ step_number: 1, after_minutes: 55, prepared_message_id }];
  await call(context, 'POST', pingConfigs.create.path, { product_id, config: { steps } });
  const [nora, olaf] = [await createLead(context, 'Nora Nudged'), await createLead(context, 'Olaf Omitted')];
  for (const lead of [nora, olaf]) {
    await writeAs(context, lead, 'How long does delivery take?');
    await expectPage.poll(() => receivedBy(context, lead)).toHaveLength(1);
  }
  await page.goto(`${product.url}${olaf.chat}`);
  await expectPage(follow(page)).toContainText(/Follow-up 1 in 5\d min/);
  await press(follow(page), 'Skip', 'Follow-ups are skipped');
  await goTo(page, `lead-detail&leadId=${nora.leadId}`);
  const next = section(page, 'What comes next');
  await expectTexts(next, 'Active', /Follow-up 1, in (5\d min|1 hr)/);

  const sandbox = await context.newPage();
  await sandbox.goto(`${product.url}/sandbox?contact=${nora.contactId}`);
  await press(sandbox, '+1 h');
  await expectPage(sandbox.getByRole('log', { name: 'What the lead sees' })).toContainText(text);
  // The lead's page shows it without a reload.
  await expectPage(next).toContainText(/the only follow-up was sent/i);
  expect(await receivedBy(context, olaf)).toHaveLength(1);

  // After resuming, the follow-up is sent at once, since it is overdue.
  await page.goto(`${product.url}${olaf.chat}`);
  await press(follow(page), 'Resume follow-ups');
  await expectPage(page.getByRole('article').filter({ hasText: text })).toContainText('Follow-up 1');
  await expectPage.poll(() => receivedBy(context, olaf)).toContain(text);
});
