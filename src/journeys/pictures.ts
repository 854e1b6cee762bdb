/** `npm run pictures`: takes the pictures of the README from the running product, in both colour schemes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { openBrowser } from '../testing/browser.ts';
import { startProduct } from '../testing/product.ts';
import { signInAndChoose } from './signIn.ts';

const FOLDER = join(import.meta.dirname, '../../docs/pictures');
const QUESTION = 'How long does production take?';

/** The picture of the README: the console's dialogue, after the lead has asked on the phone and was answered. */
async function takeDialogue(context: BrowserContext, url: string, scheme: string): Promise<void> {
  const page: Page = await signInAndChoose(context, url);
  await page.goto(`${url}/?page=crm-dialogues`);
  await page.getByRole('row').filter({ hasText: 'Anna' }).first().click();
  const thread = page.getByRole('log', { name: 'Messages' });
  await thread.getByRole('article').last().waitFor();
  const phone = await context.newPage();
  await phone.goto(`${url}/sandbox`);
  await phone.getByText('Anna', { exact: false }).first().click();
  const composer = phone.getByRole('textbox', { name: /^Write as/ });
  await composer.fill(QUESTION);
  await composer.press('Enter');
  await page.bringToFront();
  const answer = thread.getByRole('article').filter({ hasText: /weeks/ }).last();
  await answer.getByRole('img', { name: 'Read' }).waitFor();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(FOLDER, `dialogue-${scheme}.png`) });
  await phone.bringToFront();
  await phone.screenshot({ path: join(FOLDER, `phone-${scheme}.png`) });
}

mkdirSync(FOLDER, { recursive: true });
const browser = await openBrowser();
try {
  for (const scheme of ['light', 'dark'] as const) {
    const product = await startProduct();
    await takeDialogue(await browser.context({ scheme }), product.url, scheme).finally(() => product.close());
    console.log(`docs/pictures/*-${scheme}.png`);
  }
} finally {
  await browser.close();
}
