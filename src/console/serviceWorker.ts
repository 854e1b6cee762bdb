/**
 * The service worker of the console: shows and withdraws notifications that a push service delivers, and opens the
 * dialogue when one is clicked. It intercepts no requests. It is built as one file without imports.
 */
import type { PushMessage } from '../desk/pushMessageContract.ts';

/** What this file uses of a service worker's scope; the types of the page and those of a worker exclude each other. */
interface WorkerEvent {
  waitUntil(work: Promise<unknown>): void;
}
interface PushEvent extends WorkerEvent {
  readonly data: { text(): string } | null;
}
interface ClickEvent extends WorkerEvent {
  readonly notification: Notification;
}
interface WindowClient {
  readonly url: string;
  readonly visibilityState: DocumentVisibilityState;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}
interface WorkerScope {
  readonly registration: ServiceWorkerRegistration;
  readonly location: { readonly origin: string };
  readonly clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install', listener: (event: WorkerEvent) => void): void;
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: ClickEvent) => void): void;
}
const worker = globalThis as unknown as WorkerScope;

/** Shown whatever is open: the operator asked for it. */
const TEST_TAG = 'alert-test';

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));

worker.addEventListener('push', (event) => {
  const message = parse(event.data?.text() ?? '');
  if (message !== null) event.waitUntil(message.type === 'show' ? show(message) : withdraw(message.tag));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { data } = event.notification;
  event.waitUntil(open(isObject(data) && typeof data['url'] === 'string' ? data['url'] : '/'));
});

const consoles = async (): Promise<readonly WindowClient[]> =>
  (await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })).filter(
    ({ url }) => new URL(url).pathname === '/',
  );

async function show({ tag, title, body, url }: Extract<PushMessage, { type: 'show' }>): Promise<void> {
  // A tab that the operator sees shows it itself.
  const isSeen = (await consoles()).some(({ visibilityState }) => visibilityState === 'visible');
  if (isSeen && tag !== TEST_TAG) return;
  await worker.registration.showNotification(title, { tag, body, data: { url } });
}

async function withdraw(tag: string): Promise<void> {
  for (const notification of await worker.registration.getNotifications({ tag })) notification.close();
}

/** Show an address of the console in a tab that is open, else in a new one. */
async function open(url: string): Promise<void> {
  const [tab] = await consoles();
  if (!tab) return void (await worker.clients.openWindow(url));
  tab.postMessage({ type: 'open', url });
  await tab.focus();
}

function parse(text: string): PushMessage | null {
  try {
    const message: unknown = JSON.parse(text);
    if (!isObject(message) || typeof message['tag'] !== 'string') return null;
    const { type, tag, title, body, url } = message;
    if (type === 'withdraw') return { type, tag };
    const isComplete = typeof title === 'string' && typeof body === 'string' && typeof url === 'string';
    return type === 'show' && isComplete && url.startsWith('/') ? { type, tag, title, body, url } : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
