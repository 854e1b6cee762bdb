/** Classification: switched on, shown in the conversation, switched off. */
import type { Page } from '@playwright/test';
import { it } from 'vitest';
import { callApi, createLeadWithDialogue, writeAsLead } from './journeyApi.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { expectPage, openConsole, PRODUCT } from './signIn.ts';

setUpJourney();

const settings = (page: Page) => page.getByRole('form', { name: 'Classification' });
const card = (page: Page) => page.getByRole('region', { name: 'Classification' });

it('its settings: changed, asked about when unsaved, switched off and on beside the prompt', async () => {
  const page = await openConsole(await chromium.context(), product.url, '/?page=prompts');
  await page.getByRole('button', { name: 'Classification: after 1 min' }).click();
  const minutes = settings(page).getByLabel('Minutes after the last message of the lead');
  await minutes.fill('0');
  await settings(page).getByRole('button', { name: 'Save classification' }).click();
  await expectPage(settings(page).getByText('has to be at least 1')).toBeVisible();
  await minutes.fill('7');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await settings(page).getByRole('button', { name: 'Save classification' }).click();
  await expectPage(page.getByText('Classification saved')).toBeVisible();
  await expectPage(page.getByRole('button', { name: 'Classification: after 7 min' })).toBeVisible();

  await page.getByRole('link', { name: 'Where it stands' }).click();
  await settings(page).getByRole('switch').click();
  await expectPage(settings(page).getByText(/^Nothing more will be classified/)).toBeVisible();
  await settings(page).getByRole('button', { name: 'Save classification' }).click();
  await expectPage(page.getByText('Classification is switched off')).toBeVisible();
  await settings(page).getByRole('switch').click();
  await expectPage(settings(page).getByRole('combobox', { name: 'Classification prompt' })).toHaveValue(
    'Where it stands',
  );
  await settings(page).getByRole('button', { name: 'Save classification' }).click();
  await expectPage(page.getByText('Classification saved')).toBeVisible();

  await page.getByRole('link', { name: 'Prompts', exact: true }).click();
  await page.getByRole('link', { name: 'Is it really an order?' }).click();
  await expectPage(page.getByRole('region', { name: 'Qualification' })).toBeVisible();
  await expectPage(page.getByText('In use', { exact: true })).toBeVisible();
}, 60_000);

it('a lead agrees: the dialogue says as what it was classified and why, and a human has it', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url);
  const lead = await createLeadWithDialogue(context, product.url, PRODUCT, 'Olga Order');
  await page.goto(`${product.url}${lead.chat}`);
  await expectPage(card(page)).toContainText('Stage not detected yet.');
  await writeAsLead(context, product.url, lead, "Great, let's do it, sign me up");
  await expectPage(card(page)).toContainText(/Detecting the stage in \d+:\d\d, unless the lead writes again/);
  await card(page).getByRole('button', { name: 'Detect stage now' }).click();
  await expectPage(card(page)).toContainText(/Detected stage:\s*Success/);
  await expectPage(card(page)).toContainText(/because The lead agrees to the next step.*Confirmed:/);
  await expectPage(page.locator('main').getByRole('status').first()).toHaveText('Human');
  await expectPage(page.getByText(/^the lead is qualified, since/)).toBeVisible();

  await page.getByRole('link', { name: 'Open the lead' }).click();
  await expectPage(page.getByRole('region', { name: 'Classification' })).toContainText('because The lead agrees');
  await expectPage(page.getByText(/^Stage.*Ongoing.*Success/).first()).toBeVisible();
}, 60_000);

it('what could not be classified is counted, listed and tried again', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url);
  const lead = await createLeadWithDialogue(context, product.url, PRODUCT, 'Rita Rubbish');
  await page.goto(`${product.url}${lead.chat}`);
  await writeAsLead(context, product.url, lead, 'I will think about it');
  await expectPage(card(page).getByRole('button', { name: 'Detect stage now' })).toBeVisible();
  // Wait for the bot's answer first, or it would consume the fault.
  await expectPage(page.getByRole('log', { name: 'Messages' }).getByRole('img', { name: 'Read' }).last()).toBeVisible();
  await callApi(context, product.url, 'PUT', '/sandbox/faults/openai.half_json', { on: true });
  await card(page).getByRole('button', { name: 'Detect stage now' }).click();
  await expectPage(card(page)).toContainText('Stage not detected: The answer to Where it stands cannot be used');
  await callApi(context, product.url, 'PUT', '/sandbox/faults/openai.half_json', { on: false });

  await page.getByRole('link', { name: 'Dialogues', exact: true }).click();
  await page.getByRole('button', { name: '1 without a stage' }).click();
  await expectPage(page.getByRole('row').filter({ hasText: lead.name })).toBeVisible();
  await page.getByRole('button', { name: 'Retry all' }).click();
  await expectPage(page.getByText('Classifying 1 dialogue again')).toBeVisible();
  await page.goto(`${product.url}${lead.chat}`);
  await expectPage(card(page)).toContainText(/Detected stage:\s*Pending/);
}, 60_000);
