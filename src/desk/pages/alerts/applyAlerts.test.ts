/** What the tabs of one browser do with alerts. Each tab is an instance of the modules; the browser is a stub. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AttentionAlert } from '../../../live/contract.ts';
import type { AlertSettings } from '../../alertsContract.ts';

const ME = 1;
const DIALOGUE = 70;
const HOUR_MS = 3_600_000;

/** What the browser has shown and not withdrawn, by tag; and how often it showed or played something. */
let visible: Set<string>;
let displayed: number;
let played: number;
/** When each alert was claimed, for all tabs. */
let claims: Map<number, number>;
let settings: AlertSettings;
/** What the server lists. */
let open: AttentionAlert[];

class FakeNotification {
  static readonly permission = 'granted';
  readonly #tag: string;
  constructor(_title: string, { tag }: { tag: string }) {
    this.#tag = tag;
    visible.add(tag);
    displayed += 1;
  }
  close(): void {
    visible.delete(this.#tag);
  }
}

class FakeAudio {
  readonly state = 'suspended';
  readonly resume = () => new Promise(() => {});
  constructor() {
    played += 1;
  }
}

type Request = Record<string, unknown> & { onsuccess?: () => void };

function succeed(request: Request, then = () => {}): Request {
  queueMicrotask(() => {
    request.onsuccess?.();
    then();
  });
  return request;
}

/** As much of IndexedDB as claims need. */
const fakeIndexedDb = {
  open: () =>
    succeed({
      result: {
        close() {},
        transaction() {
          const transaction: { oncomplete?: () => void; objectStore: () => object } = {
            objectStore: () => ({
              get: (id: number) => succeed({ result: claims.get(id) }, () => transaction.oncomplete?.()),
              put: (at: number, id: number) => claims.set(id, at),
              delete() {},
            }),
          };
          return transaction;
        },
      },
    }),
};

/** Which tab the operator looks at, and what it has open: `reads` the dialogue of the alert, or not. */
function look({ reads }: { reads: boolean }): void {
  const location = { search: reads ? `?page=inbox&dialogueId=${DIALOGUE}` : '?page=inbox' };
  vi.stubGlobal('window', { Notification: FakeNotification, location });
  vi.stubGlobal('document', { visibilityState: 'visible', hasFocus: () => reads });
}

const respond = (address: string): Response =>
  Response.json(address.includes('settings') ? { ...settings, push_key: null, is_subscribed: false } : { items: open });

beforeEach(() => {
  vi.useFakeTimers();
  [visible, displayed, played, claims, open] = [new Set(), 0, 0, new Map(), []];
  settings = { sound: true, notifications: true, message_text: false, quiet_hours: null };
  vi.stubGlobal('Notification', FakeNotification);
  vi.stubGlobal('AudioContext', FakeAudio);
  vi.stubGlobal('indexedDB', fakeIndexedDb);
  vi.stubGlobal('IDBKeyRange', { upperBound: () => null });
  vi.stubGlobal('fetch', async (address: string) => respond(address));
  look({ reads: false });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

async function openTab() {
  vi.resetModules();
  const tab = await import('./applyAlerts.ts');
  tab.startAlerts(ME);
  return { on: tab.onAlertEvent };
}

function alertOf(id: number, assignee_id: number | null = null): AttentionAlert {
  return {
    id,
    product_id: 1,
    assignee_id,
    dialogue_id: DIALOGUE,
    lead_name: 'Wanda',
    attention: 'waiting_for_human',
    last_message: 'Hello?',
    notice: null,
  };
}

const started = (id: number, assignee?: number) => ({ type: 'alert', alert: alertOf(id, assignee) });
/** Until the slowest tab has decided. */
const settle = () => vi.advanceTimersByTimeAsync(2000);

it('is shown and played by one of two tabs, and withdrawn when it ends', async () => {
  const tabs = [await openTab(), await openTab()];
  for (const tab of tabs) tab.on(started(7));
  await settle();
  expect([[...visible], displayed, played]).toEqual([['alert-7'], 1, 1]);
  for (const tab of tabs) tab.on({ type: 'alert.ended', id: 7 });
  await settle();
  expect([...visible]).toEqual([]);
});

it('is shown by no tab while its dialogue is read in one of them', async () => {
  const [background, front] = [await openTab(), await openTab()];
  background.on(started(7));
  await vi.advanceTimersByTimeAsync(100);
  look({ reads: true });
  front.on(started(7));
  look({ reads: false });
  await settle();
  expect([displayed, played]).toEqual([0, 0]);
});

it('is neither shown nor played in quiet hours', async () => {
  const at = (offset: number) => new Date(Date.now() + offset).toISOString().slice(11, 16);
  settings = { ...settings, quiet_hours: { from: at(-HOUR_MS), to: at(HOUR_MS), timezone: 'UTC' } };
  const tab = await openTab();
  tab.on(started(7));
  await settle();
  expect([displayed, played]).toEqual([0, 0]);
});

it('is played alone where notifications are off', async () => {
  settings = { ...settings, notifications: false };
  const tab = await openTab();
  tab.on(started(7));
  await settle();
  expect([displayed, played]).toEqual([0, 1]);
});

it('is withdrawn when it is assigned to a colleague', async () => {
  const tab = await openTab();
  tab.on(started(7));
  await settle();
  tab.on(started(7, ME + 1));
  await settle();
  expect([[...visible], displayed]).toEqual([[], 1]);
});

it('is shown although another installation at this address had one of the same number', async () => {
  claims.set(7, Date.now() - 2 * HOUR_MS);
  const tab = await openTab();
  tab.on(started(7));
  await settle();
  expect(displayed).toBe(1);
});

it('is caught up on after events were missed, but not what waited before the tab was opened', async () => {
  const tab = await openTab();
  open = [alertOf(5)];
  tab.on({ type: 'resync' });
  await settle();
  expect(displayed).toBe(0);
  tab.on(started(6));
  await settle();
  expect([...visible]).toEqual(['alert-6']);
  open = [alertOf(5), alertOf(8)];
  tab.on({ type: 'resync' });
  await settle();
  expect([[...visible], displayed]).toEqual([['alert-8'], 2]);
});
