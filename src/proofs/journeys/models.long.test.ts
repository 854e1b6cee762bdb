/** Models: budget and prices. */
import { expect, it } from 'vitest';
import { readPrices } from '../../llm/budgetContract.ts';
import { press, submit } from './actions.ts';
import { call, demoProduct } from './calls.ts';
import { query, setUpJourney } from './journeySetup.ts';
import { dialogOf, field } from './locators.ts';
import { expectPage } from './signIn.ts';
import { goTo, openPage } from './start.ts';

setUpJourney({ withoutOutreach: true });

it('sets a budget, warns once, pauses replies when it is spent, and removes it', async () => {
  const { context, page } = await openPage('crm-company-llms');
  const { companyId, productId } = await demoProduct(context);
  await press(page, 'Budget');
  const budget = dialogOf(page, 'Model budget');
  await submit(budget, { 'US dollars per day': '5' }, 'Save', 'Budget saved');
  await expectPage(page.getByRole('status').filter({ hasText: 'of $5.00 today' })).toBeVisible();
  const notice = page.getByRole('complementary', { name: 'Model budget' });
  const warning = page.getByText(/^80 % of today’s model budget is spent: \$4\.50 of \$5\.00 today/);
  await expectPage(notice).toHaveCount(0);

  // 450,000 tokens at ten dollars per million, as the playground would record them.
  await spend(companyId, productId, 4.5);
  await goTo(page, 'crm-leads');
  await expectPage(warning).toBeVisible();
  // Every page has the notice; the toast appears once a day.
  await goTo(page, 'dashboard');
  await expectPage(notice.getByRole('link', { name: '80 % of the budget is spent' })).toBeVisible();
  await expectPage(warning).toHaveCount(0);

  await call(context, 'PUT', `/v1/companies/${companyId}/llm-budget`, { usd_per_day: 0 });
  await page.reload();
  await expectPage(page.getByText(/^Today’s model budget is spent: .* Replies pause/)).toBeVisible();
  await notice.getByRole('link', { name: 'Budget spent: replies pause' }).click();
  await expectPage(page.getByRole('status').filter({ hasText: 'of $0.00 today' })).toBeVisible();
  await press(page, 'Budget');
  await submit(budget, { 'US dollars per day': '' }, 'Save');
  await expectPage(page.getByRole('status').filter({ hasText: /^\$[\d.]+ today$/ })).toBeVisible();
  await expectPage(notice).toHaveCount(0);
});

it('shows prices by vendor, adds one and removes one', async () => {
  const { context, page } = await openPage('crm-company-llms');
  await press(page, 'Prices');
  const prices = dialogOf(page, 'Model prices');
  await expectPage(field(prices, 'In, gpt-4o-mini')).toHaveValue('0.15');
  const chatgpt = prices.getByRole('group', { name: 'ChatGPT' });
  await press(chatgpt, 'Add a price for ChatGPT');
  await page.keyboard.type('gpt-4o');
  await expectPage(field(chatgpt, 'Model gpt-4o')).toHaveCount(2);
  await press(prices, 'Save', /A model stands here twice/);
  await field(chatgpt, 'Model gpt-4o').last().fill('our-own-model');
  await field(chatgpt, 'In, our-own-model').fill('0.5');
  await press(prices, 'Remove gpt-5');
  await press(prices, 'Save', 'Prices saved');
  const { items } = readPrices.replies[200].parse(await call(context, 'GET', readPrices.path));
  const own = { vendor: 'chatgpt', model: 'our-own-model', input_per_million: 0.5, output_per_million: 0 };
  expect(items).toContainEqual(own);
  expect(items.map((one) => one.model)).not.toContain('gpt-5');
});

/** Record that a company spent this much on a product today. */
const spend = (companyId: number, productId: number, cost: number) =>
  query(
    `insert into llm_spending (company_id, day, product_id, purpose, vendor, model, runs, cost)
     values ($1, (domain_now() at time zone 'UTC')::date, $2, 'playground', 'chatgpt', 'gpt-4o', 1, $3)`,
    [companyId, productId, cost],
  );
