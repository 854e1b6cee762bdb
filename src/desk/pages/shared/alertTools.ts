/** The assistant's tools for the operator's alerts, on the account page. */
import { z } from 'zod';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { Undoable } from '../../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, type ToolWithHandler } from '../../../ui/pageTool.ts';
import { storedUndo } from '../../../ui/undo.ts';
import { type AlertSettings, changeAlertSettings, readAlertSettings } from '../../alertsContract.ts';
import { storeSettings, turnNotificationsOn } from '../alerts/changeSettings.ts';

const { sound, notifications, message_text, quiet_hours } = changeAlertSettings.body.shape;
const CHANGE = z.strictObject({
  sound: sound.optional().describe(t('A quiet sound while a tab of the console is open')),
  notifications: notifications.optional().describe(t('Notifications of the browser; it may ask for permission')),
  message_text: message_text.optional().describe(t('The last message of the dialogue in notifications')),
  quiet_hours: quiet_hours.optional().describe(t('HH:MM and an IANA time zone; null: none')),
});

async function read(): Promise<AlertSettings> {
  const { push_key: _key, is_subscribed: _subscribed, ...settings } = await call(readAlertSettings);
  return settings;
}

export function alertTools(): ToolWithHandler[] {
  return [
    pageTool({
      name: 'show_alert_settings',
      description: t('How the operator is alerted: sound, notifications and quiet hours.'),
      input: NO_ARGUMENTS,
      run: read,
    }),
    pageTool({
      name: 'change_alert_settings',
      description: t('Changes how the operator is alerted; what is omitted stays.'),
      input: CHANGE,
      confirm: true,
      run: change,
    }),
  ];
}

async function change({ notifications: isOn, ...others }: z.output<typeof CHANGE>): Promise<Undoable> {
  const stored = await call(readAlertSettings);
  const { push_key: _key, is_subscribed: _subscribed, ...before } = stored;
  const changed = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  await storeSettings(stored, isOn === false ? { ...changed, notifications: false } : changed);
  if (isOn && !before.notifications && !(await turnNotificationsOn({ ...stored, ...(await read()) })))
    throw new Error(t('The browser did not allow notifications.'));
  const after = await read();
  return new Undoable(after, storedUndo({ after, read, restore: () => storeSettings(stored, before) }));
}
