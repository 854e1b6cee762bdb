/** Navigation from the console to the guide, and within it. */
import { it } from 'vitest';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { expectPage } from './signIn.ts';
import { openPage } from './start.ts';

setUpJourney();

it('leads to the guide’s section about this page from its head and the ? key', async () => {
  const { context, page } = await openPage('settings-channel');
  const link = page.getByRole('main').getByRole('link', { name: 'Guide to this page' });
  const [guide] = await Promise.all([context.waitForEvent('page'), link.click()]);
  await expectPage(guide).toHaveURL(`${product.url}/guide/channels#link-a-channel-to-a-product`);
  await expectPage(guide.getByRole('heading', { name: 'Link a channel to a product' })).toBeInViewport();
  await page.bringToFront();
  await page.keyboard.press('?');
  const helpLink = page.getByRole('dialog', { name: 'Help' }).getByRole('link', { name: 'Guide to this page' });
  await expectPage(helpLink).toHaveAttribute('href', '/guide/channels#link-a-channel-to-a-product');
});

it('shows the guide’s pictures in both schemes', async () => {
  const page = await (await chromium.context({ scheme: 'dark' })).newPage();
  await page.goto(`${product.url}/guide/channels`);
  const figure = page.locator('figure').first();
  await expectPage(figure.locator('.dark')).toBeVisible();
  await expectPage(figure.locator('.light img')).toBeHidden();
  await page.emulateMedia({ colorScheme: 'light' });
  await expectPage(figure.locator('.light img')).toHaveJSProperty('naturalWidth', 1120);
});
