/** An experiment from its draft over start and decision to what is applied. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { contacts as contactCrud, leads } from '../../leads/contract.ts';
import { moveClock } from '../../sandbox/contract.ts';
import { expectHeading, expectTexts, pick, press } from './actions.ts';
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
  const messaging_config = {
    initial_message_text: 'Hello {{ lead.name }}!',
    initial_message_send_at: '00:00',
    whatsapp_daily_limit: 100,
    add_interval_seconds: 0,
  };
  await call(context, 'PATCH', `/v1/products/${productId}`, { config: { ...config, messaging_config } });
  expect(product['name']).toBeDefined();
  for (const name of ['Ada Berg', 'Boris Lind', 'Cleo Maris'])
    await create(context, '/v1/leads/', { product_id: productId, name, stage: 'initial' });
  return productId;
}

/** New leads: more than the plan needs of each arm, however the split falls. */
const LEADS = 16;

/** Let new leads be written to and, as far as they got the variant, answer; then let the days be over. */
async function runThrough(context: Parameters<typeof demoProduct>[0], productId: number): Promise<void> {
  const contacts: number[] = [];
  for (let nr = 0; nr < LEADS; nr++) {
    const lead_id = await create(context, leads.create.path, {
      product_id: productId,
      name: `New lead ${nr}`,
      stage: 'initial',
    });
    const address = { contact_type: 'whatsapp', contact: `+3712098${1000 + nr}`, is_main: true };
    contacts.push(await create(context, contactCrud.create.path, { product_id: productId, lead_id, ...address }));
  }
  await call(context, 'POST', moveClock.path, { seconds: 86_400 });
  const phone = z.object({ items: z.array(z.object({ from: z.string(), text: z.string() })) });
  let answers = 0;
  for (const id of contacts) {
    const { items } = phone.parse(await call(context, 'GET', `/sandbox/phones/${id}`));
    expect(items).toHaveLength(1);
    if (!items[0]?.text.includes('How long is the wall')) continue;
    await call(context, 'POST', `/sandbox/phones/${id}/write`, { text: 'Three metres' });
    answers++;
  }
  await expectPage(async () => {
    const counted = await query(
      `select count(*)::int from outcomes o join leads l on l.id = o.lead_id
        where l.name like 'New lead %' and o.answered_at is not null`,
    );
    expect(counted).toEqual([{ count: answers }]);
  }).toPass({ timeout: 60_000 });
  // At once: a clock that is moved by the API stops at all that is due in the days of every product.
  await query(`update installation set clock_offset = clock_offset + interval '6 days'`);
}

it('plans and starts an experiment, shows its decision, and applies the winner', async () => {
  const { context, page } = await startOperator();
  const productId = await prepare(context);
  await goTo(page, 'experiments');
  await expectTexts(main(page), 'An experiment splits new leads');
  await press(page, 'New experiment');

  // What is missing is said beside its field; the plan follows what is typed.
  // The estimate of the last days is shown before another one is typed over it.
  await expectTexts(main(page), 'Last 90 days:');
  await field(page, 'Base rate').fill('20');
  await field(page, 'Base rate').blur();
  await expectPage(section(page, 'Plan')).toContainText('300 attempts per arm, 600 in all');
  await field(page, 'Smallest difference worth finding').fill('5');
  await expectPage(section(page, 'Plan')).toContainText('1,125 attempts per arm');
  await pick(page, 'Metric', 'Answered');
  await field(page, 'Within days').fill('3');
  await field(page, 'Base rate').fill('10');
  await field(page, 'Smallest difference worth finding').fill('80');
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
  await expectTexts(section(page, 'Result'), 'Too early: about 10 more attempts.');
  await expectTexts(section(page, 'Analyses'), 'Analysis 1 · 1 attempt per arm', 'Next: about 2 more attempts');

  await runThrough(context, productId);
  await goTo(page, 'experiments');
  await expectPage(async () => {
    await page.reload();
    await expectPage(row(page, 'Ask for the wall')).toContainText('Stopped', { timeout: 2000 });
  }).toPass({ timeout: 60_000 });
  await expectPage(row(page, 'Ask for the wall')).toContainText(/B is better \(\d+\s%\sagainst\s0\s%/);
  await row(page, 'Ask for the wall').getByRole('link').first().click();
  await expectPage(section(page, 'Arms').getByRole('row', { name: /^B Better/ })).toContainText('Too few to tell');

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

it('keeps a base rate that was entered before the estimate arrived', async () => {
  for (const entered of ['20', '0']) {
    const { page } = await startOperator();
    const { promise: permission, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/v1/outcomes/by/week?*', async (route) => {
      await permission;
      await route.continue();
    });
    await goTo(page, 'experiment-detail');
    // Cleared first: the field shows 0 meanwhile.
    await field(page, 'Base rate').fill('');
    await field(page, 'Base rate').fill(entered);
    await expectPage(main(page)).not.toContainText('Last 90 days:');
    release();
    await expectTexts(main(page), 'Last 90 days:');
    await expectPage(field(page, 'Base rate')).toHaveValue(`${entered} %`);
    await field(page, 'Base rate').blur();
    await expectPage(field(page, 'Base rate')).toHaveValue(`${entered} %`);
  }
});
