/** An experiment from its draft over start and decision to what is applied. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { expectHeading, expectTexts, press } from './actions.ts';
import { call, create, demoProduct } from './calls.ts';
import { query, setUpJourney } from './journeySetup.ts';
import { dialogOf, field, main, row, section } from './locators.ts';
import { expectPage } from './signIn.ts';
import { goTo, openPage, startOperator } from './start.ts';

setUpJourney({ withoutOutreach: true });

const TEXT = 'Good day, {{ lead.name }}! How long is the wall of your kitchen?';

/** Give the product a first message, and leads who wait for one. */
async function prepare(context: Parameters<typeof demoProduct>[0]): Promise<number> {
  const { productId } = await demoProduct(context);
  const found = await call(context, 'GET', `/v1/products/${productId}`);
  const {
    version: _version,
    config,
    ...product
  } = z
    .object({ version: z.int(), config: z.record(z.string(), z.unknown()) })
    .loose()
    .parse(found);
  await call(context, 'PATCH', `/v1/products/${productId}`, {
    config: { ...config, messaging_config: { initial_message_text: 'Hello {{ lead.name }}!' } },
  });
  expect(product['name']).toBeDefined();
  for (const name of ['Ada Berg', 'Boris Lind', 'Cleo Maris'])
    await create(context, '/v1/leads/', { product_id: productId, name, stage: 'initial' });
  return productId;
}

/** Assign leads half and half three weeks ago; a share of each arm became qualified. Then let the engine look. */
async function assign(productId: number, percent: readonly [number, number]): Promise<void> {
  await query(
    "insert into leads (product_id, name, stage) select $1, 'Past lead ' || n, 'ongoing' from generate_series(1, 400) n",
    [productId],
  );
  await query("update experiments set started_at = now() - interval '30 days' where product_id = $1", [productId]);
  await query(
    `insert into experiment_assignments (experiment_id, product_id, lead_id, attempt, arm, assigned_at)
     select e.id, l.product_id, l.id, 1, row_number() over (order by l.id) % 2, now() - interval '20 days'
       from experiments e join leads l on l.product_id = e.product_id and l.name like 'Past lead %' where e.product_id = $1`,
    [productId],
  );
  await query(
    `update outcomes o set started_at = now() - interval '20 days', started_by = 'us',
            qualified_at = case when n.k % 100 < ($2::int[])[1 + n.arm] then now() - interval '18 days' end
       from (select lead_id, arm, row_number() over (partition by arm order by lead_id) as k
               from experiment_assignments where product_id = $1) n
      where o.lead_id = n.lead_id and o.attempt = 1`,
    [productId, percent],
  );
  await query('update experiments set check_at = domain_now() where product_id = $1', [productId]);
}

it('plans and starts an experiment, shows its decision, and applies the winner', async () => {
  const { context, page } = await startOperator();
  const productId = await prepare(context);
  await goTo(page, 'experiments');
  await expectTexts(main(page), 'An experiment splits new leads');
  await press(page, 'New experiment');

  // What is missing is said beside its field; the plan follows what is typed.
  await field(page, 'Base rate').fill('20');
  await field(page, 'Base rate').blur();
  await expectPage(section(page, 'Plan')).toContainText('300 attempts per arm, 600 in all');
  await field(page, 'Smallest difference worth finding').fill('5');
  await expectPage(section(page, 'Plan')).toContainText('1,125 attempts per arm');
  await field(page, 'Smallest difference worth finding').fill('10');
  await press(page, 'Save', 'Write the text');
  await field(main(page), 'Name').first().fill('Ask for the wall');
  await field(section(page, 'Arm B'), 'Text').fill(TEXT);
  await expectTexts(section(page, 'Arm A'), 'The initial message text of the settings');
  await press(section(page, 'Arm B'), 'Preview for three leads');
  await expectPage(section(page, 'Arm B').getByRole('region', { name: 'Text of preview 1' })).toContainText(
    'How long is',
  );
  await press(page, 'Save', 'Experiment saved');
  await expectHeading(page, 'Ask for the wall');

  // An unsaved change would not be part of the start.
  const start = page.getByRole('button', { name: 'Start', exact: true });
  await field(page, 'Within days').fill('5');
  await expectPage(start).toBeDisabled();
  await press(page, 'Reset');
  await start.click();
  const dialog = dialogOf(page, 'Start “Ask for the wall”?');
  await expectTexts(dialog, 'A 50 %, B 50 %', 'Of the next', 'Ada Berg');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await expectPage(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible();
  await expectTexts(section(page, 'Result'), 'Too early: about 600 more.');
  await expectTexts(section(page, 'Analyses'), 'Analysis 1 · 60 attempts per arm', 'Next: about 120 more attempts');

  await assign(productId, [20, 45]);
  await goTo(page, 'experiments');
  await expectPage(async () => {
    await page.reload();
    await expectPage(row(page, 'Ask for the wall')).toContainText('Stopped', { timeout: 2000 });
  }).toPass({ timeout: 30_000 });
  await expectPage(row(page, 'Ask for the wall')).toContainText('B is better (45 % against 20 %');
  await row(page, 'Ask for the wall').getByRole('link').first().click();
  await expectPage(section(page, 'Arms').getByRole('row', { name: /^B Better/ })).toContainText('200');

  // By keyboard: the winner is chosen already.
  await page.getByRole('button', { name: 'Apply the winner' }).focus();
  await page.keyboard.press('Enter');
  const apply = dialogOf(page, 'Apply an arm of “Ask for the wall”?');
  await expectTexts(apply, 'New leads get the first message of B.', 'How long is the wall');
  await expectPage(apply.getByRole('radio', { name: /^B ·.*the winner/ })).toBeChecked();
  await apply.getByRole('button', { name: 'Apply B' }).focus();
  await page.keyboard.press('Enter');
  await expectTexts(section(page, 'Result'), 'B was applied by demo');
  const { config } = z
    .object({ config: z.object({ messaging_config: z.object({ initial_message_text: z.string() }).loose() }).loose() })
    .parse(await call(context, 'GET', `/v1/products/${productId}`));
  expect(config.messaging_config.initial_message_text).toBe(TEXT);
});

it('keeps a draft that was not saved, and asks before leaving it', async () => {
  const { page } = await openPage('experiment-detail');
  await field(main(page), 'Name').first().fill('Half a plan');
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await press(dialogOf(page, 'Unsaved changes'), 'Keep editing');
  await page.reload();
  await expectPage(field(main(page), 'Name').first()).toHaveValue('Half a plan');
});
