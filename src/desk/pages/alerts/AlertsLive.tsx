/** Keeps the count in the tab's title and icon current, and alerts the operator. Shows nothing itself. */
import { useEffect } from 'react';
import { streamLiveEvents } from '../../../live/contract.ts';
import { endpointUrl } from '../../../platform/endpointUrl.ts';
import { browserHistory } from '../../../ui/history.ts';
import { useLive } from '../../../ui/live.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { setTitleCount } from '../../../ui/title.ts';
import { readAlertSettings } from '../../alertsContract.ts';
import { onAlertEvent, startAlerts } from './applyAlerts.ts';
import {
  notificationPermission,
  onNotificationClick,
  subscribeBrowser,
  withdrawNotifications,
} from './notifications.ts';
import { useNeedsMeCount } from './useNeedsMeCount.ts';

export default function AlertsLive() {
  const { operator } = useScope();
  const count = useNeedsMeCount();
  const { data: settings } = useEndpoint(readAlertSettings, {});
  useEffect(() => {
    startAlerts(operator.id);
    // Signed out: what was shown is for nobody any more.
    return () => void withdrawNotifications((tag) => tag.startsWith('alert-'));
  }, [operator.id]);
  useLive(endpointUrl(streamLiveEvents), onAlertEvent);
  useEffect(() => setTitleCount(count), [count]);
  useEffect(() => () => setTitleCount(0), []);
  useEffect(() => onNotificationClick((url) => browserHistory().push(url)), []);
  const isOn = settings?.notifications === true;
  useEffect(() => {
    // A subscription ends with its session, so each session renews it. A browser may refuse; its tabs still alert.
    if (isOn && notificationPermission() === 'granted') subscribeBrowser().catch(() => undefined);
  }, [isOn]);
  return null;
}
