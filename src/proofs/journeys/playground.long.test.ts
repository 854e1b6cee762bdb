/** The playground: testing prompts, comparing models, and a server that stops in the middle of an answer. */
import type { Page } from '@playwright/test';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accessibilityViolations } from './accessibility.ts';
import { call, goTo, openPage, startOperator } from './actions.ts';
import { product, setUpJourney } from './journeySetup.ts';
import { expectPage } from './signIn.ts';

// The browser also reports a socket that cannot be opened; the page shows its own message.
setUpJourney({ allowError: (fault) => /WebSocket/.test(fault) });

const STALL = '/sandbox/faults/openai.stall_middle';
const RECONNECT_FAILED = 'Failed to reconnect to chat server after 3 attempts';
const modelColumn = (page: Page, name = 'gpt-4o-mini') => page.getByRole('region', { name });
const message = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const send = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Send' });
const option = (page: Page, name: string) => page.getByRole('option', { name, exact: true }).click();

async function say(page: Page, text: string): Promise<void> {
  await message(page).fill(text);
  await page.keyboard.press('Enter');
}

/** An attempt to open one of the page's chat sockets: when it was created and closed, in the page's milliseconds. */
interface Attempt {
  startedAt: number;
  closed: number | null;
  code: number | null;
}

/** Watch the chat sockets of later pages; a test breaks connections through the same class. */
async function watchSockets(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const attempts: Attempt[] = [];
    const broken = { connect: false, send: false, state: false };
    const now = performance.now.bind(performance);
    Object.assign(window, { attempts, broken });
    const Real = window.WebSocket;
    window.WebSocket = class extends Real {
      // The assistant and the live stream have sockets of their own.
      readonly chat: boolean;
      constructor(url: string | URL) {
        const chat = String(url).includes('/ws/chat/simple');
        super(chat && broken.connect ? String(url).replace('/v1/', '/nowhere/') : url);
        this.chat = chat;
        if (!chat) return;
        const attempt: Attempt = { startedAt: now(), closed: null, code: null };
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

it('tries an unsaved prompt, and compares two vendors', async () => {
  const { page } = await openPage('chatbot');
  await expectPage(page.getByRole('heading', { name: 'Chatbot Playground', level: 1 })).toBeVisible();
  const first = modelColumn(page);
  await expectPage(first.getByText('Connected')).toBeVisible();
  await expectPage(send(page)).toBeDisabled();
  await message(page).fill('   ');
  await expectPage(send(page)).toBeDisabled();
  const editor = page.getByRole('textbox', { name: 'Text of the prompt' });
  await expectPage(editor).toContainText('You are Vera');
  await expectPage(page.getByRole('button', { name: 'Save' })).toBeDisabled();
  await editor.fill('You sell boats to {{ lead.name }}.\n# Facts\n- A boat costs 9,000 euros.');
  await expectPage(page.getByText('Unsaved', { exact: true })).toBeVisible();
  await say(page, 'How much is it?');
  const thread = first.getByRole('log', { name: 'Conversation' });
  await expectPage(thread.getByRole('article').last()).toContainText('A boat costs 9,000 euros.');
  await expectPage(thread.getByRole('article').last()).toContainText(/\d+ in, \d+ out · \$0\.\d+ · \d+ ms/);
  expect(await accessibilityViolations(page, 'chatbot')).toEqual([]);

  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('combobox', { name: 'Vendor' }).nth(1).click();
  await option(page, 'Anthropic');
  await expectPage(page.getByRole('combobox', { name: 'Model' }).nth(1)).toHaveValue('');
  await message(page).fill('And what does it cost, please?');
  await expectPage(send(page)).toBeDisabled();
  await page.getByRole('combobox', { name: 'Model' }).nth(1).click();
  await option(page, 'claude-sonnet-5-5');
  const second = modelColumn(page, 'claude-sonnet-5-5');
  await expectPage(second.getByText('Connected')).toBeVisible();
  await send(page).click();
  for (const one of [first, second]) {
    await expectPage(one.getByRole('article').last()).toContainText('9,000 euros');
    await expectPage(one.getByRole('article').last()).toContainText('ms');
  }
  await page.getByRole('button', { name: 'Remove this model' }).last().click();
  await expectPage(second).toHaveCount(0);
  await page.getByRole('main').getByRole('button', { name: 'Clear' }).click();
  await expectPage(first.getByRole('article')).toHaveCount(0);
  await expectPage(first.getByText('Connected')).toBeVisible();
});

describe('a server that goes in the middle of an answer', () => {
  let page: Page;
  beforeEach(async () => {
    ({ page } = await startOperator());
    await watchSockets(page);
  });

  afterEach(async () => {
    // A test that ended early must not break the following ones.
    const isThere = await fetch(`${product.url}/healthz`).catch(() => null);
    if (!isThere) await product.start();
  });

  /** Open the playground and ask; the answer starts and then stalls. */
  async function askAndWait(): Promise<void> {
    const context = page.context();
    await goTo(page, 'chatbot');
    await expectPage(modelColumn(page).getByText('Connected')).toBeVisible();
    await call(context, 'PUT', STALL, { on: true });
    await say(page, 'How much is a kitchen, and how long does it take?');
    await expectPage(modelColumn(page).getByRole('article')).toHaveCount(2);
    await expectPage(modelColumn(page).getByRole('article').last()).toHaveText(/\w{2}/);
    await expectPage(page.getByRole('button', { name: 'Stop' })).toBeVisible();
    await call(context, 'PUT', STALL, { on: false });
  }

  it('and stays away: makes three attempts, a second apart, then shows the error and reconnects on request', async () => {
    await askAndWait();
    await product.kill();
    const only = modelColumn(page);
    await expectPage(only.getByText('Disconnected')).toBeVisible();
    await message(page).fill('Are you there?');
    await expectPage(send(page)).toBeDisabled();
    await expectPage(only.getByRole('alert')).toContainText(RECONNECT_FAILED);
    const [first, ...again] = await attempts(page);
    expect(again).toHaveLength(3);
    // Each attempt starts a second after the loss of the previous one, with only the machine's own delay.
    let lastClosedAt = first?.closed ?? Number.NaN;
    for (const one of again) {
      expect(one.startedAt - lastClosedAt).toBeGreaterThan(980);
      expect(one.startedAt - lastClosedAt).toBeLessThan(5000);
      lastClosedAt = one.closed ?? Number.NaN;
    }
    // Earlier messages remain readable.
    await expectPage(only.getByRole('article')).toHaveCount(2);
    expect(await accessibilityViolations(page, 'chatbot disconnected')).toEqual([]);
    await only.getByRole('button', { name: 'Dismiss' }).click();
    await expectPage(only.getByRole('alert')).toHaveCount(0);
    await product.start();
    await only.getByRole('button', { name: 'Retry Connection' }).click();
    await expectPage(only.getByText('Connected')).toBeVisible();
    await expectPage(only.getByRole('article')).toHaveCount(0);
    await expectPage(only.getByRole('alert')).toHaveCount(0);
    await page.keyboard.press('Escape');
    await send(page).click();
    await expectPage(only.getByRole('article').last()).toContainText(/\d ms$/);
  });

  it('and is back before the third attempt: clears the chat and continues', async () => {
    // The page's clock moves only when told to: the server takes as long as it takes.
    await page.clock.install();
    await askAndWait();
    await page.clock.pauseAt(new Date(Date.now() + 60_000));
    await product.kill();
    const only = modelColumn(page);
    await expectPage(only.getByText('Disconnected')).toBeVisible();
    const closedAfter = async (count: number) => {
      await page.clock.runFor(1000);
      await expectPage.poll(async () => (await attempts(page)).filter((one) => one.closed !== null).length).toBe(count);
    };
    await closedAfter(2);
    await closedAfter(3);
    await expectPage(only.getByRole('alert')).toHaveCount(0);
    await product.start();
    await page.clock.runFor(999);
    expect(await attempts(page)).toHaveLength(3);
    await page.clock.runFor(1);
    await expectPage(only.getByText('Connected')).toBeVisible();
    expect(await attempts(page)).toHaveLength(4);
    await expectPage(only.getByRole('article')).toHaveCount(0);
    await page.clock.resume();
    await say(page, 'How much is a kitchen?');
    await expectPage(only.getByRole('article').last()).toContainText(/\d ms$/);
  });
});

it('makes no attempt to reconnect after a normal close', async () => {
  const { page } = await startOperator();
  await page.clock.install();
  let opened = 0;
  let close = async () => {};
  await page.routeWebSocket(/ws\/chat\/simple/, (socket) => {
    opened += 1;
    close = () => socket.close({ code: 1000 });
  });
  await goTo(page, 'chatbot');
  const only = modelColumn(page);
  await expectPage(only.getByText('Connected')).toBeVisible();
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  await close();
  await expectPage(only.getByText('Disconnected')).toBeVisible();
  await message(page).fill('Hello');
  await expectPage(send(page)).toBeDisabled();
  await page.clock.runFor(10_000);
  await expectPage(only.getByText('Disconnected')).toBeVisible();
  await expectPage(only.getByRole('alert')).toHaveCount(0);
  expect(opened).toBe(1);
  await only.getByRole('button', { name: 'Retry Connection' }).click();
  await expectPage(only.getByText('Connected')).toBeVisible();
  expect(opened).toBe(2);
});

it('shows every error of the chat in its words, with a remedy', async () => {
  const { page } = await startOperator();
  await watchSockets(page);
  await page.clock.install();
  await goTo(page, 'chatbot');
  const only = modelColumn(page);
  const panel = only.getByRole('alert');
  await expectPage(only.getByText('Connected')).toBeVisible();

  await breakSockets(page, { send: true });
  await say(page, 'Hello');
  await expectPage(panel).toContainText('Failed to send message');
  await expectPage(only.getByRole('article')).toHaveCount(0);
  await expectPage(message(page)).toHaveValue('Hello');
  await breakSockets(page, { send: false, state: true });
  await send(page).click();
  await expectPage(panel).toContainText('WebSocket not connected');
  await breakSockets(page, { state: false });
  await panel.getByRole('button', { name: 'Dismiss' }).click();
  await expectPage(panel).toHaveCount(0);
  await send(page).click();
  await expectPage(only.getByRole('article').last()).toContainText(/\d ms$/);

  await breakSockets(page, { connect: true });
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await expectPage(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  await page.getByRole('link', { name: 'Chatbot Playground' }).click();
  await expectPage(panel).toContainText('Failed to connect');
  await expectPage(panel.getByRole('button', { name: 'Retry Connection' })).toBeVisible();
  for (const more of [2, 3, 4]) {
    await expectPage.poll(async () => (await attempts(page)).filter((one) => one.closed !== null).length).toBe(more);
    await page.clock.runFor(1000);
  }
  await expectPage(panel).toContainText(RECONNECT_FAILED);
  await page.clock.resume();
  await panel.getByRole('button', { name: 'Reload Page' }).click();
  await expectPage(only.getByText('Connected')).toBeVisible();
  await expectPage(panel).toHaveCount(0);
});

it('reports an answer that cannot be read, and shows the next one', async () => {
  const { page } = await startOperator();
  const words = ['this is no JSON', '{"content": 5}'];
  await page.routeWebSocket(/ws\/chat\/simple/, (socket) => {
    socket.onMessage(() => socket.send(words.shift() ?? '{"content":"Hello","is_error":false,"is_finished":true}'));
  });
  await goTo(page, 'chatbot');
  const only = modelColumn(page);
  await expectPage(only.getByText('Connected')).toBeVisible();
  for (const _unreadable of ['text', 'a number']) {
    await say(page, 'Hello?');
    await expectPage(only.getByRole('alert')).toContainText('Failed to parse server response');
    await only.getByRole('button', { name: 'Dismiss' }).click();
  }
  await say(page, 'Hello?');
  await expectPage(only.getByRole('article').last()).toContainText('Hello');
  await expectPage(only.getByRole('alert')).toHaveCount(0);
});
