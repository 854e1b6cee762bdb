/**
 * Puts markup, scripts and script addresses into every stored text, then opens every page. None of it may become an
 * element, run, cause a request, or be a link. `npm test` checks a few pages, `npm run test:all` all of them.
 */
import type { BrowserContext, Page } from '@playwright/test';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeXssPayloads, XSS_PAYLOAD } from '../../testing/xssPayloads.ts';
import { type DemoIds, prepareDemo } from './demoData.ts';
import { chromium, database, product, setUpJourney } from './journeySetup.ts';
import { type PageCheck, waitForLoad } from './pageCheck.ts';
import { pageChecks } from './pageChecks.ts';
import { expectPage, signInByApi } from './signIn.ts';

let demo: DemoIds;
let context: BrowserContext;
let poisoned: readonly string[];
/** Effects of hostile texts. */
const executedScripts: string[] = [];
/** Hosts other than the product's that were reached. */
const answered: string[] = [];
const REFUSED = /Content Security Policy|Refused to/;
setUpJourney({ env: { RAPPORT_ROLES: 'web' }, keepPages: true });
beforeAll(async () => {
  context = await chromium.context();
  await signInByApi(context, product.url);
  demo = await prepareDemo(context, product.url);
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  poisoned = await writeXssPayloads(pool);
  await pool.end();
  await context.exposeBinding(
    'pwned',
    ({ page }, how: unknown) => void executedScripts.push(`${page.url()} ran ${String(how)}`),
  );
  context.on('dialog', (dialog) => {
    executedScripts.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('response', (response) => {
    if (new URL(response.url()).hostname === 'evil.example') answered.push(response.url());
  });
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== product.url && !['data:', 'blob:'].includes(url.protocol))
      executedScripts.push(`a request to ${url}`);
    if (url.pathname.includes('pwned')) executedScripts.push(`a request to ${url}`);
  });
});

/** Return what the page created from a text: elements, and links that run scripts. */
const injectedElements = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll(
        '[data-pwned], pwned-mark, iframe, object, embed, base, meta[http-equiv=refresh], form[action*=pwned]',
      ),
      ...document.querySelectorAll(
        '[href^="javascript:" i], [src*=pwned], [style*=pwned], [onerror], [onload], [onclick]',
      ),
    ].map((one) => one.outerHTML.slice(0, 200)),
  );

async function open(address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${product.url}${address}`);
  await expectPage(page.locator('#root h1, #root main, #root [role=dialog]').first()).toBeVisible();
  await waitForLoad(page);
  return page;
}

it('writes hostile texts into every noun', () => {
  const nouns = ['companies.name', 'products.name', 'channels.name', 'leads.name', 'leads.crm_fields'];
  const texts = ['prompts.name', 'prompts.text', 'prompt_groups.name', 'prepared_messages.message'];
  const talk = ['messages.message', 'messages.media_url', 'dialogues.no_answer_detail', 'lead_events.event_data'];
  const others = ['lead_documents.name', 'lead_documents.document', 'llm_runs.name', 'audit.operator'];
  expect(poisoned).toEqual(expect.arrayContaining([...nouns, ...texts, ...talk, ...others]));
});

const hasNoSetup = ({ prepare, stubs }: PageCheck) => prepare === undefined && stubs === undefined;
/** Each page once, in its initial state. */
const addresses = pageChecks.filter(
  (one, index) =>
    one.page !== null &&
    hasNoSetup(one) &&
    index === pageChecks.findIndex((other) => other.page === one.page && hasNoSetup(other)),
);
/** Pages that certainly show a hostile text. */
const SHOWING = ['crm-leads', 'dialogue-chat', 'lead-detail', 'prompts'];

describe('the page', () => {
  it.each(addresses)('$page shows hostile texts as texts', async ({ page: key, address }) => {
    const page = await open(address(demo));
    // The page shows the text literally.
    if (SHOWING.includes(key ?? '')) await expectPage(page.locator('#root')).toContainText('<pwned-mark');
    expect(await injectedElements(page)).toEqual([]);
    expect(executedScripts.splice(0)).toEqual([]);
    const refused = chromium.errors.splice(0).filter((one) => REFUSED.test(one));
    expect(refused).toEqual([]);
    await page.close();
  });

  it('covers enough pages', () => {
    expect(addresses.length).toBeGreaterThan(20);
    expect(addresses.filter(({ page }) => SHOWING.includes(page ?? ''))).toHaveLength(SHOWING.length);
  });
});

it('detects hostile texts that become markup, and blocks those that would run', async () => {
  const page = await open('/?page=dashboard');
  await page.evaluate((text) => {
    document.body.insertAdjacentHTML('beforeend', text);
    const script = document.createElement('script');
    script.textContent = 'window.pwned("an inline script")';
    document.body.append(script);
    const far = document.createElement('script');
    far.src = 'https://evil.example/pwned.js';
    document.body.append(far);
  }, XSS_PAYLOAD);
  expect((await injectedElements(page)).length).toBeGreaterThan(5);
  await page.waitForLoadState('load');
  // Chromium also reports requests that the policy then blocks.
  expect(executedScripts.filter((one) => one.includes(' ran ') || one.startsWith('a dialog'))).toEqual([]);
  expect(answered).toEqual([]);
  expect(chromium.errors.splice(0).filter((one) => REFUSED.test(one)).length).toBeGreaterThan(3);
  await page.close();
});
