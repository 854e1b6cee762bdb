/** Outreach before it is sent: the rehearsal, the effect of a change, and a follow-up sent when the clock moves. */
import type { BrowserContext, Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { skipPings } from '../../conversations/skipFollowUpsContract.ts';
import { contacts, leads } from '../../leads/contract.ts';
import { pingConfigs } from '../../outreach/contract.ts';
import { preparedMessages } from '../../prompts/contract.ts';
import { callApi, createLeadWithDialogue, findProduct, receivedTexts, writeAsLead } from './journeyApi.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { expectPage, openConsole, PRODUCT } from './signIn.ts';

setUpJourney({ withoutOutreach: true });

const main = (page: Page) => page.getByRole('main');
const change = (page: Page) => page.getByRole('region', { name: 'Effect of your changes' });
const day = (page: Page, name: RegExp) => page.getByRole('group', { name: 'Days' }).getByRole('button', { name });
const listed = (page: Page) => page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
const follow = (page: Page) => page.getByRole('region', { name: 'Follow-ups' });

/** Create leads of the product without any message. */
async function fresh(context: BrowserContext, count: number): Promise<void> {
  const { productId: product_id } = await findProduct(context, product.url, PRODUCT);
  for (let index = 0; index < count; index++) {
    const name = `Fresh ${index}`;
    const lead = leads.create.replies[201].parse(
      await callApi(context, product.url, 'POST', leads.create.path, { product_id, name }),
    );
    const contact = { product_id, lead_id: lead.id, contact_type: 'whatsapp', contact: `+3712000${1000 + index}` };
    await callApi(context, product.url, 'POST', contacts.create.path, contact);
  }
}

/** Noon of the next day: first messages due then are not sent while the test runs. */
const TOMORROW = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });

it('the rehearsal before and after an edit, and what the edit would do before it is saved', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=rehearsal');
  await fresh(context, 6);
  await expectPage(
    main(page).getByText('No first messages: the product has no initial message and no limits.'),
  ).toBeVisible();
  await expectPage(main(page).getByText('No follow-ups: the product has no steps.')).toBeVisible();
  await main(page).getByRole('link', { name: 'Set up first messages' }).first().click();

  // Some hours before now, so due tomorrow.
  const earlier = new Date(Date.now() - 3 * 3_600_000);
  await page.getByRole('textbox', { name: 'Send at (UTC)' }).fill(earlier.toISOString().slice(11, 16));
  await expectPage(change(page)).toContainText('Once the settings are complete');
  await page.getByRole('textbox', { name: 'Initial message text' }).fill('Good day, we are glad about your interest.');
  await expectPage(change(page)).toContainText('Nothing changes');
  await page.getByRole('textbox', { name: 'WhatsApp daily limit' }).fill('50');
  await expectPage(change(page)).toContainText(/[6-9] more messages/);
  await page.getByRole('textbox', { name: 'Random seconds on top' }).fill('30');
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await expectPage(page.getByText('Settings saved successfully!')).toBeVisible();
  await expectPage(change(page)).toContainText('A change shows here');

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

  await page.goto(`${product.url}/?page=settings-product&tab=outreach`);
  await page.getByRole('textbox', { name: 'WhatsApp daily limit' }).fill('2');
  await expectPage(change(page)).toContainText(/\d messages move/);
  await expectPage(change(page)).toContainText(new RegExp(`${tomorrow}.* reach the limit on WhatsApp`));
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await expectPage(page.getByText('Settings saved successfully!')).toBeVisible();
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
  expect(await callApi(context, product.url, 'GET', '/v1/messages/?search=glad+about')).toMatchObject({ total: 0 });
}, 90_000);

it('a follow-up comes to the phone when the clock moves, and not where it is skipped', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url);
  const { productId: product_id } = await findProduct(context, product.url, PRODUCT);
  const text = 'Shall I keep the date for you?';
  const { id: prepared_message_id } = preparedMessages.create.replies[201].parse(
    await callApi(context, product.url, 'POST', preparedMessages.create.path, {
      product_id,
      name: 'Keep the date',
      type: 'ping',
      message: text,
    }),
  );
  const steps = [{ step_number: 1, after_minutes: 55, prepared_message_id }];
  await callApi(context, product.url, 'POST', pingConfigs.create.path, { product_id, config: { steps } });
  const [nora, olaf] = [
    await createLeadWithDialogue(context, product.url, PRODUCT, 'Nora Nudged'),
    await createLeadWithDialogue(context, product.url, PRODUCT, 'Olaf Omitted'),
  ];
  for (const lead of [nora, olaf]) {
    await writeAsLead(context, product.url, lead, 'How long does delivery take?');
    await expectPage.poll(() => receivedTexts(context, product.url, lead)).toHaveLength(1);
  }

  await page.goto(`${product.url}${olaf.chat}`);
  await expectPage(follow(page)).toContainText(/Follow-up 1 in 5\d min/);
  await follow(page).getByRole('button', { name: 'Skip' }).click();
  await expectPage(follow(page)).toContainText('Follow-ups are skipped');
  await page.goto(`${product.url}/?page=lead-detail&leadId=${olaf.leadId}`);
  const next = page.getByRole('region', { name: 'What comes next' });
  await expectPage(next).toContainText('Paused');
  await expectPage(next).toContainText('Follow-ups are skipped until the next message');
  await page.goto(`${product.url}/?page=lead-detail&leadId=${nora.leadId}`);
  await expectPage(next).toContainText('Active');
  await expectPage(next).toContainText(/Follow-up 1, in (5\d min|1 hr)/);

  const sandbox = await context.newPage();
  await sandbox.goto(`${product.url}/sandbox?contact=${nora.contactId}`);
  await sandbox.getByRole('button', { name: '+1 h', exact: true }).click();
  await expectPage(sandbox.getByRole('log', { name: 'What the lead sees' })).toContainText(text);
  // The lead's page shows it without a reload.
  await expectPage(next).toContainText('All 1 follow-ups are sent');
  await page.goto(`${product.url}${nora.chat}`);
  await expectPage(page.getByRole('article').filter({ hasText: text })).toContainText('Follow-up 1');
  expect(await receivedTexts(context, product.url, olaf)).toHaveLength(1);

  // After resuming, the follow-up is sent at once, since it is overdue.
  await page.goto(`${product.url}${olaf.chat}`);
  await follow(page).getByRole('button', { name: 'Resume follow-ups' }).click();
  await expectPage(page.getByRole('article').filter({ hasText: text })).toContainText('Follow-up 1');
  expect(await receivedTexts(context, product.url, olaf)).toContain(text);
  // Resuming follow-ups that are not skipped changes nothing.
  const path = skipPings.path.replace('{id}', String(olaf.dialogueId));
  await callApi(context, product.url, 'POST', path, { skip: false });
}, 90_000);
