/** Contract of alerts: how operators learn that a lead needs them while they look elsewhere. */
import { z } from 'zod';
import { attentionAlert } from '../live/contract.ts';
import { clockTime, endpoint, errorReply, nameShape } from '../platform/contract.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { timeZone } from '../platform/zones.ts';

const quietHours = z
  .strictObject({ from: clockTime, to: clockTime, timezone: timeZone })
  .refine(({ from, to }) => from !== to, { path: ['to'], message: 'Choose another time than the start' });

const settings = z.strictObject({
  /** Play a quiet sound in an open console. */
  sound: z.boolean(),
  /** Show browser notifications, also when no tab is open. */
  notifications: z.boolean(),
  /** Show the lead's last message in notifications. */
  message_text: z.boolean(),
  quiet_hours: quietHours.nullable(),
});
export type AlertSettings = z.output<typeof settings>;
nameShape('AlertSettings', settings);

const settingsView = settings.extend({
  /** Public key that a browser subscribes with; null in the sandbox, which reaches no push service. */
  push_key: z.string().nullable(),
  /** Whether the browser of this session is subscribed. */
  is_subscribed: z.boolean(),
});
export type AlertSettingsView = z.output<typeof settingsView>;

export const readAlertSettings = endpoint({
  operation: 'getAlertSettings',
  method: 'GET',
  path: '/v1/alerts/settings',
  access: 'session',
  summary: "The operator's own settings of alerts",
  replies: { 200: settingsView },
});

export const changeAlertSettings = endpoint({
  operation: 'changeAlertSettings',
  method: 'PUT',
  path: '/v1/alerts/settings',
  access: 'session',
  summary: "Change the operator's own settings of alerts",
  body: settings,
  replies: { 200: settingsView },
});

export const listAlerts = endpoint({
  operation: 'listAlerts',
  method: 'GET',
  path: '/v1/alerts/',
  access: 'session',
  summary: 'The newest open alerts for the operator, at most a hundred',
  replies: { 200: z.object({ items: z.array(attentionAlert) }) },
});

export const subscribeToPushes = endpoint({
  operation: 'subscribeToPushes',
  method: 'PUT',
  path: '/v1/alerts/subscription',
  access: 'session',
  summary: "Have this session's browser notified through its push service, until the session ends",
  body: z.strictObject({
    endpoint: z.url().max(2000),
    /** Key and secret of the browser, as it names them. */
    keys: z.strictObject({
      p256dh: z.string().regex(/^[\w-]{87}=?$/, 'Not a public key of a browser'),
      auth: z.string().regex(/^[\w-]{22}(==)?$/, 'Not a secret of a browser'),
    }),
  }),
  replies: { 204: z.null(), 409: errorReply },
});

export const unsubscribeFromPushes = endpoint({
  operation: 'unsubscribeFromPushes',
  method: 'DELETE',
  path: '/v1/alerts/subscription',
  access: 'session',
  summary: "Stop notifying this session's browser through its push service",
  replies: { 204: z.null() },
});

export const sendTestNotification = endpoint({
  operation: 'sendTestNotification',
  method: 'POST',
  path: '/v1/alerts/test',
  access: 'session',
  load: 'outside',
  summary: "Send a test notification to this session's browser through its push service",
  replies: { 204: z.null(), 409: errorReply, 503: errorReply },
});

export const alertRefusals = {
  'alerts.unknown_push_service': { status: 409, sentence: '{host} is not a known push service.' },
  'alerts.not_subscribed': { status: 409, sentence: 'This browser does not receive notifications yet.' },
  'alerts.push_failed': { status: 503, sentence: 'The push service did not accept the notification: {reason}' },
} satisfies RefusalKinds;
