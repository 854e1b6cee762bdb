/** What every journey begins with. */
import type { BrowserContext, Page } from '@playwright/test';

/** Signs in as the demo operator and chooses company and product; ends on the product's first page. */
export async function signInAndChoose(
  context: BrowserContext,
  url: string,
  product = 'Kitchens to measure',
): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('button', { name: 'Log in' }).click();
  const dialog = page.getByRole('dialog', { name: 'Select company & product' });
  await dialog.getByRole('combobox', { name: 'Company' }).or(dialog.getByLabel('Company')).first().click();
  await page.getByRole('option', { name: 'Lindgren Studio' }).click();
  await dialog.getByRole('combobox', { name: 'Product' }).or(dialog.getByLabel('Product')).first().click();
  await page.getByRole('option', { name: product }).click();
  await dialog.getByRole('button', { name: 'OK' }).click();
  await page.getByRole('navigation').getByText(product).first().waitFor();
  return page;
}
