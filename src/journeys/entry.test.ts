/** The way in and out, and the frame around the pages. */
import { expect, it } from 'vitest';
import { COMPANY, chooseProduct, openConsole, PRODUCT, see } from './signIn.ts';
import { chromium, product, setStage } from './stage.ts';

setStage();

it('a failed login says why, and a successful one leads to the address that was wanted', async () => {
  const context = await chromium.context();
  const page = await context.newPage();
  await page.goto(`${product.url}/?page=crm-leads&search=Anna`);
  await see(page).toHaveURL(/\/auth\/login\?next=/);
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await see(page.getByRole('alert')).toHaveText('The login or the password is wrong.');

  await page.route('**/v1/auth/login', (route) => route.abort());
  await page.getByLabel('Password', { exact: true }).fill('demo');
  await page.getByRole('button', { name: 'Log in' }).click();
  await see(page.getByRole('alert')).toHaveText('Network error during login');

  await page.unroute('**/v1/auth/login');
  await page.getByRole('button', { name: 'Log in' }).click();
  await chooseProduct(page, COMPANY, PRODUCT);
  await see(page.getByRole('heading', { name: 'Leads', level: 1 })).toBeVisible();
  await see(page.getByRole('searchbox', { name: 'Search leads' })).toHaveValue('Anna');
  await see(page).toHaveURL(/page=crm-leads/);
});

it('logging out ends the session in every tab', async () => {
  const context = await chromium.context();
  const one = await openConsole(context, product.url, '/?page=crm-leads');
  const other = await context.newPage();
  await other.goto(`${product.url}/?page=crm-messages`);
  await see(other.getByRole('heading', { name: 'Messages', level: 1 })).toBeVisible();
  await one.getByRole('button', { name: 'Account of demo' }).click();
  await one.getByRole('menuitem', { name: 'Log out' }).click();
  await see(one).toHaveURL(/\/auth\/login$/);
  await see(other).toHaveURL(/\/auth\/login$/);
  await see(other.getByRole('button', { name: 'Log in' })).toBeVisible();
});

it('a session that ran out leads to the login page, says so, and comes back to the page', async () => {
  const context = await chromium.context();
  // A page that asks for nothing more by itself: the click is what finds out.
  const page = await openConsole(context, product.url, '/?page=crm-companies');
  await see(page.getByRole('row').nth(1)).toBeVisible();
  await context.clearCookies({ name: 'rapport_session' });
  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  await see(page.getByText('Session expired - redirecting to login')).toBeVisible();
  await see(page).toHaveURL(/\/auth\/login\?next=.*crm-messages/);
  await page.getByRole('button', { name: 'Log in' }).click();
  await see(page.getByRole('heading', { name: 'Messages', level: 1 })).toBeVisible();
});

it('company and product are asked for, remembered, and asked for again when they cannot be loaded', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url);
  await context.clearCookies({ name: /^rapport_(company|product)_id$/ });
  await page.goto(`${product.url}/?page=crm-leads`);
  const dialog = page.getByRole('dialog', { name: 'Select company & product' });
  await see(dialog.getByRole('button', { name: 'OK' })).toBeDisabled();
  await see(dialog.getByRole('combobox', { name: 'Product' })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await see(page.getByText('No Product Selected')).toBeVisible();
  const panel = page.getByRole('complementary', { name: 'Assistant panel' });
  await see(panel.getByText('Choose a product first: the assistant works within one.')).toBeVisible();
  await see(panel.getByRole('alert')).toHaveCount(0);
  await page.getByRole('button', { name: 'Select company & product' }).click();
  await chooseProduct(page, COMPANY, PRODUCT);
  await see(page.getByRole('row').nth(1)).toBeVisible();
  await see(panel.getByText('Connected')).toBeVisible();
  const kept = (await context.cookies()).filter((one) => /^rapport_(company|product)_id$/.test(one.name));
  const days = kept.map((one) => Math.round((one.expires * 1000 - Date.now()) / 86_400_000));
  expect(days).toEqual([30, 30]);

  await context.addCookies([{ url: product.url, name: 'rapport_product_id', value: '999999' }]);
  await page.reload();
  await see(page.getByRole('heading', { name: 'Failed to load application data' })).toBeVisible();
  // The dialog stands open already; closed, the button brings it back.
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Select Different Product' }).click();
  await chooseProduct(page, COMPANY, PRODUCT);
  await see(page.getByRole('heading', { name: 'Leads', level: 1 })).toBeVisible();
});

it('the menu of a sandbox leads to the phones of its leads', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=dashboard');
  const [phones] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Sandbox phones' }).click(),
  ]);
  await see(phones).toHaveURL(/\/sandbox/);
  await see(phones.getByRole('region', { name: 'Keys' })).toBeVisible();
});

it('an unknown page says so and leads to the start page', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=nonsense');
  await see(page.getByRole('heading', { name: 'Unknown page' })).toBeVisible();
  await page.getByRole('button', { name: 'Start page' }).click();
  await see(page.getByRole('heading', { name: 'Chatbot Playground', level: 1 })).toBeVisible();
});

it('the menu is walked by keyboard, and remembers what is folded and pinned', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=crm-companies');
  const menu = page.getByRole('navigation', { name: 'Menu' });
  const group = menu.getByRole('button', { name: /^Admin/ });
  await see(menu.getByRole('link', { name: 'Companies' })).toHaveAttribute('aria-current', 'page');
  await menu.getByRole('link', { name: 'Leads', exact: true }).focus();
  await page.keyboard.press('Enter');
  await see(page.getByRole('heading', { name: 'Leads', level: 1 })).toBeVisible();

  await group.focus();
  await page.keyboard.press('Enter');
  await see(group).toHaveAttribute('aria-expanded', 'false');
  await see(menu.getByRole('link', { name: 'Companies' })).toBeHidden();
  await page.reload();
  await see(group).toHaveAttribute('aria-expanded', 'false');

  const wide = await menu.evaluate((element) => element.getBoundingClientRect().width);
  await page.locator('main').focus();
  await page.keyboard.press('[');
  const width = () => menu.evaluate((element) => element.getBoundingClientRect().width);
  await see.poll(width).toBeLessThan(wide / 2);
  await page.reload();
  await see.poll(width).toBeLessThan(wide / 2);
  await menu.hover();
  await see.poll(width).toBe(wide);
  await menu.getByRole('button', { name: 'Pin the menu' }).click();
  await page.mouse.move(700, 400);
  await page.reload();
  await see(group).toBeVisible();
  expect(await width()).toBe(wide);
});
