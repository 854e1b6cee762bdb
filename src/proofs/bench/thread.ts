/**
 * The console in a browser on a dialogue of ten thousand messages: its first paint, and a link to the first of them.
 * `--rounds N`.
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
/** From the request for the console until the messages are shown. */
const OPENING_MS = 600;

export const thread = definePart({
  heading: 'A dialogue of 10,000 messages',
  options: { rounds: [21, 3] },
  run: ({ rounds }) =>
    withConsole(async (console) => {
      const measuring = (measure: (console: Console) => Promise<number>, target: number) => {
        const all: number[] = [];
        return { measure, target, all };
      };
      const measures = {
        'a click on it in the open console': measuring(measureSwitch, PAINT_MS),
        'its address, from the request for the console': measuring(measureOpening, OPENING_MS),
        'a link to its first message, likewise': measuring(measureJump, OPENING_MS),
      };
      for (let opening = 0; opening < rounds; opening++)
        for (const { measure, all } of Object.values(measures)) all.push(await measure(console));
      return {
        text: `The built console in headless Chromium at 1920×1080, without a graphics card, ${rounds} times each, in turn. The click: from the last byte that the page waits for until the frame that shows the newest message was handed over.

${table(
  ['opened by', 'median', 'best', 'worst', 'target'],
  Object.entries(measures).map(([name, { all, target }]) => [
    name,
    ...[median(all), Math.min(...all), Math.max(...all), target].map((one) => format(one, 'ms')),
  ]),
)}`,
        violations: Object.entries(measures)
          .filter(([, { all, target }]) => median(all) > target)
          .map(([name, { all, target }]) => `${name}: ${format(median(all), 'ms')}, the target is ${target} ms`),
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
async function newPage({ browser, world, cookie }: Console, message = `Message ${MESSAGES}`): Promise<Page> {
  const { url, companyId, productId } = world;
  const context = await browser.context({ width: 1920, height: 1080 });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([
    { url, name, value },
    { url, name: 'rapport_company_id', value: String(companyId) },
    { url, name: 'rapport_product_id', value: String(productId) },
  ]);
  const page = await context.newPage();
  await page.addInitScript(watchPaint, message);
  return page;
}

const addressOf = ({ world, dialogueId }: Console, more = ''): string =>
  `${world.url}/?page=dialogue-chat&dialogueId=${dialogueId}${more}`;

/**
 * Runs in the page: records when the frame that first shows the message was painted. A task posted in a frame's callback
 * runs after that frame was handed over.
 */
function watchPaint(message: string): void {
  const isShown = (): boolean => {
    const frame = document.querySelector('[role=log]')?.getBoundingClientRect();
    const bubble = [...document.querySelectorAll('[role=log] article')].find((one) =>
      one.textContent.includes(message),
    );
    const place = bubble?.getBoundingClientRect();
    return frame !== undefined && place !== undefined && place.top >= frame.top && place.bottom <= frame.bottom + 1;
  };
  const checkPainted = (): void => {
    if (!isShown()) {
      requestAnimationFrame(checkPainted);
      return;
    }
    const channel = new MessageChannel();
    channel.port1.onmessage = () => Object.assign(globalThis, { painted: performance.now() });
    channel.port2.postMessage(null);
  };
  requestAnimationFrame(checkPainted);
}

/** Return the milliseconds from the request for the console, by the dialogue's address, until its paint. */
async function measureOpening(console: Console): Promise<number> {
  const page = await newPage(console);
  const ms = await timed(async () => {
    await page.goto(addressOf(console), { waitUntil: 'commit' });
    await page.waitForFunction(() => 'painted' in globalThis);
  });
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
  const page = await newPage(console, 'Message 1.');
  const { rows } = await console.world.pool.query<{ id: string }>('select min(id) as id from messages');
  const ms = await timed(async () => {
    await page.goto(addressOf(console, `&messageId=${rows[0]?.id}`), { waitUntil: 'commit' });
    await page.waitForFunction(() => 'painted' in globalThis);
  });
  await page.context().close();
  return ms;
}
