/** A length of time as people say it, `3 days`; its value is minutes. */
import { NumberInput, type NumberInputProps, Select } from '@mantine/core';
import { useState } from 'react';
import classes from './DurationField.module.css';
import { type DurationUnit, minutesIn, unitOf } from './duration.ts';
import { t } from './i18n.ts';

interface DurationFieldProps extends Omit<NumberInputProps, 'value' | 'onChange' | 'label' | 'max'> {
  /** What the length is, before its unit: `After`. */
  label: string;
  /** Whole minutes; null: nothing is typed. */
  minutes: number | null;
  /** The largest, in minutes. */
  maxMinutes: number;
  onMinutes: (minutes: number | null) => void;
}

const UNITS: readonly DurationUnit[] = ['minutes', 'hours', 'days'];

export function DurationField({ label, minutes, maxMinutes, onMinutes, className, ...rest }: DurationFieldProps) {
  const [preferredUnit, setUnit] = useState<DurationUnit>(() => unitOf(minutes));
  // What came from elsewhere and is no whole number of the unit is shown in one of which it is.
  const unit = minutes === null || minutes % minutesIn(preferredUnit) === 0 ? preferredUnit : unitOf(minutes);
  const size = minutesIn(unit);
  const names: Readonly<Record<DurationUnit, string>> = { minutes: t('minutes'), hours: t('hours'), days: t('days') };
  return (
    <div className={`${classes.duration} ${className ?? ''}`}>
      <NumberInput
        {...rest}
        label={t('{{label}} {{unit}}', { label, unit: names[unit] })}
        max={Math.floor(maxMinutes / size)}
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="none"
        value={minutes === null ? '' : minutes / size}
        onChange={(typed) => onMinutes(typeof typed === 'number' ? typed * size : null)}
      />
      <Select
        className={classes.unit}
        aria-label={t('Unit')}
        data={UNITS.map((value) => ({ value, label: names[value] }))}
        value={unit}
        allowDeselect={false}
        onChange={(value) => {
          const next = UNITS.find((one) => one === value) ?? 'minutes';
          setUnit(next);
          // The number stays: whoever typed 3 and then chose days means three days.
          if (minutes !== null) onMinutes(Math.min((minutes / size) * minutesIn(next), maxMinutes));
        }}
      />
    </div>
  );
}
