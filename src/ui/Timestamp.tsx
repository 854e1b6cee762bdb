/** A relative time, with the exact time on hover. */
import { Tooltip } from '@mantine/core';
import { useNow } from './clock.ts';
import { formatDateTime, formatExact, formatRelative } from './format.ts';

interface TimestampProps {
  /** ISO-8601; null shows a dash. */
  iso: string | null;
  /** Show date and time instead of a relative time. */
  absolute?: boolean;
  /** Time zone of the absolute form and of the hint. Defaults to the operator's own. */
  zone?: string;
}

export function Timestamp({ iso, absolute = false, zone }: TimestampProps) {
  useNow();
  if (iso === null) return <span>–</span>;
  return (
    <Tooltip label={formatExact(iso, zone)}>
      <time dateTime={iso}>{absolute ? formatDateTime(iso, zone) : formatRelative(iso)}</time>
    </Tooltip>
  );
}
