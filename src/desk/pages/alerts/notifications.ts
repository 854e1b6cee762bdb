/** Notifications of this browser: permission, service worker, subscription to pushes, showing and withdrawing. */
import { call } from '../../../ui/api.ts';
import { readAlertSettings, subscribeToPushes, unsubscribeFromPushes } from '../../alertsContract.ts';
import type { PushMessage } from '../../pushMessageContract.ts';

const SERVICE_WORKER = '/service-worker.js';

/** What the browser lets us do; `unsupported`: it has no notifications. */
export type Permission = NotificationPermission | 'unsupported';

export const notificationPermission = (): Permission =>
  'Notification' in window ? Notification.permission : 'unsupported';

/** Ask the operator for permission. Browsers allow it only after a click. */
export async function requestPermission(): Promise<Permission> {
  return 'Notification' in window ? Notification.requestPermission() : 'unsupported';
}

/** Register the service worker; null if the browser has none, or this page is not served securely. */
async function registration(): Promise<ServiceWorkerRegistration | null> {
  if (!('serviceWorker' in navigator)) return null;
  try {
    await navigator.serviceWorker.register(SERVICE_WORKER);
    return await navigator.serviceWorker.ready;
  } catch {
    return null;
  }
}

/** Notifications that this tab shows without a service worker, by tag. */
const ownNotifications = new Map<string, Notification>();

/** Show a notification; one with the same tag is replaced without a sound. */
export async function showNotification({
  tag,
  title,
  body,
  url,
}: Extract<PushMessage, { type: 'show' }>): Promise<void> {
  const worker = await registration();
  if (worker) return worker.showNotification(title, { tag, body, data: { url } });
  const notification = new Notification(title, { tag, body });
  notification.onclick = () => {
    window.focus();
    openAddress(url);
  };
  ownNotifications.set(tag, notification);
}

/** Withdraw the notifications whose tag is named. */
export async function withdrawNotifications(isNamed: (tag: string) => boolean): Promise<void> {
  for (const [tag, notification] of ownNotifications) {
    if (!isNamed(tag)) continue;
    notification.close();
    ownNotifications.delete(tag);
  }
  if (notificationPermission() !== 'granted') return;
  const open = (await (await registration())?.getNotifications()) ?? [];
  for (const notification of open) if (isNamed(notification.tag)) notification.close();
}

/** Open an address of the console in this tab. */
let openAddress: (url: string) => void = (url) => window.location.assign(url);

/** Open what a click on a notification names in this tab. Returns a function that ends it. */
export function onNotificationClick(open: (url: string) => void): () => void {
  openAddress = open;
  if (!('serviceWorker' in navigator)) return () => {};
  const listener = ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== 'object' || data === null || !('type' in data && 'url' in data)) return;
    if (data.type === 'open' && typeof data.url === 'string' && data.url.startsWith('/')) open(data.url);
  };
  navigator.serviceWorker.addEventListener('message', listener);
  return () => navigator.serviceWorker.removeEventListener('message', listener);
}

/** Subscribe this browser to pushes, or renew its subscription. Does nothing where no push service can be reached. */
export async function subscribeBrowser(): Promise<void> {
  const { push_key: key } = await call(readAlertSettings);
  const worker = key === null ? null : await registration();
  if (key === null || !worker || !('pushManager' in worker)) return;
  const subscription =
    (await worker.pushManager.getSubscription()) ??
    (await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
  const { endpoint = '', keys = {} } = subscription.toJSON();
  await call(subscribeToPushes, {
    body: { endpoint, keys: { p256dh: keys['p256dh'] ?? '', auth: keys['auth'] ?? '' } },
  });
}

/** End this browser's subscription to pushes. */
export async function unsubscribeBrowser(): Promise<void> {
  await call(unsubscribeFromPushes);
  if (!('serviceWorker' in navigator)) return;
  const worker = await navigator.serviceWorker.getRegistration(SERVICE_WORKER);
  await (await worker?.pushManager?.getSubscription())?.unsubscribe();
}
