/** The playground: testing prompts, comparing models, and connections that break. */
import type { Page, WebSocketRoute } from '@playwright/test';
import { expect, it } from 'vitest';
import { preparedMessages } from '../../prompts/contract.ts';
import { expectTexts, follow, pick, press } from './actions.ts';
import { create, demoProduct } from './calls.ts';
import { setUpJourney } from './journeySetup.ts';
import { dialogOf } from './locators.ts';
import { expectPage } from './signIn.ts';
import { breakableSockets } from './sockets.ts';
import { goTo, openPage, startOperator } from './start.ts';

// The browser also reports a socket that cannot be opened; the page shows its own message.
setUpJourney({ allowError: (fault) => /WebSocket/.test(fault) });

const RECONNECT_FAILED = 'Failed to reconnect to chat server after 3 attempts';
const modelColumn = (page: Page, name = 'gpt-4o-mini') => page.getByRole('region', { name });
const connected = (page: Page, name?: string) =>
  expectPage(modelColumn(page, name).getByText('Connected')).toBeVisible();
const message = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const send = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Send' });

async function say(page: Page, text: string): Promise<void> {
  await message(page).fill(text);
  await page.keyboard.press('Enter');
}

it('tries an unsaved prompt, and compares two vendors', async () => {
  const { page } = await openPage('chatbot');
  const first = modelColumn(page);
  await connected(page);
  await message(page).fill('   ');
  await expectPage(send(page)).toBeDisabled();
  const editor = page.getByRole('textbox', { name: 'Text of the prompt' });
  await expectPage(editor).toContainText('You are Vera');
  await expectPage(page.getByRole('button', { name: 'Save' })).toBeDisabled();
  await editor.fill('You sell boats to {{ lead.name }}.\n# Facts\n- A boat costs 9,000 euros.');
  await expectPage(page.getByText('Unsaved', { exact: true })).toBeVisible();
  await say(page, 'How much is it?');
  const answer = first.getByRole('article').last();
  await expectTexts(answer, 'A boat costs 9,000 euros.', /\d+ in, \d+ out · \$0\.\d+ · \d+ ms/);

  await press(page, 'Compare');
  const pickSecond = async (name: string, option: string) => {
    await page.getByRole('combobox', { name }).nth(1).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await pickSecond('Vendor', 'Anthropic');
  await expectPage(page.getByRole('combobox', { name: 'Model' }).nth(1)).toHaveValue('');
  await message(page).fill('And what does it cost, please?');
  await expectPage(send(page)).toBeDisabled();
  await pickSecond('Model', 'claude-sonnet-5-5');
  await connected(page, 'claude-sonnet-5-5');
  await send(page).click();
  for (const one of [first, modelColumn(page, 'claude-sonnet-5-5')])
    await expectTexts(one.getByRole('article').last(), '9,000 euros', 'ms');
  await page.getByRole('button', { name: 'Remove this model' }).last().click();
  await press(dialogOf(page, 'Clear'), 'Clear');
  await expectPage(modelColumn(page, 'claude-sonnet-5-5')).toHaveCount(0);
  await press(page.getByRole('main'), 'Clear');
  await press(dialogOf(page, 'Clear'), 'Clear');
  await expectPage(first.getByRole('article')).toHaveCount(0);
});

it('clears the chat after its connection was cut, gives up when it stays away, and reconnects on request', async () => {
  const { page } = await startOperator();
  const sockets: WebSocketRoute[] = [];
  let refusing = false;
  await page.routeWebSocket(/ws\/chat\/simple/, async (route) => {
    if (refusing) return route.close({ code: 1011 });
    route.connectToServer();
    sockets.push(route);
  });
  await goTo(page, 'chatbot');
  const only = modelColumn(page);
  const answered = async () => {
    await connected(page);
    await expectPage(only.getByRole('article')).toHaveCount(0);
    await say(page, 'How much is a kitchen?');
    await expectPage(only.getByRole('article').last()).toContainText(/\d ms$/);
  };
  await answered();
  await sockets.at(-1)?.close({ code: 1011 });
  await answered();

  refusing = true;
  await sockets.at(-1)?.close({ code: 1011 });
  await expectPage(only.getByText('Disconnected')).toBeVisible();
  await message(page).fill('Are you there?');
  await expectPage(send(page)).toBeDisabled();
  await expectPage(only.getByRole('alert')).toContainText(RECONNECT_FAILED);
  // Earlier messages remain readable.
  await expectPage(only.getByRole('article')).not.toHaveCount(0);
  await press(only, 'Dismiss');
  await expectPage(only.getByRole('alert')).toHaveCount(0);
  refusing = false;
  await press(only, 'Retry Connection');
  await answered();
});

it('shows every error of the chat in its words, with a remedy', async () => {
  const { page } = await startOperator();
  const breakSockets = await breakableSockets(page, '/ws/chat/simple');
  await goTo(page, 'chatbot');
  const only = modelColumn(page);
  const panel = only.getByRole('alert');
  await connected(page);

  await breakSockets({ send: true });
  await say(page, 'Hello');
  await expectPage(panel).toContainText('Failed to send message');
  await expectPage(only.getByRole('article')).toHaveCount(0);
  await expectPage(message(page)).toHaveValue('Hello');
  await breakSockets({ send: false, state: true });
  await send(page).click();
  await expectPage(panel).toContainText('WebSocket not connected');
  await breakSockets({ state: false });
  await press(panel, 'Dismiss');
  await send(page).click();
  await expectPage(only.getByRole('article').last()).toContainText(/\d ms$/);

  await breakSockets({ connect: true });
  await follow(page, 'Dashboard');
  await follow(page, 'Chatbot Playground');
  await expectPage(panel).toContainText('Failed to connect');
  await expectPage(panel.getByRole('button', { name: 'Retry Connection' })).toBeVisible();
  await expectPage(panel).toContainText(RECONNECT_FAILED);
  await press(panel, 'Reload Page');
  await connected(page);
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
  await connected(page);
  for (const _unreadable of ['text', 'a number']) {
    await say(page, 'Hello?');
    await expectPage(only.getByRole('alert')).toContainText('Failed to parse server response');
    await press(only, 'Dismiss');
  }
  await say(page, 'Hello?');
  await expectPage(only.getByRole('article').last()).toContainText('Hello');
  await expectPage(only.getByRole('alert')).toHaveCount(0);
});

it('begins the conversation with a prepared message', async () => {
  const { context, page } = await startOperator();
  const { productId: product_id } = await demoProduct(context);
  const text = 'Good day, {{ lead.name }}! A kitchen costs 7,777 euros until Friday.';
  const prepared = { product_id, name: 'Opening to try', type: 'initial', message: text };
  const id = await create(context, preparedMessages.list.path, prepared);
  const asked: string[] = [];
  await page.routeWebSocket(/ws\/chat\/simple/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((frame) => {
      asked.push(String(frame));
      server.send(frame);
    });
  });
  await goTo(page, 'chatbot');
  await connected(page);
  await pick(page, 'After this prepared message', 'Opening to try');
  await say(page, 'How much is it?');
  await expectPage(modelColumn(page).getByRole('article').last()).toContainText(/\d ms/);
  expect(asked.map((frame) => JSON.parse(frame).prepared_message_id)).toEqual([id]);
});
