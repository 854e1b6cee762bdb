/** The console in a browser on a dialogue of ten thousand messages: its first paint, and scrolling through it. */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import pg from 'pg';
import { z } from 'zod';
import type { Client } from '../../testing/client.ts';
import type { World } from '../../testing/world.ts';
import { type BrowserEnvironment, withBrowser } from './browser.ts';

const MESSAGES = 10_000;

export interface Frames {
  readonly perSecond: number;
  /** Longest time between two frames, in milliseconds. */
  readonly longestMs: number;
  /** Frames with no bubble in the visible part of the thread. */
  readonly blank: number;
}

export interface ThreadResult {
  /**
   * Milliseconds from the last byte of the messages to their paint when the whole console is opened, one value per
   * opening.
   */
  readonly painted: readonly number[];
  /** The same in a console that is already open, when switching from another dialogue to the long one. */
  readonly switched: readonly number[];
  /**
   * Milliseconds of CPU of the page's main thread for the switch, from the click; independent of the machine's other
   * load.
   */
  readonly worked: readonly number[];
  /** Processes that waited for a core at the end, averaged over the last minute. */
  readonly load: number;
  /** The idle page: the best that this machine's browser can do. */
  readonly idle: readonly Frames[];
  /** Scrolling up from the newest message while older pages load. */
  readonly climbing: readonly Frames[];
  /** Messages loaded by each climb. */
  readonly climbed: readonly number[];
  /** Milliseconds from opening a link to the first message until it is visible; all messages are loaded for it. */
  readonly jumpMs: number;
  /** Scrolling down from the first message, with all messages loaded. */
  readonly descending: readonly Frames[];
  readonly postgres: string;
}

/** Open the dialogue `openings` times, and scroll through it `scrolls` times for three seconds each way. */
export async function measureThread(openings: number, scrolls: number): Promise<ThreadResult> {
  return withBrowser(fill, async (environment, dialogues) => {
    const console = { ...environment, operator: await environment.world.operator(), ...dialogues };
    const painted: number[] = [];
    const switched: number[] = [];
    const worked: number[] = [];
    for (let opening = 0; opening < openings; opening++) {
      painted.push(await measurePaint(console));
      const { ms, cpuMs } = await measureSwitch(console);
      switched.push(ms);
      worked.push(cpuMs);
    }
    const idle: Frames[] = [];
    const climbing: Frames[] = [];
    const climbed: number[] = [];
    for (let scroll = 0; scroll < scrolls; scroll++) {
      const page = await openThread(console);
      idle.push(await framesDuring(page, () => page.waitForTimeout(SCROLL_MS)));
      climbing.push(await framesDuring(page, () => wheel(page, 'up')));
      climbed.push(await loadedMessages(page));
      await page.context().close();
    }
    return {
      painted,
      switched,
      worked,
      load: loadavg()[0] ?? 0,
      idle,
      climbing,
      climbed,
      ...(await measureWhole(console, scrolls)),
    };
  });
}

interface Console extends BrowserEnvironment {
  readonly operator: Client;
  readonly dialogueId: number;
  /** Id of another dialogue, an empty one. */
  readonly neighbourId: number;
}

/** Create a lead with five thousand messages and as many answers, and forty other dialogues. */
async function fill(world: World): Promise<{ dialogueId: number; neighbourId: number }> {
  const neighbour = await world.lead('Neighbour');
  for (let other = 1; other < 40; other++) await world.lead(`Neighbour ${other}`);
  const lead = await world.lead('Anna');
  const dialogue = await lead.dialogueId();
  const pool = new pg.Pool({ connectionString: world.databaseUrl, max: 1 });
  await pool.query(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status, ext_id,
                           model_vendor, model_name, prompt_name, prompt_version, created_at, thread_at, sent_at, read_at)
     select $1, $2, $3, $4, said.text, case when n % 2 = 0 then 'user' else 'bot' end,
            case when n % 2 = 0 then 'lead' when n % 10 = 1 then 'operator' else 'bot' end,
            case when n % 10 = 1 then 'vera' end, case when n % 2 = 0 then 'inbound' else 'read' end, 'thread ' || n,
            case when said.made then 'chatgpt' end, case when said.made then 'gpt-5' end, case when said.made then 'Vera' end,
            case when said.made then 3 end, said.at, said.at, case when n % 2 = 1 then said.at end, case when n % 2 = 1 then said.at end
       from generate_series(1, $5::int) n
       cross join lateral (select now() - ($5::int - n) * interval '7 minutes' as at, n % 2 = 1 and n % 10 <> 1 as made,
              'Message ' || n || '. ' || repeat('How long does delivery take, and what does it cost? ', n * 7 % 11) ||
              case when n % 9 = 0 then E'\\nhttps://example.com/kitchens/' || n else '' end as text) said
      order by n`,
    [world.productId, lead.contactId, dialogue, world.whatsapp.id, MESSAGES],
  );
  await pool.query(
    `update dialogues set last_msg_created_at = now(), last_message = 'Message', last_bot_msg_id = (select max(id) from messages) where id = $1`,
    [dialogue],
  );
  await pool.query('vacuum analyze');
  await pool.end();
  return { dialogueId: dialogue, neighbourId: await neighbour.dialogueId() };
}

/** Open a fresh browser profile of the operator, with company and product chosen. */
async function newPage({ browser, url, operator, world }: Console): Promise<Page> {
  // Wide enough for the other dialogues, the thread and the lead card.
  const context = await browser.context({ width: 1920, height: 1080 });
  const [name = '', value = ''] = operator.cookie.split('=');
  await context.addCookies([
    { url, name, value },
    { url, name: 'rapport_company_id', value: String(world.companyId) },
    { url, name: 'rapport_product_id', value: String(world.productId) },
  ]);
  const page = await context.newPage();
  await page.addInitScript(watchPaint);
  return page;
}

const addressOf = ({ url, dialogueId }: Console, more = ''): string =>
  `${url}/?page=dialogue-chat&dialogueId=${dialogueId}${more}`;

async function openThread(console: Console): Promise<Page> {
  const page = await newPage(console);
  await page.goto(addressOf(console));
  await page.waitForFunction(() => 'painted' in globalThis);
  return page;
}

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
  const page = await openThread(console);
  const ms = await paintedAfter(page);
  await page.context().close();
  return ms;
}

/** Measure the switch to the long dialogue in a console that is open on another one. */
async function measureSwitch(console: Console): Promise<{ ms: number; cpuMs: number }> {
  const page = await newPage(console);
  await page.goto(addressOf({ ...console, dialogueId: console.neighbourId }));
  await page.getByText('No messages yet. Write the first one.').waitFor();
  const link = page.getByRole('navigation', { name: 'Dialogues' }).getByRole('link').filter({ hasText: 'Anna' });
  await link.waitFor();
  await page.evaluate(() => performance.clearResourceTimings());
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  const before = await busy();
  await link.click();
  await page.waitForFunction(() => 'painted' in globalThis);
  const cpuMs = ((await busy()) - before) * 1000;
  const ms = await paintedAfter(page);
  await page.context().close();
  return { ms, cpuMs };
}

/** Return the milliseconds from the last byte of the thread's messages until their paint. */
async function paintedAfter(page: Page): Promise<number> {
  const [painted, arrived] = z.tuple([z.number(), z.number()]).parse(
    await page.evaluate(() => {
      const calls = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/thread'));
      const [first] = calls;
      return [
        Reflect.get(globalThis, 'painted'),
        first instanceof PerformanceResourceTiming ? first.responseEnd : null,
      ];
    }),
  );
  return painted - arrived;
}

const SCROLL_MS = 3000;
/** Pixels per second: about six screens, as an operator scrolls who searches for something. */
const SPEED = 4000;

/** Turn the wheel over the thread for three seconds. */
async function wheel(page: Page, direction: 'up' | 'down'): Promise<void> {
  const box = await page.getByRole('log', { name: 'Messages' }).boundingBox();
  if (!box) throw new Error('There is no thread');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const startedAt = performance.now();
  let turned = 0;
  for (let passed = 0; passed < SCROLL_MS; passed = performance.now() - startedAt) {
    const step = Math.round((passed * SPEED) / 1000) - turned;
    turned += step;
    if (step > 0) await page.mouse.wheel(0, direction === 'up' ? -step : step);
    await pause(8);
  }
}

const counted = z.object({ times: z.array(z.number()), blank: z.int() });

/** Count the page's frames while `work` runs. */
async function framesDuring(page: Page, work: () => Promise<unknown>): Promise<Frames> {
  await page.evaluate(() => {
    const state = { times: new Array<number>(), blank: 0, on: true };
    Object.assign(globalThis, { frames: state });
    const frame = document.querySelector('[role=log]');
    const box = frame?.getBoundingClientRect();
    const tick = (at: number): void => {
      if (!state.on) return;
      state.times.push(at);
      if (box && !document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.closest('[data-index]'))
        state.blank += 1;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await work();
  const { times, blank } = counted.parse(
    await page.evaluate(() => {
      const state: unknown = Reflect.get(globalThis, 'frames');
      return typeof state === 'object' && state ? Object.assign(state, { on: false }) : null;
    }),
  );
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  const whole = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return { perSecond: (gaps.length / whole) * 1000, longestMs: Math.max(...gaps), blank };
}

/** Return how many messages the page has loaded: the first page and the later ones. */
async function loadedMessages(page: Page): Promise<number> {
  const calls = await page.evaluate(
    () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/thread')).length,
  );
  return calls * 50;
}

/** Measure with all ten thousand messages loaded, by a link to the first one. */
async function measureWhole(console: Console, scrolls: number): Promise<Pick<ThreadResult, 'jumpMs' | 'descending'>> {
  const page = await newPage(console);
  const { rows } = await console.world.pool.query<{ id: string }>('select min(id) as id from messages');
  const startedAt = performance.now();
  await page.goto(addressOf(console, `&messageId=${rows[0]?.id}`));
  await page.getByRole('article').filter({ hasText: 'Message 1.' }).waitFor({ timeout: 120_000 });
  const jumpMs = performance.now() - startedAt;
  const descending: Frames[] = [];
  for (let scroll = 0; scroll < scrolls; scroll++) descending.push(await framesDuring(page, () => wheel(page, 'down')));
  await page.context().close();
  return { jumpMs, descending };
}
