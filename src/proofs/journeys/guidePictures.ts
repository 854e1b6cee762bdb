/** The guide's pictures: its first hour, and some states of the demo's pages, in both colour schemes. */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { TestBrowser } from '../../testing/browser.ts';
import { startProduct } from '../../testing/productProcess.ts';
import { FIRST_HOUR } from './firstHour.ts';
import { visitChecks } from './pageCheck.ts';
import { pageChecks } from './pageChecks.ts';
import { byHostName } from './signIn.ts';

const FOLDER = join(import.meta.dirname, '../../../docs/guide/pictures');
/** Narrower than the pages' usual size, so that the text remains readable in the guide's column. */
const SIZE = { width: 1120, height: 720 };
const QUALITY = 80;
export const SCHEMES = ['light', 'dark'] as const;

/** Names of the demo's pictures, by the page checks that show them. */
const DEMO_PICTURES: Readonly<Record<string, string>> = {
  channels: 'channels',
  'security-channel-owner': 'channel-owner',
  'security-account-set-up': 'account-security',
  'system-audit': 'audit-log',
  'crm-company-llms-spending': 'spending',
  'prompt-detail-history': 'prompt-versions',
  'crm-leads-chosen': 'leads-chosen',
  'leads-import-rows': 'import',
  'crm-integration': 'amocrm-account',
  'chatbot-compare': 'playground-compare',
  dashboard: 'dashboard',
  'insights-prompts': 'insights',
  'inbox-open': 'inbox',
  shortcuts: 'help',
  'assistant-proposals': 'assistant',
  'settings-product-consequences': 'consequences',
  'prompts-classification': 'classification',
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
    for (const [heading, run] of Object.entries(FIRST_HOUR)) {
      await run({ url: product.url, context, page, shoot: capture });
      console.log(heading);
    }
    await context.close();
    const checks = pageChecks.filter(({ name }) => name in DEMO_PICTURES);
    const demo = { context: await browser.context(SIZE), url: byHostName(product.url) };
    await visitChecks(demo, checks, (demoPage, name) => capture(demoPage, DEMO_PICTURES[name] ?? name));
  } finally {
    await product.close();
  }
  for (const file of readdirSync(FOLDER)) if (!writtenFiles.has(file)) rmSync(join(FOLDER, file));
  const bytes = [...writtenFiles].reduce((sum, file) => sum + statSync(join(FOLDER, file)).size, 0);
  console.log(`${writtenFiles.size} pictures, ${(bytes / 1024 / 1024).toFixed(1)} MB`);
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
    const hiding = await page.addStyleTag({ content: '.mantine-Notifications-root { visibility: hidden; }' });
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
    await hiding.evaluate((element) => element.parentNode?.removeChild(element));
  };
}
