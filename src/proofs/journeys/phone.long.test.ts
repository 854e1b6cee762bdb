/** A working day on a phone. The checks of every page are in `everyPage.test.ts`. */
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { openPage, press } from './actions.ts';
import { setUpJourney } from './journeySetup.ts';
import { expectPage } from './signIn.ts';

setUpJourney();

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 });

it('fits every step of a working day on a phone, and keeps it within reach', async () => {
  const size = { width: 390, height: 780 };
  const { page } = await openPage('crm-leads', size);
  const fits = async () => {
    // WCAG requires 320 px: the width of a laptop at 400 %.
    for (const width of [320, 390]) {
      await page.setViewportSize({ ...size, width });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([page.url(), wide]).toEqual([page.url(), width]);
    }
  };
  const walk = async (link: string, title: string) => {
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: link, exact: true }).click();
    await expectPage(heading(page, title)).toBeVisible();
    await expectPage(page.getByRole('dialog', { name: 'Menu' })).toBeHidden();
  };
  await expectPage(page.locator('[data-row-opener]').first()).toBeVisible();
  await fits();
  await page.locator('[data-row-opener]').first().click();
  await expectPage(page.getByRole('button', { name: 'Change stage' })).toBeVisible();
  await fits();
  await walk('Dialogues', 'Dialogues');
  await expectPage(page.getByRole('navigation', { name: 'Dialogues' }).getByRole('link').first()).toBeVisible();
  await fits();
  await page.getByRole('navigation', { name: 'Dialogues' }).getByRole('link').first().click();
  await expectPage(page.getByRole('log', { name: 'Messages' }).getByRole('article').last()).toBeVisible();
  await expectPage(page.getByRole('textbox', { name: 'Message', exact: true })).toBeInViewport();
  await fits();
  await page.getByRole('button', { name: 'Lead card' }).click();
  await expectPage(page.getByRole('dialog', { name: 'Lead card' })).toBeVisible();
  await page.keyboard.press('Escape');
  await press(page, 'Back');
  await walk('Channels', 'Channels');
  await expectPage(page.locator('[data-row-opener]').first()).toBeVisible();
  await fits();
  await page.getByRole('button', { name: 'Assistant panel' }).click();
  await expectPage(
    page.getByRole('dialog', { name: 'Assistant panel' }).getByRole('textbox', { name: 'Message to the assistant' }),
  ).toBeEnabled();
});
