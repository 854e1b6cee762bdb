/** Times in two zones: the operator's and another one. */
import { Tooltip } from '@mantine/core';
import { useNow } from './clock.ts';
import { browserTimeZone, formatExact, formatRelative, formatTime, formatZone } from './format.ts';
import { t } from './i18n.ts';

interface DualTimestampProps {
  /** ISO-8601; null shows a dash. */
  iso: string | null;
  /** IANA name of the other zone; null shows the operator's only. */
  zone: string | null;
}

/** A relative time, with the exact time in both zones on hover. */
export function DualTimestamp({ iso, zone }: DualTimestampProps) {
  useNow();
  if (iso === null) return <span>–</span>;
  const here = formatExact(iso);
  const hint =
    zone === null || zone === browserTimeZone() ? (
      here
    ) : (
      <>
        <div>{t('Here: {{time}}', { time: here })}</div>
        <div>{t('There: {{time}}', { time: formatExact(iso, zone) })}</div>
      </>
    );
  return (
    <Tooltip label={hint}>
      <time dateTime={iso}>{formatRelative(iso)}</time>
    </Tooltip>
  );
}

/** The current time in `zone`: `14:05 GMT+3`. */
export function ZoneClock({ zone }: { zone: string }) {
  const iso = new Date(useNow()).toISOString();
  return (
    <Tooltip label={zone}>
      <span>
        {formatTime(iso, zone)} {formatZone(zone, iso)}
      </span>
    </Tooltip>
  );
}
