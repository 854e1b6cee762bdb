/** Insights: its questions are answered within three clicks, and each number leads to as many attempts as it says. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { beforeAll, expect, it } from 'vitest';
import { listOutcomes } from '../../outcomes/outcomeContract.ts';
import { call, demoProduct } from './calls.ts';
import { countActions } from './countedActions.ts';
import { query, setUpJourney } from './journeySetup.ts';
import { expectPage } from './signIn.ts';
import { goTo, startOperator } from './start.ts';

setUpJourney({ withoutOutreach: true });
// The server counts the demo's history after it has started.
beforeAll(
  () => expectPage.poll(() => query('select from outcomes where is_stale'), { timeout: 110_000 }).toEqual([]),
  120_000,
);

const menu = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true });
const view = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name, exact: true });
const table = (page: Page, name: string) => page.getByRole('table', { name, exact: true });
const summary = (page: Page) => page.getByRole('region', { name: 'Summary' });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true });

/** Each question, the clicks that answer it from the list of leads, and the column that has the answer. */
const QUESTIONS = [
  {
    question: 'Which follow-up works?',
    ask: (page: Page) => view(page, 'Follow-ups').click(),
    answer: { table: 'Follow-ups', row: /^Follow-up 1/, column: 'Answered before the next' },
  },
  {
    question: 'Which prompt version qualifies more?',
    ask: (page: Page) => view(page, 'Prompts').click(),
    answer: { table: 'Prompt versions', row: /^Kitchen consultant/, column: 'Qualified' },
  },
  {
    question: 'What did a qualified lead cost last month on Telegram?',
    ask: async (page: Page) => {
      await page.getByRole('radiogroup', { name: 'Range of days' }).getByText('Last month').click();
      await view(page, 'Channels').click();
    },
    answer: { table: 'Messengers', row: /^Telegram/, column: 'Per qualified' },
  },
] as const;

it.each(QUESTIONS)('answers within three clicks from any page: $question', async ({ ask, answer }) => {
  const { context, page } = await startOperator();
  const counted = await countActions(context);
  await goTo(page, 'crm-leads');
  await expectPage(menu(page, 'Insights')).toBeVisible();
  counted.reset();
  await menu(page, 'Insights').click();
  await ask(page);
  const found = table(page, answer.table);
  await expectPage(found.getByRole('columnheader', { name: answer.column, exact: true })).toBeVisible();
  await expectPage(found.getByRole('row', { name: answer.row }).first()).toBeVisible();
  const { clicks, keys } = counted.read();
  expect(keys).toBe(0);
  expect(clicks).toBeLessThanOrEqual(3);
});

it('opens as many attempts as a number says, and saves all of them', async () => {
  const { context, page } = await startOperator();
  await goTo(page, 'insights&started_from=2020-01-01');
  const figure = summary(page).locator('[data-figure=answered]').getByRole('link');
  const text = await figure.innerText();
  const count = Number(text.replaceAll(',', ''));
  expect(count).toBeGreaterThan(10);
  await figure.click();
  await expectPage(heading(page, 'Attempts')).toBeVisible();
  await expectPage(page.getByRole('status').filter({ hasText: `of ${text} attempts` })).toBeVisible();
  const { productId } = await demoProduct(context);
  const query = `product_id=${productId}&started_from=2020-01-01&reached=answered&limit=1`;
  const listed = listOutcomes.replies[200].parse(await call(context, 'GET', `${listOutcomes.path}?${query}`));
  expect(listed.total).toBe(count);

  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe('attempts.csv');
  expect(
    readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n'),
  ).toHaveLength(count + 1);

  await page.locator('[data-row-opener]').first().click();
  await expectPage(page).toHaveURL(/page=lead-detail/);
  await page.goBack();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await expectPage(summary(page)).toBeVisible();
});

it('every number of a week opens its attempts, also those that are still open', async () => {
  const { page } = await startOperator();
  await goTo(page, 'insights&started_from=2020-01-01');
  const week = table(page, 'Weeks').getByRole('row').nth(1);
  await expectPage(week).toBeVisible();
  const numbers = await week
    .getByRole('link')
    .evaluateAll((links) =>
      links.map((link) => ({ href: link.getAttribute('href') ?? '', count: link.textContent ?? '' })),
    );
  expect(numbers.length).toBeGreaterThan(2);
  for (const { href, count } of numbers) {
    await goTo(page, href.replace('/?page=', ''));
    const caption = count === '1' ? '1 of 1' : `of ${count} attempts`;
    await expectPage(page.getByRole('status').filter({ hasText: caption })).toBeVisible();
  }
});

it('keeps days and filters in the address, and narrows all figures', async () => {
  const { page } = await startOperator();
  await goTo(page, 'insights&started_from=2020-01-01');
  const all = await summary(page).locator('[data-figure=written]').innerText();
  await page.getByRole('button', { name: 'Messenger' }).click();
  await page.getByRole('checkbox', { name: 'Telegram' }).check();
  await expectPage(summary(page).locator('[data-figure=written]')).not.toHaveText(all);
  await expectPage(page).toHaveURL(/started_from=2020-01-01.*messenger=telegram/);
  const narrowed = await summary(page).locator('[data-figure=written]').innerText();
  await page.reload();
  await expectPage(summary(page).locator('[data-figure=written]')).toHaveText(narrowed);
  await view(page, 'Channels').click();
  await expectPage(table(page, 'Messengers').getByRole('row')).toHaveCount(2);
});

it('prints the weekly report on one sheet, without the console around it', async () => {
  const { page } = await startOperator();
  await goTo(page, 'insights');
  await page.getByRole('button', { name: 'Weekly report' }).click();
  await expectPage(heading(page, 'Weekly report')).toBeVisible();
  await expectPage(page).toHaveURL(/productId=\d+.*week=\d{4}-\d{2}-\d{2}/);
  await page.getByRole('button', { name: 'Previous week' }).click();
  await expectPage(summary(page)).toBeVisible();
  await expectPage(page.locator('.mantine-Skeleton-root')).toHaveCount(0);
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  expect(pdf.match(/\/Type\s*\/Page\b(?!s)/g)).toHaveLength(1);
  await page.emulateMedia({ media: 'print' });
  await expectPage(menu(page, 'Insights')).toBeHidden();
  await expectPage(summary(page)).toBeVisible();
});
