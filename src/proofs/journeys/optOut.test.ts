/** A person who wants no more messages, or may: what operators see, decide, confirm and lift. */
import { expect, it } from 'vitest';
import { leads } from '../../leads/contract.ts';
import { call, createLead, writeAs } from './calls.ts';
import { setUpJourney } from './journeySetup.ts';
import { expectPage } from './signIn.ts';
import { goTo, startOperator } from './start.ts';

setUpJourney();

it('asks before it writes to a person who opted out, and lifts that from the page of the lead', async () => {
  const { page, context } = await startOperator();
  const lead = await createLead(context, 'Olga Stopova');
  await writeAs(context, lead, 'Stop');
  await goTo(page, `dialogue-chat&dialogueId=${lead.dialogueId}`);
  await expectPage(page.getByRole('status', { name: 'Asked not to be written to' })).toBeVisible();
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('One more offer');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Send anyway' }).click();
  await expectPage(page.getByRole('button', { name: 'Send anyway' })).toBeHidden();

  await goTo(page, `lead-detail&leadId=${lead.leadId}`);
  await page.getByRole('button', { name: 'Lift the opt-out' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Lift the opt-out' }).click();
  await expectPage(page.getByRole('status', { name: 'Asked not to be written to' })).toBeHidden();
  const changed = leads.get.replies[200].parse(await call(context, 'GET', `/v1/leads/${lead.leadId}`));
  expect(changed).toMatchObject({ is_active: true, recognized_deactivation_request: false });
});
