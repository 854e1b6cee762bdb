/** A saved view that was opened and changed: its changes are saved in it, and those of others are not overwritten unseen. */
import type { BrowserContext, Page } from '@playwright/test';
import { beforeEach, expect, it } from 'vitest';
import { type SavedView, savedViews } from '../../companies/viewContract.ts';
import { expectText, press } from './actions.ts';
import { call, demoProduct } from './calls.ts';
import { setUpJourney } from './journeySetup.ts';
import { main } from './locators.ts';
import { SCREENS } from './screens.ts';
import { expectPage } from './signIn.ts';
import { goTo, startOperator } from './start.ts';

const NAME = 'Warm leads';
let context: BrowserContext;
let page: Page;
let companyId = 0;
setUpJourney({ withoutOutreach: true });
beforeEach(async () => {
  ({ context, page } = await startOperator(SCREENS.wide));
  ({ companyId } = await demoProduct(context));
});

async function readView(): Promise<SavedView> {
  const answer = await call(context, 'GET', `/v1/companies/${companyId}/views?page=crm-leads`);
  const view = savedViews.replies[200].parse(answer).views.find(({ name }) => name === NAME);
  if (!view) throw new Error('The demo has no such view');
  return view;
}

async function choose(menu: string, item: string): Promise<void> {
  await press(main(page), menu);
  await page.getByRole('menuitem', { name: item }).click();
}

it('saves the changes of a view, and asks before it replaces those of somebody else', async () => {
  await goTo(page, 'crm-leads');
  await choose('Views', NAME);
  await expectPage(main(page).getByRole('button', { name: NAME, exact: true })).toBeVisible();

  await goTo(page, 'crm-leads&stage=ongoing');
  await choose(`${NAME} (changed)`, `Save changes to ${NAME}`);
  await expectText(page, `Saved the view ${NAME}`);
  expect((await readView()).params).toEqual({ stage: 'ongoing' });

  const { id } = await readView();
  await goTo(page, 'crm-leads&stage=pending');
  await call(context, 'PATCH', `/v1/views/${id}`, { params: { stage: 'success' } });
  await choose(`${NAME} (changed)`, `Save changes to ${NAME}`);
  const conflict = page.getByRole('dialog', { name: /^Changed by/ });
  await press(conflict, 'Keep editing mine');
  expect((await readView()).params).toEqual({ stage: 'success' });
  await choose(`${NAME} (changed)`, `Save changes to ${NAME}`);
  await expectPage(main(page).getByRole('button', { name: NAME, exact: true })).toBeVisible();
  expect((await readView()).params).toEqual({ stage: 'pending' });
});
