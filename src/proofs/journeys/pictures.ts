/**
 * `npm run pictures`: takes the pictures of the README from the running product, in both colour schemes.
 * `npm run pictures -- --all [FOLDER]`: takes one of every page and of its states, in both schemes and on a wide and a
 * narrow screen, into a folder (`pictures`).
 * `npm run pictures -- --guide`: takes those of the guide, into docs/guide/pictures.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { BrowserContext, Page } from '@playwright/test';
import { openBrowser, type TestBrowser } from '../../testing/browser.ts';
import { startProduct } from '../../testing/productProcess.ts';
import { prepareDemo } from './demoData.ts';
import { captureGuide } from './guidePictures.ts';
import { runPageCheck } from './pageCheck.ts';
import { pageChecks } from './pageChecks.ts';
import { SCREENS } from './screens.ts';
import { byHostName, signInAndChoose, signInByApi } from './signIn.ts';

const README_FOLDER = join(import.meta.dirname, '../../../docs/pictures');
const QUESTION = 'How long does production take?';
const SCHEMES = ['light', 'dark'] as const;

/** Take the picture of the README: the console's dialogue, after the lead asked on the phone and was answered. */
async function captureDialogue(context: BrowserContext, url: string, scheme: string): Promise<void> {
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
  await page.screenshot({ path: join(README_FOLDER, `dialogue-${scheme}.png`) });
  await phone.bringToFront();
  await phone.screenshot({ path: join(README_FOLDER, `phone-${scheme}.png`) });
}

async function captureReadme(browser: TestBrowser): Promise<void> {
  mkdirSync(README_FOLDER, { recursive: true });
  for (const scheme of SCHEMES) {
    const product = await startProduct();
    await captureDialogue(await browser.context({ scheme }), product.url, scheme).finally(() => product.close());
    console.log(`docs/pictures/*-${scheme}.png`);
  }
}

/**
 * Open each state once on each screen, in a page of its own, and take it in both schemes:
 * FOLDER/crm-leads-narrow-dark.png.
 */
async function captureAll(browser: TestBrowser, folder: string, only: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const product = await startProduct();
  try {
    const context = await browser.context();
    const url = byHostName(product.url);
    await signInByApi(context, url);
    const demo = await prepareDemo(context, url);
    for (const check of pageChecks.filter(({ name }) => name.startsWith(only))) {
      const take = async () => {
        for (const [screen, size] of Object.entries(SCREENS)) {
          const page = await context.newPage();
          page.on('dialog', (dialog) => void dialog.accept());
          await page.setViewportSize(size);
          const undo = await runPageCheck(page, demo, check);
          for (const scheme of SCHEMES) {
            await page.emulateMedia({ colorScheme: scheme });
            await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
            await page.screenshot({
              animations: 'disabled',
              path: join(folder, `${check.name}-${screen}-${scheme}.png`),
            });
          }
          await undo();
          await page.close();
        }
      };
      await take().then(
        () => console.log(check.name),
        (error: unknown) => {
          // Continue with the other pages.
          process.exitCode = 1;
          console.log(`${check.name}: ${String(error).split('\n', 3).join(' ')}`);
        },
      );
    }
  } finally {
    await product.close();
  }
}

const { values, positionals } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    guide: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
  allowPositionals: true,
});
const browser = await openBrowser();
try {
  if (values.guide) await captureGuide(browser);
  else if (values.all) await captureAll(browser, resolve(positionals[0] ?? 'pictures'), values.only);
  else await captureReadme(browser);
} finally {
  await browser.close();
}
