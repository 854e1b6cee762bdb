/** The figures beside texts: as many as the ledger lists, read in one request after the list. */
import type { BrowserContext } from '@playwright/test';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { call, demoProduct } from './calls.ts';
import { query, setUpJourney } from './journeySetup.ts';
import { row, section } from './locators.ts';
import { expectPage } from './signIn.ts';
import { goTo, startOperator } from './start.ts';

setUpJourney();

/** Count the attempts of a filter by listing them. */
async function attempts(context: BrowserContext, filter: string): Promise<number> {
  const { productId } = await demoProduct(context);
  const list = await call(context, 'GET', `/v1/outcomes/?product_id=${productId}&limit=1&${filter}`);
  return z.object({ total: z.int() }).parse(list).total;
}

const formatNumber = (value: number): string => value.toLocaleString('en-US');

it('shows beside texts what they achieved, with one request for a list, from its version, messenger or step on', async () => {
  const { context, page } = await startOperator();
  const { productId } = await demoProduct(context);
  const [first] = await query("select id from prepared_messages where product_id = $1 and name = 'First message'", [
    productId,
  ]);
  const messageId = Number(first?.['id']);
  // Old and recent attempts, every third of them answered.
  await query(
    "insert into leads (product_id, name, stage) select $1, 'Past lead ' || n, 'ignore' from generate_series(1, 80) n",
    [productId],
  );
  await query(
    `update outcomes o set prepared_message_id = $2, started_by = 'us', channel_id = (select min(id) from channels),
            started_at = now() - case when n.k % 5 = 0 then interval '100 days' else interval '3 days' end,
            answered_at = case when n.k % 3 = 0 then now() end
       from (select x.id, row_number() over (order by x.id) as k from outcomes x join leads l on l.id = x.lead_id
              where l.product_id = $1 and l.name like 'Past lead %') n
      where o.id = n.id`,
    [productId, messageId],
  );
  const requests: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname === '/v1/prepared-messages/' || pathname.startsWith('/v1/outcomes/')) requests.push(pathname);
  });
  const { timezone } = z
    .object({ timezone: z.string() })
    .parse(await call(context, 'GET', `/v1/products/${productId}`));
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(Date.now() - 89 * 86_400_000);
  const own = `prepared_message_id=${messageId}`;
  const recent = await attempts(context, `${own}&started_from=${day}`);
  expect(recent).toBeGreaterThanOrEqual(30);

  await goTo(page, 'prepared-messages');
  const cells = row(page, 'First message').getByRole('cell');
  await expectPage(cells.getByRole('link', { name: formatNumber(recent), exact: true })).toBeVisible();
  const answered = await attempts(context, `${own}&started_from=${day}&reached=answered`);
  const rate = `${Math.round((100 * answered) / recent)} %`;
  await expectPage(cells.getByRole('link', { name: rate })).toHaveAttribute('href', /[?&]reached=answered(&|$)/);
  await expectPage(row(page, 'Still on your mind?').getByRole('cell', { name: '–' })).toHaveCount(3);
  expect(requests).toEqual(['/v1/prepared-messages/', '/v1/outcomes/by/first_text']);

  await page.getByRole('link', { name: 'First message', exact: true }).click();
  const total = section(page, 'Results').getByRole('row', { name: /^Total/ });
  await expectPage(total).toContainText(`${formatNumber(recent)}${rate}`);
  await section(page, 'Results').getByText('All time').click();
  await expectPage(total).not.toContainText(`${formatNumber(recent)}${rate}`);

  await goTo(page, 'settings-ping');
  const step = page.getByRole('listitem', { name: 'Step 1' });
  await expectPage(step).toContainText(/Last 90 days: sent [1-9][\d,]* · answered before the next/);
});
