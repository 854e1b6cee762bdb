/** Changes of the operator's settings of alerts, with what this browser has to do for them. */
import { call } from '../../../ui/api.ts';
import { keyOf, queryClient, setCachedAnswer } from '../../../ui/query.ts';
import {
  type AlertSettings,
  type AlertSettingsView,
  changeAlertSettings,
  readAlertSettings,
} from '../../alertsContract.ts';
import { requestPermission, subscribeBrowser, unsubscribeBrowser } from './notifications.ts';

/** Store changed settings. */
export async function storeSettings(current: AlertSettingsView, change: Partial<AlertSettings>): Promise<void> {
  const { push_key: _key, is_subscribed: _subscribed, ...settings } = current;
  const answer = await call(changeAlertSettings, { body: { ...settings, ...change } });
  setCachedAnswer(queryClient, keyOf(readAlertSettings, {}), answer);
}

/** Turn notifications on and ask the browser for permission. False if the operator or the browser denies it. */
export async function turnNotificationsOn(current: AlertSettingsView): Promise<boolean> {
  if ((await requestPermission()) !== 'granted') return false;
  await storeSettings(current, { notifications: true });
  // A browser without a push service still alerts while a tab is open.
  await subscribeBrowser().catch(() => undefined);
  await queryClient.invalidateQueries({ queryKey: keyOf(readAlertSettings) });
  return true;
}

/** Turn notifications off in all browsers of the operator. */
export async function turnNotificationsOff(current: AlertSettingsView): Promise<void> {
  await storeSettings(current, { notifications: false });
  await unsubscribeBrowser();
  await queryClient.invalidateQueries({ queryKey: keyOf(readAlertSettings) });
}
