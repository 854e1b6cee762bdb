/**
 * The console as an operator's browser loads it: bytes transferred, and time until it is usable. `--rounds N`: how often
 * each view is opened in a fresh profile, and once more in the same one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { z } from 'zod';
import type { World } from '../../testing/world.ts';
import { definePart } from '../harness/command.ts';
import { mediansOf } from '../harness/load.ts';
import { format, table } from '../harness/report.ts';
import { type BrowserEnvironment, openProfile, withBrowser } from './browser.ts';

const WEIGHTS = join(import.meta.dirname, '../../../dist/weights.json');
const weightsSchema = z.object({
  budget: z.record(z.string(), z.number()),
  weights: z.array(z.object({ name: z.string(), bytes: z.number(), files: z.number() })),
});
/** Target for a usable page, with an empty browser cache. */
const FIRST_MS = 1500;

interface View {
  readonly name: string;
  readonly path: string;
  readonly isSignedOut?: true;
  readonly waitUntilUsable: (page: Page) => Promise<void>;
}

const viewsOf = (dialogue: number): readonly View[] => [
  {
    name: 'sign-in',
    path: '/auth/login',
    isSignedOut: true,
    waitUntilUsable: (page) => page.getByRole('textbox', { name: 'Password' }).waitFor(),
  },
  {
    name: 'list of leads',
    path: '/?page=crm-leads',
    waitUntilUsable: (page) => page.getByRole('row').nth(20).waitFor(),
  },
  {
    name: 'a dialogue',
    path: `/?page=dialogue-chat&dialogueId=${dialogue}`,
    waitUntilUsable: (page) => page.getByText('No messages yet.', { exact: false }).waitFor(),
  },
  {
    name: 'dashboard',
    path: '/?page=dashboard',
    waitUntilUsable: (page) => page.getByText('growth', { exact: false }).first().waitFor(),
  },
];

export const console = definePart({
  heading: 'The console in a browser',
  options: { rounds: [7, 1] },
  run: ({ rounds }) =>
    withBrowser(fill, async (environment, dialogue) => {
      const { cookie } = await environment.world.operator();
      const views: { name: string; first: PageLoad; again: PageLoad }[] = [];
      for (const view of viewsOf(dialogue)) {
        const session = view.isSignedOut ? '' : cookie;
        views.push({ name: view.name, ...(await measureView(view, { environment, cookie: session, rounds })) });
      }
      const { budget, weights } = weightsSchema.parse(JSON.parse(readFileSync(WEIGHTS, 'utf8')));
      const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(0)} KB`;
      const login = weights.find(({ name }) => name === 'login');
      const heaviest = weights.filter(({ name }) => name !== 'login').slice(0, 3);
      return {
        text: `The built console in headless Chromium at 1280×800, loopback, no graphics card; transferred bytes as the browser counts them (brotli, with fonts and answers of the API). Target: usable within ${FIRST_MS} ms with an empty cache.

${table(
  ['', 'usable, first time', 'usable, again', 'transferred, first time', 'requests', 'transferred, again'],
  views.map(({ name, first, again }) => [
    name,
    format(first.ms, 'ms'),
    format(again.ms, 'ms'),
    format(first.kilobytes, 'KB'),
    first.requests,
    format(again.kilobytes, 'KB'),
  ]),
)}

The build weighs scripts and styles of each first view, gzipped, and fails over ${budget['login']} KB for the sign-in page or ${budget['page']} KB for any other: sign-in ${kilobytes(login?.bytes ?? Number.NaN)} in ${login?.files} files, the heaviest pages ${heaviest.map(({ name, bytes }) => `${name} ${kilobytes(bytes)}`).join(', ')}.`,
        violations: views
          .filter(({ first }) => first.ms > FIRST_MS)
          .map(({ name, first }) => `${name} is usable after ${format(first.ms, 'ms')}, the target is ${FIRST_MS} ms`),
      };
    }),
});

/** Create forty leads for a list, and one whose dialogue is opened. */
async function fill(world: World): Promise<number> {
  for (let index = 0; index < 40; index++) await world.lead(`Lead ${index}`);
  const lead = await world.lead('Anna');
  return lead.dialogueId();
}

interface ViewOptions {
  readonly environment: BrowserEnvironment;
  readonly cookie: string;
  readonly rounds: number;
}

/** Open a view with an empty cache and with a filled one. Returns medians. */
async function measureView(
  { path, waitUntilUsable }: View,
  { environment, cookie, rounds }: ViewOptions,
): Promise<{ first: PageLoad; again: PageLoad }> {
  const first: PageLoad[] = [];
  const again: PageLoad[] = [];
  for (let round = 0; round < rounds; round++) {
    const context = await openProfile(environment, { cookie, width: 1280, height: 800 });
    for (const loads of [first, again]) {
      const page = await context.newPage();
      loads.push(await open(page, `${environment.url}${path}`, waitUntilUsable));
      await page.close();
    }
    await context.close();
  }
  return { first: mediansOf(first), again: mediansOf(again) };
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
