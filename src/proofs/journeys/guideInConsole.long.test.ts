/** Navigation from the console to the guide, and within it. */
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { openPage } from './actions.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { expectPage } from './signIn.ts';

setUpJourney();

/** Return the page that a click opens in another tab. */
async function opened(page: Page, click: () => Promise<void>): Promise<Page> {
  const [other] = await Promise.all([page.context().waitForEvent('page'), click()]);
  await other.waitForLoadState();
  return other;
}

it('leads to the guide’s section about this page from its head, the ? key and the palette', async () => {
  const { page } = await openPage('settings-channel');
  const link = page.getByRole('main').getByRole('link', { name: 'Guide to this page' });
  const guide = await opened(page, () => link.click());
  expect(guide.url()).toBe(`${product.url}/guide/channels#link-a-channel-to-a-product`);
  await expectPage(guide.getByRole('heading', { name: 'Link a channel to a product' })).toBeInViewport();
  await guide.close();

  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Help' });
  await expectPage(help.getByRole('link', { name: 'Guide to this page' })).toHaveAttribute(
    'href',
    '/guide/channels#link-a-channel-to-a-product',
  );
  await page.keyboard.press('Escape');

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to' }).fill('guide');
  const found = await opened(page, () => page.getByRole('option', { name: 'Guide: The first hour' }).click());
  await expectPage(found.getByRole('heading', { name: 'The first hour', level: 1 })).toBeVisible();
});

it('shows the guide’s pictures in both schemes, and finds a section by its words', async () => {
  const page = await (await chromium.context({ scheme: 'dark' })).newPage();
  await page.goto(`${product.url}/guide/channels`);
  const figure = page.locator('figure').first();
  await expectPage(figure.locator('.dark')).toBeVisible();
  await expectPage(figure.locator('.light img')).toBeHidden();
  await page.emulateMedia({ colorScheme: 'light' });
  await expectPage(figure.locator('.light img')).toHaveJSProperty('naturalWidth', 1120);
  await page.keyboard.press('/');
  await page.keyboard.type('10 messages in a row');
  await page.getByRole('link', { name: 'Channels: First messages stopped' }).click();
  await expectPage(page.getByRole('heading', { name: 'First messages stopped' })).toBeInViewport();
});
