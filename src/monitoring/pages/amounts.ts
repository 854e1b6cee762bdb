/** Formats of sizes and durations on the System page. Pure. */
import { formatMinutes } from '../../ui/duration.ts';
import { formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';

/** Format seconds: `0 s`, `12 s`, `2 h 5 min`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 120) return t('{{count}} s', { count: Math.round(seconds) });
  return formatMinutes(Math.round(seconds / 60));
}

/** Format milliseconds: `12 ms`, `3.4 s`. */
export function formatMillis(ms: number): string {
  if (ms < 1000) return t('{{count}} ms', { count: Math.round(ms) });
  return t('{{count}} s', { count: Math.round(ms / 100) / 10 });
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Format bytes: `12.4 MB`, in units of 1024. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  return `${formatNumber(Math.round((bytes / 1024 ** step) * 10) / 10)} ${UNITS[step]}`;
}
