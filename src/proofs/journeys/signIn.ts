/** The start of every journey: signing in and choosing a product. */
import { type BrowserContext, expect, type Page } from '@playwright/test';
import { DEMO_LOGIN, DEMO_PASSWORD } from '../../sandbox/demoOperator.ts';
import { callApi, findProduct } from './journeyApi.ts';

/** The demo's company, and the product whose bot answers at any hour. */
export const COMPANY = 'Lindgren Studio';
export const PRODUCT = 'Kitchens to measure';

/** `expect` for pages: retries each assertion until its timeout. */
export const expectPage = expect.configure({ timeout: 45_000 });

/** Sign in as the demo operator and choose company and product; ends on the product's first page. */
export async function signInAndChoose(context: BrowserContext, url: string, product = PRODUCT): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('button', { name: 'Log in' }).click();
  await chooseProduct(page, COMPANY, product);
  await page.getByRole('navigation').getByText(product).first().waitFor();
  return page;
}

/** Choose company and product in the open dialog, and confirm. */
export async function chooseProduct(page: Page, company: string, product: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Select company & product' });
  await dialog.getByRole('combobox', { name: 'Company' }).click();
  await page.getByRole('option', { name: company }).click();
  await dialog.getByRole('combobox', { name: 'Product' }).click();
  await page.getByRole('option', { name: product }).click();
  await dialog.getByRole('button', { name: 'OK' }).click();
}

/** Prepare a browser whose operator has signed in and chosen a product. No page is open yet. */
export async function signInByApi(context: BrowserContext, url: string, product = PRODUCT): Promise<void> {
  await callApi(context, url, 'POST', '/v1/auth/login', { login: DEMO_LOGIN, password: DEMO_PASSWORD });
  const { companyId, productId } = await findProduct(context, url, product);
  await context.addCookies([
    { url, name: 'rapport_company_id', value: String(companyId) },
    { url, name: 'rapport_product_id', value: String(productId) },
  ]);
}

/** Return the console's address with a host name, which browsers require for passkeys. */
export const byHostName = (url: string): string => url.replace('127.0.0.1', 'localhost');
