import type { AppContext } from '../../platform/appContext.ts';
import { recordAuditEntry } from '../../platform/audit.ts';
import { ok, type Route, route } from '../../platform/http/routes.ts';
import { wakeSweep } from '../../platform/notifications.ts';
import {
  type AlertSettingsView,
  changeAlertSettings,
  listAlerts,
  readAlertSettings,
  sendTestNotification,
  subscribeToPushes,
  unsubscribeFromPushes,
} from '../alertsContract.ts';
import { ALERTS_SWEEP } from './sendPushes.ts';
import { readAlertsFor } from './store/alerts.ts';
import { readSettings, storeSettings } from './store/settings.ts';
import { isSubscribed } from './store/subscriptions.ts';
import { sendTest, subscribe, unsubscribe } from './subscribe.ts';
import { publicPushKey } from './vapid.ts';

export function alertRoutes(context: AppContext): Route[] {
  const view = async ({ id, sessionId }: { id: number; sessionId: number }): Promise<AlertSettingsView> => ({
    ...(await readSettings(context.reader, id)),
    // A browser would ask its vendor's push service for a subscription, and nothing leaves a sandbox.
    push_key: context.mode === 'sandbox' ? null : await publicPushKey(context),
    is_subscribed: await isSubscribed(context.reader, sessionId),
  });
  return [
    route(readAlertSettings, async ({ caller }) => ok(200, await view(caller))),
    route(changeAlertSettings, async ({ body, caller, requestId }) => {
      await context.transact(async (tx) => {
        const before = await readSettings(tx, caller.id);
        await storeSettings(tx, caller.id, body);
        wakeSweep(tx, ALERTS_SWEEP);
        const about = { noun: 'operator', rowId: caller.id };
        await recordAuditEntry(tx, { caller, requestId, action: 'alerts changed', ...about, before, after: body });
      });
      return ok(200, await view(caller));
    }),
    route(listAlerts, async ({ caller }) => ok(200, { items: await readAlertsFor(context.reader, caller) })),
    route(subscribeToPushes, async ({ body, caller, requestId }) => {
      await subscribe(context, body, { caller, requestId });
      return ok(204, null);
    }),
    route(sendTestNotification, async ({ caller: { sessionId } }) => {
      await sendTest(context, sessionId);
      return ok(204, null);
    }),
    route(unsubscribeFromPushes, async ({ caller, requestId }) => {
      await unsubscribe(context, { caller, requestId });
      return ok(204, null);
    }),
  ];
}
