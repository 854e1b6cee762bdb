/** Choose the days: one of the usual ranges, or a first day and a last one. */
import { Group, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { today } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { useProductZone } from '../../../ui/scope.ts';
import { NARROW_SCREEN } from '../../../ui/theme.ts';
import { type Days, daysOf, type Range, rangeOf, ranges } from './ranges.ts';

const LABELS: Readonly<Record<Range, string>> = {
  '7': '7 days',
  '30': '30 days',
  '90': '90 days',
  this_month: 'This month',
  last_month: 'Last month',
};

interface RangeControlProps {
  days: Days;
  /** Offers no limit too. */
  withAllTime?: boolean;
  onChange: (days: Days) => void;
}

export function RangeControl({ days, withAllTime = false, onChange }: RangeControlProps) {
  const now = today(useProductZone());
  const narrow = useMediaQuery(NARROW_SCREEN, false, { getInitialValueInEffect: false });
  const [isTyping, setTyping] = useState(false);
  const isAll = days.from === undefined && days.to === undefined;
  const range = rangeOf(days, now);
  const value = isTyping ? 'custom' : isAll && withAllTime ? 'all' : (range ?? 'custom');
  const options = [
    ...ranges.map((one) => ({ value: one, label: t(LABELS[one]) })),
    ...(withAllTime ? [{ value: 'all', label: t('All time') }] : []),
    { value: 'custom', label: t('Custom') },
  ];
  const select = (chosen: string) => {
    setTyping(chosen === 'custom');
    const one = ranges.find((each) => each === chosen);
    if (one) onChange(daysOf(one, now));
    if (chosen === 'all') onChange({ from: undefined, to: undefined });
  };
  return (
    <>
      {narrow ? (
        <NativeSelect
          size="xs"
          aria-label={t('Range of days')}
          value={value}
          data={options}
          onChange={(event) => select(event.currentTarget.value)}
        />
      ) : (
        <SegmentedControl size="xs" aria-label={t('Range of days')} value={value} data={options} onChange={select} />
      )}
      {value === 'custom' && (
        <Group gap="xs" wrap="nowrap">
          <TextInput
            type="date"
            size="xs"
            aria-label={t('First day')}
            max={days.to ?? now}
            value={days.from ?? ''}
            onChange={(event) => onChange({ ...days, from: event.currentTarget.value || undefined })}
          />
          –
          <TextInput
            type="date"
            size="xs"
            aria-label={t('Last day')}
            min={days.from}
            value={days.to ?? ''}
            onChange={(event) => onChange({ ...days, to: event.currentTarget.value || undefined })}
          />
        </Group>
      )}
    </>
  );
}
