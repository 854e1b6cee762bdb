/** Alerts in browsers: one notification for each wait in each of them, however many tabs are open. */
import type { BrowserContext, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { setOwner } from '../../conversations/contract.ts';
import { changeAlertSettings } from '../../desk/alertsContract.ts';
import { assignDialogue, markDone } from '../../desk/contract.ts';
import { shareBrowser, type TestBrowser } from '../../testing/browser.ts';
import type { Client } from '../../testing/client.ts';
import { ALERTS_ON, type PushBrowser, subscribePushBrowser } from '../../testing/pushBrowser.ts';
import { createWorld, type TestLead, type World } from '../../testing/world.ts';
import { expectPage } from './signIn.ts';

let world: World;
let chromium: TestBrowser;
let anna: Client;
let boris: Client;
let closedTab: PushBrowser;
beforeAll(async () => {
  world = await createWorld();
  chromium = await shareBrowser();
  anna = await world.operator('anna', [world.companyId]);
  boris = await world.operator('boris', [world.companyId]);
  closedTab = await subscribePushBrowser(world, await world.operator('carl', [world.companyId]));
  for (const client of [anna, boris]) await client.call(changeAlertSettings, { body: { ...ALERTS_ON, sound: true } });
});
afterEach(async () => {
  await chromium.closePages();
  expect(chromium.takeErrors()).toEqual([]);
});
afterAll(async () => {
  await chromium.close();
  await world.close();
});

/** How many notifications a page has shown itself, and whether it has played a sound. */
interface Own {
  ownAlerts: { displayed: number; played: number };
}

/** Pages that are not served, like a blank one, have neither. */
const COUNT_ALERTS = `
  window.ownAlerts = { displayed: 0, played: 0 };
  if ('ServiceWorkerRegistration' in window) {
    const { showNotification } = ServiceWorkerRegistration.prototype;
    ServiceWorkerRegistration.prototype.showNotification = function (...args) {
      window.ownAlerts.displayed += 1;
      return showNotification.apply(this, args);
    };
  }
  window.AudioContext = class extends AudioContext {
    constructor() {
      super();
      window.ownAlerts.played += 1;
    }
  };`;

/** Open a browser with an operator's session that may show notifications. */
async function openBrowser({ cookie }: Client): Promise<BrowserContext> {
  const context = await chromium.context();
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([
    { url: world.url, name, value },
    { url: world.url, name: 'rapport_company_id', value: String(world.companyId) },
    { url: world.url, name: 'rapport_product_id', value: String(world.productId) },
  ]);
  await context.grantPermissions(['notifications'], { origin: world.url });
  await context.addInitScript({ content: COUNT_ALERTS });
  return context;
}

async function openInbox(context: BrowserContext, dialogueId?: number): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${world.url}/?page=inbox${dialogueId === undefined ? '' : `&dialogueId=${dialogueId}`}`);
  await expectPage(page.getByRole('navigation', { name: 'Menu' })).toBeVisible();
  await page.waitForLoadState('networkidle').catch(() => undefined);
  return page;
}

/** The notifications that a browser shows now. */
const shownIn = (page: Page): Promise<{ title: string; body: string; tag: string }[]> =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/');
    return ((await registration?.getNotifications()) ?? []).map(({ title, body, tag }) => ({ title, body, tag }));
  });

const ownOf = (page: Page): Promise<Own['ownAlerts']> => page.evaluate(() => (window as unknown as Own).ownAlerts);

/** A lead in whose dialogue people answer, and who has not written. */
async function humanLead(name: string): Promise<TestLead> {
  const lead = await world.lead(name);
  const params = { id: await lead.dialogueId() };
  await boris.call(setOwner, { params, body: { owner: 'human' } });
  await boris.call(assignDialogue, { params, body: { operator_id: null } });
  return lead;
}

async function waitingLead(name: string): Promise<TestLead> {
  const lead = await humanLead(name);
  await lead.writes('How long does delivery take?');
  return lead;
}

it('alerts two browsers and a closed tab once each, and withdraws it when somebody answers', async () => {
  const first = await openBrowser(anna);
  const tabs = [await openInbox(first), await openInbox(first)];
  const other = await openInbox(await openBrowser(boris));
  const [page, secondTab] = tabs as [Page, Page];
  const lead = await waitingLead('Wanda Waits');
  await world.waitUntil(async () => (await shownIn(page)).length === 1, 'Anna is notified');
  await world.waitUntil(async () => (await shownIn(other)).length === 1, 'Boris is notified');
  await world.waitUntil(async () => (await closedTab.notifications()).open.length === 1, 'the closed tab is notified');
  expect(await shownIn(page)).toEqual([
    { title: 'Wanda Waits', body: 'Waiting for a reply', tag: (await closedTab.notifications()).open[0] },
  ]);
  for (const tab of [...tabs, other]) {
    await expectPage(tab).toHaveTitle(/^\(1\) /);
    await expectPage(tab.getByRole('link', { name: /^Inbox/ })).toContainText('1');
    await expectPage(tab.locator('link[rel="icon"]')).toHaveAttribute('href', /attention/);
  }
  await boris.call(markDone, { params: { id: await lead.dialogueId() } });
  for (const tab of [page, other]) await world.waitUntil(async () => (await shownIn(tab)).length === 0, 'withdrawn');
  await world.waitUntil(async () => (await closedTab.notifications()).open.length === 0, 'the push is withdrawn');
  for (const tab of [...tabs, other]) await expectPage(tab).toHaveTitle(/^(?!\()/);
  // One tab of a browser shows and plays it.
  const both = [await ownOf(page), await ownOf(secondTab)];
  expect(both.toSorted((one, another) => one.displayed - another.displayed)).toEqual([
    { displayed: 0, played: 0 },
    { displayed: 1, played: 1 },
  ]);
  expect((await ownOf(other)).displayed).toBe(1);
  expect((await closedTab.notifications()).displayed).toHaveLength(1);
});

it('shows and plays nothing in quiet hours, and counts all the same', async () => {
  const at = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);
  const quiet = { from: at(-60), to: at(60), timezone: 'UTC' };
  await anna.call(changeAlertSettings, { body: { ...ALERTS_ON, sound: true, quiet_hours: quiet } });
  const page = await openInbox(await openBrowser(anna));
  const other = await openInbox(await openBrowser(boris));
  const lead = await waitingLead('Nora Night');
  await world.waitUntil(async () => (await shownIn(other)).length === 1, 'Boris is notified');
  await expectPage(page).toHaveTitle(/^\(1\) /);
  expect([await shownIn(page), await ownOf(page)]).toEqual([[], { displayed: 0, played: 0 }]);
  await boris.call(markDone, { params: { id: await lead.dialogueId() } });
  await anna.call(changeAlertSettings, { body: ALERTS_ON });
});

it('shows nothing to an operator who is at work in the very dialogue, in none of their tabs', async () => {
  const lead = await humanLead('Rita Read');
  const browser = await openBrowser(anna);
  const background = await openInbox(browser);
  const page = await openInbox(browser, await lead.dialogueId());
  const other = await openInbox(await openBrowser(boris));
  await page.bringToFront();
  await page.getByRole('textbox', { name: 'Message', exact: true }).click();
  await lead.writes('How long does delivery take?');
  await world.waitUntil(async () => (await shownIn(other)).length === 1, 'Boris is notified');
  for (const tab of [page, background]) await expectPage(tab).toHaveTitle(/^\(1\) /);
  expect([await ownOf(page), await ownOf(background)]).toEqual([
    { displayed: 0, played: 0 },
    { displayed: 0, played: 0 },
  ]);
  await boris.call(markDone, { params: { id: await lead.dialogueId() } });
});

it('has the service worker show and withdraw what is pushed while no console is open', async () => {
  const context = await openBrowser(anna);
  const page = await openInbox(context);
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/service-worker.js');
    // A push to a worker that is not active yet would be dropped.
    await navigator.serviceWorker.ready;
  });
  const devtools = await context.newCDPSession(page);
  const found = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations;
      if (registration) resolve(registration.registrationId);
    });
  });
  await devtools.send('ServiceWorker.enable');
  const registrationId = await found;
  const push = (message: object) =>
    devtools.send('ServiceWorker.deliverPushMessage', {
      origin: world.url,
      registrationId,
      data: JSON.stringify(message),
    });
  const message = {
    type: 'show',
    tag: 'alert-900',
    title: 'Paula Push',
    body: 'Asked for a person',
    url: '/?page=inbox',
  };
  // The visible tab shows alerts itself.
  await push(message);
  await push({ ...message, tag: 'alert-test', title: 'Test' });
  await world.waitUntil(async () => (await shownIn(page)).length === 1, 'the test is shown');
  expect((await shownIn(page)).map(({ tag }) => tag)).toEqual(['alert-test']);
  await push({ type: 'withdraw', tag: 'alert-test' });
  await page.goto(`${world.url}/service-worker.js`);
  await push(message);
  await push(message);
  await world.waitUntil(async () => (await shownIn(page)).length === 1, 'it is shown');
  expect(await shownIn(page)).toEqual([{ title: 'Paula Push', body: 'Asked for a person', tag: 'alert-900' }]);
  await push({ type: 'withdraw', tag: 'alert-900' });
  await world.waitUntil(async () => (await shownIn(page)).length === 0, 'it is withdrawn');
});
