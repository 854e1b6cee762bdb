/** A bar in the inbox that offers notifications once they are useful: not at the first visit, and not again once declined. */
import { Button, Text } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../../../ui/i18n.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { toast } from '../../../ui/toast.ts';
import { readAlertSettings } from '../../alertsContract.ts';
import classes from './alerts.module.css';
import { turnNotificationsOn } from './changeSettings.ts';
import { notificationPermission } from './notifications.ts';
import { useNeedsMeCount } from './useNeedsMeCount.ts';

/** What this browser knows of the offer: that the inbox was opened before, or that the operator declined. */
type Offer = 'first visit' | 'open' | 'declined';

const keyOf = (operatorId: number): string => `rapport-alerts-offer-${operatorId}`;

/** Each load of the console reads it once: the first one in which the inbox is opened makes no offer. */
const offers = new Map<number, Offer>();

function readOffer(operatorId: number): Offer {
  const current = offers.get(operatorId);
  if (current !== undefined) return current;
  const stored = localStorage.getItem(keyOf(operatorId));
  const offer = stored === 'declined' || stored === 'open' ? stored : 'first visit';
  if (offer === 'first visit') localStorage.setItem(keyOf(operatorId), 'open');
  offers.set(operatorId, offer);
  return offer;
}

export default function AlertsBar() {
  const { operator } = useScope();
  const [offer, setOffer] = useState(() => readOffer(operator.id));
  const [permission, setPermission] = useState(notificationPermission);
  const { data: settings } = useEndpoint(readAlertSettings, {});
  const count = useNeedsMeCount();
  if (offer !== 'open' || permission !== 'default' || settings === undefined || count === 0) return null;
  const decline = () => {
    localStorage.setItem(keyOf(operator.id), 'declined');
    offers.set(operator.id, 'declined');
    setOffer('declined');
  };
  const accept = () =>
    turnNotificationsOn(settings)
      .then((isOn) => {
        setPermission(notificationPermission());
        if (isOn) toast.success(t('You will be notified when a lead needs you'));
      })
      .catch(toast.failure);
  return (
    <aside className={classes.bar} aria-label={t('Notifications')}>
      <IconBell size={16} aria-hidden />
      <Text size="sm" span flex={1} miw="14rem">
        {t('Get notified when a lead needs you')}
      </Text>
      <Button size="compact-sm" onClick={() => void accept()}>
        {t('Turn on notifications')}
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={decline}>
        {t('Not now')}
      </Button>
    </aside>
  );
}
