/** A rate of attempts with its interval, and a number of attempts; both lead to the attempts behind them. */
import { Text } from '@mantine/core';
import { formatNumber } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import { Tip } from '../../../ui/Tip.tsx';
import type { OutcomeFilter } from '../../outcomeContract.ts';
import { insightsParams, type ShownRate } from './results.ts';

/** Format a rate in whole percent, with one decimal below ten: `31 %`, `2.4 %`. */
export function formatRate(rate: number): string {
  const percent = rate * 100;
  return `${+percent.toFixed(percent > 0 && percent < 10 ? 1 : 0)} %`;
}

/** Format an interval in whole percent, outwards: `25–38 %`. */
export const formatRange = (low: number, high: number): string => `${Math.floor(low * 100)}–${Math.ceil(high * 100)} %`;

/** Show `31 % 25–38 %`; grey words below 30 attempts, and a dash without any. */
export function RateText({ rate, inText = false }: { rate: ShownRate | null; inText?: boolean }) {
  if (rate === null || rate.rate === null)
    return (
      <Text span inherit c="dimmed">
        –
      </Text>
    );
  const { count, of, low, high, filter } = rate;
  const counted = t('{{count, number}} of {{of, number}}', { count, of });
  if (rate.tooFew)
    return (
      <Tip label={t('{{counted}}: below 30 attempts a rate tells nothing yet', { counted })}>
        <Text span inherit c="dimmed">
          {t('Too few to tell')}
        </Text>
      </Tip>
    );
  const range = formatRange(low, high);
  return (
    <Tip label={t('{{counted}}; 95 % interval {{range}}', { counted, range })}>
      <span>
        <PageLink to="insights-attempts" params={insightsParams(filter)} inText={inText}>
          {formatRate(rate.rate)}
        </PageLink>{' '}
        <Text span size="xs" c="dimmed">
          {range}
        </Text>
      </span>
    </Tip>
  );
}

interface AttemptsLinkProps {
  count: number;
  filter: OutcomeFilter;
  /** The link is inside a sentence. */
  inText?: boolean;
}

/** Show a number of attempts as a link to them; 0 is no link. */
export function AttemptsLink({ count, filter, inText = false }: AttemptsLinkProps) {
  if (count === 0)
    return (
      <Text span inherit c="dimmed">
        0
      </Text>
    );
  return (
    <PageLink to="insights-attempts" params={insightsParams(filter)} inText={inText}>
      {formatNumber(count)}
    </PageLink>
  );
}
