/** A working day on a phone. The checks of every page are in `everyPage.long.test.ts`. */
import { expect, it } from 'vitest';
import { expectHeading, press } from './actions.ts';
import { setUpJourney } from './journeySetup.ts';
import { dialogOf, field } from './locators.ts';
import { expectPage } from './signIn.ts';
import { openPage } from './start.ts';

setUpJourney();

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
  const walk = async (link: string) => {
    await press(page, 'Menu');
    await dialogOf(page, 'Menu').getByRole('link', { name: link, exact: true }).click();
    await expectHeading(page, link);
    await expectPage(dialogOf(page, 'Menu')).toBeHidden();
  };
  await expectPage(page.locator('[data-row-opener]').first()).toBeVisible();
  await fits();
  await page.locator('[data-row-opener]').first().click();
  await expectPage(page.getByRole('button', { name: 'Change stage' })).toBeVisible();
  await fits();
  await walk('Dialogues');
  await expectPage(page.getByRole('navigation', { name: 'Dialogues' }).getByRole('link').first()).toBeVisible();
  await fits();
  await page.getByRole('navigation', { name: 'Dialogues' }).getByRole('link').first().click();
  await expectPage(page.getByRole('log', { name: 'Messages' }).getByRole('article').last()).toBeVisible();
  await expectPage(page.getByRole('textbox', { name: 'Message', exact: true })).toBeInViewport();
  await fits();
  await press(page, 'Lead card');
  await expectPage(dialogOf(page, 'Lead card')).toBeVisible();
  await page.keyboard.press('Escape');
  await press(page, 'Back');
  await walk('Channels');
  await expectPage(page.locator('[data-row-opener]').first()).toBeVisible();
  await fits();
  await press(page, 'Assistant panel');
  await expectPage(field(dialogOf(page, 'Assistant panel'), 'Message to the assistant')).toBeEnabled();
});
