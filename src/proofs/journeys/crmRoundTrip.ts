/**
 * The round trip of a card: created on amoCRM's board, imported, greeted, answered, qualified, and moved; over any
 * messenger.
 */
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { readClock } from '../../platform/installationContract.ts';
import { products } from '../../products/contract.ts';
import { moveClock } from '../../sandbox/contract.ts';
import { callApi, findProduct } from './journeyApi.ts';
import { expectPage } from './signIn.ts';

const FIRST_MESSAGE_DELAY_SECONDS = 120;

export interface CrmRoundTrip {
  readonly url: string;
  readonly product: string;
  readonly pipeline: string;
  readonly leadName: string;
  readonly address: { readonly field: 'Phone' | 'Telegram'; readonly value: string };
  readonly greeting: string;
  /** Names of the steps that the card passes, in order. */
  readonly steps: Readonly<Record<'initial' | 'started' | 'ongoing' | 'success', string>>;
}

/** Schedule a greeting for the product's leads, due when the clock has moved this far. */
export async function scheduleFirstMessage(
  context: BrowserContext,
  { url, product, greeting }: CrmRoundTrip,
): Promise<void> {
  const { productId } = await findProduct(context, url, product);
  const path = `${products.list.path}${productId}`;
  const { name, company_id, crm_id, is_active, timezone, config } = products.get.replies[200].parse(
    await callApi(context, url, 'GET', path),
  );
  const { now } = readClock.replies[200].parse(await callApi(context, url, 'GET', readClock.path));
  const at = Date.parse(now) + FIRST_MESSAGE_DELAY_SECONDS * 1000;
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, hour: '2-digit', minute: '2-digit' });
  const messaging_config = {
    tg_daily_limit: 10,
    whatsapp_daily_limit: 10,
    add_interval_seconds: 0,
    initial_message_send_at: clock.format(at),
    initial_message_text: greeting,
  };
  await callApi(context, url, 'PUT', path, {
    name,
    company_id,
    crm_id,
    is_active,
    timezone,
    config: { ...config, messaging_config },
  });
}

/** Return a pipeline's step on the board. */
export const boardColumn = (board: Page, { pipeline }: CrmRoundTrip, name: string): Locator =>
  board.getByRole('list', { name: pipeline }).getByRole('listitem', { name, exact: true });

/** Run the whole round trip, which ends on the dialogue's page. Returns the board. */
export async function runCrmRoundTrip(context: BrowserContext, page: Page, roundTrip: CrmRoundTrip): Promise<Page> {
  const { url, leadName, steps } = roundTrip;
  const board = await context.newPage();
  // All steps side by side: dragging does not scroll.
  await board.setViewportSize({ width: 1900, height: 800 });
  await board.goto(`${url}/sandbox`);
  await board.getByRole('link', { name: 'amoCRM' }).click();
  await board.getByRole('radiogroup', { name: 'Pipeline' }).getByText(roundTrip.pipeline, { exact: true }).click();
  await board.getByRole('textbox', { name: 'Name' }).fill(leadName);
  await board.getByRole('textbox', { name: roundTrip.address.field }).fill(roundTrip.address.value);
  await board.getByRole('button', { name: 'Add card' }).click();
  await expectPage(board.getByRole('group', { name: new RegExp(leadName) })).toBeVisible();

  await page.goto(`${url}/?page=crm-leads&search=${encodeURIComponent(leadName)}`);
  await page.getByRole('link', { name: leadName }).click();
  await expectPage(page.getByRole('link', { name: /^Card \d+ in amoCRM$/ })).toBeVisible();
  const details = page.getByRole('region', { name: 'Details' });
  await expectPage(details).toContainText(`${steps.initial} in ${roundTrip.pipeline}`);
  await callApi(context, url, 'POST', moveClock.path, { seconds: FIRST_MESSAGE_DELAY_SECONDS });
  await expectPage(page.locator('[data-stage=started]').first()).toBeVisible();
  await expectPage(details).toContainText(`${steps.started} in ${roundTrip.pipeline}`);
  await expectPage(boardColumn(board, roundTrip, steps.started)).toContainText(leadName);

  const phone = await context.newPage();
  await phone.goto(`${url}/sandbox`);
  await phone.getByRole('searchbox', { name: 'Search leads' }).fill(leadName);
  await phone.getByRole('navigation', { name: 'Leads' }).getByText(leadName).first().click();
  const phoneLog = phone.getByRole('log', { name: 'What the lead sees' });
  await expectPage(phoneLog).toContainText(roundTrip.greeting);
  const composer = phone.getByRole('textbox', { name: /^Write as/ });
  await composer.fill("Great, let's do it, sign me up");
  await composer.press('Enter');
  await expectPage(phoneLog.getByRole('article').nth(2)).toBeVisible();
  await expectPage(boardColumn(board, roundTrip, steps.ongoing)).toContainText(leadName);

  await page.getByRole('region', { name: 'Dialogues' }).getByRole('link').first().click();
  const classification = page.getByRole('region', { name: 'Classification' });
  await classification.getByRole('button', { name: 'Detect stage now' }).click();
  await expectPage(classification).toContainText(/Detected stage:\s*Success/);
  await expectPage(boardColumn(board, roundTrip, steps.success)).toContainText(leadName);
  return board;
}
