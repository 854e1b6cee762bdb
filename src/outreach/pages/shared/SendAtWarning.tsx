/** Warns where first messages begin after working hours have ended on every day: then none ever leaves. */
import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { clockTime } from '../../../platform/contract.ts';
import { isZone, zoneTimeName } from '../../../platform/zones.ts';
import { products } from '../../../products/contract.ts';
import { useNow } from '../../../ui/clock.ts';
import { t } from '../../../ui/i18n.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { scheduleOfProduct } from '../../contract.ts';
import { completeWeek, type ScheduleDays } from '../../schedule.ts';
import { isAfterHours, parseMinutes, utcOffsetMinutes } from '../hours.ts';
import { useProductSetting } from '../useProductSetting.ts';

interface Hours {
  readonly timezone: string;
  readonly days: ScheduleDays;
}

/** For the settings of first messages on the page, and the stored schedule. */
export function SendAtWarning({ productId, zone, sendAt }: { productId: number; zone: string; sendAt: string }) {
  const stored = useProductSetting(scheduleOfProduct, productId).data;
  if (!stored) return null;
  return (
    <Warning
      sendAt={sendAt}
      zone={zone}
      hours={{ timezone: stored.timezone, days: completeWeek(stored.config.days) }}
    />
  );
}

/** For the schedule on the page, and the stored settings of first messages. */
export function HoursWarning({ productId, hours }: { productId: number; hours: Hours }) {
  const product = useEndpoint(products.get, { params: { id: productId } }).data;
  const messaging = product?.config.messaging_config;
  if (!product || !messaging) return null;
  return <Warning sendAt={messaging.initial_message_send_at} zone={product.timezone} hours={hours} />;
}

function Warning({ sendAt, zone, hours }: { sendAt: string; zone: string; hours: Hours }) {
  const now = useNow();
  if (!clockTime.safeParse(sendAt).success || !isZone(zone) || !isZone(hours.timezone)) return null;
  const ahead = utcOffsetMinutes(zone, now) - utcOffsetMinutes(hours.timezone, now);
  if (!isAfterHours(hours.days, parseMinutes(sendAt), ahead)) return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle />} title={t('No first message can be sent')}>
      {t('Send at, {{time}} {{zone}}, is after working hours on every day. Choose an earlier time or longer hours.', {
        time: sendAt,
        zone: zoneTimeName(zone),
      })}
    </Alert>
  );
}
