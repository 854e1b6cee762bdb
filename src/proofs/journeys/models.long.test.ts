/** Models: keys, budget, prices and spending. */
import pg from 'pg';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { dialogue, dialogues } from '../../conversations/contract.ts';
import { readPrices } from '../../llm/budgetContract.ts';
import { accessibilityViolations } from './accessibility.ts';
import { call, demoProduct, goTo, openPage, press, rowAction, setFault, startOperator, submit } from './actions.ts';
import { database, setUpJourney } from './journeySetup.ts';
import { expectPage } from './signIn.ts';

setUpJourney({ withoutOutreach: true });

it('tests a model key', async () => {
  const { context, page } = await openPage('crm-company-llms');
  await rowAction(page, /^Actions for Anthropic/, 'Test');
  await expectPage(page.getByText(/^Anthropic … ?\S* works: claude-haiku-4-5 answered in \d+ ms$/)).toBeVisible();
  await setFault(context, 'anthropic.unauthorized', true);
  await rowAction(page, /^Actions for Anthropic/, 'Test');
  await expectPage(page.getByText(/does not work\. The model vendor answered 401: invalid x-api-key/)).toBeVisible();
  await setFault(context, 'anthropic.unauthorized', false);
});

it('sets a budget, warns once, pauses replies when it is spent, and removes it', async () => {
  const { context, page } = await openPage('crm-company-llms');
  const { companyId, productId } = await demoProduct(context);
  await page.getByRole('button', { name: 'Budget' }).click();
  const budget = page.getByRole('dialog', { name: 'Budget for models' });
  await submit(budget, { 'US dollars a day': '5' }, 'Save', 'Budget saved');
  await expectPage(page.getByRole('status').filter({ hasText: 'of $5.00 today' })).toBeVisible();
  const notice = page.getByRole('complementary', { name: 'Budget for models' });
  const warning = page.getByText(/^80 % of today’s budget for models is spent: \$4\.50 of \$5\.00 today/);
  await expectPage(notice).toHaveCount(0);

  // 450,000 tokens at ten dollars per million, as the playground would record them.
  await spend(companyId, productId, 4.5);
  await goTo(page, 'crm-leads');
  await expectPage(warning).toBeVisible();
  await expectPage(notice.getByRole('link', { name: '80 % of the budget is spent' })).toBeVisible();
  expect(await accessibilityViolations(page, 'budget warning')).toEqual([]);
  // Every page has the notice; the toast appears once a day.
  await goTo(page, 'dashboard');
  await expectPage(notice.getByRole('link', { name: '80 % of the budget is spent' })).toBeVisible();
  await expectPage(page.getByRole('region', { name: 'Messages per day' })).toBeVisible();
  await expectPage(warning).toHaveCount(0);

  await call(context, 'PUT', `/v1/companies/${companyId}/llm-budget`, { usd_per_day: 0 });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.reload();
  await expectPage(page.getByText(/^Today’s budget for models is spent: .* Replies pause/)).toBeVisible();
  expect(await accessibilityViolations(page, 'budget spent')).toEqual([]);
  await notice.getByRole('link', { name: 'Budget spent: replies pause' }).click();
  await page.setViewportSize({ width: 1280, height: 800 });
  await expectPage(page.getByRole('status').filter({ hasText: 'of $0.00 today' })).toBeVisible();
  await page.getByRole('button', { name: 'Budget' }).click();
  await submit(budget, { 'US dollars a day': '' }, 'Save');
  await expectPage(page.getByRole('status').filter({ hasText: /^\$[\d.]+ today$/ })).toBeVisible();
  await expectPage(notice).toHaveCount(0);

  await page.getByRole('button', { name: 'Spending' }).click();
  const spending = page.getByRole('dialog', { name: 'Spending on models' });
  await expectPage(spending.getByRole('row').filter({ hasText: 'gpt-4o' }).first()).toContainText(/\$4\.5\d/);
  await expectPage(spending.getByRole('row', { name: /^Together/ })).toContainText(/\$4\.5\d/);
  await spending.getByText('Today', { exact: true }).last().click();
  await expectPage(spending.getByRole('row', { name: /^Together/ })).toContainText(/\$4\.5\d/);
  expect(await accessibilityViolations(page, 'spending')).toEqual([]);
});

it('shows what a message, a dialogue and a lead cost', async () => {
  const { context, page } = await startOperator();
  const { productId } = await demoProduct(context);
  const list = z.object({ items: z.array(dialogue) });
  const path = `${dialogues.list.path}?product_id=${productId}&with_cost=true&limit=100`;
  const { items } = list.parse(await call(context, 'GET', path));
  const talk = items.find((one) => (one.cost ?? 0) > 0.0001);
  if (!talk) throw new Error('The demo has dialogues that cost something');
  const cost = new RegExp(`\\$0\\.${String(talk.cost?.toFixed(5)).slice(2)} · \\d+ runs?`);

  await goTo(page, `crm-dialogues&search=${encodeURIComponent(talk.lead_name)}`);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Cost' }).check();
  await expectPage(page.getByRole('row').filter({ hasText: talk.lead_name }).first()).toContainText(
    `$${talk.cost?.toFixed(5)}`,
  );
  await goTo(page, `dialogue-chat&dialogueId=${talk.id}`);
  await expectPage(page.getByRole('region', { name: 'Contact' })).toContainText(cost);
  await goTo(page, `lead-detail&leadId=${talk.lead_id}`);
  await expectPage(page.getByRole('region', { name: 'Details' })).toContainText(cost);
  await goTo(page, 'crm-messages&author=bot');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Cost' }).check();
  await expectPage(page.getByRole('cell', { name: /^\$0\.000\d\d$/ }).first()).toBeVisible();
  // The pointer shows the full text of a cell that is cut off, and of no other.
  const cells = page.locator('tbody tr').first().getByRole('cell');
  await cells.nth(1).hover();
  await expectPage(cells.nth(1)).toHaveAttribute('title', /\w{3}.{20}/);
  await cells.nth(4).hover();
  await expectPage(cells.nth(4)).not.toHaveAttribute('title', /./);
});

it('shows prices by vendor, adds one and removes one', async () => {
  const { context, page } = await openPage('crm-company-llms');
  await page.getByRole('button', { name: 'Prices' }).click();
  const prices = page.getByRole('dialog', { name: 'Prices of models' });
  const save = prices.getByRole('button', { name: 'Save' });
  await expectPage(prices.getByRole('textbox', { name: 'In, gpt-4o-mini' })).toHaveValue('0.15');
  await expectPage(save).toBeDisabled();
  const chatgpt = prices.getByRole('group', { name: 'ChatGPT' });
  await chatgpt.getByRole('button', { name: 'Add a price of ChatGPT' }).click();
  await page.keyboard.type('gpt-4o');
  await expectPage(chatgpt.getByRole('textbox', { name: 'Model gpt-4o', exact: true })).toHaveCount(2);
  await save.click();
  await expectPage(prices.getByRole('alert')).toContainText('A model stands here twice');
  await chatgpt.getByRole('textbox', { name: 'Model gpt-4o', exact: true }).last().fill('our-own-model');
  await chatgpt.getByRole('textbox', { name: 'In, our-own-model' }).fill('0.5');
  await press(prices, 'Remove gpt-5');
  expect(await accessibilityViolations(page, 'prices')).toEqual([]);
  await save.click();
  await expectPage(page.getByText('Prices saved')).toBeVisible();
  const { items } = readPrices.replies[200].parse(await call(context, 'GET', readPrices.path));
  const own = { vendor: 'chatgpt', model: 'our-own-model', input_per_million: 0.5, output_per_million: 0 };
  expect(items).toContainEqual(own);
  expect(items.map((one) => one.model)).not.toContain('gpt-5');
  expect(items.map((one) => one.model)).toContain('gpt-5-mini');
});

/** Record that a company spent this much on a product today. */
async function spend(companyId: number, productId: number, cost: number): Promise<void> {
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    await client.query(
      `insert into llm_spending (company_id, day, product_id, purpose, vendor, model, runs, cost)
       values ($1, (domain_now() at time zone 'UTC')::date, $2, 'playground', 'chatgpt', 'gpt-4o', 1, $3)`,
      [companyId, productId, cost],
    );
  } finally {
    await client.end();
  }
}
