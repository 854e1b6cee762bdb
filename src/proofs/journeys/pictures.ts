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
import { captureGuide, SCHEMES, setScheme } from './guidePictures.ts';
import { visitChecks } from './pageCheck.ts';
import { pageChecks } from './pageChecks.ts';
import { askOnPhone } from './phone.ts';
import { SCREENS } from './screens.ts';
import { byHostName } from './signIn.ts';

const README_FOLDER = join(import.meta.dirname, '../../../docs/pictures');

/** Take the pictures of the README: the console's dialogue and the phone, after the lead's question was answered. */
async function captureDialogue(context: BrowserContext, url: string, scheme: string): Promise<void> {
  const { page, phone } = await askOnPhone(context, url);
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

/** Take each state on each screen in both schemes: FOLDER/crm-leads-narrow-dark.png. */
async function captureAll(browser: TestBrowser, folder: string, only: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const product = await startProduct();
  const checks = pageChecks.filter(({ name }) => name.startsWith(only));
  const demo = { context: await browser.context(), url: byHostName(product.url) };
  const capture = async (page: Page, name: string) => {
    for (const [screen, size] of Object.entries(SCREENS)) {
      await page.setViewportSize(size);
      for (const scheme of SCHEMES) {
        await setScheme(page, scheme);
        await page.screenshot({ animations: 'disabled', path: join(folder, `${name}-${screen}-${scheme}.png`) });
      }
    }
  };
  await visitChecks(demo, checks, capture).finally(() => product.close());
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
