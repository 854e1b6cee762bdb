/** The console as an operator's browser loads it: bytes transferred, and time until it is usable. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { z } from 'zod';
import type { World } from '../../testing/world.ts';
import { type BrowserEnvironment, withBrowser } from './browser.ts';
import { median } from './median.ts';

export interface View {
  readonly name: string;
  /** Milliseconds from opening the address until the page is usable; medians. */
  readonly firstMs: number;
  readonly againMs: number;
  /** Kilobytes over the wire (compressed, with fonts) and requests, with an empty browser cache. */
  readonly kilobytes: number;
  readonly requests: number;
  /** The same with a filled cache: cached resources are not requested. */
  readonly againKilobytes: number;
}

export interface Weights {
  readonly budget: Readonly<Record<string, number>>;
  readonly weights: readonly { readonly name: string; readonly bytes: number; readonly files: number }[];
}

export interface ConsoleMeasured extends Weights {
  readonly views: readonly View[];
  readonly postgres: string;
}

const WEIGHTS = join(import.meta.dirname, '../../../dist/weights.json');
const weights = z.object({
  budget: z.record(z.string(), z.number()),
  weights: z.array(z.object({ name: z.string(), bytes: z.number(), files: z.number() })),
});

/** Open each view `rounds` times in a fresh profile, and once more in the same one. */
export async function measureConsole(rounds: number): Promise<ConsoleMeasured> {
  return withBrowser(fill, async ({ browser, url, world }, dialogue) => {
    const { cookie } = await world.operator();
    const cases: readonly ViewCase[] = [
      {
        name: 'sign-in',
        path: '/auth/login',
        cookie: '',
        waitUntilUsable: (page) => page.getByRole('textbox', { name: 'Password' }).waitFor(),
      },
      {
        name: 'list of leads',
        path: '/?page=crm-leads',
        cookie,
        waitUntilUsable: (page) => page.getByRole('row').nth(20).waitFor(),
      },
      {
        name: 'a dialogue',
        path: `/?page=dialogue-chat&dialogueId=${dialogue}`,
        cookie,
        waitUntilUsable: (page) => page.getByText('No messages yet.', { exact: false }).waitFor(),
      },
      {
        name: 'dashboard',
        path: '/?page=dashboard',
        cookie,
        waitUntilUsable: (page) => page.getByText('growth', { exact: false }).first().waitFor(),
      },
    ];
    const views: View[] = [];
    for (const one of cases) views.push(await measureView(one, { browser, world, url, rounds }));
    const built = weights.parse(JSON.parse(readFileSync(WEIGHTS, 'utf8')));
    return { ...built, views };
  });
}

/** Create forty leads for a list, and one whose dialogue is opened. */
async function fill(world: World): Promise<number> {
  for (let index = 0; index < 40; index++) await world.lead(`Lead ${index}`);
  const lead = await world.lead('Anna');
  return lead.dialogueId();
}

interface ViewCase {
  readonly name: string;
  readonly path: string;
  readonly cookie: string;
  readonly waitUntilUsable: (page: Page) => Promise<void>;
}

interface MeasureContext extends BrowserEnvironment {
  readonly rounds: number;
}

async function measureView(
  { name, path, cookie, waitUntilUsable }: ViewCase,
  { browser, world, url, rounds }: MeasureContext,
): Promise<View> {
  const first: PageLoad[] = [];
  const again: PageLoad[] = [];
  for (let round = 0; round < rounds; round++) {
    const context = await browser.context({ width: 1280, height: 800 });
    const [key = '', value = ''] = cookie.split('=');
    await context.addCookies([
      ...(cookie ? [{ url, name: key, value }] : []),
      { url, name: 'rapport_company_id', value: String(world.companyId) },
      { url, name: 'rapport_product_id', value: String(world.productId) },
    ]);
    const page = await context.newPage();
    first.push(await open(page, `${url}${path}`, waitUntilUsable));
    await page.close();
    const second = await context.newPage();
    again.push(await open(second, `${url}${path}`, waitUntilUsable));
    await context.close();
  }
  const ofFirst = (key: keyof PageLoad): number => median(first.map((one) => one[key]));
  const ofAgain = (key: keyof PageLoad): number => median(again.map((one) => one[key]));
  return {
    name,
    firstMs: ofFirst('ms'),
    againMs: ofAgain('ms'),
    kilobytes: ofFirst('kilobytes'),
    requests: ofFirst('requests'),
    againKilobytes: ofAgain('kilobytes'),
  };
}

interface PageLoad {
  readonly ms: number;
  readonly kilobytes: number;
  readonly requests: number;
}

/** Uses the browser's own byte count, headers included; a resource from the memory cache counts nothing. */
async function open(page: Page, address: string, waitUntilUsable: (page: Page) => Promise<void>): Promise<PageLoad> {
  const session = await page.context().newCDPSession(page);
  let bytes = 0;
  let requests = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    if (encodedDataLength > 0) requests += 1;
  });
  await session.send('Network.enable');
  const startedAt = performance.now();
  await page.goto(address, { waitUntil: 'commit' });
  await waitUntilUsable(page);
  const ms = performance.now() - startedAt;
  // Resources that arrive after the page is usable count too.
  await page.waitForLoadState('load');
  await page.waitForTimeout(500);
  await session.detach();
  return { ms, kilobytes: bytes / 1000, requests };
}
