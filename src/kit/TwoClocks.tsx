/** Times on two clocks: the operator's and another zone's. */
import { Tooltip } from '@mantine/core';
import { formatExact, formatRelative, formatTime, formatZone, ownZone } from './format.ts';
import { useNow } from './now.ts';
import { t } from './t.ts';

interface TwoClocksProps {
  /** ISO-8601; null shows a dash. */
  iso: string | null;
  /** IANA zone of the other clock; null: only the operator's. */
  zone: string | null;
}

/** An instant, relative, with the exact time on both clocks on hover. */
export function TwoClocks({ iso, zone }: TwoClocksProps) {
  const at = useNow();
  if (iso === null) return <span>–</span>;
  const here = formatExact(iso);
  const hint =
    zone === null || zone === ownZone() ? (
      here
    ) : (
      <>
        <div>{t('Here: {{time}}', { time: here })}</div>
        <div>{t('There: {{time}}', { time: formatExact(iso, zone) })}</div>
      </>
    );
  return (
    <Tooltip label={hint}>
      <time dateTime={iso}>{formatRelative(iso, at)}</time>
    </Tooltip>
  );
}

/** What a clock in `zone` shows now: `14:05 GMT+3`. */
export function ClockIn({ zone }: { zone: string }) {
  const iso = new Date(useNow()).toISOString();
  return (
    <Tooltip label={zone}>
      <span>
        {formatTime(iso, zone)} {formatZone(zone, iso)}
      </span>
    </Tooltip>
  );
}
