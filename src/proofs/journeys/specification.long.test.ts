/** Details of the specification that no other journey covers. */
import type { Locator, Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { holdCalls, press } from './actions.ts';
import { create, createLead, demoProduct } from './calls.ts';
import { chromium, setUpJourney } from './journeySetup.ts';
import { button, field, panel } from './locators.ts';
import { expectPage } from './signIn.ts';
import { breakableSockets } from './sockets.ts';
import { goTo, openPage, startOperator } from './start.ts';

// The browser also reports calls that fail on purpose.
setUpJourney({ allowError: (fault) => /Failed to load resource|WebSocket|net::ERR/.test(fault) });

/** Return the panel beside the page, opened if it was closed. */
async function openAssistant(page: Page) {
  await expectPage(page.getByRole('navigation', { name: 'Menu' })).toBeVisible();
  if (!(await panel(page).isVisible())) await page.keyboard.press(']');
  await expectPage(panel(page)).toBeVisible();
  return panel(page);
}

it('shows that the session is being checked, and that it redirects when there is none', async () => {
  const context = await chromium.context();
  const page = await context.newPage();
  const answer = await holdCalls(page, '**/v1/auth/validate');
  await goTo(page, 'dashboard');
  await expectPage(page.getByText('Checking authentication...')).toBeVisible();
  // The login page, a document of its own, replaces the notice at once, so it is recorded as it is painted.
  await page.evaluate(() => {
    const seen: string[] = [];
    new MutationObserver(() => {
      seen.push(document.body.textContent ?? '');
      sessionStorage.setItem('seen', seen.join('\n'));
    }).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  });
  answer.release();
  await expectPage(page).toHaveURL(/\/auth\/login/);
  expect(await page.evaluate(() => sessionStorage.getItem('seen'))).toContain('Redirecting to login');
});

it('goes back to where the parameters say', async () => {
  const { context } = await startOperator();
  const { productId } = await demoProduct(context);
  const { leadId, contactId, dialogueId, name } = await createLead(context, 'Berta Rueckweg');
  const prepared = { product_id: productId, name: 'Way back', type: 'ping', message: 'Are you there?' };
  const messageId = await create(context, '/v1/prepared-messages/', prepared);
  const lead = `leadId=${leadId}&leadName=${name}`;
  const ofLead = new RegExp(`page=lead-detail.*leadId=${leadId}`);
  const contactsOfLead = new RegExp(`page=crm-lead-contacts.*leadId=${leadId}`);
  const ways: readonly [address: string, page: RegExp][] = [
    [`prepared-message-detail&messageId=${messageId}&messageName=Way+back`, /page=prepared-messages/],
    [`prepared-message-detail&messageId=${messageId}&messageName=Way+back&source=settings-ping`, /page=settings-ping/],
    [`crm-lead-contacts&${lead}`, ofLead],
    [`crm-lead-events&${lead}`, ofLead],
    [`crm-contact-dialogues&contactId=${contactId}&contactName=x&${lead}`, contactsOfLead],
    [`dialogue-chat&dialogueId=${dialogueId}&dialogueName=x`, /page=crm-dialogues/],
    [`send-message&contactId=${contactId}&contactName=x`, contactsOfLead],
  ];
  for (const [address, expected] of ways) {
    // A new tab has no previous page of its own.
    const tab = await context.newPage();
    await goTo(tab, address);
    await press(tab, 'Back');
    await expectPage(tab, address).toHaveURL(expected);
    await tab.close();
  }
});

it('gives the assistant’s panel 30 % of the width, and keeps it between 25 % and 50 %', async () => {
  const { page } = await openPage('dashboard', { width: 1600, height: 900 });
  const assistant = await openAssistant(page);
  const widthOf = (one: Locator) => one.evaluate((element) => element.getBoundingClientRect().width);
  const share = async () => {
    const aside = await widthOf(assistant);
    return Math.round((100 * aside) / ((await widthOf(page.getByRole('main'))) + aside));
  };
  await expectPage.poll(share).toBe(30);
  await page.getByRole('separator', { name: 'Width of the assistant panel' }).focus();
  await page.keyboard.press('Home');
  await expectPage.poll(share).toBe(50);
  await page.keyboard.press('End');
  await expectPage.poll(share).toBe(25);
  await expectPage(assistant.getByText('Connected')).toBeVisible();
  await expectPage(button(assistant, 'Clear')).toBeVisible();
});

it('says that a list loads, and that nothing was found', async () => {
  const { page } = await startOperator();
  const answer = await holdCalls(page, /\/v1\/leads\/\?/);
  await goTo(page, 'crm-leads&search=nobody-is-called-this');
  await expectPage(page.getByText('Loading leads...')).toBeVisible();
  answer.release();
  await expectPage(page.getByText('No leads found')).toBeVisible();
});

it('offers page sizes 10, 25, 50 and 100, and asks for fifty links of channels and a hundred active integrations', async () => {
  const { page } = await openPage('crm-leads');
  await page.getByRole('combobox', { name: 'Rows per page' }).click();
  await expectPage(page.getByRole('option')).toHaveText(['10 rows', '25 rows', '50 rows', '100 rows']);
  const queryOf = async (key: string, calls: RegExp) => {
    const [request] = await Promise.all([page.waitForRequest(calls), goTo(page, key)]);
    return Object.fromEntries(new URL(request.url()).searchParams);
  };
  expect(await queryOf('settings-channel', /\/v1\/product-channels\/\?/)).toMatchObject({ limit: '50' });
  const integrations = { is_active: 'true', limit: '100', company_id: expect.any(String) };
  expect(await queryOf('settings-integration', /crm-integrations\/\?.*is_active/)).toMatchObject(integrations);
});

it('only logs what the settings pages cannot load', async () => {
  const { context } = await startOperator();
  const pages: readonly [key: string, failing: RegExp][] = [
    ['settings-product', /\/v1\/llm\/settings/],
    ['settings-channel', /\/v1\/channels\//],
    ['settings-integration', /\/v1\/crm-integrations\//],
    ['settings-schedule', /\/v1\/schedules\//],
    ['settings-ping', /\/v1\/ping-configs\//],
  ];
  for (const [key, failing] of pages) {
    const page = await context.newPage();
    const logged: string[] = [];
    page.on('console', (line) => logged.push(line.text()));
    await page.route(failing, (route) => route.fulfill({ status: 500, body: '{}' }));
    await goTo(page, key);
    await expectPage
      .poll(() => logged.filter((line) => !line.startsWith('Failed to load resource')), { message: key })
      .not.toEqual([]);
    await expectPage(page.locator('.mantine-Notification-root'), key).toHaveCount(0);
    await page.close();
  }
});

it('names the assistant’s errors in the words of the specification', async () => {
  const { page } = await startOperator();
  const breakSockets = await breakableSockets(page, '/ws/master_chat', { connect: true });
  await goTo(page, 'dashboard');
  const assistant = await openAssistant(page);
  await expectPage(assistant.getByText('Failed to connect to Master LLM')).toBeVisible();
  await expectPage(assistant.getByText('Failed to reconnect to chat server after 3 attempts')).toBeVisible();
  await expectPage(assistant.getByText('Master LLM Error')).toBeVisible();
  await breakSockets({ connect: false, send: true });
  await press(assistant, 'Retry Connection');
  await expectPage(assistant.getByText('Connected')).toBeVisible();
  await field(assistant, 'Message to the assistant').fill('Hello');
  await page.keyboard.press('Enter');
  await expectPage(assistant.getByText('Failed to send message to Master LLM')).toBeVisible();
});

it('carries out a confirmed call of a server that knows the frames of the specification alone', async () => {
  const { page } = await startOperator();
  const received: Record<string, unknown>[] = [];
  await page.routeWebSocket(/master_chat/, (socket) => {
    const say = (content: object) => socket.send(JSON.stringify({ content, is_finished: true, is_error: false }));
    const args = { tg_daily_limit: 12 };
    const calls = [{ name: 'set_limits', arguments: args, call_id: 'call_1', index: 0 }];
    socket.onMessage((frame) => {
      const parsed = JSON.parse(String(frame)) as Record<string, unknown>;
      received.push(parsed);
      if ('content' in parsed) say({ message: 'I will', message_type: 'full', tool_calls: calls });
      if ('tool_call' in parsed) say({ message: 'It is set', message_type: 'full' });
    });
  });
  await goTo(page, 'settings-product&tab=outreach');
  const assistant = await openAssistant(page);
  await field(assistant, 'Message to the assistant').fill('Set the limit');
  await page.keyboard.press('Enter');
  await press(assistant, 'Confirm');
  await expectPage(assistant.getByText('It is set')).toBeVisible();
  await expectPage(field(page, 'Telegram daily limit')).toHaveValue('12');
  expect(received.map((frame) => Object.keys(frame)[0])).toEqual(['content', 'tool_call']);
  expect(received[1]).toMatchObject({ tool_call: { call_id: 'call_1' } });
});
