/** The guide's pictures: its first hour, and some states of the demo's pages, in both colour schemes. */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import type { TestBrowser } from '../../testing/browser.ts';
import { startProduct } from '../../testing/productProcess.ts';
import { prepareDemo } from './demoData.ts';
import { FIRST_HOUR } from './firstHour.ts';
import { runPageCheck } from './pageCheck.ts';
import { pageChecks } from './pageChecks.ts';
import { byHostName, signInByApi } from './signIn.ts';

const FOLDER = join(import.meta.dirname, '../../../docs/guide/pictures');
/** Narrower than the pages' usual size, so that the text remains readable in the guide's column. */
const SIZE = { width: 1120, height: 720 };
const QUALITY = 80;
export const SCHEMES = ['light', 'dark'] as const;

/** Pictures of the demo by name, each of a state that the page checks cover too. */
const DEMO_PICTURES: Readonly<Record<string, string>> = {
  channels: 'channels',
  'channel-owner': 'security-channel-owner',
  'account-security': 'security-account-set-up',
  'audit-log': 'system-audit',
  spending: 'crm-company-llms-spending',
  'prompt-versions': 'prompt-detail-history',
  'leads-chosen': 'crm-leads-chosen',
  import: 'leads-import-rows',
  'amocrm-account': 'crm-integration',
  'playground-compare': 'chatbot-compare',
  dashboard: 'dashboard',
  help: 'shortcuts',
  assistant: 'assistant-proposals',
  consequences: 'settings-product-consequences',
  classification: 'prompts-classification',
};

/** Take all pictures again and delete those that are no longer used. */
export async function captureGuide(browser: TestBrowser): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const writtenFiles = new Set<string>();
  const product = await startProduct();
  try {
    const context = await browser.context(SIZE);
    const page = await context.newPage();
    const capture = createCamera(writtenFiles);
    for (const { heading, run: live } of FIRST_HOUR) {
      await live({ url: product.url, context, page, shoot: capture });
      console.log(heading);
    }
    await context.close();
    for (const [name, state] of Object.entries(DEMO_PICTURES)) {
      const picture = { url: byHostName(product.url), name, state };
      await captureState(await browser.context(SIZE), picture, capture);
      console.log(name);
    }
  } finally {
    await product.close();
  }
  for (const file of readdirSync(FOLDER)) if (!writtenFiles.has(file)) rmSync(join(FOLDER, file));
  const bytes = [...writtenFiles].reduce((sum, file) => sum + statSync(join(FOLDER, file)).size, 0);
  console.log(`${writtenFiles.size} pictures, ${(bytes / 1024 / 1024).toFixed(1)} MB`);
}

interface DemoPicture {
  readonly url: string;
  readonly name: string;
  /** Name of the page check. */
  readonly state: string;
}

async function captureState(context: BrowserContext, picture: DemoPicture, capture: Capture): Promise<void> {
  const { url, name, state } = picture;
  const check = pageChecks.find((each) => each.name === state);
  if (!check) throw new Error(`No page check is called ${state}`);
  await signInByApi(context, url);
  const demo = await prepareDemo(context, url);
  const page = await context.newPage();
  page.on('dialog', (dialog) => void dialog.accept());
  const undo = await runPageCheck(page, demo, check);
  await capture(page, name);
  await undo();
  await context.close();
}

/** Show a page in a colour scheme. */
export async function setScheme(page: Page, scheme: (typeof SCHEMES)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
}

type Capture = (page: Page, name: string) => Promise<void>;

/** Create a camera; it leaves out toasts of earlier actions. WebP takes a third of the PNG's size. */
function createCamera(writtenFiles: Set<string>): Capture {
  return async (page, name) => {
    await page.bringToFront();
    await page.addStyleTag({ content: '.mantine-Notifications-root { visibility: hidden; }' });
    const devtools = await page.context().newCDPSession(page);
    for (const scheme of SCHEMES) {
      await setScheme(page, scheme);
      await page.evaluate(() => document.fonts.ready.then(() => null));
      const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
      const file = `${name}-${scheme}.webp`;
      writeFileSync(join(FOLDER, file), data, 'base64');
      writtenFiles.add(file);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  };
}
