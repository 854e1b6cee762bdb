/** Outreach before it is sent: the rehearsal, the effect of a change, and a follow-up sent when the clock moves. */
import type { BrowserContext, Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { skipPings } from '../../conversations/skipFollowUpsContract.ts';
import { contacts, leads } from '../../leads/contract.ts';
import { pingConfigs } from '../../outreach/contract.ts';
import { preparedMessages } from '../../prompts/contract.ts';
import {
  call,
  create,
  createLead,
  demoProduct,
  goTo,
  main,
  openPage,
  press,
  receivedBy,
  startOperator,
  submit,
  writeAs,
} from './actions.ts';
import { product, setUpJourney } from './journeySetup.ts';
import { expectPage } from './signIn.ts';

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

/** Noon of the next day: first messages due then are not sent while the test runs. */
const TOMORROW = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });

it('rehearses outreach, and shows what an edit would change before it is saved', async () => {
  const { context, page } = await openPage('rehearsal');
  await fresh(context, 6);
  await expectPage(
    main(page).getByText('No first messages: the product has no initial message and no limits.'),
  ).toBeVisible();
  await expectPage(main(page).getByText('No follow-ups: the product has no steps.')).toBeVisible();
  await main(page).getByRole('link', { name: 'Set up first messages' }).first().click();

  // Some hours before now, so due tomorrow; in the first hours of a day, its beginning.
  const earlier = new Date(Math.max(Date.now() - 3 * 3_600_000, new Date().setUTCHours(0, 0, 0, 0)));
  await page.getByRole('textbox', { name: 'Send at (UTC)' }).fill(earlier.toISOString().slice(11, 16));
  await expectPage(change(page)).toContainText('Complete the settings to see their effect');
  await page.getByRole('textbox', { name: 'Initial message text' }).fill('Good day, we are glad about your interest.');
  await expectPage(change(page)).toContainText('Nothing changes');
  await page.getByRole('textbox', { name: 'WhatsApp daily limit' }).fill('50');
  await expectPage(change(page)).toContainText(/[6-9] more messages/);
  await submit(page, { 'Random seconds on top': '30' }, 'Save Settings', 'Settings saved successfully!');
  await expectPage(change(page)).toContainText('this shows how changes affect the next 30 days');

  await change(page).getByRole('link', { name: 'Rehearsal' }).click();
  const tomorrow = TOMORROW.format(earlier.getTime() + 86_400_000).replace(',', '');
  await day(page, new RegExp(`${tomorrow}.*First messages: [6-9]`)).click();
  await expectPage(page.getByRole('heading', { name: tomorrow })).toBeVisible();
  await expectPage(listed(page).filter({ hasText: 'Fresh 5' })).toContainText(
    'Good day, we are glad about your interest.',
  );
  await expectPage(listed(page).filter({ hasText: 'Fresh 5' })).toContainText(/Queued: /);
  await expectPage(page.getByRole('list', { name: 'Leads with nothing planned' })).toContainText(
    'The product has no follow-ups',
  );

  await goTo(page, 'settings-product&tab=outreach');
  await page.getByRole('textbox', { name: 'WhatsApp daily limit' }).fill('2');
  await expectPage(change(page)).toContainText(/\d messages move/);
  await expectPage(change(page)).toContainText(new RegExp(`${tomorrow}.* reach the limit on WhatsApp`));
  await press(page, 'Save Settings', 'Settings saved successfully!');
  await page.goBack();
  await expectPage(
    day(page, new RegExp(`${tomorrow}.*First messages: 2\\b.*the limit on WhatsApp is reached`)),
  ).toBeVisible();

  // The arrow keys move through the days, and the selection is kept in the address.
  await day(page, new RegExp(tomorrow)).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expectPage(page.getByRole('button', { name: 'All days' })).toBeVisible();
  await page.reload();
  await expectPage(listed(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'All days' }).click();
  await expectPage.poll(() => listed(page).count()).toBeGreaterThan(5);
  // None of it was sent.
  expect(await call(context, 'GET', '/v1/messages/?search=glad+about')).toMatchObject({ total: 0 });
}, 180_000);

it('sends a due follow-up, except where follow-ups are skipped', async () => {
  const { context, page } = await startOperator();
  const { productId: product_id } = await demoProduct(context);
  const text = 'Shall I keep the date for you?';
  const prepared_message_id = await create(context, preparedMessages.create.path, {
    product_id,
    name: 'Keep the date',
    type: 'ping',
    message: text,
  });
  const steps = [{ step_number: 1, after_minutes: 55, prepared_message_id }];
  await call(context, 'POST', pingConfigs.create.path, { product_id, config: { steps } });
  const [nora, olaf] = [await createLead(context, 'Nora Nudged'), await createLead(context, 'Olaf Omitted')];
  for (const lead of [nora, olaf]) {
    await writeAs(context, lead, 'How long does delivery take?');
    await expectPage.poll(() => receivedBy(context, lead)).toHaveLength(1);
  }

  await page.goto(`${product.url}${olaf.chat}`);
  await expectPage(follow(page)).toContainText(/Follow-up 1 in 5\d min/);
  await follow(page).getByRole('button', { name: 'Skip' }).click();
  await expectPage(follow(page)).toContainText('Follow-ups are skipped');
  await goTo(page, `lead-detail&leadId=${olaf.leadId}`);
  const next = page.getByRole('region', { name: 'What comes next' });
  await expectPage(next).toContainText('Paused');
  await expectPage(next).toContainText('follow-ups are skipped until the next message');
  await goTo(page, `lead-detail&leadId=${nora.leadId}`);
  await expectPage(next).toContainText('Active');
  await expectPage(next).toContainText(/Follow-up 1, in (5\d min|1 hr)/);

  const sandbox = await context.newPage();
  await sandbox.goto(`${product.url}/sandbox?contact=${nora.contactId}`);
  await press(sandbox, '+1 h');
  await expectPage(sandbox.getByRole('log', { name: 'What the lead sees' })).toContainText(text);
  // The lead's page shows it without a reload.
  await expectPage(next).toContainText('all 1 follow-ups are sent');
  await page.goto(`${product.url}${nora.chat}`);
  await expectPage(page.getByRole('article').filter({ hasText: text })).toContainText('Follow-up 1');
  expect(await receivedBy(context, olaf)).toHaveLength(1);

  // After resuming, the follow-up is sent at once, since it is overdue.
  await page.goto(`${product.url}${olaf.chat}`);
  await follow(page).getByRole('button', { name: 'Resume follow-ups' }).click();
  await expectPage(page.getByRole('article').filter({ hasText: text })).toContainText('Follow-up 1');
  expect(await receivedBy(context, olaf)).toContain(text);
  // Resuming follow-ups that are not skipped changes nothing.
  const path = skipPings.path.replace('{id}', String(olaf.dialogueId));
  await call(context, 'POST', path, { skip: false });
}, 180_000);
