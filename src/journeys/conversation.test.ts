import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser, type TestBrowser } from '../testing/browser.ts';
import { freshDatabase } from '../testing/postgres.ts';
import { type Product, startProduct } from '../testing/product.ts';
import { signInAndChoose } from './signIn.ts';

let product: Product;
let chromium: TestBrowser;
beforeAll(async () => {
  product = await startProduct({}, await freshDatabase());
  chromium = await openBrowser();
}, 60_000);
afterAll(async () => {
  await chromium?.close();
  await product?.close();
});

it('a lead writes on the phone page; the open console shows message, answer and ticks', async () => {
  const context = await chromium.context();
  const page = await signInAndChoose(context, product.url);
  await page
    .getByRole('link', { name: 'Dialogues' })
    .or(page.getByRole('button', { name: 'Dialogues' }))
    .first()
    .click();
  await page.getByRole('row').filter({ hasText: 'Anna' }).first().click();
  const thread = page.getByRole('log', { name: 'Messages' });
  await thread.getByRole('article').last().waitFor();

  const phone = await context.newPage();
  await phone.goto(`${product.url}/sandbox`);
  await phone.getByText('Anna', { exact: false }).first().click();
  const composer = phone.getByRole('textbox', { name: /^Write as/ });
  await composer.fill('How long does production take?');
  await composer.press('Enter');
  await phone.getByRole('log', { name: 'What the lead sees' }).getByText('How long does production take?').waitFor();

  await page.bringToFront();
  await thread.getByText('How long does production take?').waitFor();
  const answer = thread.getByRole('article').filter({ hasText: /weeks/ }).last();
  await answer.waitFor();
  await answer.getByRole('img', { name: 'Read' }).waitFor();
  expect(await thread.getByText('How long does production take?').count()).toBe(1);

  await phone.bringToFront();
  await phone.getByRole('log', { name: 'What the lead sees' }).getByText(/weeks/).last().waitFor();
  // The look whether anyone is signed in is a 401 on purpose.
  expect(chromium.errors.filter((one) => !one.includes('401'))).toEqual([]);
}, 60_000);
