/** Details of the specification that no other journey covers. */
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { create, createLead, demoProduct, goTo, holdCalls, openPage, startOperator } from './actions.ts';
import { chromium, setUpJourney } from './journeySetup.ts';
import { expectPage } from './signIn.ts';

// The browser also reports calls that fail on purpose.
setUpJourney({ allowError: (fault) => /Failed to load resource|WebSocket|net::ERR/.test(fault) });

const back = (page: Page) => page.getByRole('button', { name: 'Back', exact: true }).click();

/** Return the panel beside the page, opened if it was closed. */
async function assistant(page: Page) {
  const panel = page.getByRole('complementary', { name: 'Assistant panel' });
  await expectPage(page.getByRole('navigation', { name: 'Menu' })).toBeVisible();
  if (!(await panel.isVisible())) await page.keyboard.press(']');
  await expectPage(panel).toBeVisible();
  return panel;
}

it('shows that the session is being checked, and that it redirects when there is none', async () => {
  const context = await chromium.context();
  const page = await context.newPage();
  const answer = await holdCalls(page, '**/v1/auth/validate');
  await goTo(page, 'dashboard');
  await expectPage(page.getByText('Checking authentication...')).toBeVisible();
  // The login page replaces the notice at once, so it is recorded as it is painted.
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => seen.push(document.body.textContent ?? '')).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  });
  answer.release();
  await expectPage(page).toHaveURL(/\/auth\/login/);
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  expect(seen.join('\n')).toContain('Redirecting to login');
});

it('goes back to where the parameters say', async () => {
  const { context } = await startOperator();
  const { productId } = await demoProduct(context);
  const { leadId, contactId, dialogueId, name } = await createLead(context, 'Berta Rueckweg');
  const messageId = await create(context, '/v1/prepared-messages/', {
    product_id: productId,
    name: 'Way back',
    type: 'ping',
    message: 'Are you there?',
  });
  const lead = `leadId=${leadId}&leadName=${name}`;
  const ways: readonly [address: string, page: RegExp][] = [
    [`prepared-message-detail&messageId=${messageId}&messageName=Way+back`, /page=prepared-messages/],
    [`prepared-message-detail&messageId=${messageId}&messageName=Way+back&source=settings-ping`, /page=settings-ping/],
    [`crm-lead-contacts&${lead}`, new RegExp(`page=lead-detail.*leadId=${leadId}`)],
    [`crm-lead-events&${lead}`, new RegExp(`page=lead-detail.*leadId=${leadId}`)],
    [
      `crm-contact-dialogues&contactId=${contactId}&contactName=x&${lead}`,
      new RegExp(`page=crm-lead-contacts.*leadId=${leadId}`),
    ],
    [`dialogue-chat&dialogueId=${dialogueId}&dialogueName=x`, /page=crm-dialogues/],
    [`send-message&contactId=${contactId}&contactName=x`, new RegExp(`page=crm-lead-contacts.*leadId=${leadId}`)],
  ];
  for (const [address, expected] of ways) {
    // A new tab has no previous page of its own.
    const tab = await context.newPage();
    await goTo(tab, address);
    await back(tab);
    await expectPage(tab, address).toHaveURL(expected);
    await tab.close();
  }
});

it('gives the assistant’s panel 30 % of the width, and keeps it between 25 % and 50 %', async () => {
  const { page } = await openPage('dashboard', { width: 1600, height: 900 });
  const panel = await assistant(page);
  const share = async () => {
    const [main, aside] = await Promise.all(
      [page.getByRole('main'), panel].map((one) => one.evaluate((element) => element.getBoundingClientRect().width)),
    );
    return Math.round((100 * (aside ?? 0)) / ((main ?? 0) + (aside ?? 0)));
  };
  await expectPage.poll(share).toBe(30);
  const separator = page.getByRole('separator', { name: 'Width of the assistant panel' });
  await separator.focus();
  for (const [key, expected] of [
    ['Home', 50],
    ['End', 25],
  ] as const) {
    await page.keyboard.press(key);
    await expectPage.poll(share, { message: key }).toBe(expected);
  }
  await expectPage(panel.getByText('Connected')).toBeVisible();
  await expectPage(panel.getByRole('button', { name: 'Clear' })).toBeVisible();
});

it('says that a list loads, and that nothing was found', async () => {
  const { page } = await startOperator();
  const answer = await holdCalls(page, /\/v1\/leads\/\?/);
  await goTo(page, 'crm-leads&search=nobody-is-called-this');
  await expectPage(page.getByText('Loading leads...')).toBeVisible();
  answer.release();
  await expectPage(page.getByText('No leads found')).toBeVisible();
});

it('offers page sizes 10, 25, 50 and 100, and fifty links of channels', async () => {
  const { page } = await openPage('crm-leads');
  await page.getByRole('combobox', { name: 'Rows per page' }).click();
  await expectPage(page.getByRole('option')).toHaveText(['10 rows', '25 rows', '50 rows', '100 rows']);
  const [request] = await Promise.all([
    page.waitForRequest(/\/v1\/product-channels\/\?/),
    goTo(page, 'settings-channel'),
  ]);
  expect(new URL(request.url()).searchParams.get('limit')).toBe('50');
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

it('asks for the company’s active CRM integrations, a hundred at most', async () => {
  const { page } = await startOperator();
  const asked: URLSearchParams[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname === '/v1/crm-integrations/') asked.push(url.searchParams);
  });
  await goTo(page, 'settings-integration');
  await expectPage.poll(() => asked.find((query) => query.get('is_active') === 'true')?.get('limit')).toBe('100');
  expect(asked.every((query) => query.get('company_id') !== null)).toBe(true);
});

it('names the assistant’s errors in the words of the specification', async () => {
  const { page } = await startOperator();
  await page.addInitScript(() => {
    const Real = window.WebSocket;
    const broken = { connect: true, send: false };
    Object.assign(window, { broken });
    window.WebSocket = class extends Real {
      readonly isAssistant: boolean;
      constructor(url: string | URL) {
        const isAssistant = String(url).includes('/ws/master_chat');
        super(isAssistant && broken.connect ? String(url).replace('/v1/', '/nowhere/') : url);
        this.isAssistant = isAssistant;
      }
      override send(data: string) {
        if (this.isAssistant && broken.send) throw new Error('broken');
        super.send(data);
      }
    };
  });
  await goTo(page, 'dashboard');
  const panel = await assistant(page);
  await expectPage(panel.getByText('Failed to connect to Master LLM')).toBeVisible();
  const set = (what: object) =>
    page.evaluate((more) => void Object.assign((window as unknown as { broken: object }).broken, more), what);
  await expectPage(panel.getByText('Failed to reconnect to chat server after 3 attempts')).toBeVisible();
  await expectPage(panel.getByText('Master LLM Error')).toBeVisible();
  await set({ connect: false, send: true });
  await panel.getByRole('button', { name: 'Retry Connection' }).click();
  await expectPage(panel.getByText('Connected')).toBeVisible();
  await panel.getByRole('textbox', { name: 'Message to the assistant' }).fill('Hello');
  await page.keyboard.press('Enter');
  await expectPage(panel.getByText('Failed to send message to Master LLM')).toBeVisible();
});
