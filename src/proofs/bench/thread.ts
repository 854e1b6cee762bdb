/**
 * The console in a browser on a dialogue of ten thousand messages: its first paint, and a link to the first of them.
 * `--rounds N`: it is opened three times as often as the link.
 */
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { openBrowser, type TestBrowser } from '../../testing/browser.ts';
import { buildConsole } from '../../testing/builds.ts';
import { insertMessages } from '../../testing/longThread.ts';
import type { World } from '../../testing/world.ts';
import { definePart } from '../harness/command.ts';
import { median, timed } from '../harness/load.ts';
import { format, table } from '../harness/report.ts';
import { withNodes } from '../harness/world.ts';
import { openFillPool } from './environment.ts';

const MESSAGES = 10_000;
const PAINT_MS = 100;
const LINK_MS = 600;

export const thread = definePart({
  heading: 'A dialogue of 10,000 messages',
  options: { rounds: [7, 1] },
  run: ({ rounds }) =>
    withConsole(async (console) => {
      const [painted, switched]: [number[], number[]] = [[], []];
      for (let opening = 0; opening < rounds * 3; opening++) {
        painted.push(await measurePaint(console));
        switched.push(await measureSwitch(console));
      }
      const jumps: number[] = [];
      while (jumps.length < rounds) jumps.push(await measureJump(console));
      const paints = {
        'from another dialogue, in the open console': switched,
        'by its address, while the console opens': painted,
      };
      return {
        text: `The built console in headless Chromium at 1920×1080, without a graphics card. From the last byte that it waits for, of messages, rows and code, until the frame that shows the newest one was handed over, ${painted.length} times each, in turn:

${table(
  ['messages → paint', 'median', 'best', 'worst', 'target'],
  Object.entries(paints).map(([name, all]) => [
    name,
    ...[median(all), Math.min(...all), Math.max(...all), PAINT_MS].map((one) => format(one, 'ms')),
  ]),
)}

A link to the first of all messages shows it ${format(median(jumps), 'ms')} after the console was requested (median of ${jumps.length}; target ${LINK_MS} ms).`,
        violations: [
          ...[painted, switched]
            .map(median)
            .filter((ms) => ms > PAINT_MS)
            .map((ms) => `a dialogue is painted ${format(ms, 'ms')} after its messages, the target is ${PAINT_MS} ms`),
          ...(median(jumps) > LINK_MS ? [`a link shows its message after ${format(median(jumps), 'ms')}`] : []),
        ],
      };
    }),
});

interface Console {
  readonly browser: TestBrowser;
  readonly world: World;
  readonly cookie: string;
  readonly dialogueId: number;
  /** Id of another dialogue, an empty one. */
  readonly neighbourId: number;
}

/** Build the console, serve a world that has the dialogue, open a browser, measure, and remove all of it. */
function withConsole<T>(measure: (console: Console) => Promise<T>): Promise<T> {
  buildConsole();
  return withNodes({ production: true, nodes: [{ RAPPORT_ROLES: 'web' }] }, async (world) => {
    const dialogues = await fill(world);
    const { cookie } = await world.operator();
    const browser = await openBrowser();
    return measure({ browser, world, cookie, ...dialogues }).finally(() => browser.close());
  });
}

/** Create a lead with five thousand messages and as many answers, and forty other dialogues. */
async function fill(world: World): Promise<{ dialogueId: number; neighbourId: number }> {
  const neighbour = await world.lead('Neighbour');
  for (let other = 1; other < 40; other++) await world.lead(`Neighbour ${other}`);
  const lead = await world.lead('Anna');
  const dialogue = await lead.dialogueId();
  const pool = openFillPool(world.databaseUrl);
  await insertMessages((sql, values) => pool.query(sql, values), dialogue, MESSAGES);
  await pool.query('vacuum analyze');
  await pool.end();
  return { dialogueId: dialogue, neighbourId: await neighbour.dialogueId() };
}

/** Open a page in a fresh profile, wide enough for the other dialogues, the thread and the lead card. */
async function newPage({ browser, world, cookie }: Console): Promise<Page> {
  const { url, companyId, productId } = world;
  const context = await browser.context({ width: 1920, height: 1080 });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([
    { url, name, value },
    { url, name: 'rapport_company_id', value: String(companyId) },
    { url, name: 'rapport_product_id', value: String(productId) },
  ]);
  const page = await context.newPage();
  await page.addInitScript(watchPaint);
  return page;
}

const addressOf = ({ world, dialogueId }: Console, more = ''): string =>
  `${world.url}/?page=dialogue-chat&dialogueId=${dialogueId}${more}`;

/**
 * Runs in the page: records when the frame that first shows the newest message was painted. A task posted in a frame's
 * callback runs after that frame was handed over.
 */
function watchPaint(): void {
  const checkPainted = (): void => {
    const frame = document.querySelector('[role=log]');
    const newest = [...(frame?.querySelectorAll('article') ?? [])].at(-1);
    const isVisible =
      frame && newest && newest.getBoundingClientRect().bottom <= frame.getBoundingClientRect().bottom + 1;
    if (!isVisible || !newest.textContent.includes('Message 10000')) {
      requestAnimationFrame(checkPainted);
      return;
    }
    const channel = new MessageChannel();
    channel.port1.onmessage = () => Object.assign(globalThis, { painted: performance.now() });
    channel.port2.postMessage(null);
  };
  requestAnimationFrame(checkPainted);
}

async function measurePaint(console: Console): Promise<number> {
  const page = await newPage(console);
  await page.goto(addressOf(console));
  await page.waitForFunction(() => 'painted' in globalThis);
  const ms = await paintedAfter(page);
  await page.context().close();
  return ms;
}

/** Measure the switch to the long dialogue in a console that is open on another one. */
async function measureSwitch(console: Console): Promise<number> {
  const page = await newPage(console);
  await page.goto(addressOf({ ...console, dialogueId: console.neighbourId }));
  await page.getByText('No messages yet. Write the first one.').waitFor();
  const link = page.getByRole('navigation', { name: 'Dialogues' }).getByRole('link').filter({ hasText: 'Anna' });
  await link.waitFor();
  await page.evaluate(() => performance.clearResourceTimings());
  await link.click();
  await page.waitForFunction(() => 'painted' in globalThis);
  const ms = await paintedAfter(page);
  await page.context().close();
  return ms;
}

/** Return the milliseconds from the last byte that the page waits for, of its messages, rows and code, until the paint. */
async function paintedAfter(page: Page): Promise<number> {
  const [painted, arrived] = z.tuple([z.number(), z.number()]).parse(
    await page.evaluate(() => {
      const awaited = /\/thread\?|\/view$|\/v1\/(?:products|companies)\/\d+$|DialogueChatPage/;
      const calls = performance.getEntriesByType('resource').filter(({ name }) => awaited.test(name));
      const ends = calls.map((call) => (call instanceof PerformanceResourceTiming ? call.responseEnd : 0));
      const painted: unknown = Reflect.get(globalThis, 'painted');
      return [painted, Math.max(...ends.filter((end) => end <= Number(painted)))];
    }),
  );
  return painted - arrived;
}

/** Return the milliseconds from the request for the console, by a link to the first message, until that is shown. */
async function measureJump(console: Console): Promise<number> {
  const page = await newPage(console);
  const { rows } = await console.world.pool.query<{ id: string }>('select min(id) as id from messages');
  const ms = await timed(async () => {
    await page.goto(addressOf(console, `&messageId=${rows[0]?.id}`));
    await page.getByRole('article').filter({ hasText: 'Message 1.' }).waitFor({ timeout: 120_000 });
  });
  await page.context().close();
  return ms;
}
