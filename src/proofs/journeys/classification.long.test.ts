/** Classification: switched on, shown in the conversation, switched off. */
import type { Page } from '@playwright/test';
import { it } from 'vitest';
import { press } from './actions.ts';
import { createLead, setFault, writeAs } from './calls.ts';
import { product, query, setUpJourney } from './journeySetup.ts';
import { expectPage } from './signIn.ts';
import { goTo, openPage, startOperator } from './start.ts';

setUpJourney();

const settings = (page: Page) => page.getByRole('form', { name: 'Classification' });
const card = (page: Page) => page.getByRole('region', { name: 'Classification' });

it('changes the settings of classification, and switches it off and on', async () => {
  const { page } = await openPage('prompts');
  await press(page, 'Classification: after 1 min');
  const minutes = settings(page).getByLabel('Minutes after the last message of the lead');
  await minutes.fill('0');
  await press(settings(page), 'Save classification', 'has to be at least 1');
  await minutes.fill('7');
  await press(settings(page), 'Save classification', 'Classification saved');
  await expectPage(page.getByRole('button', { name: 'Classification: after 7 min' })).toBeVisible();

  await page.getByRole('link', { name: 'Where it stands' }).click();
  await settings(page).getByRole('switch').click();
  await expectPage(settings(page).getByText(/^No more dialogues will be classified/)).toBeVisible();
  await press(settings(page), 'Save classification', 'Classification is switched off');
  await settings(page).getByRole('switch').click();
  await expectPage(settings(page).getByRole('combobox', { name: 'Classification prompt' })).toHaveValue(
    'Where it stands',
  );
  await press(settings(page), 'Save classification', 'Classification saved');
});

it('is turned on with ready-made prompts by one button', async () => {
  const { page } = await startOperator({}, 'Wardrobes');
  await goTo(page, 'prompts');
  await press(page.getByRole('region', { name: 'Stage detection' }), 'Turn on', 'Stage detection is on');
  await expectPage(page.getByRole('button', { name: 'Classification: after 10 min' })).toBeVisible();
  await expectPage(page.getByRole('row').filter({ hasText: 'Refusal qualification' }).first()).toBeVisible();
  await expectPage(page.getByText('Stage detection is off.')).toBeHidden();
});

it('shows in the dialogue how and why it was classified, and hands a qualified lead to a human', async () => {
  // Otherwise the bot hands over by itself, before the stage is detected.
  await query('update products set hand_over = false');
  const { context, page } = await startOperator();
  const lead = await createLead(context, 'Olga Order');
  await page.goto(`${product.url}${lead.chat}`);
  await expectPage(card(page)).toContainText('Stage not detected yet.');
  await writeAs(context, lead, "Great, let's do it, sign me up");
  await expectPage(card(page)).toContainText(/Detecting the stage in \d+:\d\d, unless the lead writes again/);
  await press(card(page), 'Detect stage now');
  await expectPage(card(page)).toContainText(/Detected stage:\s*Success/);
  await expectPage(card(page)).toContainText(/because The lead agrees to the next step.*Confirmed:/);
  await expectPage(page.locator('main').getByRole('status').first()).toHaveText('Human');
  await expectPage(page.getByText(/^the lead is qualified, since/)).toBeVisible();
});

it('counts, lists and retries dialogues that could not be classified', async () => {
  const { context, page } = await startOperator();
  const lead = await createLead(context, 'Rita Rubbish');
  await page.goto(`${product.url}${lead.chat}`);
  await writeAs(context, lead, 'I will think about it');
  await expectPage(card(page).getByRole('button', { name: 'Detect stage now' })).toBeVisible();
  // Wait for the bot's answer first, or it would consume the fault.
  await expectPage(page.getByRole('log', { name: 'Messages' }).getByRole('img', { name: 'Read' }).last()).toBeVisible();
  await setFault(context, 'openai.half_json', true);
  await press(card(page), 'Detect stage now');
  await expectPage(card(page)).toContainText('Stage not detected: The answer to Where it stands cannot be used');
  await setFault(context, 'openai.half_json', false);

  await page.getByRole('link', { name: 'Dialogues', exact: true }).click();
  await press(page, '1 without a stage');
  await expectPage(page.getByRole('row').filter({ hasText: lead.name })).toBeVisible();
  await press(page, 'Retry all', 'Retrying stage detection for 1 dialogue');
  await page.goto(`${product.url}${lead.chat}`);
  await expectPage(card(page)).toContainText(/Detected stage:\s*Pending/);
});
