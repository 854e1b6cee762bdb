/** The playground's life: prompts tried, models compared, and a server that goes in mid-answer. */
import type { Page } from '@playwright/test';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask } from './ask.ts';
import { findings } from './findings.ts';
import { enter, openConsole, see } from './signIn.ts';
import { chromium, product, setStage } from './stage.ts';

// A socket that cannot be opened is told by the browser too; the page tells of it in its own words.
setStage({ mayComplain: (fault) => /WebSocket/.test(fault) });

const STALL = '/sandbox/faults/openai.stall_middle';
const GIVEN_UP = 'Failed to reconnect to chat server after 3 attempts';
const lane = (page: Page, name = 'gpt-4o-mini') => page.getByRole('region', { name });
const message = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const send = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Send' });
const option = (page: Page, name: string) => page.getByRole('option', { name, exact: true }).click();

async function say(page: Page, text: string): Promise<void> {
  await message(page).fill(text);
  await page.keyboard.press('Enter');
}

/** What became of each of the page's chat sockets: when it was made and closed, in the page's milliseconds. */
interface Attempt {
  made: number;
  closed: number | null;
  code: number | null;
}

/** Watches the chat sockets of pages to come; what a test wants broken it breaks through the same class. */
async function watchSockets(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const attempts: Attempt[] = [];
    const broken = { connect: false, send: false, state: false };
    const now = performance.now.bind(performance);
    Object.assign(window, { attempts, broken });
    const Real = window.WebSocket;
    window.WebSocket = class extends Real {
      // The assistant has a socket of its own, and the live stream another.
      readonly chat: boolean;
      constructor(url: string | URL) {
        const chat = String(url).includes('/ws/chat/simple');
        super(chat && broken.connect ? String(url).replace('/v1/', '/nowhere/') : url);
        this.chat = chat;
        if (!chat) return;
        const attempt: Attempt = { made: now(), closed: null, code: null };
        attempts.push(attempt);
        this.addEventListener('close', ({ code }) => Object.assign(attempt, { closed: now(), code }));
      }
      override send(data: string) {
        if (this.chat && broken.send) throw new Error('broken');
        super.send(data);
      }
      override get readyState() {
        return this.chat && broken.state ? Real.CLOSING : super.readyState;
      }
    };
  });
}
const attempts = (page: Page) =>
  page.evaluate(() => (window as unknown as { attempts: Attempt[] }).attempts.map((one) => ({ ...one })));
const breakSockets = (page: Page, what: object) =>
  page.evaluate((more) => void Object.assign((window as unknown as { broken: object }).broken, more), what);

it('a prompt tried unsaved, two vendors side by side', async () => {
  const page = await openConsole(await chromium.context(), product.url, '/');
  await see(page.getByRole('heading', { name: 'Chatbot Playground', level: 1 })).toBeVisible();
  const first = lane(page);
  await see(first.getByText('Connected')).toBeVisible();
  await see(send(page)).toBeDisabled();
  await message(page).fill('   ');
  await see(send(page)).toBeDisabled();
  const editor = page.getByRole('textbox', { name: 'Text of the prompt' });
  await see(editor).toContainText('You are Vera');
  await see(page.getByRole('button', { name: 'Save' })).toBeDisabled();
  await editor.fill('You sell boats to {{ lead.name }}.\n# Facts\n- A boat costs 9,000 euros.');
  await see(page.getByText('Unsaved', { exact: true })).toBeVisible();
  await say(page, 'How much is it?');
  const thread = first.getByRole('log', { name: 'Conversation' });
  await see(thread.getByRole('article').last()).toContainText('A boat costs 9,000 euros.');
  await see(thread.getByRole('article').last()).toContainText(/\d+ in, \d+ out · \$0\.\d+ · \d+ ms/);
  expect(await findings(page, 'chatbot')).toEqual([]);

  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('combobox', { name: 'Vendor' }).nth(1).click();
  await option(page, 'Anthropic');
  await see(page.getByRole('combobox', { name: 'Model' }).nth(1)).toHaveValue('');
  await message(page).fill('And what does it cost, please?');
  await see(send(page)).toBeDisabled();
  await page.getByRole('combobox', { name: 'Model' }).nth(1).click();
  await option(page, 'claude-sonnet-5-5');
  const second = lane(page, 'claude-sonnet-5-5');
  await see(second.getByText('Connected')).toBeVisible();
  await send(page).click();
  for (const one of [first, second]) {
    await see(one.getByRole('article').last()).toContainText('9,000 euros');
    await see(one.getByRole('article').last()).toContainText('ms');
  }
  await page.getByRole('button', { name: 'Remove this model' }).last().click();
  await see(second).toHaveCount(0);
  await page.getByRole('main').getByRole('button', { name: 'Clear' }).click();
  await see(first.getByRole('article')).toHaveCount(0);
  await see(first.getByText('Connected')).toBeVisible();
}, 60_000);

describe('a server that goes in the middle of an answer', () => {
  let page: Page;
  beforeEach(async () => {
    const context = await chromium.context();
    await enter(context, product.url);
    page = await context.newPage();
    await watchSockets(page);
  });

  afterEach(async () => {
    // A test that ended early must not take the others with it.
    const isThere = await fetch(`${product.url}/healthz`).catch(() => null);
    if (!isThere) await product.start();
  });

  /** Opens the playground and asks; the answer has begun and does not go on. */
  async function askAndWait(): Promise<void> {
    const context = page.context();
    await page.goto(`${product.url}/?page=chatbot`);
    await see(lane(page).getByText('Connected')).toBeVisible();
    await ask(context, product.url, 'PUT', STALL, { on: true });
    await say(page, 'How much is a kitchen, and how long does it take?');
    await see(lane(page).getByRole('article')).toHaveCount(2);
    await see(lane(page).getByRole('article').last()).toHaveText(/\w{2}/);
    await see(page.getByRole('button', { name: 'Stop' })).toBeVisible();
    await ask(context, product.url, 'PUT', STALL, { on: false });
  }

  it('and stays away: three attempts, a second apart, then the error; Retry Connection begins anew', async () => {
    await askAndWait();
    await product.kill();
    const only = lane(page);
    await see(only.getByText('Disconnected')).toBeVisible();
    await message(page).fill('Are you there?');
    await see(send(page)).toBeDisabled();
    await see(only.getByRole('alert')).toContainText(GIVEN_UP);
    const [first, ...again] = await attempts(page);
    expect(again).toHaveLength(3);
    // Each a second after the one before was lost, none later than the machine's own delay.
    let lost = first?.closed ?? Number.NaN;
    for (const one of again) {
      expect(one.made - lost).toBeGreaterThan(980);
      expect(one.made - lost).toBeLessThan(5000);
      lost = one.closed ?? Number.NaN;
    }
    // What was said stays to be read.
    await see(only.getByRole('article')).toHaveCount(2);
    expect(await findings(page, 'chatbot disconnected')).toEqual([]);
    await only.getByRole('button', { name: 'Dismiss' }).click();
    await see(only.getByRole('alert')).toHaveCount(0);
    await product.start();
    await only.getByRole('button', { name: 'Retry Connection' }).click();
    await see(only.getByText('Connected')).toBeVisible();
    await see(only.getByRole('article')).toHaveCount(0);
    await see(only.getByRole('alert')).toHaveCount(0);
    await page.keyboard.press('Escape');
    await send(page).click();
    await see(only.getByRole('article').last()).toContainText(/\d ms$/);
  }, 60_000);

  it('and is back before the third attempt: the chat is cleared and goes on', async () => {
    // The page's clock moves only when told to: the server takes as long as it takes.
    await page.clock.install();
    await askAndWait();
    await page.clock.pauseAt(new Date(Date.now() + 60_000));
    await product.kill();
    const only = lane(page);
    await see(only.getByText('Disconnected')).toBeVisible();
    const lostAfter = async (count: number) => {
      await page.clock.runFor(1000);
      await see.poll(async () => (await attempts(page)).filter((one) => one.closed !== null).length).toBe(count);
    };
    await lostAfter(2);
    await lostAfter(3);
    await see(only.getByRole('alert')).toHaveCount(0);
    await product.start();
    await page.clock.runFor(999);
    expect(await attempts(page)).toHaveLength(3);
    await page.clock.runFor(1);
    await see(only.getByText('Connected')).toBeVisible();
    expect(await attempts(page)).toHaveLength(4);
    await see(only.getByRole('article')).toHaveCount(0);
    await page.clock.resume();
    await say(page, 'How much is a kitchen?');
    await see(only.getByRole('article').last()).toContainText(/\d ms$/);
  }, 60_000);
});

it('a normal close is not followed by any attempt', async () => {
  const context = await chromium.context();
  await enter(context, product.url);
  const page = await context.newPage();
  await page.clock.install();
  let opened = 0;
  let close = async () => {};
  await page.routeWebSocket(/ws\/chat\/simple/, (socket) => {
    opened += 1;
    close = () => socket.close({ code: 1000 });
  });
  await page.goto(`${product.url}/?page=chatbot`);
  const only = lane(page);
  await see(only.getByText('Connected')).toBeVisible();
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  await close();
  await see(only.getByText('Disconnected')).toBeVisible();
  await message(page).fill('Hello');
  await see(send(page)).toBeDisabled();
  await page.clock.runFor(10_000);
  await see(only.getByText('Disconnected')).toBeVisible();
  await see(only.getByRole('alert')).toHaveCount(0);
  expect(opened).toBe(1);
  await only.getByRole('button', { name: 'Retry Connection' }).click();
  await see(only.getByText('Connected')).toBeVisible();
  expect(opened).toBe(2);
});

it('every error of the chat is told in its words, with the ways out', async () => {
  const context = await chromium.context();
  await enter(context, product.url);
  const page = await context.newPage();
  await watchSockets(page);
  await page.clock.install();
  await page.goto(`${product.url}/?page=chatbot`);
  const only = lane(page);
  const panel = only.getByRole('alert');
  await see(only.getByText('Connected')).toBeVisible();

  await breakSockets(page, { send: true });
  await say(page, 'Hello');
  await see(panel).toContainText('Failed to send message');
  await see(only.getByRole('article')).toHaveCount(0);
  await see(message(page)).toHaveValue('Hello');
  await breakSockets(page, { send: false, state: true });
  await send(page).click();
  await see(panel).toContainText('WebSocket not connected');
  await breakSockets(page, { state: false });
  await panel.getByRole('button', { name: 'Dismiss' }).click();
  await see(panel).toHaveCount(0);
  await send(page).click();
  await see(only.getByRole('article').last()).toContainText(/\d ms$/);

  await breakSockets(page, { connect: true });
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await see(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  await page.getByRole('link', { name: 'Chatbot Playground' }).click();
  await see(panel).toContainText('Failed to connect');
  await see(panel.getByRole('button', { name: 'Retry Connection' })).toBeVisible();
  for (const more of [2, 3, 4]) {
    await see.poll(async () => (await attempts(page)).filter((one) => one.closed !== null).length).toBe(more);
    await page.clock.runFor(1000);
  }
  await see(panel).toContainText(GIVEN_UP);
  await page.clock.resume();
  await panel.getByRole('button', { name: 'Reload Page' }).click();
  await see(only.getByText('Connected')).toBeVisible();
  await see(panel).toHaveCount(0);
}, 60_000);

it('an answer that cannot be read is told, and does not keep the next one waiting', async () => {
  const context = await chromium.context();
  await enter(context, product.url);
  const page = await context.newPage();
  const words = ['this is no JSON', '{"content": 5}'];
  await page.routeWebSocket(/ws\/chat\/simple/, (socket) => {
    socket.onMessage(() => socket.send(words.shift() ?? '{"content":"Hello","is_error":false,"is_finished":true}'));
  });
  await page.goto(`${product.url}/?page=chatbot`);
  const only = lane(page);
  await see(only.getByText('Connected')).toBeVisible();
  for (const _unreadable of ['text', 'a number']) {
    await say(page, 'Hello?');
    await see(only.getByRole('alert')).toContainText('Failed to parse server response');
    await only.getByRole('button', { name: 'Dismiss' }).click();
  }
  await say(page, 'Hello?');
  await see(only.getByRole('article').last()).toContainText('Hello');
  await see(only.getByRole('alert')).toHaveCount(0);
});
