/** Signing in and out, and the frame around the pages. */
import { expect, it } from 'vitest';
import { preparedMessages } from '../../prompts/contract.ts';
import { expectHeading, follow, holdCalls, pick, press } from './actions.ts';
import { call, createLead, demoProduct } from './calls.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { dialogOf, main, panel, row } from './locators.ts';
import { COMPANY, chooseProduct, expectPage, PRODUCT } from './signIn.ts';
import { goTo, openPage, startOperator } from './start.ts';

const OTHER_PRODUCT = 'Office furniture';

setUpJourney();

it('says why a login failed, and leads to the requested address after a successful one', async () => {
  const context = await chromium.context();
  const page = await context.newPage();
  await goTo(page, 'crm-leads&search=Anna');
  await expectPage(page).toHaveURL(/\/auth\/login\?next=/);
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await press(page, 'Log in');
  await expectPage(page.getByRole('alert')).toHaveText('The login or the password is wrong.');

  await page.route('**/v1/auth/login', (route) => route.abort());
  await page.getByLabel('Password', { exact: true }).fill('demo');
  await press(page, 'Log in');
  await expectPage(page.getByRole('alert')).toHaveText('Network error during login');

  await page.unroute('**/v1/auth/login');
  await press(page, 'Log in');
  await chooseProduct(page, COMPANY, PRODUCT);
  await expectHeading(page, 'Leads');
  await expectPage(page.getByRole('searchbox', { name: 'Search leads' })).toHaveValue('Anna');
  await expectPage(page).toHaveURL(/page=crm-leads/);
});

it('ends the session in every tab on logging out', async () => {
  const { context, page: one } = await openPage('crm-leads');
  const other = await context.newPage();
  await goTo(other, 'crm-messages');
  await expectPage(other.getByRole('heading', { name: 'Messages', level: 1 })).toBeVisible();
  await one.getByRole('button', { name: 'Account of demo' }).click();
  await one.getByRole('menuitem', { name: 'Log out' }).click();
  await expectPage(one).toHaveURL(/\/auth\/login$/);
  // With the way back if the server's word came before the first tab's.
  await expectPage(other).toHaveURL(/\/auth\/login(\?|$)/);
  await expectPage(other.getByRole('button', { name: 'Log in' })).toBeVisible();
});

it('leads to the login page when the session has expired, and returns to the page', async () => {
  const { context, page } = await startOperator();
  const own = [/\/v1\/live\?product_id/, /\/v1\/live$/, /\/v1\/inbox\/counts/].map((url) => page.waitForResponse(url));
  await goTo(page, 'crm-companies');
  await expectPage(page.getByRole('row').nth(1)).toBeVisible();
  // From now on this page sends no requests by itself, so the click detects the ended session.
  await Promise.all(own);
  await context.clearCookies({ name: 'rapport_session' });
  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  await expectPage(page.getByText('Session expired - redirecting to login')).toBeVisible();
  await expectPage(page).toHaveURL(/\/auth\/login\?next=.*crm-messages/);
  await press(page, 'Log in');
  await expectHeading(page, 'Messages');
});

it('stays at the login page when one endpoint refuses a valid session', async () => {
  const { page } = await startOperator();
  await page.route(/\/v1\/messages\/\?/, (route) => route.fulfill({ status: 401, json: { detail: 'Not signed in' } }));
  const loads: string[] = [];
  page.on('framenavigated', (frame) => loads.push(new URL(frame.url()).pathname));
  await goTo(page, 'crm-messages');
  await expectPage(page.getByRole('button', { name: 'Log in' })).toBeVisible();
  await page.waitForLoadState('networkidle');
  const [first, ...later] = loads.slice(loads.indexOf('/auth/login'));
  expect([first, later]).toEqual(['/auth/login', []]);
  // It goes on when the operator says so.
  await page.unroute(/\/v1\/messages\/\?/);
  await press(page, 'Log in');
  await expectHeading(page, 'Messages');
});

it('asks for company and product, remembers them, and asks again when they cannot be loaded', async () => {
  const { context, page } = await startOperator();
  await context.clearCookies({ name: /^rapport_(company|product)_id$/ });
  await goTo(page, 'crm-leads');
  const dialog = page.getByRole('dialog', { name: 'Select company & product' });
  await expectPage(dialog.getByRole('button', { name: 'OK' })).toBeDisabled();
  await expectPage(dialog.getByRole('combobox', { name: 'Product' })).toBeDisabled();
  await press(dialog, 'Cancel', 'No Product Selected');
  // The panel is closed until it is opened, and its state is kept.
  await expectPage(panel(page)).toHaveCount(0);
  await press(page, 'Assistant panel');
  await expectPage(
    panel(page).getByText('Choose a product first. The assistant works in one product at a time.'),
  ).toBeVisible();
  await expectPage(panel(page).getByRole('alert')).toHaveCount(0);
  await press(page, 'Select company & product');
  await chooseProduct(page, COMPANY, PRODUCT);
  await expectPage(page.getByRole('row').nth(1)).toBeVisible();
  await expectPage(panel(page).getByText('Connected')).toBeVisible();
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await expectPage(menu.getByRole('button', { name: new RegExp(`^Company.*${COMPANY}`) })).toBeVisible();
  await expectPage(menu.getByRole('button', { name: new RegExp(`^Product.*${PRODUCT}`) })).toBeVisible();
  const cookies = (await context.cookies()).filter((one) => /^rapport_(company|product)_id$/.test(one.name));
  const days = cookies.map((one) => Math.round((one.expires * 1000 - Date.now()) / 86_400_000));
  expect(days).toEqual([30, 30]);

  // With only the product missing, the company stays.
  await context.clearCookies({ name: 'rapport_product_id' });
  await page.reload();
  await expectPage(dialog.getByRole('combobox', { name: 'Company' })).toHaveValue(COMPANY);
  await press(dialog, 'Cancel', 'No Product Selected');
  await follow(page, 'CRM Integrations');

  await context.addCookies([{ url: product.url, name: 'rapport_product_id', value: '999999' }]);
  await goTo(page, 'crm-leads');
  await expectPage(page.getByRole('heading', { name: 'Failed to load application data' })).toBeVisible();
  // The dialog is already open. Closed, it leaves the menu and the log-out, and the button opens it again.
  await press(dialog, 'Cancel');
  await follow(page, 'Products');
  await page.getByRole('link', { name: 'Leads', exact: true }).click();
  await press(page, 'Account of demo');
  await expectPage(page.getByRole('menuitem', { name: 'Log out' })).toBeVisible();
  await page.keyboard.press('Escape');
  await press(page, 'Select Different Product');
  await chooseProduct(page, COMPANY, PRODUCT);
  await expectHeading(page, 'Leads');
});

it('leads from a sandbox’s menu to the phones of its leads', async () => {
  const { context, page } = await openPage('dashboard');
  const link = page.getByRole('link', { name: 'Sandbox phones' });
  const [phones] = await Promise.all([context.waitForEvent('page'), link.click()]);
  await expectPage(phones.getByRole('region', { name: 'Keys' })).toBeVisible();
});

it('says that a page is unknown, and leads to the start page', async () => {
  const { page } = await openPage('nonsense');
  await expectPage(page.getByRole('heading', { name: 'Unknown page' })).toBeVisible();
  await expectPage(page).toHaveTitle(/Unknown page · Rapport$/);
  await press(page, 'Start page');
  await expectHeading(page, 'Chatbot Playground');
  // The same for an address outside the console's, requested by a browser.
  expect((await page.goto(`${product.url}/foo/bar`))?.status()).toBe(404);
  await expectHeading(page, 'Unknown page');
  await page.getByRole('link', { name: 'Start page' }).click();
  await expectHeading(page, 'Chatbot Playground');
});

it('names the product that a row belongs to and switches to it, and says when there is no such row', async () => {
  const { context, page } = await openPage('lead-detail&leadId=999999&leadName=Somebody');
  await expectPage(page.getByText('There is no such lead.')).toBeVisible();
  await expectPage(page.getByRole('alert')).toHaveCount(0);
  await press(page, 'Go to Leads');
  await expectHeading(page, 'Leads');
  await expectPage(page).toHaveTitle(/Leads · Rapport$/);

  const lead = await createLead(context, 'From elsewhere', OTHER_PRODUCT);
  await page.goto(`${product.url}${lead.chat}`);
  await expectPage(main(page).getByText(`This dialogue belongs to ${OTHER_PRODUCT}.`)).toBeVisible();
  await goTo(page, `lead-detail&leadId=${lead.leadId}`);
  await expectPage(main(page).getByText(`This lead belongs to ${OTHER_PRODUCT}.`)).toBeVisible();
  await expectPage(main(page).getByRole('button', { name: 'Edit' })).toHaveCount(0);
  await press(main(page), 'Switch product');
  await expectHeading(page, 'From elsewhere');
  await expectPage(page.getByRole('navigation').getByText(OTHER_PRODUCT).first()).toBeVisible();

  // Back from a contact that has not loaded yet leads to the contacts of its lead.
  const contact = await holdCalls(page, /\/v1\/contacts\/\d+$/);
  await goTo(page, `send-message&contactId=${lead.contactId}`);
  await contact.arrived;
  await press(main(page), 'Back');
  contact.release();
  await expectHeading(page, 'Contacts of From elsewhere');
});

it('says what could not be loaded, and retries it', async () => {
  const { context, page } = await startOperator();
  const logged: string[] = [];
  page.on('console', (line) => logged.push(line.text()));
  const away = { status: 503, json: { detail: 'Away.' } };
  let refused = 0;
  await page.route(/\/v1\/channels\/\?/, (route) => {
    refused++;
    return route.fulfill(away);
  });
  await goTo(page, 'settings-channel');
  await expectPage(main(page).getByRole('alert')).toContainText('Failed to load channels');
  await expectPage(main(page).getByRole('row', { name: /#\d+/ }).first()).toBeVisible();
  expect(logged.join('\n')).toContain('Failed to load channels');
  // The live stream has them loaded again as soon as it is connected.
  await expectPage.poll(() => refused).toBe(2);
  await page.unroute(/\/v1\/channels\/\?/);
  await press(main(page), 'Retry');
  await expectPage(row(page, 'WhatsApp').first()).toBeVisible();
  await expectPage(main(page).getByRole('alert')).toHaveCount(0);

  // A dropdown that failed to load is filled when it is opened again.
  const { productId: product_id } = await demoProduct(context);
  const greeting = { product_id, name: 'After the fair', type: 'initial', message: 'Good day' };
  await call(context, 'POST', preparedMessages.create.path, greeting);
  await page.route(/\/v1\/prepared-messages\/\?/, (route) => route.fulfill(away));
  await goTo(page, 'settings-product&tab=outreach');
  await main(page).getByRole('combobox', { name: 'Prepared message' }).click();
  await expectPage(page.getByText('Failed to load prepared messages').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await page.unroute(/\/v1\/prepared-messages\/\?/);
  await pick(main(page), 'Prepared message', greeting.name);
  // The selected item can be opened; Back leads to the same tab, which the address contains.
  await main(page).getByRole('link', { name: 'Open the prepared message' }).click();
  await press(dialogOf(page, 'Unsaved changes'), 'Discard changes');
  await expectHeading(page, greeting.name);
  await press(main(page), 'Back');
  await expectPage(main(page).getByRole('tab', { name: 'Outreach' })).toHaveAttribute('aria-selected', 'true');
});

it('operates the menu by keyboard, and remembers what is folded and pinned', async () => {
  const { page } = await openPage('crm-companies');
  const menu = page.getByRole('navigation', { name: 'Menu' });
  const group = menu.getByRole('button', { name: /^Admin/ });
  await expectPage(menu.getByRole('link', { name: 'Companies' })).toHaveAttribute('aria-current', 'page');
  await menu.getByRole('link', { name: 'Leads', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expectHeading(page, 'Leads');

  await group.focus();
  await page.keyboard.press('Enter');
  await expectPage(group).toHaveAttribute('aria-expanded', 'false');
  await page.reload();
  await expectPage(group).toHaveAttribute('aria-expanded', 'false');

  const width = () => menu.evaluate((element) => element.getBoundingClientRect().width);
  const wide = await width();
  await page.locator('main').focus();
  await page.keyboard.press('[');
  await page.reload();
  await expectPage.poll(width).toBeLessThan(wide / 2);
  await menu.hover();
  await expectPage.poll(width).toBe(wide);
  await menu.getByRole('button', { name: 'Pin the menu' }).click();
  await page.mouse.move(700, 400);
  await page.reload();
  await expectPage.poll(width).toBe(wide);
});
