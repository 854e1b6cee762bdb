/** What this tab does when a lead comes to need the operator, and when that is over. */
import { type AttentionAlert, liveEvent } from '../../../live/contract.ts';
import { call } from '../../../ui/api.ts';
import { now } from '../../../ui/clock.ts';
import { isOperatorActive } from '../../../ui/operatorActivity.ts';
import { currentParam } from '../../../ui/page.ts';
import { keyOf, queryClient, queryOf } from '../../../ui/query.ts';
import { type AlertSettings, listAlerts, readAlertSettings } from '../../alertsContract.ts';
import { countInbox } from '../../contract.ts';
import { notificationOf, tagOf } from '../../pushMessageContract.ts';
import { quietUntil } from '../../quietHours.ts';
import { claimAlert } from './alertClaims.ts';
import { notificationPermission, showNotification, withdrawNotifications } from './notifications.ts';
import { playAlertSound } from './sound.ts';

const COUNTS_REFETCH_MS = 500;
/** They may have been changed in another browser. */
const SETTINGS_FRESH_MS = 30_000;
/** The server lists at most as many. */
const MOST_LISTED = 100;

let operatorId = 0;
/** The newest alert that this tab knows; null until it has read them once. */
let newestId: number | null = null;

/** Begin for an operator. What waits already is shown by the count alone. */
export function startAlerts(id: number): void {
  operatorId = id;
  newestId = null;
}

/** Apply an event of the inbox's stream. */
export function onAlertEvent(event: unknown): void {
  const parsed = liveEvent.safeParse(event);
  // A server newer than this page may send events it does not know.
  if (!parsed.success) return;
  const { data } = parsed;
  switch (data.type) {
    case 'alert':
      void (isForOperator(data.alert) ? raise(data.alert) : withdraw(data.alert.id));
      break;
    case 'alert.ended':
      void withdraw(data.id);
      break;
    case 'resync':
      void catchUp();
      refetchCounts();
      break;
    case 'inbox':
    case 'inbox.removed':
      refetchCounts();
      break;
    default:
  }
}

const isForOperator = ({ assignee_id: assignee }: AttentionAlert): boolean =>
  assignee === null || assignee === operatorId;

/** Show an alert, unless another tab of this browser does, its dialogue is being read, or these are quiet hours. */
async function raise(alert: AttentionAlert): Promise<void> {
  newestId = Math.max(newestId ?? 0, alert.id);
  if (isBeingRead(alert.dialogue_id)) {
    // Claimed before anything else is asked, so that no other tab shows it.
    await claimAlert(alert.id, { isRead: true });
    return;
  }
  const settings: AlertSettings = await queryClient.fetchQuery({
    ...queryOf(readAlertSettings, {}),
    staleTime: SETTINGS_FRESH_MS,
  });
  if (quietUntil(settings.quiet_hours, now()) !== null) return;
  const isShown = settings.notifications && notificationPermission() === 'granted';
  if (!isShown && !settings.sound) return;
  if (!(await claimAlert(alert.id, { isRead: false }))) return;
  if (settings.sound) void playAlertSound();
  if (isShown) await showNotification(notificationOf(alert, settings));
}

/** Whether the operator is at work in this very dialogue: each answer of the lead would be an alert. */
const isBeingRead = (dialogueId: number | null): boolean =>
  dialogueId !== null && currentParam('dialogueId') === String(dialogueId) && document.hasFocus() && isOperatorActive();

const withdraw = (id: number): Promise<void> => withdrawNotifications((tag) => tag === tagOf(id));

/** Events may have been missed: raise what has started since, and withdraw what has ended. */
async function catchUp(): Promise<void> {
  const { items } = await call(listAlerts);
  const before = newestId;
  newestId = Math.max(before ?? 0, ...items.map(({ id }) => id));
  const tags = new Set(items.map(({ id }) => tagOf(id)));
  if (items.length < MOST_LISTED) await withdrawNotifications((tag) => /^alert-\d+$/.test(tag) && !tags.has(tag));
  if (before === null) return;
  for (const alert of items) if (alert.id > before) await raise(alert);
}

let isScheduled = false;

function refetchCounts(): void {
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => {
    isScheduled = false;
    void queryClient.invalidateQueries({ queryKey: keyOf(countInbox) });
  }, COUNTS_REFETCH_MS);
}
