/** The bounds of a number input, in words. */
import { formatNumber } from './format.ts';
import { t } from './i18n.ts';

interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** What is shown around the number: `$`, ` %`. */
  readonly prefix?: string | undefined;
  readonly suffix?: string | undefined;
}

/** Return the nearest number within the bounds. */
export const withinBounds = (value: number, { min = -Infinity, max = Infinity }: Bounds): number =>
  Math.min(max, Math.max(min, value));

/** Return the bounds as a sentence: `From 0 to 2`, `At least 1`; null without bounds. */
export function boundsText({ min, max, prefix = '', suffix = '' }: Bounds): string | null {
  const written = (value: number): string => `${prefix}${formatNumber(value)}${suffix}`;
  if (min !== undefined && max !== undefined)
    return t('From {{min}} to {{max}}', { min: `${prefix}${formatNumber(min)}`, max: written(max) });
  if (min !== undefined) return t('At least {{min}}', { min: written(min) });
  return max === undefined ? null : t('At most {{max}}', { max: written(max) });
}
