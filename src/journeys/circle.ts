/** The circle of a card: made on amoCRM's board, imported, greeted, answered, qualified, and moved; over any messenger. */
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { products } from '../products/contract.ts';
import { moveClock, readClock } from '../sandbox/contract.ts';
import { ask, choice } from './ask.ts';
import { see } from './signIn.ts';

const AHEAD_SECONDS = 120;

export interface Circle {
  readonly url: string;
  readonly product: string;
  readonly pipeline: string;
  readonly person: string;
  readonly address: { readonly field: 'Phone' | 'Telegram'; readonly value: string };
  readonly greeting: string;
  /** Names of the steps in which the card stands one after the other. */
  readonly steps: Readonly<Record<'initial' | 'started' | 'ongoing' | 'success', string>>;
}

/** Whoever is a lead of the product now is greeted when the clock has gone on by that. */
export async function greet(context: BrowserContext, { url, product, greeting }: Circle): Promise<void> {
  const { productId } = await choice(context, url, product);
  const path = `${products.list.path}${productId}`;
  const { name, company_id, crm_id, is_active, timezone, config } = products.get.replies[200].parse(
    await ask(context, url, 'GET', path),
  );
  const { now } = readClock.replies[200].parse(await ask(context, url, 'GET', readClock.path));
  const at = Date.parse(now) + AHEAD_SECONDS * 1000;
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, hour: '2-digit', minute: '2-digit' });
  const messaging_config = {
    tg_daily_limit: 10,
    whatsapp_daily_limit: 10,
    add_interval_seconds: 0,
    initial_message_send_at: clock.format(at),
    initial_message_text: greeting,
  };
  await ask(context, url, 'PUT', path, {
    name,
    company_id,
    crm_id,
    is_active,
    timezone,
    config: { ...config, messaging_config },
  });
}

/** The step of a pipeline on the board. */
export const column = (board: Page, { pipeline }: Circle, name: string): Locator =>
  board.getByRole('list', { name: pipeline }).getByRole('listitem', { name, exact: true });

/** Goes all the way round; ends on the dialogue's page. Gives the board. */
export async function goRound(context: BrowserContext, page: Page, circle: Circle): Promise<Page> {
  const { url, person, steps } = circle;
  const board = await context.newPage();
  // All steps side by side: what is dragged does not scroll.
  await board.setViewportSize({ width: 1900, height: 800 });
  await board.goto(`${url}/sandbox`);
  await board.getByRole('link', { name: 'amoCRM' }).click();
  await board.getByRole('radiogroup', { name: 'Pipeline' }).getByText(circle.pipeline, { exact: true }).click();
  await board.getByRole('textbox', { name: 'Name' }).fill(person);
  await board.getByRole('textbox', { name: circle.address.field }).fill(circle.address.value);
  await board.getByRole('button', { name: 'Add card' }).click();
  await see(board.getByRole('group', { name: new RegExp(person) })).toBeVisible();

  await page.goto(`${url}/?page=crm-leads&search=${encodeURIComponent(person)}`);
  await page.getByRole('link', { name: person }).click();
  await see(page.getByRole('link', { name: /^Card \d+ in amoCRM$/ })).toBeVisible();
  const details = page.getByRole('region', { name: 'Details' });
  await see(details).toContainText(`${steps.initial} in ${circle.pipeline}`);
  await ask(context, url, 'POST', moveClock.path, { seconds: AHEAD_SECONDS });
  await see(page.locator('[data-stage=started]').first()).toBeVisible();
  await see(details).toContainText(`${steps.started} in ${circle.pipeline}`);
  await see(column(board, circle, steps.started)).toContainText(person);

  const phone = await context.newPage();
  await phone.goto(`${url}/sandbox`);
  await phone.getByRole('searchbox', { name: 'Search leads' }).fill(person);
  await phone.getByRole('navigation', { name: 'Leads' }).getByText(person).first().click();
  const seen = phone.getByRole('log', { name: 'What the lead sees' });
  await see(seen).toContainText(circle.greeting);
  const composer = phone.getByRole('textbox', { name: /^Write as/ });
  await composer.fill("Great, let's do it, sign me up");
  await composer.press('Enter');
  await see(seen.getByRole('article').nth(2)).toBeVisible();
  await see(column(board, circle, steps.ongoing)).toContainText(person);

  await page.getByRole('region', { name: 'Dialogues' }).getByRole('link').first().click();
  const judged = page.getByRole('region', { name: 'Classification' });
  await judged.getByRole('button', { name: 'Classify now' }).click();
  await see(judged).toContainText(/Classified as\s*Success/);
  await see(column(board, circle, steps.success)).toContainText(person);
  return board;
}
